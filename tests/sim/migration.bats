#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each row of madkit-migration(7): both commands end with the statuses of the row, and print the same values. The tables of the page
# have rows of two or three cells: a command of infiniband-diags, a command of madkit, and both exit statuses if they are not 0. If the
# first row has a word in capitals, the cells of the others replace it.

bats_require_minimum_version 1.5.0

# shellcheck source=tests/shim/serve.sh
. "$BATS_TEST_DIRNAME/../shim/serve.sh"
# shellcheck source=tests/ibsim/oracle.sh
. "$BATS_TEST_DIRNAME/../ibsim/oracle.sh"
# shellcheck source=tests/tracert.bash
. "$BATS_TEST_DIRNAME/../tracert.bash"
load ../manual
load ../shim/links
load ../shim/queryerrors

programs() { dpkg -L infiniband-diags | sed -n 's|^/usr/s\{0,1\}bin/||p' | sort; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }

# Counters of the idle port 8 of the switch, each with another value
COUNTERS='SymbolErrorCounter LinkErrorRecoveryCounter PortRcvErrors XmtDataSL3 RcvDataSL7 PortInactiveDiscards PortMalformedPktErrors
	PortOpRcvPkts PortXmitFlowPkts PortVLOpPackets15 PortVLOpData8 PortVLXmitWait3 SWPortVLCongestion1 PortPktRcvFECN PortSLRcvFECN1
	PortSLRcvBECN2 PortXmitTimeCong PortVLXmitTimeCong14 ErrorDetectionCounterLane0'
count() {
	local counter n=100
	for counter in $COUNTERS; do control counter "leaf1 rack1" 8 "$counter=$((++n))"; done
	control counter "leaf1 rack1" 8 PortVLXmitFlowCtlUpdateErrors5=3
}

setup_file() {
	sed -e 's/^vendid=0x0/vendid=0x2c9/' -e 's/4xQDR/4xEDR/' "$BATS_TEST_DIRNAME/../data/topologies/small.dump" >"$BATS_FILE_TMPDIR/net"
	serve "$BATS_FILE_TMPDIR/net" --sm "node1 HCA-1"
	control link node4 1 width=1x speed=SDR
	local host
	for host in node1 node2; do
		until_true 60 port_is_active "$host HCA-1"
		control join "$host" 1
	done
	until_true 60 port_is_active "node4 HCA-1"
	count
	spawn ibping "node2 HCA-1" ibping -S
	spawn ibsysstat "node2 HCA-1" ibsysstat -S
	spawn subscriber "node2 HCA-1" madrecv --subscribe 64
	until_true 10 on "node1 HCA-1" ibping -c 1 -t 100 4
	until_true 10 on "node1 HCA-1" ibsysstat -t 100 4
	subscribed() { [[ -n $(on "node1 HCA-1" saquery --smkey 1 IIR) ]]; }
	until_true 10 subscribed
	on "node1 HCA-1" madsend -q Set ServiceRecord ServiceID=1 ServiceGID=fe80::10:1 ServiceP_Key=0xffff ServiceLease=0xffffffff ServiceName=service
}

setup() { cd "$BATS_TEST_TMPDIR" || return; }

teardown_file() { serve_end; }

# rows: "THEIRS<TAB>OURS<TAB>STATUSES" a line
rows() {
	page_text madkit-migration.7 | sed -z 's/T{\n//g; s/\nT}//g' | awk -F '\t' -v OFS='\t' '
		function put(text, word, value) {
			return substr(text, 1, index(text, word) - 1) value substr(text, index(text, word) + length(word))
		}
		/^\.T[SE]/ { first = /^\.TS/; table = first; template = ""; next }
		!table || NF < 2 { next }
		first && match($1, /[A-Z][A-Z][A-Z][A-Z]+/) {
			template = $1; left = substr($1, RSTART, RLENGTH)
			match($2, /[A-Z][A-Z][A-Z][A-Z]+/); ours = $2; right = substr($2, RSTART, RLENGTH)
			first = 0
			next
		}
		template { $0 = put(template, left, $1) OFS put(ours, right, $2) OFS $3 }
		{ first = 0; print $1, $2, $3 }'
}

# rows_of PROGRAM...: their rows, without those of servers
rows_of() { rows | grep -E "^($(IFS='|'; echo "$*"))(	| )" | grep -v ' -S	'; }

# command_run NAME COMMAND: its output goes to the file NAME; prints the status
command_run() {
	local status=0
	on "node1 HCA-1" bash -c "$2" >"$1" 2>"$1.err" </dev/null || status=$?
	echo "$status"
}

# row_hook STEP: what a test does before or after each of the two commands
row_hook() { :; }

# row_holds THEIRS OURS STATUSES: both statuses. Leaves the outputs in the files theirs and ours, and in json the lines of JSON of madkit.
row_holds() {
	local is
	row_hook before
	is="$(command_run theirs "$1"),"
	row_hook after
	row_hook before
	is+=" $(command_run ours "$2")"
	row_hook after
	[[ $is == "${3:-0, 0}" ]] || { echo "$is instead of ${3:-0, 0}: $1, $2"; cat theirs.err ours.err; return 1; }
	[[ $2 =~ ' | jq'|' > saved'|' Set '|' --topology'|' --clear' ]] || command_run json \
		"$(sed -E 's/ -f [a-z]+//; s/ --fields [^ ]+//' <<<"$2") -j" >/dev/null
}

# rows_hold COUNT COMPARE PROGRAM...: each row of the programs; COMPARE THEIRS OURS compares the values in the files
rows_hold() {
	local theirs ours statuses list count=$1 compare=$2 n=0 failed=0
	shift 2
	while IFS=$'\t' read -r theirs ours statuses <&"$list"; do
		rm -f ./*
		printf '%s=100\n' $ERRORS >thresholds
		n=$((n + 1))
		if ! row_holds "$theirs" "$ours" "$statuses"; then
			failed=$((failed + 1))
		elif [[ -z $statuses || $statuses == 1,* ]] && ! "$compare" "$theirs" "$ours"; then
			echo "differs: $theirs, $ours"
			failed=$((failed + 1))
		fi
	done {list}< <(rows_of "$@")
	echo "# $n rows of $*, $failed failed" >&3
	((n >= count && !failed))
}

# ---- one attribute of one node

# same_attribute: their dotted lines are in the one line of json, or their lines of a table in ours
same_attribute() {
	case $1 in
	*nodedesc*) [[ $(dotted 'Node Description' <theirs) == "$(jq -r .data.NodeDescription json)" ]] ;;
	*pkeys* | *guidinfo*) diff <(grep -E '^ *[0-9]+:' theirs) <(grep -E '^ *[0-9]+:' ours) ;;
	*sl2vl*) diff <(sed -n 's/^ports: in .*: |/|/p' theirs) <(grep '^|' ours) ;;
	# smpquery prints the elements that the port has, 16, without the others of the block
	*vlarb*) diff <(grep -E '^(VL|WEIGHT)' theirs) <(grep -E '^(VL|WEIGHT)' ours | cut -c 1-"$(grep -m 1 ^VL theirs | wc -L)") ;;
	*) agree 4 "$(dots <theirs | grep -v "^[HN]DRFECMode")" "$(<json)" ;;
	esac
}

dotted() { sed -n "s/^[[:space:]]*$1:\{0,1\}\.*//p" | head -n 1; }

@test "smpquery" { rows_hold 14 same_attribute smpquery; }

same_dump() {
	case $1 in
	*-s*) [[ $(<theirs) == "$(jq -r .data.NodeDescription json)" ]] ;;
	*) [[ $(grep -v status theirs | tr -d ' \n') == "$(jq -r '.' <(madrecv -q -r ours -f raw | od -An -v -tx1 -j 64 -N 64 | tr -d ' \n' | jq -R .))" ]] ;;
	esac
}
@test "smpdump" { rows_hold 3 same_dump smpdump; }

same_manager() {
	local guid priority state
	read -r guid priority state < <(sed -nE 's/.*sm guid (0x[0-9a-f]+), .*priority ([0-9]+) state ([0-9]+) .*/\1 \2 \3/p' theirs)
	[[ $((guid)) == "$(($(jq -r .data.GUID json)))" && "$priority $state" == "$(jq -r '.data | "\(.Priority) \(.SMState)"' json)" ]]
}
@test "sminfo" { rows_hold 4 same_manager sminfo; }

same_address() {
	case $1 in
	*-g*) [[ $(tr -d ' ' <theirs) == "GID$(jq -r '.data.GUID[0] | "fe80::\(.[12:14]):\(.[17:])"' json)" ]] ;;
	*) [[ $(<theirs) == "$(jq -r '.data | "LID start \(.Lid) end \(.Lid + pow(2; .LMC) - 1)"' json)" ]] ;;
	esac
}
@test "ibaddr" { rows_hold 3 same_address ibaddr; }

# ---- counters

# Without counters that each request moves
steady() { grep -vE '^(Port)?(Unicast|Multicast)?(Xmi?t|Rcv)(Data|Pkts)'; }

# Text, because perfquery names the elements of arrays. Without lines that tests/data/text-differences has, and of -l those of port 0.
same_counters() {
	local theirs lack
	[[ $1 != *-R* ]] || { [[ $(<reset) == $'0\n0' ]]; return; }
	theirs=$(awk '/^# Port/ { port = / port 0 / } !port' theirs | dots | grep -vE '^(CounterMasks|QP1Dropped)')
	[[ $1 == *' 2 8' ]] || theirs=$(steady <<<"$theirs")
	lack=$(comm -23 <(sort <<<"$theirs") <(dots <ours | sort))
	[[ -z $lack ]] || echo "$lack"
	[[ $theirs && ! $lack ]]
}

@test "perfquery" {
	row_hook() {
		[[ $theirs == *-R* ]] || return 0
		case $1 in
		before) control counter "leaf1 rack1" 8 SymbolErrorCounter=7 ;;
		after) on "node1 HCA-1" bash -c "perfquery $([[ $theirs != *-x* ]] || echo -x) 2 8" | dotted SymbolErrorCounter >>reset ;;
		esac
	}
	rows_hold 25 same_counters perfquery
}

@test "ibccquery" {
	same_settings() {
		case $1 in
		# the lines of all ports follow each other
		*SwitchPortCongestionSetting*) diff <(dots <theirs | grep -v ^Port) \
			<(sed -nE 's/^Element\[([0-9]+)\]\.([A-Za-z_]+):\.+(.*)/\1 \2\t\3/p' ours | awk '$1 <= 8' | sed 's/^[0-9]* //') ;;
		*CACongestionSetting* | *CongestionControlTable* | *CongestionLog*) agree 1 "$(dots <theirs | head -n 2)" "$(head -n 1 json)" ;;
		*) agree 1 "$(dots <theirs | grep -vE '^Timestamp|GID|^CC_Key')" "$(<json)" ;;
		esac
	}
	on "node1 HCA-1" ibccconfig SwitchPortCongestionSetting 2 2 1 0 5 6 7
	rows_hold 9 same_settings ibccquery
}

# ---- the subnet administrator

# Values that saquery packs from several fields, and one that moves
PACKED='^(hop_flow_raw|num_path_revers|resv2|reserved|flags|LifeTimeValue.*|Redirect.*|Trap.*|Response.*|SM_Key|ActCount)$'

# records_theirs: of each record a line of JSON: the values that saquery prints, numbers as decimal ones
records_theirs() {
	local line name value
	while IFS= read -r line; do
		if [[ $line =~ ^[[:space:]]+([^.]*[^.:]):?\.\.+(.*)$ ]]; then
			name=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]%% (*}
			[[ ! $value =~ ^0[xX][0-9a-fA-F]+$ ]] || value=$(printf '%u' "$value")
			[[ $name =~ $PACKED || $value == '<not displayed>' ]] || printf '%s\n' "$value"
		elif [[ $line =~ Record.*dump:|^$ ]]; then
			printf '\f\n'
		fi
	done | jq -cRs 'split("\f\n")[] | split("\n")[:-1] | select(. != [])'
}

# numbers_theirs: those of tables in records
numbers_theirs() {
	sed -nE 's/^\t\t(VL *|Weight):(.*)/\2/p; /^\t\t(0x)?[0-9a-f]+[\t ]/p' | tr -cs '0-9a-fx' '\n' | while read -r value; do
		[[ -z $value ]] || echo $((value))
	done
}

# same_records: as many records, in the same order, each with the values that saquery prints of it. Selectors precede MTU, rate and lifetime.
same_records() {
	case $1 in
	*'-O '* | *'-U '*) [[ $(<theirs) == "$(jq -r .data.NodeDescription json)" ]] && return ;;
	*-L*) [[ $(tr -d ' ' <theirs) == "$(jq -r .data.LID json)" ]] && return ;;
	*-D*) diff <(sed -nE 's/^ *([0-9]+)  "(.*)"$/\1 \2/p' theirs) <(jq -r '.data | "\(.LID) \(.NodeDescription)"' json) && return ;;
	esac
	[[ $1 != *-m* ]] || sed -i 's/^/ record dump:\n&/i; s/record/Record/' theirs
	# saquery prints block 1 as 256
	[[ $1 != *PKTR* ]] || sed -i 's/^\(\t\tBlock\.*\)256/\11/' theirs
	records_theirs <theirs >records
	[[ -s records && $(wc -l <records) == "$(wc -l <json)" ]] || { echo "$(wc -l <records) records instead of $(wc -l <json)"; return 1; }
	lack=$(jq -rn --slurpfile theirs records --slurpfile ours json '
		def hex: ascii_downcase | explode[2:] | reduce .[] as $c (0; . * 16 + (if $c > 57 then $c - 87 else $c - 48 end));
		def values: [.. | scalars, (objects | to_entries[] | select(.key | endswith("_names")).value | join(" or ")),
			(objects | select(has("MTUSelector")) | (.MTUSelector * 64 + .MTU, .RateSelector * 64 + .Rate, .PacketLifeTimeSelector * 64 + .PacketLifeTime))]
			| map(if type == "string" and test("^0x[0-9a-f]+$") then hex else . end | tostring);
		range($theirs | length) as $i | ($ours[$i].data | values) as $have | $theirs[$i][] |
			(if test("^[0-9]+$") then tonumber | tostring else . end) as $value | select($have | index([$value]) | not) | "record \($i): \($value)"')
	[[ -z $lack ]] || { echo "$lack"; return 1; }
	case $1 in
	*SL2VL*) numbers_theirs <theirs | cmp - <(jq '.data.SLtoVLMappingTable.SLtoVL[]' json) ;;
	*VLAR*) numbers_theirs <theirs | cmp - <(jq '.data.VLArbitrationTable.Block | (.[:16], .[16:]) | map(.VL)[], map(.Weight)[]' json) ;;
	*PKTR*) numbers_theirs <theirs | cmp - <(jq '.data.P_KeyTable.PKey[]' json) ;;
	*LFTR*) numbers_theirs <theirs | cmp - <(jq '.data.LinearForwardingTable.Port | to_entries[] | .key, .value' json) ;;
	*MFTR*) numbers_theirs <theirs | cmp - <(jq '.data.MulticastForwardingTable.PortMask | to_entries[] | .key + 49152, .value' json) ;;
	esac
}

@test "saquery" { rows_hold 25 same_records saquery; }

# ---- the whole fabric

# nodes_theirs: GUID, number of ports and name
nodes_theirs() { sed -nE 's/^(Ca|Switch|Rt)\t *: (0x[0-9a-f]+) ports ([0-9]+) .*"(.*)".*/\2 \3 \4/p' | sort; }
nodes_ours() { jq -r 'select(.kind == "response") | "\(.data.Guid) \(.data.NumPorts) \(.port.node.name)"' | sort; }

same_nodes() { diff <(nodes_theirs <theirs) <(nodes_ours <json); }
@test "ibnodes, ibhosts, ibswitches and ibrouters" { rows_hold 4 same_nodes ibnodes ibhosts ibswitches ibrouters; }

same_topology() {
	case $1 in
	*-p) diff <(links_of_ibnetdiscover <theirs) <(links_as_ibnetdiscover <json) ;;
	*-[lHSR]) same_nodes "$1" ;;
	*--cache*) ibnetdiscover --load-cache cache -p | links_of_ibnetdiscover >others && diff others <(links_as_ibnetdiscover <saved) ;;
	*) diff <(topology_of <theirs) <(topology_of <ours) ;;
	esac
}
@test "ibnetdiscover" { rows_hold 5 same_topology ibnetdiscover; }

same_links() {
	case $1 in
	# "(HOQ:31 VL_Stall:0)"
	*-p) diff <(on "node1 HCA-1" iblinkinfo -l -p | sed -nE 's/^(0x[0-9a-f]+) .* ([0-9]+)\[  \] ==.*HOQ:([0-9]+) VL_Stall:([0-9]+).*/\1 \2 \3 \4/p' | sort) \
		<(jq -r 'select(.port.peer) | "\(.port.guid // .port.node.guid) \(.port.number) \(.data.HoqLife) \(.data.VLStallCount)"' json | sort) ;;
	*-a) diff <(on "node1 HCA-1" bash -c "$1 -l" | links_of_iblinkinfo | sed 's/==>.*//') <(links_as_iblinkinfo <json | sed 's/==>.*//') ;;
	*) diff <(on "node1 HCA-1" bash -c "$1 -l" | links_of_iblinkinfo) <(links_as_iblinkinfo <json) ;;
	esac
}
@test "iblinkinfo" { rows_hold 9 same_links iblinkinfo; }

same_errors() {
	case $1 in
	*--counters*) diff <(sed -nE 's/^ *GUID 0x0*([0-9a-f]+) port ([0-9]+):.*/\1 \2/p' theirs | sort) \
		<(jq -r 'select(.kind == "response").port | "\(.node.guid | sub("^0x0*"; "")) \(.number)"' json | sort) ;;
	*-k*) [[ $(errors_of_ibqueryerrors <theirs) == *SymbolErrorCounter* && $(on "node1 HCA-1" perfquery -x 2 8 | dotted SymbolErrorCounter) == 0 ]] ;;
	*--threshold*) diff <(errors_of_ibqueryerrors <theirs | cut -d ' ' -f 1,2) \
		<(jq -r 'select(.kind == "problem").port | "\(.node.guid | sub("^0x0*"; "")) \(.number)"' json | sort -u) ;;
	*) [[ -s json ]] && diff <(errors_of_ibqueryerrors <theirs) <(errors_as_ibqueryerrors <json) ;;
	esac
}
@test "ibqueryerrors" {
	row_hook() { [[ $1 != before ]] || count; }
	rows_hold 4 same_errors ibqueryerrors
}

same_ids() { [[ ! -s theirs && $(jq -r 'select(.kind == "problem")' json) == '' ]]; }
@test "ibidsverify" { rows_hold 1 same_ids ibidsverify; }

# ---- routes

# table_theirs: switch, LID and port of each route, or multicast LID and ports
table_theirs() {
	sed -nE 's/^(Uni|Multi)cast m?lids .* guid (0x[0-9a-f]+) .*/switch \2/p; s/^(0x[0-9a-f]+) 0*([0-9]+) :.*/\1 \2/p; /^0xc/p' theirs |
		while IFS= read -r line; do
			read -r word value <<<"$line"
			case $line in
			switch*) guid=$value ;;
			0xc*)
				line=${line:12}
				for ((mask = at = 0; 2 * at < ${#line}; at++)); do [[ ${line:2 * at:2} != *x* ]] || ((mask |= 1 << at)); done
				echo "$guid $((word)) $mask"
				;;
			*) echo "$guid $((word)) $value" ;;
			esac
		done | sort
}
# table_ours [GUID]
table_ours() {
	jq -r --arg guid "${1:-}" 'select(.data) | .header.modifier as $block | (.port.node.guid // $guid) as $guid |
		(.data.Port // [] | to_entries[] | select(.value != 255) | "\($guid) \($block * 64 + .key) \(.value)"),
		(.data.PortMask // [] | to_entries[] | select(.value > 0) | "\($guid) \(49152 + $block * 32 + .key) \(.value)")' json | sort
}
same_table() {
	local lines
	lines=$(table_theirs)
	[[ $lines ]] && diff <(echo "$lines") <(table_ours 0x0000000000200000)
}
@test "ibroute, dump_fts, dump_lfts and dump_mfts" { rows_hold 7 same_table ibroute dump_fts dump_lfts dump_mfts; }

same_route() {
	case $1 in
	*-m*) diff <(on "node1 HCA-1" bash -c 'trees "$@"' - 0xc000 1 4) <(jq -r 'select(.hop) | "\(.port.lid) \(.port.number)"' json | sort -u) ;;
	*) diff <(sed -nE 's/^\[ *([0-9]+)\] -> .*\[ *([0-9]+)\] lid ([0-9]+)-.*/\1 \2 \3/p' theirs) \
		<(jq -r 'select(.hop.direction == "egress").port | "\(.number) \(.peer.number) \(.peer.lid)"' json) ;;
	esac && [[ -s json ]]
}
@test "ibtracert" { rows_hold 4 same_route ibtracert; }

# hosts that ibfindnodesusing prints behind the port, and LIDs of hosts
same_destinations() {
	diff <(sed -n '/==>>/,/^$/s/^ //p' theirs | tr , '\n' | sort) \
		<(tr -d '\r' <ours | sed 1d | sort)
}
@test "ibfindnodesusing" { rows_hold 1 same_destinations ibfindnodesusing; }

# ---- hosts

same_port() {
	case $1 in
	*-[lp]) diff theirs ours ;;
	ibstatus) [[ $(sed -nE 's/.*(base lid|sm lid|state|rate):[\t ]*(.*)/\2/p' theirs | paste -s) == \
		"$(jq -r '.data | "0x\(.lid)\t0x\(.sm_lid)\t\(.state): \(.state_name | ascii_upcase)\t\(.phys_state): \(.phys_state_name)\t\(.rate) Gb/sec (4X EDR)"' json)" ]] ;;
	*) diff <(sed -nE 's/^\t*(CA type|Firmware version|Node GUID|State|Physical state|Rate|Base lid|LMC|SM lid|Port GUID): //p' theirs) \
		<(jq -r '.data | .ca_type, .firmware, .node_guid, .state_name, .phys_state_name, .rate, .lid, .lmc, .sm_lid, .port_guid' json) ;;
	esac
}
@test "ibstat and ibstatus" { rows_hold 4 same_port ibstat ibstatus; }

same_reply() {
	case $1 in
	*'-c 1 99') [[ $(<theirs) == *'0 received'* ]] ;;
	*-f*) [[ $(<theirs) == *'3 received'* && $(<ours) == *'3 sent, 0 lost'* ]] ;;
	ibping*) [[ $(<theirs) == *"3 received"* && $(<ours) == *'3 sent, 0 lost'* &&
		$(sed -n 's/^Pong from \(.*\) (Lid 4).*/\1/p' theirs) == "$(jq -r 'select(.kind == "response").data.Host' json)" ]] ;;
	*host) diff theirs <(jq -r .data.Host json) ;;
	*cpu) diff <(sed '/^$/d' theirs) <(jq -r .data.CPUs json | sed '/^$/d') ;;
	*) [[ $(<theirs) == 'sysstat ping succeeded' ]] ;;
	esac
}
@test "ibping and ibsysstat" { rows_hold 5 same_reply ibping ibsysstat; }

@test "ibping: the servers" {
	local theirs ours server
	IFS=$'\t' read -r theirs ours _ < <(rows | grep '^ibping -S')
	[[ $theirs && $ours == madrecv* ]]
	for server in "$theirs" "$ours"; do
		read -ra words <<<"$server"
		spawn server "node3 HCA-1" "${words[@]}"
		until_true 10 on "node1 HCA-1" ibping -c 1 -t 100 5
		run -0 on "node1 HCA-1" ibping -c 3 5
		[[ $output == *' 3 received'* ]]
		run -0 on "node1 HCA-1" madsend -L 5 -n 3 -i 0 Get Ping
		[[ $output == *'3 sent, 0 lost'* ]]
		end "$SERVED_JOB"
	done
}

@test "vendstat" { rows_hold 1 false vendstat; }

# Before each of both commands the field has another value, and the same one after both.
@test "ibportstate" {
	local seen=()
	local -A other=([PhysLinkState=Disabled]=Polling [PhysLinkState=Polling]=Disabled [LinkSpeedEnabled=1]=7 [LinkSpeedEnabled=7]=1
		[LinkSpeedExtEnabled=1]=3 [LinkWidthEnabled=2]=3 [LinkWidthEnabled=3]=2 [NeighborMTU=4]=5 [OperVLs=4]=5)
	port_8() { on "node1 HCA-1" madsend -q -L 2 -m 8 "$@" -j; }
	settled() { [[ $(port_8 Get PortInfo | jq -r .data.LinkState_name) == @(Down|Active) ]]; }
	row_hook() {
		local change=${ours##*--merge }
		[[ -v other[$change] ]] || return 0
		[[ $1 == after ]] || port_8 Set PortInfo --merge "${change%=*}=${other[$change]}" >/dev/null
		until_true 20 settled
		seen+=("$(port_8 Get PortInfo | jq ".data.${change%=*}")")
	}
	same_change() {
		case $2 in
		# before and after theirs, before and after ours
		*--merge*) [[ ! -v other[${2##*--merge }] ]] || [[ ${seen[-1]} == "${seen[-3]}" && ${seen[-1]} != "${seen[-2]}" &&
			${seen[-3]} != "${seen[-4]}" ]] ;;
		madsend*) agree 10 "$(dots <theirs | sed '/^Mkey/,$d' | head -n 14)" "$(<json)" ;;
		*) [[ $(sed -n '/^Peer/,$p' theirs | dotted Lid) == "$(jq -s '.[0].port.peer.lid' json)" ]] ;;
		esac || { echo "${seen[@]}"; return 1; }
	}
	rows_hold 13 same_change ibportstate
}

@test "the commands for programs that infiniband-diags does not have any more" {
	local theirs ours status list n=0
	count
	while IFS=$'\t' read -r theirs ours status <&"$list"; do
		[[ -z $(type -P "${theirs%%[ ,]*}") ]] || { echo "there is $theirs"; return 1; }
		[[ $ours == none || $(command_run ours "$ours") == "${status:-0}" ]] || { echo "$ours: status not ${status:-0}"; cat ours.err; return 1; }
		n=$((n + 1))
	done {list}< <(rows | grep -vE "^($(programs | paste -sd '|')) ?[^a-z_]")
	echo "# $n rows" >&3
	((n >= 12))
}

@test "each row is that of a test, or of a program that is gone" {
	local program
	for program in $(rows | grep -oE '^[a-z_]+' | sort -u); do
		[[ -z $(type -P "$program") ]] || grep -qE "rows_hold .*\b$program\b" "$BATS_TEST_FILENAME" || { echo "no test of $program"; return 1; }
	done
}

@test "the page names each program" {
	local program n=0 page
	page=$(page_text madkit-migration.7)
	for program in $(programs); do
		grep -qw -- "$program" <<<"$page" || { echo "no $program"; return 1; }
		n=$((n + 1))
	done
	((n >= 30))
}
