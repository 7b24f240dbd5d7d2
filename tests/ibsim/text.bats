#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Text: where libibmad prints a line for a field, ours is the same; the exceptions are listed, with
# reasons, in text-differences.

load common

setup_file() {
	start_fabric
	LID_LEAF2=$(lid_of 0,1,7 0)
	export LID_LEAF2
}

listed() { sed -n "s/^$1 \([^ ]*\) .*/\1/p" "$BATS_TEST_DIRNAME/text-differences"; }

# same_text ATTRIBUTE THEIRS OURS: theirs, without the header line, are the first lines of ours.
same_text() {
	local theirs ours field mine
	theirs=$(sed 1d <<<"$2")
	ours=$(sed 1d <<<"$3" | head -n "$(wc -l <<<"$theirs")")
	[[ ${3%%$'\n'*} == "# $1: "* ]]
	for field in $(listed "$1"); do
		mine=$(grep "^$field:" <<<"$ours")
		[[ -n $mine && $mine != "$(grep "^$field:" <<<"$theirs")" ]] ||
			{ echo "$1 $field is listed in text-differences and does not differ"; return 1; }
		theirs=$(grep -v "^$field:" <<<"$theirs")
		ours=$(grep -v "^$field:" <<<"$ours")
	done
	diff <(echo "$theirs") <(echo "$ours")
}

@test "NodeInfo" {
	for path in 0 0,1 0,1,7,2; do
		same_text NodeInfo "$(on node1 smpquery nodeinfo -D $path)" "$(on node1 madsend -D $path Get NodeInfo)"
	done
}

@test "PortInfo" {
	for port in {0..8}; do
		same_text PortInfo "$(on node1 smpquery portinfo -D 0,1 "$port")" \
			"$(on node1 madsend -D 0,1 -m "$port" Get PortInfo)"
	done
	same_text PortInfo "$(on node1 smpquery portinfo -D 0,1,7,2 1)" "$(on node1 madsend -D 0,1,7,2 -m 1 Get PortInfo)"
}

@test "SwitchInfo" {
	same_text SwitchInfo "$(on node1 smpquery switchinfo -D 0,1)" "$(on node1 madsend -D 0,1 Get SwitchInfo)"
}

@test "PortCounters" {
	local value=1 field
	for field in SymbolErrorCounter LinkDownedCounter PortXmitDiscards VL15Dropped PortXmitData PortXmitWait; do
		console "PerformanceSet \"leaf2\"[2] PortCounters.$field=$((1234 * value++ % 256))"
	done
	# perfquery's first line is an additional header
	same_text PortCounters "$(on node1 perfquery "$LID_LEAF2" 2)" \
		"$(on node1 madsend -L "$LID_LEAF2" Get PortCounters PortSelect=2)"
}

@test "PortCountersExtended" {
	same_text PortCountersExtended "$(on node1 perfquery -x "$LID_LEAF2" 2)" \
		"$(on node1 madsend -L "$LID_LEAF2" Get PortCountersExtended PortSelect=2)"
}

@test "the node description stands where smpquery has it" {
	theirs=$(on node1 smpquery nodedesc -D 0,1)
	ours=$(on node1 madsend -D 0,1 Get NodeDescription | tail -n 1)
	[[ $ours == *'leaf1 rack1' && ${theirs##*.} == "${ours##*.}" ]]
}

@test "keys are not displayed without -K, and are with it" {
	ours=$(on node1 madsend -D 0 Get PortInfo)
	[[ $ours == *'Mkey:............................<not displayed>'* ]]
	ours=$(on node1 madsend -D 0 -K Get PortInfo)
	[[ $ours == *'Mkey:............................0x0000000000000000'* ]]
}

@test "values begin in column 34" {
	on node1 madsend -D 0,1 Get NodeInfo | sed 1d | while IFS= read -r line; do
		[[ ${line:0:33} =~ ^[A-Za-z0-9]+:\.+$ && ${line:33:1} != . ]]
	done
}
