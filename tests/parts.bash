# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The parts that .ci/run and tests/release-check are made of, to be sourced at the top of a clean clone. A part is a run
# of ./runtests, which counts its tests, or one thing that works or does not. After a failure the others still run.
# Everything is built and written in $work, which is removed at the end.
set -u -o pipefail
exec </dev/null
src=$PWD
export CI=${CI:-true} LC_ALL=C.UTF-8
work=$(mktemp -d)
log=$work/log
passed=0 failed=0 skipped=0

as_root=()
((!EUID)) || as_root=(sudo)

clean_up() {
	[[ -z ${root_job:-} ]] || { kill -- "-$root_job" && wait "$root_job"; } 2>/dev/null
	"${as_root[@]}" rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

title() { printf '\n==== %s\n' "$1"; started=$SECONDS; }

count() {
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	echo "(${4:+$4, }$((SECONDS - started)) s)"
}

# suite COMMAND...: a run of ./runtests, counted by its last line.
suite() {
	local status=0
	"$@" 2>&1 | tee "$log" || status=$?
	if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		local p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[3]}
		((status == 0 || f)) || f=1
		count "$p" "$f" "$s"
	else
		count 0 1 0 "ended with $status before it could sum up"
	fi
}

# part COMMAND...: one thing that works or does not.
part() {
	if "$@" >"$log" 2>&1; then
		count 1 0 0 'as it should be'
	else
		tail -n 60 "$log"
		count 0 1 0 "failed: $*"
	fi
}

# The last line, and whether all is well.
sum_up() {
	echo
	echo "$passed passed, $failed failed, $skipped skipped"
	((!failed))
}

# lanes LANE...: the options of ./runtests.
lanes() { printf -- '--lane\n%s\n' "$@"; }

# sanitized COMPILER LANE...: gcc's without -Werror, since the code that its sanitizers insert makes it warn of what
# cannot happen.
sanitized() {
	local werror=() options
	mapfile -t options < <(lanes "${@:2}")
	[[ $1 == gcc ]] || werror=(--enable-werror)
	title "AddressSanitizer and UBSan of $1"
	suite env BUILD_DIR="$work/san-$1" CC="$1" CFLAGS='-O1 -g' ./runtests "${options[@]}" --enable-sanitizers "${werror[@]}"
}

# In bats, run sets variables and each test is a function in a subshell; commas are part of options' names.
shell_scripts() {
	git ls-files | while read -r file; do
		if [[ ! -L $file && $file != *.ba[ts]* ]] &&
			head -n 1 "$file" | grep -qE '^(#!/(usr/bin/env |bin/)(ba)?sh|# shellcheck shell=)'; then
			echo "$file"
		fi
	done | xargs -d '\n' shellcheck -x -P SCRIPTDIR &&
		shellcheck -S warning -e SC2030,SC2031,SC2154,SC2238,SC2258 tests/*/*.bats tests/*/*.bash
}

# The tests have wrong words on purpose.
spelling() { git ls-files | grep -vE '^(COPYING|tests/|fuzz/)' | xargs -d '\n' codespell -q 3; }

# .clang-format, of the version that Debian 12 has, describes what C looks like; tables turn it off.
layout() { git ls-files '*.[ch]' | xargs -d '\n' clang-format --dry-run --Werror; }

# It has git's files, except those for git and CI.
complete() {
	local left_out
	left_out=$(comm -23 <(git ls-files | grep -v '^\.' | sort) <(tar tf "$1"/madkit-*.tar.xz | sed 's|^[^/]*/||' | sort))
	[[ -z $left_out ]] || { printf 'not in the distribution:\n%s\n' "$left_out"; return 1; }
}

# make_root: a root with nothing in it but what every Debian has, from the mirror that this machine uses itself, and a
# clone.
make_root() {
	local mirror source
	# shellcheck disable=SC2016  # for apt-get to expand
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT) $(LABEL)' |
		sed -n 's/ bookworm main Debian$//p' | head -n 1)
	[[ -n $mirror ]] || { echo "no mirror of Debian 12 in this machine's apt sources"; return 1; }
	"${as_root[@]}" debootstrap --variant=minbase bookworm "$work/root" "$mirror" || return
	# How apt reaches its mirrors is this machine's business.
	for source in /etc/apt/{sources.list,sources.list.d,apt.conf,apt.conf.d,auth.conf,auth.conf.d,preferences,preferences.d,keyrings,trusted.gpg,trusted.gpg.d} \
		/usr/share/keyrings /etc/resolv.conf /etc/hosts; do
		[[ ! -e $source ]] || "${as_root[@]}" cp -rLT "$source" "$work/root$source" || return
	done
	# The starting point of a new user: a clone.
	git -c advice.detachedHead=false clone -q --no-hardlinks "$src" "$work/clone" || return
	"${as_root[@]}" cp -rT "$work/clone" "$work/root/root/madkit"
}

# in_root COMMAND: in separate namespaces, so that no process outlives it, and with terminals.
in_root() {
	"${as_root[@]}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		unshare --mount --pid --fork --kill-child --mount-proc="$work/root/proc" \
		chroot "$work/root" bash -c "mount -t devpts -o ptmxmode=0666 devpts /dev/pts && cd /root/madkit && $1"
}

# Begins to make the root beside what follows, because both wait a lot; minimal_root waits for it.
begin_root() {
	set -m
	make_root >"$work/root.log" 2>&1 &
	set +m
	root_job=$!
}

root_is_made() {
	local status=0
	wait "$root_job" || status=$?
	root_job=
	cat "$work/root.log"
	return "$status"
}

minimal_root() {
	title "a minimal Debian root"
	part root_is_made
	title "./quickstart in it"
	part in_root ./quickstart
	title "without the daemons of others"
	part in_root '! dpkg-query -W ibsim-utils opensm 2>/dev/null | grep .'
}
