#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Failures on a fabric: exit statuses, and messages that suggest the next step.

# shellcheck disable=SC2030,SC2031,SC2154  # run sets output, stderr and their lines
load common

# tried STATUS COMMAND... on node $FROM: nothing on standard output, one line on standard error
tried() {
	run "-$1" --separate-stderr on "${FROM:-node1}" "${@:2}"
	[[ -z $output ]]
	((${#stderr_lines[@]} == 1))
	[[ $stderr == "$2: "* ]]
}

@test "a dead LID: 3, no zeros, and what to check" {
	tried 3 madsend -L 99 -t 200 Get NodeInfo
	[[ $stderr == *[Ll]"id 99"* && $stderr == *[Pp]ort* && $stderr == *SM* && $stderr == *M_Key* ]]
}

@test "a dead LID as JSON is a line of its own" {
	run -3 --separate-stderr on node1 madsend -L 99 -t 200 -j Get NodeInfo
	[[ $(jq -r '"\(.kind) \(.remote.lid) \(.data)"' <<<"$output") == 'timeout 99 null' ]]
}

@test "a direct route that leads nowhere: 3" {
	tried 3 madsend -D 0,1,5 -t 200 Get NodeInfo
	[[ $stderr == *0,1,5* ]]
}

@test "--locate names the last node that answered" {
	run -3 --separate-stderr on node1 madsend -D 0,1,7,5 -t 1000 --locate Get NodeInfo
	[[ $stderr == *'leaf2 rack2'* ]]
}

# The simulator loses every SMP of a combined route.
@test "--locate of a combined route speaks of the LID that it begins at" {
	run -3 --separate-stderr on node1 madsend -L 2 -D 0,1 -t 100 --retries 0 --locate Get NodeInfo
	[[ $stderr == *'not even LID 2 responds'* ]]
}

@test "a cable comes out: requests across it time out, and say so" {
	on node1 madsend -D 0,1,2 Get NodeInfo
	console 'Unlink "node3"[1]'
	tried 3 madsend -D 0,1,2 -t 200 Get NodeInfo
	console 'ReLink "node3"[1]'
	on node1 madsend -D 0,1,2 Get NodeInfo
}

@test "our own cable is out: the port has to be named, and answers; the rest does not" {
	console 'Unlink "node4"[1]'
	FROM=node4 tried 1 madsend -D 0 Get PortInfo
	[[ $stderr == *'ibsim0/1 (Down)'* ]]
	[[ $(on node4 madsend -C ibsim0 -D 0 -j Get PortInfo | jq -r .data.LinkState_name) == Down ]]
	FROM=node4 tried 3 madsend -C ibsim0 -D 0,1 -t 200 Get NodeInfo
	console 'ReLink "node4"[1]'
	until_true 60 active node4
}

active() { [[ $(on "$1" smpquery portinfo -D 0 | sed -n 's/^LinkState:\.*//p') == Active ]]; }

@test "a status that is not zero: 4, decoded" {
	run -4 --separate-stderr on node1 madsend -D 0 -m 77 Get PortInfo
	[[ -z $output && $stderr == *0x001c* && $stderr == *[Ii]nvalid* ]]
	run -4 --separate-stderr on node1 madsend -D 0 -m 77 -j Get PortInfo
	[[ $(jq .status.mad <<<"$output") == 28 ]]
}

@test "no path record for a LID that nobody has: 6, and no record" {
	run -6 --separate-stderr on node1 madsend Get PathRecord SLID=1 DLID=99 NumbPath=1
	[[ -z $output && -n $stderr ]]
}

# A packet of the simulator holds one MAD: every table is cut to its first, with nothing in it to say how
# many there would have been.
@test "a table cut short: 5, and how much of it came" {
	for attribute in NodeRecord PortInfoRecord PathRecord; do
		run -5 --separate-stderr on node1 madsend GetTable $attribute
		[[ $stderr =~ ^madsend:\ GetTable\ $attribute:\ the\ table\ was\ cut\ short:\ got\ [0-9]+\ of\  ]]
		[[ $stderr == *"the first packet only"*RMPP* ]]
	done
}

# The kernel's timeout is for a whole table: who sends it is asked how long that takes.
@test "a table has the time that its sender says it needs" {
	local value
	value=$(on node1 madsend -j Get SA:ClassPortInfo | jq .data.RespTimeVal)
	run -5 --separate-stderr on node1 madsend -d -w "$BATS_TEST_TMPDIR/asked" GetTable NodeRecord
	[[ $stderr == *"the table may take $((1000 + 8 * 4096 * (1 << value) / 1000000)) ms"* ]]
	[[ $(madrecv -r "$BATS_TEST_TMPDIR/asked" -j | jq -r .header.attribute | uniq | paste -sd ' ') == "ClassPortInfo NodeRecord" ]]
	# who says how long does not ask, nor who wants the first packet alone
	for how in "-t 500" "--rmpp none"; do
		# shellcheck disable=SC2086  # words
		run -5 --separate-stderr on node1 madsend -d $how GetTable NodeRecord
		[[ $stderr != *"may take"* ]]
	done
}

@test "a table cut short as JSON says so too" {
	run -5 --separate-stderr on node1 madsend -j GetTable NodeRecord
	# one whole record, and a line of standard error that names the missing part
	[[ $(jq -sc 'map([.schema, .kind, .record, .records, .header.method, (.data.NodeInfo.Guid | type)])' <<<"$output") == '[["madkit/1","response",0,1,"GetTableResp","string"]]' ]]
	((${#stderr_lines[@]} == 1))
	[[ $stderr == *'got 1 of '* ]]
}

@test "a field that does not exist: 2" {
	tried_usage madsend Get NodeInfo bogus=1
	[[ $stderr == *bogus* ]]
}

# tried_usage COMMAND...
tried_usage() {
	run -2 --separate-stderr on node1 "$@"
	[[ -z $output && $stderr == "$1: "* ]]
}

@test "values, names and addresses that are none: 2, before anything is sent" {
	tried_usage madsend -L 0x1zz Get NodeInfo
	tried_usage madsend -G 0x12345678901234567 Get NodeInfo
	tried_usage madsend -D 0,1 Get NoSuchAttribute
	tried_usage madsend -D 0,x Get NodeInfo
	tried_usage madsend -L 2 Get PortCounters PortSelect=256
	tried_usage madsend --filter 'NumPorts ==' -D 0 Get NodeInfo
}

@test "a CA that is not there: 1" {
	tried 1 madsend -C mlx5_9 -D 0 Get NodeInfo
	[[ $stderr == *mlx5_9* ]]
}

# failed_line STATUS KIND COMMAND...: one line of JSON with all the keys, and one on standard error
failed_line() {
	run "-$1" --separate-stderr on node1 "${@:3}" -j
	((${#lines[@]} == 1 && ${#stderr_lines[@]} == 1)) || { echo "$output$stderr"; return 1; }
	[[ $(jq -c '[.kind, .status.send != 0, (.data.error | type)]' <<<"$output") == "[\"$2\",true,\"$([[ $2 == error ]] && echo string || echo null)\"]" ]] || { echo "$output"; return 1; }
	[[ $(jq -c keys_unsorted <<<"$output") == "$keys" ]]
}

@test "what fails before anything is sent is a line of JSON too" {
	keys=$(on node1 madsend -D 0 Get NodeInfo -j | jq -c keys_unsorted)
	for command in madsend 'madpoll --until Guid'; do
		# shellcheck disable=SC2086
		for to in '-G 0x77' '--name nobody' '--gid fe80::77'; do
			failed_line 6 error $command $to Get NodeInfo
			[[ $(jq -r .header.attribute <<<"$output") == NodeInfo ]]
		done
		# shellcheck disable=SC2086
		failed_line 1 error $command -C mlx5_9 Get NodeInfo
		# shellcheck disable=SC2086
		failed_line 1 error $command --class 0x32 --oui 0 Get 0x10
	done
	for command in 'madpoll --class PerfMgt' 'madrecv --class PerfMgt' 'madrecv --subscribe 64'; do
		# shellcheck disable=SC2086
		failed_line 1 error $command -C mlx5_9
	done
	failed_line 1 error madpoll --class 0x32 --oui 0
	failed_line 1 error madrecv --class 0x32 --oui 0
	# whose data say why
	run -1 --separate-stderr on node1 madreg --class PerfMgt -C mlx5_9 -j
	((${#lines[@]} == 1 && ${#stderr_lines[@]} == 1))
	[[ $(jq -c keys_unsorted <<<"$output") == "$keys" ]]
	[[ $(jq -c '[.kind, .status.send, .data.registered, .data.cause]' <<<"$output") == '["error",19,false,"no-device"]' ]]
}

@test "an SA that is silent when an address is asked of it: 3, and what to check" {
	keys=$(on node1 madsend -D 0 Get NodeInfo -j | jq -c keys_unsorted)
	failed_line 3 timeout madsend -s 99 -G 0x77 -t 100 --retries 0 Get NodeInfo
	[[ $stderr == *Active* && $stderr == *'SM LID 1'* ]]
}

@test "the CA of the configuration, of the environment, of the command line: the last one counts" {
	conf=$BATS_TEST_TMPDIR/conf
	printf 'CA=first\nPort=7\n' >"$conf"
	tried 1 madsend -z "$conf" -D 0 Get NodeInfo
	[[ $stderr == *first/7* ]]
	MADKIT_DEVICE=umad:second/1 tried 1 madsend -z "$conf" -D 0 Get NodeInfo
	[[ $stderr == *second/1* ]]
	MADKIT_DEVICE=umad:second/1 tried 1 madsend -z "$conf" -C third -D 0 Get NodeInfo
	[[ $stderr == *"third;"* ]]
	# the listed entry is not the one in use
	MADKIT_DEVICE=umad:second/1 run -0 on node1 madreg --list
	[[ $output == *ibsim0* ]]
	tried 2 madreg -z "$conf" --list
	[[ $stderr == *'--config has no effect with --list'* ]]
}

@test "a Set of a SubnMgt attribute asks for --merge or --zero-rest" {
	tried_usage madsend -D 0,1,2 Set PortInfo LMC=1
	[[ $stderr == *--merge* && $stderr == *--zero-rest* ]]
}

@test "standard output closed or full: 1" {
	run -1 --separate-stderr to_nowhere
	[[ $stderr == 'madsend: '* ]]
	run -1 --separate-stderr to_full
	[[ $stderr == 'madsend: '* ]]
}

to_nowhere() { on node1 madsend -D 0 Get NodeInfo >&-; }
to_full() { on node1 madsend -D 0 Get NodeInfo >/dev/full; }

@test "--assert: 0 where it held, 6 where it did not" {
	on node1 madsend -D 0,1 --assert 'NumPorts == 8' Get NodeInfo
	run -6 on node1 madsend -D 0,1 --assert 'NumPorts == 9' Get NodeInfo
}

@test "--filter shows what matches" {
	run -0 on node1 madsend -D 0,1 --filter 'NodeType == Switch' Get NodeInfo
	[[ $output == *NumPorts* ]]
	run -6 --separate-stderr on node1 madsend -D 0,1 --filter 'NodeType == Router' Get NodeInfo
	[[ -z $output ]]
}

@test "--fields and jq" {
	[[ $(on node1 madsend -D 0,1 -j --fields NumPorts Get NodeInfo | jq -c .data) == '{"NumPorts":8}' ]]
}

@test "the GUID that smpquery prints" {
	[[ $(on node1 madsend -D 0,1 Get NodeInfo -j | jq -r .data.Guid) == \
		$(on node1 smpquery -D nodeinfo 0,1 | sed -n 's/^Guid:\.*//p') ]]
}

# The simulator takes HoqLife, and not much else.
@test "--merge changes what it names and nothing else" {
	before=$(on node1 madsend -D 0,1 -m 5 -j Get PortInfo | jq -S '.data | del(.HoqLife)')
	run -0 --separate-stderr on node1 madsend -D 0,1 -m 5 --merge Set PortInfo HoqLife=7
	[[ $output$stderr == *HoqLife*7* ]]
	after=$(on node1 madsend -D 0,1 -m 5 -j Get PortInfo)
	[[ $(jq .data.HoqLife <<<"$after") == 7 ]]
	diff <(echo "$before") <(jq -S '.data | del(.HoqLife)' <<<"$after")
}

@test "-n asks that often and sums up" {
	run -0 --separate-stderr on node1 madsend -D 0,1 -n 5 -i 0 -j Get NodeInfo
	[[ $(jq -s '[.[] | select(.kind == "response")] | length' <<<"$output") == 5 ]]
	[[ $(jq -c 'select(.kind == "summary") | [.data.sent, .data.lost]' <<<"$output") == '[5,0]' ]]
}

@test "raw out, raw in: offline decoding shows the same fields" {
	on node1 madsend -D 0,1 -f raw Get NodeInfo >"$BATS_TEST_TMPDIR/mad"
	[[ $(stat -c %s "$BATS_TEST_TMPDIR/mad") == 256 ]]
	diff <(on node1 madsend -D 0,1 -j Get NodeInfo | jq -S .data) \
		<(madrecv -r "$BATS_TEST_TMPDIR/mad" -j | jq -S .data)
}

@test "madreg --list shows the simulated port" {
	run -0 on node1 madreg --list
	[[ $output == *ibsim0* ]]
	run -0 on node1 madreg --list -j
	[[ $(jq -r '"\(.kind) \(.device) \(.data.lid) \(.data.state_name)"' <<<"$output") == 'event umad:ibsim0/1 1 Active' ]]
	[[ $(jq -c keys_unsorted <<<"$output") == "$(on node1 madsend -D 0 Get NodeInfo -j | jq -c keys_unsorted)" ]]
	run -0 on node1 madreg --list --filter 'device =~ ibsim' --fields device,kind -j
	[[ $(jq -cS . <<<"$output") == '{"device":"umad:ibsim0/1","kind":"event"}' ]]
	run -6 --separate-stderr on node1 madreg --list --filter 'device =~ mlx'
	[[ -z $output && $stderr == *filter* ]]
	run -6 --separate-stderr on node1 madreg --class PerfMgt --assert 'kind == error'
	[[ -n $output && $stderr == *'did not hold'* ]]
}

@test "an address that the SA does not know: what the option takes" {
	run -6 --separate-stderr on node1 madsend -G 0x1234567890 Get NodeInfo
	[[ $stderr == *"-G takes a port GUID: PortGuid of NodeInfo"* ]]
	run -6 --separate-stderr on node1 madsend --name nosuch Get NodeInfo
	[[ $stderr == *"--name takes the whole node description"* ]]
}

@test "a table without records: nothing on standard output, 6" {
	run -6 --separate-stderr on node1 madsend GetTable NodeRecord LID=999
	[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
}
