#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Registers are only read, by their names, and have values with units.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
}

# The MAD of a request, in hex.
mad() {
	run -0 --separate-stderr madsend --dry-run -L 5 -f hex "$@"
	printf '%s\n' "$output"
}

@test "a register has no method but Get, and the message says how it can be sent" {
	local set=(-L 5 Set ModuleInfo PortSelect=1)
	usage_error "Set ModuleInfo: Get is the only method of a register" madsend "${set[@]}"
	[[ $stderr == *"hint: --class Mlnx -m 0x5031 Set AccessRegisterGMP data=HEX"* ]]
	usage_error "Set ModuleInfo: Get is the only method of a register" madpoll "${set[@]}" --until PortSelect
	usage_error "Send Sensor: Get is the only method" madsend -L 5 Send Sensor
	# bytes can be sent, as the hint says
	run -0 --separate-stderr madsend --dry-run -L 5 --class Mlnx -m 0x5031 Set AccessRegisterGMP data=00000000 -j
	jq -e '.header.method == "Set" and .header.modifier == 20529' <<<"$output"
}

@test "a port of a register is not one of PerfMgt" {
	usage_error "PortSelect is missing: the local port of a register" madsend -L 5 Get ModuleInfo
	[[ $stderr != *255* ]]
}

@test "lines of a batch have the same rules, but a printed request can be decoded" {
	local line='{"header":{"method":"Set","attribute":"ModuleInfo"},"data":{"PortSelect":1},"remote":{"lid":5}}'
	run -5 --separate-stderr madsend --dry-run --batch - <<<"$line"
	[[ $stderr == *"Set ModuleInfo: Get is the only method of a register"* ]]
	line='{"header":{"method":"Get","attribute":"ModuleInfo"},"data":{"PageSelect":1},"remote":{"lid":5}}'
	run -5 --separate-stderr madsend --dry-run --batch - <<<"$line"
	[[ $stderr == *"ModuleInfo has PageSelect=3: 1 is LinkDiagnosis"* ]]
	line='{"header":{"method":"Get","attribute":"ModuleInfo","modifier":5},"data":{},"remote":{"lid":5}}'
	run -5 --separate-stderr madsend --dry-run --batch - <<<"$line"
	[[ $stderr == *"header.modifier: ModuleInfo is register 0x5031"* ]]
}

@test "bits without a name, such as clr of PPCNT, are not sent under the name of a register" {
	local line='{"header":{"method":"Get","attribute":"BitErrors"},"data":{"PortSelect":1,"Group":22},"remote":{"lid":5},"rest":{"40":"80"}}'
	run -5 --separate-stderr madsend --dry-run --batch - <<<"$line"
	[[ $stderr == *"Get BitErrors: no field has the bits 0x80 of byte 40"* ]]
	usage_error "Get BitErrors: no field has the bits 0x80 of byte 40" madsend -L 5 Get BitErrors data=000000000001001680000000
	[[ $stderr == *"hint: --class Mlnx -m 0x5008 Get AccessRegisterGMP data=HEX"* ]]
	# behind the layout, and in a register without pages
	usage_error "Get Sensor: no field has the bits 0x01 of byte 255" madsend -L 5 Get Sensor "data=$(printf '%0447d' 0)1"
	# the same bytes without the bit
	[[ $(mad Get BitErrors data=000000000001001600000000) == "$(mad Get BitErrors PortSelect=1)" ]]
	# a printed line can be decoded, with all of its bits
	run -0 --separate-stderr madsend --dry-run -L 5 Get BitErrors PortSelect=1 -K -j
	jq -c '.rest["40"] = "80"' <<<"$output" >"$BATS_TEST_TMPDIR/line"
	[[ $(madsend --dry-run --batch "$BATS_TEST_TMPDIR/line" -f raw | od -An -tx1 -j 40 -N 1) == " 80" ]]
}

@test "a joined line is decoded again, although a request does not have that many bytes" {
	madsweep --device sim:fat-tree:2,2,1 Get PhyCounters -K -f json | jq -c 'select(.header)' >"$BATS_TEST_TMPDIR/lines"
	run -0 madsend --dry-run -K --batch "$BATS_TEST_TMPDIR/lines" -f json
	[[ $(jq -c .data <<<"$output") == "$(jq -c .data "$BATS_TEST_TMPDIR/lines")" ]]
	(($(wc -l <"$BATS_TEST_TMPDIR/lines") == 12))
}

@test "another page is another attribute, and the modifier is the register" {
	usage_error "ModuleInfo has PageSelect=3: 1 is LinkDiagnosis" madsend -L 5 Get ModuleInfo PageSelect=1
	usage_error "ModuleInfo has PageSelect=3: 9 is not an attribute" madsend -L 5 Get ModuleInfo PageSelect=9
	usage_error "BitErrors has Group=22: 18 is PhyCounters" madsend -L 5 Get BitErrors PortSelect=1 Group=18
	usage_error "ModuleInfo is register 0x5031, which is the modifier" madsend -L 5 -m 3 Get ModuleInfo
	usage_error "ModuleInfo is register 0x5031, which is the modifier" madsend -L 5 -m 0-3 Get ModuleInfo
	[[ $(mad -m 0x5031 Get ModuleInfo PageSelect=3) == "$(mad Get ModuleInfo)" ]]
}

@test "values are set with their units, in any order, and come back from JSON" {
	local words=(Get ModuleInfo PortSelect=7 CableLength=0.5 CableIdentifier=QSFP-CMIS "TxBias=13.008,-" TxBiasScale=1
		Temperature=-1.25 RxPower=-12 VendorSerialNumber=MT2051)
	# bits by hand: 0.5 m is 5 x 0.1 m, 13.008 mA are 3252 x 4 uA, -1.25 C is -320 / 256
	[[ $(madsend --dry-run -L 5 "${words[@]}" -f raw | od -An -tx1 -j 49 -N 2) == " 05 07" ]]
	[[ $(madsend --dry-run -L 5 "${words[@]}" -f raw | od -An -tx1 -j 120 -N 2) == " fe c0" ]]
	[[ $(madsend --dry-run -L 5 "${words[@]}" -f raw | od -An -tx1 -j 124 -N 2) == " ff f4" ]]
	[[ $(madsend --dry-run -L 5 "${words[@]}" -f raw | od -An -tx1 -j 156 -N 2) == " 0c b4" ]]
	[[ $(madsend --dry-run -L 5 "${words[@]}" -f raw | od -An -c -j 104 -N 16) == "   M   T   2   0   5   1"* ]]
	run -0 --separate-stderr madsend --dry-run -L 5 "${words[@]}" -j -K
	jq -e '.data | .CableLength == 0.5 and .TxBias[0:2] == [13.008, null] and .Temperature == -1.25 and
		.RxPower[0] == -12 and .VendorSerialNumber == "MT2051"' <<<"$output"
	[[ $(madsend --dry-run --batch - -K -f hex <<<"$output") == "$(madsend --dry-run -L 5 "${words[@]}" -K -f hex)" ]]
	usage_error "Temperature: 48.3 is not a multiple of 1/256 C" madsend -L 5 Get ModuleInfo Temperature=48.3
	usage_error "Temperature: 200 is out of range" madsend -L 5 Get ModuleInfo Temperature=200
}

@test "a rate without errors is a number below every limit, also for jq" {
	run -0 --separate-stderr madsend --dry-run -L 5 Get BitErrors PortSelect=1 RawPhysicalBER=15e-255 SymbolBER=1.5e-15 -j
	[[ $output == *'"RawPhysicalBER":15e-255,'*'"SymbolBER":15e-16,'* ]]
	jq -e '.data | .RawPhysicalBER < 1e-12 and .RawPhysicalBER > 0 and .SymbolBER == 1.5e-15' <<<"$output"
	run -0 --separate-stderr madsend --dry-run -L 5 Get BitErrors PortSelect=1 RawPhysicalBER=15e-255 SymbolBER=1.5e-15
	grep -q '^RawPhysicalBER:\.*none seen$' <<<"$output"
	grep -q '^SymbolBER:\.*1.5e-15$' <<<"$output"
}

@test "no error seen is a rate of 0 in expressions, and a coefficient of 0 is no value" {
	local seen=$BATS_TEST_TMPDIR/seen expr
	madsend --dry-run -L 5 Get BitErrors PortSelect=1 SymbolBER=1.5e-250 RawPhysicalBER=15e-255 -f raw >"$seen"
	for expr in 'RawPhysicalBER > 0' RawPhysicalBER 'SymbolBER <= RawPhysicalBER' 'EffectivePhysicalBER == 0'; do
		run -6 --separate-stderr madrecv -r "$seen" --filter "$expr"
	done
	for expr in 'RawPhysicalBER == 0' 'RawPhysicalBER == 15e-255' '!RawPhysicalBER' 'SymbolBER > RawPhysicalBER' 'SymbolBER > 0'; do
		run -0 --separate-stderr madrecv -r "$seen" --filter "$expr"
		[[ $output == *BitErrors* ]]
	done
	run -0 --separate-stderr madsend --dry-run -L 5 Get BitErrors PortSelect=1 EffectivePhysicalBER=null -j
	[[ $output == *'"EffectivePhysicalBER":null'* ]]
}

@test "Sensors has NumRecords sensors: bytes behind them are no sensors of 0 C" {
	local seen=$BATS_TEST_TMPDIR/seen expr
	madsend --dry-run -L 5 Get Sensors NumRecords=2 "Sensor[0].Temperature=50" "Sensor[1].Temperature=null" -f raw >"$seen"
	for expr in 'Sensor.Temperature < 1' 'Sensor[2].Temperature == 0' 'Sensor[50].Temperature < 1' 'Sensor[2].Temperature != 5'; do
		run -6 --separate-stderr madrecv -r "$seen" --filter "$expr"
	done
	for expr in 'Sensor.Temperature == 50' 'Sensor[0].Temperature > 49' 'Sensor[0].MaxTemperature == 0'; do
		run -0 --separate-stderr madrecv -r "$seen" --filter "$expr"
		[[ $output == *'Sensor[1].Temperature'* && $output != *'Sensor[2].'* ]]
	done
	# the same on the right
	run -6 --separate-stderr madrecv -r "$seen" --filter 'Sensor[0].MaxTemperature >= Sensor[2].Temperature'
	run -0 --separate-stderr madrecv -r "$seen" --fields Sensor.MaxTemperature -f csv
	[[ ${lines[1]} == $'0 0\r' ]]
	[[ $(madrecv -r "$seen" -j | jq -c '.data.Sensor | map(.Temperature)') == '[50,null]' ]]
	# 9 C at byte 62, in the first sensor behind the last one; and a number beyond the data
	printf '\0\x48' | dd of="$seen" bs=1 seek=62 conv=notrunc status=none
	madrecv -r "$seen" -j -K >"$seen.json"
	[[ $(jq -c '[(.data.Sensor | length), .rest]' "$seen.json") == '[2,{"63":"48"}]' ]]
	cmp "$seen" <(madsend --dry-run --batch "$seen.json" -f raw)
	printf '\xff' | dd of="$seen" bs=1 seek=43 conv=notrunc status=none
	[[ $(madrecv -r "$seen" -j | jq -c '[.data.NumRecords, (.data.Sensor | length)]') == '[255,51]' ]]
	[[ $(madsend --describe Sensors -j | jq -c '[.fields[] | select(.counted_by == "NumRecords").name]') == \
		'["Sensor.MaxTemperature","Sensor.Temperature"]' ]]
}

@test "another block of a register of one block is bytes, and not its fields" {
	local block=$BATS_TEST_TMPDIR/block
	madsend --dry-run -L 5 Get PortMapping PortSelect=7 IBPort=3 -f raw >"$block"
	[[ $(madrecv -r "$block" -j | jq -c '[.header.attribute, .data.PortSelect, .data.IBPort]') == '["PortMapping",7,3]' ]]
	printf '\2' | dd of="$block" bs=1 seek=33 conv=notrunc status=none
	madrecv -r "$block" -j -K >"$block.json"
	[[ $(jq -c '[.header.attribute, .data.Block, .rest, (.data.Data | length)]' "$block.json") == '["AccessRegisterGMP",2,{},440]' ]]
	cmp "$block" <(madsend --dry-run --batch "$block.json" -f raw)
	usage_error "PortMapping has Block=0: 1 is not an attribute" madsend -L 5 Get PortMapping PortSelect=1 Block=1
}

@test "an alias with a colon is also found in a class that is given" {
	local words line='{"header":{"class":"Mlnx","attribute":"PDDR:3","method":"Get"},"data":{"PortSelect":1},"remote":{"lid":5}}'
	for words in "PDDR:3" "Mlnx:PDDR:3" "--class Mlnx PDDR:3" "--class Mlnx Mlnx:PDDR:3"; do
		# shellcheck disable=SC2086 # options
		[[ $(mad Get $words PortSelect=1) == "$(mad Get ModuleInfo PortSelect=1)" ]]
	done
	[[ $(madsend --dry-run --batch - -j <<<"$line" | jq -r .header.attribute) == ModuleInfo ]]
	[[ $(mad Get PPCNT:22 PortSelect=1) == "$(mad Get BitErrors PortSelect=1)" ]]
	[[ $(mad Get ppcnt:0x1A) == "$(mad Get RecoveryCounters)" && $(mad Get Mlnx:PDDR:0x3) == "$(mad Get ModuleInfo)" ]]
	usage_error "there is no attribute 'PPCNT:0x99': PPCNT has 0x12, 0x16, 0x1a, 0x20, 0x22, 0x23" madsend -L 5 Get PPCNT:0x99
	usage_error "there is no attribute 'PDDR:9': PDDR has 0, 1, 3, 6" madsend -L 5 Get PDDR:9
	usage_error "there is no attribute 'PDDR:99': PDDR has 0, 1, 3, 6" madsend -L 5 --class Mlnx Get PDDR:99
	usage_error "there is no attribute 'PDDR:9' in class Mlnx" madsend -L 5 Get Mlnx:PDDR:9
	usage_error "there is no class 'PDDR'" madsend -L 5 --class PerfMgt Get PDDR:3
	usage_error "there is no class 'PDD'" madsend -L 5 Get PDD:3
}

@test "filters compare values; a wrong one is named" {
	local file=$BATS_TEST_TMPDIR/mad
	madsend --dry-run -L 5 Get BitErrors PortSelect=1 RawPhysicalBER=3e-8 -f raw > "$file"
	run -0 --separate-stderr madrecv -r "$file" --filter 'RawPhysicalBER > 1e-8'
	[[ $output == *BitErrors* ]]
	run -6 --separate-stderr madrecv -r "$file" --filter 'RawPhysicalBER > 3e-8'
	[[ -z $output ]]
	run -6 --separate-stderr madrecv -r "$file" --assert 'RawPhysicalBER < 1.5e-15'
	[[ $stderr == *"RawPhysicalBER is 3e-8"* ]]
	usage_error "RawPhysicalBER: 'high' is not a number" madrecv -r "$file" --filter 'RawPhysicalBER > high'
	run -2 --separate-stderr madrecv -r "$file" --filter 'RawPhysicalBER > 1e-1000'
	[[ $stderr == *"RawPhysicalBER: 1e-1000 is out of range"* ]]
	run -2 --separate-stderr madrecv -r "$file" --filter 'RawPhysicalBER < 100000000000000000000'
	[[ $stderr == *"RawPhysicalBER: 100000000000000000000 is out of range"* ]]
}

@test "--describe shows the unit, and fields of one source" {
	run -0 --separate-stderr madsend --describe ModuleInfo
	grep -q '^Temperature:.*scaled, C, 1/256, null if 0, also T' <<<"$output"
	grep -q '^RxPower:.*scaled, dBm, 1; or uW, 1 (by CableType, CableTechnology, PowerUnit)' <<<"$output"
	grep -q '^MaxPower:.*scaled, W, 1/4, one source' <<<"$output"
	run -0 --separate-stderr madsend --describe BitErrors
	grep -q '^RawPhysicalBER:.*16 wide, ber, also T' <<<"$output"
	run -0 --separate-stderr madsend --describe PowerSupplies
	[[ $output == *"only Get, experimental, not yet tried on hardware"* ]]
	# ... which each register says, and nothing else; and each of its values says which sources have it
	madsend --describe -j >all
	run -0 jq -r 'select(.tried_on_hardware == false).attribute' all
	((${#lines[@]} == 25))
	diff <(sort <<<"$output") <(jq -r 'select(.id == 81 and .class == "Mlnx" and .attribute != "AccessRegisterGMP").attribute' all | sort)
	[[ $(madsend --describe | grep -c '^#.*, not yet tried on hardware$') == 25 ]]
	jq -r 'select(has("tried_on_hardware") and (.experimental | not)) | .fields[] | select(.name != "Block" and .name != "Data" and (has("sources") | not)).name' all >without
	[[ ! -s without ]]
	sed -n '/^\.SS PowerSupplies/,/^\.TP/p;/^\.SS LinkDownInfo/,/^\.TP/p' "$MADKIT_BUILD/man/madkit-attributes.7" | grep -c 'not yet tried on hardware\.$' | grep -qx 2
	run -0 jq -r 'select(.attribute == "PhyCounters").fields[] | select(.block == 1).name' all
	[[ $output == RsFecCorrectedSymbolsLane5*$'\n'*IntentionalLinkDownEvents && ${#lines[@]} == 5 ]]
	madsend --describe PhyCounters | grep -q '^IntentionalLinkDownEvents:.*, in the second block, one source'
	run -0 --separate-stderr madsend -j --describe ModuleInfo
	jq -e '.methods == ["Get"] and (.fields[] | select(.name == "Temperature") |
		.unit == "C" and .divisor == 256 and .signed and .sources == "T")' <<<"$output"
}
