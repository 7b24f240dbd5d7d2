# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Routes of madsweep, compared with those of ibtracert; to be sourced. The functions are exported, so that they can run as
# a program of a node: on NODE bash -c 'pairs 5'.

# Each link of a route as "EGRESS INGRESS LID": the ports at its ends, and the base LID behind it.
theirs() { ibtracert "$@" | sed -nE 's/^\[ *([0-9]+)\] -> .*\[ *([0-9]+)\] lid ([0-9]+)-.*/\1 \2 \3/p'; }
ours() {
	madsweep -q --via "${VIA:-smp}" --route "$1,$2" -j | jq -r 'select(.hop.direction == "egress") | .port |
		"\(.number) \(.peer.number) \(.peer.lid)"'
}

# LIDs of up to COUNT end ports, chosen by chance. LMC 1: the second one of each.
lids() { madsweep -q -j --select 'lid != 0' | jq -r "select(.port and (.port.guid or $2 == 0)) | .port.lid + $2" | sort -un | shuf -n "$1" --random-source=<(yes); }

# pairs COUNT [OFFSET]: all routes between as many LIDs are those of ibtracert.
pairs() {
	local a b want is compared=0
	local -a all
	mapfile -t all < <(lids "$1" "${2:-0}")
	for a in "${all[@]}"; do
		for b in "${all[@]}"; do
			want=$(theirs "$a" "$b") is=$(ours "$a" "$b")
			[[ $want == "$is" ]] || { printf 'from %s to %s\n%s\nmadsweep\n%s\n' "$a" "$b" "$want" "$is"; return 1; }
			compared=$((compared + $(wc -w <<<"$want") / 3))
		done
	done
	echo "$compared links"
	((compared > ${#all[@]} * ${#all[@]}))
}
export -f theirs ours lids pairs

# The ports of switches on the ways of a group's packets from LID A to LID B, as "LID PORT".
tree_way() {
	ibtracert -m "$@" | sed -nE 's/^From .* lid ([0-9]+)-.*/from \1/p; s/^\[ *([0-9]+)\] -> ([a-z]+) .* lid ([0-9]+) .*/\1 \2 \3/p' |
		awk '/^from/ { type = ""; next } type == "switch" { print at, $1 } { at = $3; type = $2 }'
}
trees() {
	local a b mlid=$1
	shift
	for a; do
		for b; do
			[[ $a == "$b" ]] || tree_way "$mlid" "$a" "$b"
		done
	done | sort -u
}
export -f tree_way trees
