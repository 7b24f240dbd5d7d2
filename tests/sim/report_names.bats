#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv --names and --node-name-map: names of senders, and of the nodes that Reports are about.

setup() {
	load common
	serve "$topologies/small.net" --sm node1
	printf '0x0000000000200001 "spine 7"\n' >"$dir/map"
	vendor=(--class 0x32 --oui 0x001405)
}

teardown() { clean_up; }

# receive NODE WORDS...: madrecv in the background
receive() {
	rm -f "$dir/receiver.err"
	start receiver env MADKIT_DEVICE="sim:unix:$socket@$1" madrecv --banner "${@:2}"
}

# until_lines N: the receiver has printed so many
until_lines() {
	for ((i = 0; i < 3000; i++)); do
		(($(wc -l <"$dir/receiver.out") < $1)) || return 0
		read -r -t 0.02 <> <(:) || :
	done
	false
}

# ended STATUS: of the receiver
ended() {
	local status=0
	wait "$pid" || status=$?
	((status == $1))
}

silence() { control fault drop node=node1 class=SubnAdm method=GetResp >/dev/null; }

# report LID TRAP: a line of a batch: a Report to node3, of a notice
report() {
	printf '{"remote":{"lid":3},"header":{"class":"SubnAdm","method":"Report","attribute":"Notice"},"data":{%s}}\n' \
		"\"IsGeneric\":1,\"TrapNumber\":$2,\"LIDADDR\":$1"
}

@test "a Report has the name of its node" {
	receive node3 --subscribe 64,128 -j --names -n 2
	control link node2 1 down
	until_lines 1
	control link node2 1 up
	ended 0
	jq -s -e 'all(.remote.name == "node1 HCA-1" and .header.attribute == "Notice")
		and all(.port.node.name == "leaf2 rack2" and .port.lid == .data.LIDADDR and .port.number == null)' \
		"$dir/receiver.out"
	receive node3 --subscribe 64,128 -n 2 --node-name-map "$dir/map" --fields port.node.name
	control link node2 1 down
	control link node2 1 up
	ended 0
	[[ $(grep -c '^# Report Notice: Lid 1 about spine 7$' "$dir/receiver.out") == 2 ]]
	[[ $(grep -c '^port.node.name:\.*spine 7$' "$dir/receiver.out") == 2 ]]
}

@test "a port that appears has the name of its node, and a filter finds it" {
	control link node2 1 down
	receive node3 --subscribe 64 --names -n 1 --filter 'port.node.name == "node2 HCA-1"'
	control link node2 1 up
	ended 0
	[[ $(head -1 "$dir/receiver.out") == "# Report Notice: Lid 1 (node1 HCA-1) about node2 HCA-1" ]]
}

@test "a port that disappears has its last name" {
	receive node3 --subscribe 65 -j --names -n 1
	control link node2 1 down
	ended 0
	jq -e '.port.node.name == "node2 HCA-1" and .port.node.type == "CA" and .port.guid == "0x0000000000100003"' \
		"$dir/receiver.out"
	control link node2 1 up
	receive node3 --subscribe 64,65 -j --node-name-map <(echo '0x0000000000100002 "host 2"') -n 2
	control link node2 1 down
	until_lines 1
	control link node2 1 up
	ended 0
	jq -s -e 'map([.data.TrapNumber, .port.node.name]) == [[65, "host 2"], [64, "host 2"]]' "$dir/receiver.out"
}

@test "the sender of a request has a name" {
	receive node3 "${vendor[@]}" --respond echo --names -n 1
	on node2 madsend "${vendor[@]}" --name node3 Get 0x10
	ended 0
	grep '^# Get .* (node2 HCA-1)$' "$dir/receiver.out"
	receive node3 "${vendor[@]}" --respond echo -j -n 1
	on node2 madsend "${vendor[@]}" --name node3 Get 0x10
	ended 0
	jq -e '.remote.name == null and .port == null' "$dir/receiver.out"
}

@test "an SA that does not respond delays lines, not responses" {
	silence
	receive node3 "${vendor[@]}" --respond echo -j --names -n 2
	run -0 on node2 madsend "${vendor[@]}" -L 3 Get 0x10 -j -t 500 --retries 0
	jq -e '.rtt_us < 500000' <<<"$output"
	run -0 on node2 madsend "${vendor[@]}" -L 3 Get 0x11 -j -t 500 --retries 0
	[[ ! -s $dir/receiver.out ]]
	ended 0
	jq -s -e 'map(.header.attribute_id) == [16, 17] and map(.seq) == [1, 2] and all(.remote.name == null)' \
		"$dir/receiver.out"
}

@test "a signal and the deadline show the lines that wait for names" {
	silence
	receive node3 "${vendor[@]}" --respond echo -j --names
	run -0 on node2 madsend "${vendor[@]}" -L 3 Get 0x10
	[[ ! -s $dir/receiver.out ]]
	kill -TERM "$pid"
	ended 143
	jq -e '.remote.lid == 5 and .remote.name == null' "$dir/receiver.out"
	in_time 500 ends_with_one
}

ends_with_one() {
	receive node3 "${vendor[@]}" --respond echo -j --names --deadline "$ms"
	on node2 madsend "${vendor[@]}" -L 3 -t 100 --retries 0 Get 0x10 || :
	ended 0 && [[ $(wc -l <"$dir/receiver.out") == 1 ]]
}

@test "a flood of Reports: all lines, in order" {
	receive node3 --class SubnAdm --method Report --respond echo -j --names -n 3000
	for ((i = 1; i <= 3000; i++)); do report $((i % 1000 + 1)) 128; done >"$dir/lines"
	# none fails
	run -6 on node2 madsend --batch "$dir/lines" -j --filter 'status.send != 0' --deadline 60000
	ended 0
	jq -s -e 'map(.seq) == [range(1; 3001)] and all(.port.lid == .data.LIDADDR and .remote.name == "node2 HCA-1")
		and all((.port.lid == 4) == (.port.node.name == "leaf2 rack2"))' "$dir/receiver.out"
}

@test "a map that cannot be read is an error" {
	run -1 --separate-stderr on node3 madrecv "${vendor[@]}" --node-name-map "$dir/nosuch" --deadline 100
	[[ $stderr == *"$dir/nosuch"* ]]
}
