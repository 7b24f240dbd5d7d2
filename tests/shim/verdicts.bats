#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Findings of madcheck and of the checks of others, on the same fabric with one fault: verdicts.table.

load common

setup_file() {
	export VERDICTS=$BATS_FILE_TMPDIR
	printf '%s\n' SymbolErrorCounter=10 LinkErrorRecoveryCounter=10 LinkDownedCounter=10 PortRcvErrors=10 \
		PortRcvRemotePhysicalErrors=100 PortRcvSwitchRelayErrors=100 PortXmitDiscards=100 PortXmitConstraintErrors=100 \
		PortRcvConstraintErrors=100 LocalLinkIntegrityErrors=10 ExcessiveBufferOverrunErrors=10 VL15Dropped=100 >"$VERDICTS/limits"
}

# verdict_of CHECK: the lines of its findings
verdict_of() {
	local h='h1-1 HCA-1' out
	case $1 in
	madcheck) on "$h" madcheck --rules standard,counters,pkey,route --severity info -f table 2>/dev/null | sed 1d ;;
	iblinkinfo) on "$h" iblinkinfo -l 2>/dev/null | grep -vE '4X +53\.125 Gbps Active/  LinkUp\)==>.*\( ?\)$' ;;
	ibqueryerrors) on "$h" ibqueryerrors 2>/dev/null | grep -E 'port [0-9]+:' ;;
	ibcheckerrs) on "$h" ibqueryerrors --threshold-file "$VERDICTS/limits" 2>/dev/null | grep -E 'port [0-9]+:' ;;
	ibdiagnet)
		out=$(on "$h" ibdiagnet -o "$BATS_TEST_TMPDIR" -lw 4x -P all=1 2>/dev/null </dev/null)
		# the rate of the built-in multicast group is said to be low
		grep -E '^-[EW]-' <<<"$out" | grep -vE 'Topology file|Suboptimal rate'
		grep -vE 'IPoIB' <<<"$out" | grep -E '^    [A-Z].* [0-9]+ +[0-9]+ *$' | grep -vE ' 0 +0 *$'
		;;
	esac || :
}

# fault WORDS
fault() {
	local words=$1
	if [[ $words == *'{h2-1}'* ]]; then
		words=${words/'{h2-1}'/"Port[$(on 'h1-1 HCA-1' madsweep -q -j | jq -r 'select(.port.node.name == "h2-1 HCA-1").port.lid')]"}
	fi
	if [[ $words == madsend* ]]; then
		eval "$words --device 'sim:unix:$SERVED_SOCKET@h1-1' >/dev/null"
	else
		eval "madsim --control '$SERVED_SOCKET' $words >/dev/null"
	fi
}

# The subnet manager has processed each trap.
settled() { on 'h1-1 HCA-1' madsweep -q -j | jq -s -e 'map(select(.kind == "port" and (.port.state == "Initialize" or .port.state == "Armed"))) == []' >/dev/null; }

# begins FAULTS: a fabric with these faults
begins() {
	local part parts
	serve fat-tree:4,4,2 --sweep 0
	until_true 60 settled
	IFS=';' read -ra parts <<<"$1"
	for part in "${parts[@]}"; do fault "${part# }"; done
	[[ $1 == *method=Trap* || $1 == *mute* ]] || until_true 60 settled
}

@test "without a fault, none of the checks finds one" {
	local check
	begins ''
	for check in madcheck iblinkinfo ibqueryerrors ibcheckerrs ibdiagnet; do
		[[ -z $(verdict_of "$check") ]] || { echo "$check"; verdict_of "$check"; return 1; }
	done
}

@test "faults: what each of the checks finds, with a reason where they differ" {
	local line column failed=0 rows=0
	local -a columns checks=(faults madcheck iblinkinfo ibqueryerrors ibcheckerrs ibdiagnet reason)
	while IFS= read -r line <&4; do
		[[ -n $line && $line != '#'* ]] || continue
		mapfile -t columns < <(sed 's/ ;; /\n/g' <<<"$line")
		((${#columns[@]} == 7))
		begins "${columns[0]}"
		for column in 1 2 3 4 5; do
			verdict_of "${checks[column]}" >"$VERDICTS/found"
			if [[ ${columns[column]} == - ]]; then
				[[ ! -s $VERDICTS/found ]]
			else
				grep -qE -e "${columns[column]}" "$VERDICTS/found"
			fi || { echo "${columns[0]}: ${checks[column]}: ${columns[column]}"; cat "$VERDICTS/found"; failed=1; }
		done
		serve_end
		((++rows))
	done 4<"$BATS_TEST_DIRNAME/verdicts.table"
	((!failed && rows > 20))
}
