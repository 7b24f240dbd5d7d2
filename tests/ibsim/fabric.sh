# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A private fabric of ibsim and opensm, to be sourced:
#
#   fabric_start TOPOLOGY       start both and wait until the subnet is up (call it in no subshell)
#   fabric_stop                 stop everything and remove the fabric's directory
#   fabric_stop_on_exit         have every way out of a script do that (bats uses teardown_file)
#   on NODE COMMAND...          run COMMAND as a program of NODE; 124 when it takes too long
#   spawn NAME NODE COMMAND...  the same in the background: pid in FABRIC_JOB, output in
#                               $FABRIC_DIR/NAME.out and NAME.err
#   finish PID [SECONDS]        wait for it, in the shell that spawned it: status in FABRIC_STATUS
#   console COMMAND             give ibsim a console command and print its output
#   until_true SECONDS CMD...   run CMD until it succeeds: for SECONDS on a quiet machine, ten times that on a busy one
#
# NODE is a channel adapter of the topology, by id or description.
#
# The programs under test are found as in ../programs.sh. MADKIT_PRELOAD is preloaded before ibsim's
# shim into these programs alone (libasan has to be first). FABRIC_TIMEOUT bounds each `on`, in
# seconds, FABRIC_LIMITS are ibsim's options for how many nodes, switches and ports it holds.
# FABRIC_RECEIVE is preloaded into the receivers among the commands: receive_all.so, without
# which ibsim passes requests only to opensm.
#
# Written for bash with or without `set -eu`.

# shellcheck source-path=SCRIPTDIR source=../programs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../programs.sh"

FABRIC_TIMEOUT=${FABRIC_TIMEOUT:-300}

fabric_say() { printf 'fabric: %s\n' "$*" >&2; }

# The shim's path depends on the architecture; ibsim-run knows it.
fabric_shim() {
	local run so
	run=$(command -v ibsim-run) || { fabric_say "ibsim-run not found (package ibsim-utils)"; return 1; }
	so=$(sed -n 's/^sim_so=//p' "$run")
	[[ -r $so ]] || { fabric_say "$run names no shim library"; return 1; }
	printf '%s\n' "$so"
}

until_true() {
	local deadline=$((SECONDS + 10 * $1))
	shift
	until "$@"; do
		((SECONDS < deadline)) || return 1
		sleep 0.02
	done
}

# Running, and not a zombie that waits for its parent.
fabric_alive() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	[[ ${stat##*) } != Z* ]]
}

fabric_gone() { ! fabric_alive "$1"; }

# Ends with the calling shell whatever happens to that, and holds no descriptor of the test
# runner (bats waits for 3 to be closed). Without "<&0" bash gives it /dev/null as input.
fabric_background() {
	setpriv --pdeathsig KILL -- "$@" <&0 3>&- &
}

fabric_ready() { grep -qs "$1" "$2" || fabric_gone "$3"; }

fabric_start() {
	local topology=$1 shim
	[[ -r $topology ]] || { fabric_say "cannot read $topology"; return 1; }
	shim=$(fabric_shim) || return 1
	FABRIC_DIR=$(mktemp -d "${TMPDIR:-/tmp}/madkit-fabric.XXXXXX") || return 1
	FABRIC_SHIM=$shim
	IBSIM_SOCKNAME=${FABRIC_DIR##*/}
	FABRIC_SM_NODE=$(sed -n '/^Hca/{s/^[^"]*"\([^"]*\)".*/\1/p;q}' "$topology")
	FABRIC_IBSIM='' FABRIC_OPENSM=''
	export FABRIC_DIR FABRIC_SHIM FABRIC_SM_NODE IBSIM_SOCKNAME FABRIC_IBSIM FABRIC_OPENSM
	mkdir "$FABRIC_DIR/cwd" "$FABRIC_DIR/opensm"
	mkfifo "$FABRIC_DIR/console"
	# Held open read-write, the FIFO never ends; at its end ibsim would spin.
	# shellcheck disable=SC2086  # options
	fabric_background ibsim ${FABRIC_LIMITS:-} -s "$topology" <>"$FABRIC_DIR/console" \
		>"$FABRIC_DIR/ibsim.out" 2>"$FABRIC_DIR/ibsim.err"
	FABRIC_IBSIM=$!
	until_true 60 fabric_ready 'simulator ready' "$FABRIC_DIR/ibsim.out" "$FABRIC_IBSIM"
	if ! grep -qs 'simulator ready' "$FABRIC_DIR/ibsim.out"; then
		fabric_say "ibsim did not start"
		cat "$FABRIC_DIR/ibsim.err" >&2
		fabric_stop
		return 1
	fi
	# Without -d2 the log stays in a buffer for minutes.
	pushd "$FABRIC_DIR/opensm" >/dev/null || return 1
	fabric_background env OSM_CACHE_DIR="$FABRIC_DIR/opensm" OSM_TMP_DIR="$FABRIC_DIR/opensm" \
		SIM_HOST="$FABRIC_SM_NODE" LD_PRELOAD="$FABRIC_SHIM" \
		opensm -e -d2 -s 0 -f "$FABRIC_DIR/opensm/log" \
		</dev/null >"$FABRIC_DIR/opensm/out" 2>&1
	FABRIC_OPENSM=$!
	popd >/dev/null || return 1
	until_true 60 fabric_ready 'SUBNET UP' "$FABRIC_DIR/opensm/log" "$FABRIC_OPENSM"
	if ! grep -qs 'SUBNET UP' "$FABRIC_DIR/opensm/log"; then
		fabric_say "opensm did not bring the subnet up"
		tail -n 20 "$FABRIC_DIR/opensm/out" "$FABRIC_DIR/ibsim.err" >&2
		fabric_stop
		return 1
	fi
}

fabric_end() {
	[[ -n $1 ]] || return 0
	kill "$1" 2>/dev/null || true
	until_true 2 fabric_gone "$1" || kill -KILL "$1" 2>/dev/null || true
	{ wait "$1" || true; } 2>/dev/null
}

fabric_stop() {
	local pid
	[[ -n ${FABRIC_DIR:-} && -d $FABRIC_DIR ]] || return 0
	if [[ -e $FABRIC_DIR/jobs ]]; then
		while read -r pid; do
			fabric_ours "$pid" && fabric_end "$pid"
		done <"$FABRIC_DIR/jobs"
	fi
	fabric_end "$FABRIC_OPENSM"
	fabric_end "$FABRIC_IBSIM"
	rm -rf "$FABRIC_DIR"
	FABRIC_DIR='' FABRIC_OPENSM='' FABRIC_IBSIM=''
}

fabric_stop_on_exit() {
	trap fabric_stop EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
}

# A process of this fabric, and not another one that got the same pid since.
fabric_ours() {
	grep -qsz "^IBSIM_SOCKNAME=$IBSIM_SOCKNAME\$" "/proc/$1/environ" && fabric_alive "$1"
}

# COMMAND... waits for requests.
fabric_receives() {
	case ${1##*/} in
	madrecv) ;;
	madpoll) [[ " $*" == *' --class'* ]] ;;
	ibping) [[ " $* " == *' -S '* ]] ;;
	conformance) ;;
	*) return 1 ;;
	esac
}

# FABRIC_SETTINGS: what env needs to run COMMAND... on NODE.
fabric_settings() {
	local program preload=$FABRIC_SHIM ours=''
	if [[ -n ${FABRIC_RECEIVE:-} ]] && fabric_receives "${@:2}"; then
		preload=$FABRIC_RECEIVE:$preload
		# it is built as our programs are
		ours=1
	fi
	program=$(type -P "$2") || program=$2
	if [[ -n $ours || :${MADKIT_PROGRAMS:-}: == *:"${program%/*}":* || $program == "${MADKIT_BUILD:-/nowhere}"/* ]]; then
		preload=${MADKIT_BUILD:+$MADKIT_BUILD/tests/ibsim/.libs/umad2sim.so:}$preload
		preload=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$preload
	fi
	FABRIC_SETTINGS=("SIM_HOST=$1" "LD_PRELOAD=$preload")
}

# The shim makes ./sys-PID and leaves it behind when it is killed: hence the directory.
on() {
	local node=$1 status=0 FABRIC_SETTINGS
	shift
	fabric_settings "$node" "$@"
	(
		cd "$FABRIC_DIR/cwd" &&
			exec timeout --foreground -k 2 "$FABRIC_TIMEOUT" env "${FABRIC_SETTINGS[@]}" "$@"
	) || status=$?
	if ((status == 124)); then
		fabric_say "took more than $FABRIC_TIMEOUT s: $*"
	fi
	if ((status >= 124)); then
		fabric_reap
	fi
	return "$status"
}

# A shell starts its background commands with SIGINT ignored: --default-signal undoes that.
spawn() {
	local name=$1 node=$2 FABRIC_SETTINGS
	shift 2
	fabric_settings "$node" "$@"
	pushd "$FABRIC_DIR/cwd" >/dev/null || return 1
	fabric_background env --default-signal=INT,QUIT,PIPE "${FABRIC_SETTINGS[@]}" "$@" \
		</dev/null >"$FABRIC_DIR/$name.out" 2>"$FABRIC_DIR/$name.err"
	FABRIC_JOB=$!
	popd >/dev/null || return 1
	echo "$FABRIC_JOB" >>"$FABRIC_DIR/jobs"
}

finish() {
	FABRIC_STATUS=0
	if until_true "${2:-30}" fabric_gone "$1"; then
		wait "$1" || FABRIC_STATUS=$?
	else
		fabric_say "process $1 does not end"
		fabric_end "$1"
		FABRIC_STATUS=124
	fi
	if ((FABRIC_STATUS >= 124)); then
		fabric_reap
	fi
}

fabric_prompts() { grep -o 'sim> ' "$FABRIC_DIR/ibsim.out" | wc -l; }

fabric_prompted() { (($(fabric_prompts) > $1)); }

# ibsim prints its prompt when it is done with a command. One caller at a time.
console() (
	exec 9>"$FABRIC_DIR/console.lock"
	flock -w 300 9 || { fabric_say "the console is busy"; exit 1; }
	before=$(fabric_prompts)
	from=$(($(stat -c %s "$FABRIC_DIR/ibsim.out") + 1))
	printf '%s\n' "$1" >"$FABRIC_DIR/console"
	until_true 30 fabric_prompted "$before" || { fabric_say "no answer to: $1"; exit 1; }
	answer=$(tail -c "+$from" "$FABRIC_DIR/ibsim.out")
	answer=${answer%sim> }
	[[ -z $answer ]] || printf '%s\n' "${answer%$'\n'}"
)

# ibsim has ten slots for clients, and a killed client keeps its slot until ibsim is notified.
fabric_reap() {
	local client pid
	while read -r client pid; do
		fabric_ours "$pid" || console "X $client" >/dev/null
	done < <(console Attached | sed -n 's/^Client \([0-9]*\): pid \([0-9]*\) .*/\1 \2/p')
}
