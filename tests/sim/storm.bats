#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madwatch when much changes at once, or goes on changing: few lines with right numbers, few MADs, and no more memory.

setup() {
	load common
	load watching
	cd "$dir" || return
}

teardown() { clean_up; }

@test "a spine with 64 links is powered off and on: a line each, and at most 500 MADs in any second" {
	local most sent
	serve fat-tree:64,2,2 --sm h1-2
	watch -w pcap
	control node spine2 gone
	until_line 'node-down'
	control node spine2 back
	until_line 'node-up'
	shown 'node-down spine2 64 links' 'node-up spine2 64 links'
	kill "$watch_pid"
	wait "$watch_pid" || :
	read -r most sent < <(most pcap report)
	((most <= 500 && sent > 500)) || { echo "$most of $sent"; return 1; }
}

# links WORD: how many links the lines are about that begin with WORD or node-WORD
links() {
	lines_of watch.out | grep -E "^(node-)?$1 " |
		sed -E 's/.* <-> .*/1/; s/^[a-z-]+ [^ ]+ ([0-9]+) .*/\1/' | jq -s 'add // 0'
}

# until_links WORD N
until_links() {
	local i
	for ((i = 0; i < 400; i++)); do
		(($(links "$1") < $2)) || break
		read -r -t 0.1 <> <(:) || :
	done
	(($(links "$1") == $2)) || { echo "$1: $(links "$1") links"; cat watch.out; return 1; }
}

@test "25 leaves with 1,000 hosts are powered off and on: each cable is counted once, in few lines" {
	local i
	serve fat-tree:28,40,2 --sm h28-2
	watch
	for ((i = 2; i <= 26; i++)); do control node "leaf$i" gone; done
	until_links down 50
	(($(wc -l <watch.out) <= 26)) || { cat watch.out; return 1; }
	for ((i = 2; i <= 26; i++)); do control node "leaf$i" back; done
	until_links up 50
	(($(wc -l <watch.out) <= 52)) || { cat watch.out; return 1; }
	[[ $(lines_of watch.out | cut -d ' ' -f 1 | sed 's/^node-//' | sort -u) == $'down\nup' ]] || { cat watch.out; return 1; }
}

@test "a storm: more than 100 lines in 10 s, then none until it is quiet, and the sum" {
	local leaf host
	serve fat-tree:60,4,2 --sm h1-2
	watch
	control link leaf3 3 down
	# each 3 s, however long the commands take
	for host in 1 2; do
		for ((leaf = 2; leaf <= 60; leaf++)); do control link "leaf$leaf" "$host" flap=3000; done
	done
	until_line 'storm'
	for ((leaf = 2; leaf <= 60; leaf++)); do
		control link "leaf$leaf" 1 up
		control link "leaf$leaf" 2 down
	done
	until_line 'calm'
	# a node that responds late on a busy machine is another change
	[[ $(lines_of watch.out | grep -Ev '^(down|up) ' | sed -E 's/[0-9]+ (times|up|other)/N \1/g') == "storm more than 100 lines in 10 s: the sum follows when it is quiet
calm N times a link went down, N up, N other changes; now 60 down" ]] || { cat watch.out; return 1; }
	control link leaf3 3 up
	until_line 'up leaf3/3 <-> h3-3/1'
}

@test "without traps, the width and speed of each link and all names are read every 10 minutes, and at no other time" {
	# 4 links of hosts and 2 of spine1; 7 nodes
	run -0 madwatch --device sim:fat-tree:2,2,1 -q --deadline 1300000 -w pcap
	timeout 60 python3 - pcap >got <<-'EOF'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		begin, at = struct.unpack_from("<I", data, 24)[0], 24
		while at < len(data):
		    second, _, length, _ = struct.unpack_from("<4I", data, at)
		    mad = data[at + 60:at + 16 + length]
		    if mad[3] == 1 and mad[1] == 0x81 and mad[17] in (0x10, 0x15) and second > begin:
		        print(second - begin, {0x10: "NodeDescription", 0x15: "PortInfo"}[mad[17]])
		    at += 16 + length
	EOF
	sort -n got | uniq -c | tr -s ' ' |
		diff - <(printf ' %s\n' '7 600 NodeDescription' '6 600 PortInfo' '7 1200 NodeDescription' '6 1200 PortInfo')
}

@test "10,000 events take no more memory than 1,000" {
	local fabric=sim:fat-tree:8,4,2 leaf port
	for leaf in 2 3 4 5 6 7; do
		for port in 1 2 3 4; do fabric+=",control=link leaf$leaf $port flap=10000"; done
	done
	timeout 300 python3 - "$fabric" <<-'EOF'
		import subprocess, sys
		watch = subprocess.Popen(["madwatch", "-j", "--device", sys.argv[1]], stdout=subprocess.PIPE)
		kib = {}
		for n, line in enumerate(watch.stdout, 1):
		    if n in (1000, 10000):
		        with open(f"/proc/{watch.pid}/status") as status:
		            kib[n] = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
		    if n == 10000:
		        break
		watch.terminate()
		watch.wait()
		print(kib)
		assert kib[10000] <= kib[1000] + 1024
	EOF
}
