#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The commands of ./quickstart and the examples of the README, on node1 of the small topology: lines that begin with four
# blanks and "$ " are commands, the lines below are their output, and "..." replaces omitted lines.

setup() {
	load common
	load shell
	cd "$dir" || return
}
teardown() { clean_up; }

# As in the shell of ./quickstart: the README's madsim and programs of others.
inside_node1() {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1 MADSIM_SOCKET=$socket MADSIM_NODE=node1
	local shim=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so
	eval "ibnetdiscover() { ASAN_OPTIONS=\${ASAN_OPTIONS:-}:detect_leaks=0 LD_PRELOAD='$shim' command ibnetdiscover \"\$@\"; }"
	madsim() {
		if [[ -n ${MADKIT_PRELOAD:-} && " $* " == *' -- '* ]]; then
			inside "$@"
		else
			command madsim "$@"
		fi
	}
}

# matches EXPECTED ACTUAL
matches() {
	local pattern
	pattern=$(sed -E 's/[^[:alnum:]]/\\&/g; s/(\\\.){3}$/*/' <<<"$1")$'\n'
	pattern=${pattern//$'\n*\n'/$'\n*'}
	# shellcheck disable=SC2053  # a pattern on purpose
	[[ $2$'\n' == $pattern ]]
}

check() {
	local actual status
	[[ -n $1 ]] || return 0
	examples=$((examples + 1))
	actual=$(eval "$1" 2>&1) || true
	matches "$2" "$actual" && return
	printf '$ %s\nexpected:\n%s\nbut got:\n%s\n' "$1" "$2" "$actual"
	return 1
}

@test "the comparison can fail" {
	matches $'a\n...\nc' $'a\nb\nb\nc'
	matches 'a...' 'abc'
	run -1 matches $'a\nb' $'a\nc'
	run -1 matches 'a' $'a\nc'
}

@test "quickstart shows what it says" {
	run -0 inside "$topologies/small.net" -- "$BATS_TEST_DIRNAME/../../quickstart" --steps
	[[ $output == *'All steps succeeded'* ]]
}

@test "every example of the README does what the README says" {
	local command='' expected='' line examples=0
	inside_node1
	while IFS= read -r line; do
		if [[ $line == '    $ '* ]]; then
			check "$command" "$expected"
			command=${line#'    $ '} expected=''
		elif [[ $line == '    '* && -n $command ]]; then
			expected+=${expected:+$'\n'}${line#'    '}
		else
			check "$command" "$expected"
			command=''
		fi
	done < <(cat "$BATS_TEST_DIRNAME/../../README" && echo)
	((examples >= 6))
}

@test "each command that answers a question does" {
	local commands line status wanted=0 seen=0
	inside_node1
	sed -n '/^## One command/,/^## Try/p' "$BATS_TEST_DIRNAME/../../README" >table
	# the readings
	while read -r line; do eval "$line"; done < <(grep -v '^|' table | grep -o '`[^`]*`' | tr -d '`')
	[[ -s counters.json && -s yesterday.json ]]
	control counter leaf1 2 SymbolErrorCounter=17
	control link node2 1 down
	mapfile -t commands < <(grep '^|' table | grep -o '`[^`]*`' | tr -d '`')
	((${#commands[@]} == 16)) || { echo "${#commands[@]} commands"; return 1; }
	for line in "${commands[@]}"; do
		[[ $line != madwatch* ]] || line+=' --deadline 100'
		[[ $line != madport*reset ]] || line+=' --yes'
		wanted=0
		[[ $line != *--plan* ]] || wanted=6
		status=0
		eval "$line" </dev/null >output 2>&1 || status=$?
		((status == wanted)) || { echo "$line: $status"; cat output; return 1; }
		seen=$((seen + 1))
		case $line in
		*--since*) grep -q '^leaf1 rack1 .*SymbolErrorCounter .*+17 .*/s' output ;;
		*--plan*) grep -q '^warning *node-gone *node2 ' output ;;
		*--route*) grep -q 'to node4 HCA-1 .*: arrives: 3 hops' output ;;
		*--nagios*) grep -q '^IB OK - ' output ;;
		*--output*) grep -q '^infiniband_switch_port_link_downed_total{.* 1$' infiniband.prom ;;
		*) seen=$((seen - 1)) ;;
		esac
	done
	((seen == 5))
}
