#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Hosts with several devices: their names and numbers, sysfs as exporters read it, RoCE, planarized adapters.

load common

IB=/sys/class/infiniband

setup_file() {
	serve "$TOPOLOGIES/hosts.net"
	until_true 60 ca_is_active node18 mlx5_0
}

ca_is_active() { [[ $(on "$1" cat "$IB/$2/ports/1/state" 2>/dev/null) == '4: ACTIVE' ]]; }

# madsim with COMMAND; programs that were not built with the sanitizer need its runtime first.
simulated() {
	env ${MADKIT_PRELOAD:+LD_PRELOAD="$MADKIT_PRELOAD"} "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
		madsim "$@"
}

# The names of CAs, and of each umad device its CA and port.
devices() {
	ibstat -l
	for ((i = 0; ; i++)); do
		[[ -e /sys/class/infiniband_mad/umad$i ]] || return 0
		echo "$i: $(cat "/sys/class/infiniband_mad/umad$i/ibdev")/$(cat "/sys/class/infiniband_mad/umad$i/port")"
	done
}
export -f devices

@test "E7: CAs whose descriptions share a host are on it, with the names that they have there" {
	run -0 on node17 bash -c devices
	[[ $output == $'mlx5_10\nmlx5_2\nsim0\nsim1\n0: sim0/1\n1: sim1/1\n2: mlx5_2/1\n3: mlx5_2/2\n4: mlx5_10/1' ]]
	# of whichever CA the host is
	for node in "node17 mlx5_2" b c; do
		[[ $(on "$node" bash -c devices) == "$output" ]]
	done
	for ca in mlx5_10 mlx5_2; do
		run -0 on node17 smpquery -C "$ca" nodedesc -D 0
		[[ $output == *"node17 $ca" ]]
		run -0 on node17 smpquery -C "$ca" nodedesc -D 0,1
		[[ $output == *"leaf1 rack1" ]]
	done
	run -0 on node17 smpquery -C sim1 nodedesc -D 0
	[[ $output == *"node17 HCA-2" ]]
	run -0 on node18 bash -c devices
	[[ $output == $'mlx5_0\n0: mlx5_0/1' ]]
	run -0 on f bash -c devices
	[[ $output == $'sim0\n0: sim0/1' ]]
	# no node has the name "localhost"
	run -0 on h bash -c devices
	[[ $output == $'mlx5_0\n0: mlx5_0/1' ]]
	[[ $(on g cat "$IB/mlx5_0/node_guid") != $(on h cat "$IB/mlx5_0/node_guid") ]]
}

@test "E7: agents, MADs and issm devices of one CA are not those of another" {
	run -0 on node17 perfquery -C mlx5_10 "$(on node18 cat "$IB/mlx5_0/ports/1/lid")" 1
	[[ $output == *XmitPkts* ]]
	spawn issm node17 bash -c 'exec 7</dev/infiniband/issm3; sleep 1000'
	until_true 60 is_sm mlx5_2 2
	run ! is_sm mlx5_2 1
	end "$SERVED_JOB"
	until_true 60 eval '! is_sm mlx5_2 2'
}

is_sm() { (($(on node17 cat "$IB/$1/ports/$2/cap_mask") & 2)); }

@test "without a choice of the device, madkit and libibumad choose the same one of a host" {
	local net=$BATS_TEST_TMPDIR/net node
	# the first in the file is not the first by name
	sed 's/mlx5_10/mlx5_3/' "$TOPOLOGIES/hosts.net" >"$net"
	for node in '' node17; do
		run -0 simulated "$net" ${node:+--node "$node"} -- bash -c 'smpquery nodedesc -D 0; madsend -D 0 Get NodeDescription'
		(($(grep -c 'node17 mlx5_2$' <<<"$output") == 2))
		run -0 madsend --device "sim:$net${node:+@$node}" -D 0 Get NodeDescription
		[[ $output == *'node17 mlx5_2' ]]
	done
	run -0 madsend --device "sim:$net@a" -D 0 Get NodeDescription
	[[ $output == *'node17 mlx5_3' ]]
}

@test "two CAs of one name on a host are an error that names them" {
	sed 's/mlx5_10/mlx5_2/' "$TOPOLOGIES/hosts.net" >"$BATS_TEST_TMPDIR/net"
	run -5 madsim "$BATS_TEST_TMPDIR/net" --no-sm -- true
	[[ $output == "madsim: topology: host 'node17' has two CAs 'mlx5_2': nodes 'a' and 'b'; "*'--hosts single'* ]]
	run -0 simulated "$BATS_TEST_TMPDIR/net" --no-sm --hosts single --node b -- ibstat -l
	[[ $output == mlx5_2 ]]
	run -2 madsim fat-tree:1,1,0 --hosts roce,none -- true
	[[ $output == "madsim: --hosts: 'none' is not one of roce, planar, single"* ]]
}

@test "E9: an ambiguous MADSIM_NODE is told as --node is" {
	run on 'localhost mlx5_0' ibstat -l
	[[ $output == "libmadsim_umad: MADSIM_NODE: 'localhost mlx5_0' describes 2 nodes, 'g', 'h': name one, or give its GUID" ]]
	run -2 madsim "$TOPOLOGIES/hosts.net" --node 'localhost mlx5_0' -- true
	[[ $output == "madsim: --node: 'localhost mlx5_0' describes 2 nodes, 'g', 'h': name one, or give its GUID"* ]]
}

# sizes and modes of a directory's entries
entries() { on node17 stat -c '%n %F %s %a' "${@/#/$IB/}"; }

@test "E7: files and directories have the modes and sizes of a kernel's" {
	# as on Linux 6.1 with rdma_rxe, for what that has
	run -0 entries mlx5_2 mlx5_2/node_desc mlx5_2/node_guid mlx5_2/ports mlx5_2/ports/1/counters \
		mlx5_2/ports/1/state mlx5_2/ports/1/gids/0 mlx5_2/ports/1/gid_attrs/types/0 \
		mlx5_2/ports/1/hw_counters/lifespan mlx5_2/ports/1/hw_counters/out_of_buffer
	[[ ${output//$IB\//} == "mlx5_2 directory 0 755
mlx5_2/node_desc regular file 4096 644
mlx5_2/node_guid regular file 4096 444
mlx5_2/ports directory 0 755
mlx5_2/ports/1/counters directory 0 755
mlx5_2/ports/1/state regular file 4096 444
mlx5_2/ports/1/gids/0 regular file 4096 444
mlx5_2/ports/1/gid_attrs/types/0 regular file 4096 444
mlx5_2/ports/1/hw_counters/lifespan regular file 4096 644
mlx5_2/ports/1/hw_counters/out_of_buffer regular file 4096 444" ]]
	run -0 on node17 ls -l "$IB/mlx5_2/ports/1/counters"
	(($(grep -c '^-r--r--r-- 1 .* 4096 ' <<<"$output") == 21))
	run -0 on node17 cat "$IB/mlx5_2/ports/1/gid_attrs/types/0"
	[[ $output == 'IB/RoCE v1' ]]
	run -1 on node17 cat "$IB/mlx5_2/ports/1/gid_attrs/ndevs/0"
	[[ $output == *'Invalid argument' ]]
	# for root, too
	run -1 on node17 bash -c "echo 1 >$IB/mlx5_2/ports/1/lid"
	[[ $output == *'Permission denied' ]]
}

# counted_on FILE LEAST
counted_on() { (($(on node17 cat "$1") >= $2)); }

@test "E7: counters and hw_counters count" {
	local dir=$IB/mlx5_10/ports/1 before after
	before=$(on node17 cat "$dir/counters/port_xmit_data")
	run -0 on node17 smpquery -C mlx5_10 nodedesc -D 0,1
	after=$(on node17 cat "$dir/counters/port_xmit_data")
	((after > before))
	run -0 madsim --control "$SERVED_SOCKET" counter a 1 PortRcvData=0x123456789abc
	run -0 madsim --control "$SERVED_SOCKET" counter a 1 SymbolErrorCounter=7
	run -0 madsim --control "$SERVED_SOCKET" counter a 1 packet_seq_err=0x987654321
	run -2 madsim --control "$SERVED_SOCKET" counter a 1 packet_seq_errs=1
	[[ $output == "madsim: unknown counter 'packet_seq_errs'; did you mean 'packet_seq_err'?" ]]
	run -2 madsim --control "$SERVED_SOCKET" counter leaf1 1 packet_seq_err=1
	# wider than 32 bits where the kernel reads PortCountersExtended
	[[ $(on node17 cat "$dir/counters/symbol_error" "$dir/hw_counters/packet_seq_err") == $'7\n40926266145' ]]
	(($(on node17 cat "$dir/counters/port_rcv_data") >= 0x123456789abc))
	# a rate moves it from there
	run -0 madsim --control "$SERVED_SOCKET" errors a 1 packet_seq_err=1000000
	until_true 60 counted_on "$dir/hw_counters/packet_seq_err" 40926366145
	run -0 madsim --control "$SERVED_SOCKET" errors a 1 packet_seq_err=0
	# each file is what perfquery says of the same port at rest
	run -0 on node18 perfquery -x "$(on node17 cat "$dir/lid")" 1
	for pair in symbol_error:SymbolErrorCounter link_downed:LinkDownedCounter VL15_dropped:VL15Dropped; do
		[[ $(on node17 cat "$dir/counters/${pair%:*}") == "$(dotted "${pair#*:}" <<<"$output")" ]]
	done
}

@test "E7: a description that is written to node_desc is the node's, and trap 144 tells of it" {
	spawn trap node18 madrecv --subscribe 144 -j --banner
	until_true 60 grep -q listening "$SERVED_DIR/trap.err"
	# by what shells, stdio and scripting languages write with
	for writer in 'echo -n "node17 new" >F' 'printf "node17 new" | tee F >/dev/null' \
		'python3 -c "open(\"F\", \"w\").write(\"node17 new\")"' 'python3 -c "open(\"F\", \"r+b\", 0).write(b\"node17 new\")"' \
		'printf "node17 new" | cat >F'; do
		run -0 on node17 bash -c "cd $IB/mlx5_10; echo old >node_desc; ${writer/F/$IB/mlx5_10/node_desc}; cat node_desc"
		[[ $output == 'node17 new' ]] || { echo "$writer: $output"; return 1; }
	done
	run -0 on node18 smpquery nodedesc "$(on node17 cat "$IB/mlx5_10/ports/1/lid")"
	[[ $output == *'node17 new' ]]
	until_true 60 grep -q '"TrapNumber"' "$SERVED_DIR/trap.out"
	[[ $(jq -c 'select(.data.TrapNumber == 144) | [.data.OtherLocalChanges, .data.NodeDescriptionChange]' "$SERVED_DIR/trap.out" | head -n 1) == '[1,1]' ]]
}

@test "E7: hw_counters/lifespan is kept, and what it refuses is seen by the writer" {
	local file=$IB/mlx5_2/ports/1/hw_counters/lifespan writer
	[[ $(on node17 cat "$file") == 12 ]]
	for writer in 'echo 500 >F' 'echo 500 | tee F' 'sh -c "echo 500 >F"' '/usr/bin/printf 500 >F' 'echo 500 | cat >F' 'python3 -c "print(500, file=open(\"F\", \"w\"), flush=True)"'; do
		writer=${writer//F/$file}
		run -0 on node17 bash -c "echo 0 >$file; $writer"
		[[ $(on node17 cat "$file") == 500 ]]
		run ! on node17 bash -c "set -o pipefail; ${writer//500/10001}"
		[[ $output == *'Invalid argument'* || $output == *'I/O error'* ]] || { echo "$writer: $output"; return 1; }
	done
	[[ $(on node17 cat "$file") == 500 ]]
	run ! on node17 bash -c "echo 2147483648 >$file"
	[[ $output == *'Numerical result out of range'* ]]
	run -0 on node17 bash -c "echo 12 >$file"
}

@test "E7: writes of nothing to node_desc are ignored, and long ones are cut to a page" {
	run -0 on node17 python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
for text in b"", b"one", b"", b"", b"two":
    assert os.write(fd, text) == len(text)
assert open(sys.argv[1]).read() == "two\n"
assert os.write(fd, b"x" * 5000) == 4096
assert open(sys.argv[1]).read() == "x" * 64 + "\n"
assert os.write(fd, b"node17 mlx5_2") == 13' "$IB/mlx5_2/node_desc"
	# a program that did not open the file
	run -0 on node17 bash -c "(python3 -c 'import os; os.write(1, b\"\"); os.write(1, b\"\"); os.write(1, b\"three\")') >$IB/mlx5_2/node_desc; cat $IB/mlx5_2/node_desc"
	[[ $output == three ]]
	run -0 on node17 bash -c "echo -n 'node17 mlx5_2' >$IB/mlx5_2/node_desc"
}

# The server of a separate fabric.
@test "E7: opensm asks for a description that node_desc has changed" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	serve "$TOPOLOGIES/hosts.net" --no-sm
	opensm_start sm node18
	until_true 60 opensm_says sm 'SUBNET UP'
	run -0 on node17 bash -c "echo -n 'node17 renamed' >$IB/mlx5_2/node_desc"
	until_true 60 opensm_says sm 'Trap 144 Node description update'
	until_true 60 record_has node17 "$(on node17 cat "$IB/mlx5_2/ports/1/lid")" 'node17 renamed'
	serve_end
}

record_has() { [[ $(on "$1" saquery NR "$2") == *"NodeDescription.........$3"* ]]; }

@test "E7: /dev/infiniband is listed, by whatever lists directories" {
	local all=$'issm0\nissm1\nissm2\nissm3\nissm4\numad0\numad1\numad2\numad3\numad4'
	[[ $(on node17 ls /dev/infiniband) == "$all" ]]
	[[ $(on node17 find /dev/infiniband -type c -printf '%f\n' | sort) == "$all" ]]
	[[ $(on node17 bash -c 'cd /dev/infiniband; printf "%s\n" *') == "$all" ]]
	run -0 on node17 python3 -c '
import glob, os, stat
print(sorted(os.listdir("/dev/infiniband")) == sorted(os.path.basename(p) for p in glob.glob("/dev/infiniband/*")))
print({stat.filemode(os.stat(e.path).st_mode) for e in os.scandir("/dev/infiniband")})'
	[[ $output == $'True\n{\'crw-------\'}' ]]
	run -0 on node17 ls -l /dev/infiniband/umad4 /dev/infiniband/issm4
	[[ $output == *'crw-------'*'231, 68 '*'crw-------'*'231,  4 '* ]]
	run -0 on node17 "$MADKIT_BUILD/tests/shim/list" '/dev/infiniband/umad*' "$IB/*/ports/1/state" /dev/infiniband
	grep -v '^ok' <<<"$output"
}

@test "exporters: what reads sysfs finds each port" {
	run -0 on node17 grep -r . "$IB"/mlx5_10/ports/1/state "$IB"/mlx5_10/ports/1/rate "$IB"/mlx5_10/ports/1/phys_state
	[[ $output == *'state:4: ACTIVE'*'rate:'*' Gb/sec ('*'phys_state:5: LinkUp' ]]
	run -0 on node17 find "$IB/" -path '*counters/*' -type f
	(($(wc -l <<<"$output") == 5 * (21 + 21)))
	run -0 on node17 python3 -c "
import os
for ca in sorted(os.listdir('$IB')):
    for port in os.listdir('$IB/' + ca + '/ports'):
        base = '$IB/%s/ports/%s/' % (ca, port)
        assert all(open(base + 'counters/' + c).read().strip().isdigit() for c in os.listdir(base + 'counters'))
        assert all(open(base + 'hw_counters/' + c).read().strip().isdigit() for c in os.listdir(base + 'hw_counters'))
        print(ca, port)"
	[[ $output == $'mlx5_10 1\nmlx5_2 '[12]$'\nmlx5_2 '[12]$'\nsim0 1\nsim1 1' ]]
}

@test "exporters: without the library, files are written every second" {
	run -2 madsim --control "$SERVED_SOCKET" sysfs
	[[ $output == 'madsim: usage: sysfs NODE' ]]
	run -2 madsim --control "$SERVED_SOCKET" sysfs nobody
	run -0 madsim --control "$SERVED_SOCKET" sysfs node17
	[[ $output == "$SERVED_SOCKET.sysfs/node17" ]]
	local dir=$output/class/infiniband/mlx5_2
	[[ $(<"$dir/node_desc") == 'node17 mlx5_2' && $(<"$dir/ports/2/phys_state") == '2: Polling' ]]
	run -0 madsim --control "$SERVED_SOCKET" counter b 2 PortRcvErrors=99
	until_true 30 grep -qx 99 "$dir/ports/2/counters/port_rcv_errors"
	run -0 madsim --control "$SERVED_SOCKET" sysfs f
	[[ $output =~ /[0-9]+$ && $(<"$output/class/infiniband/sim0/node_desc") == 'MT25408 ConnectX Mellanox Technologies' ]]
}

@test "exporters: node_exporter reads them" {
	local exporter dir
	exporter=$(type -P prometheus-node-exporter node_exporter | head -n 1)
	[[ -n $exporter ]] || skip "node_exporter is not installed"
	dir=$(madsim --control "$SERVED_SOCKET" sysfs node17)
	"$exporter" --path.sysfs="$dir" --collector.disable-defaults --collector.infiniband \
		--web.listen-address=127.0.0.1:19127 --log.level=error 3>&- &
	local pid=$!
	until_true 60 python3 -c "import urllib.request; open('$BATS_TEST_TMPDIR/metrics', 'wb').write(urllib.request.urlopen('http://127.0.0.1:19127/metrics').read())" 2>/dev/null
	kill "$pid"
	grep -q '^node_scrape_collector_success{collector="infiniband"} 1' "$BATS_TEST_TMPDIR/metrics"
	grep -q '^node_infiniband_physical_state_id{device="mlx5_2",port="2"} 2' "$BATS_TEST_TMPDIR/metrics"
	(($(grep -c '^node_infiniband_port_data_received_bytes_total{' "$BATS_TEST_TMPDIR/metrics") == 5))
}

# refused DEVICE CLASS, taken DEVICE CLASS: in a madsim's COMMAND
refused() { ! env -u MADKIT_DEVICE madreg --device "$1" --class "$2" 2>&1; }
taken() { env -u MADKIT_DEVICE madreg --device "$1" --class "$2" >/dev/null; }
export -f refused taken

@test "a RoCE port stands beside the CAs, without QP0, and is nobody's choice" {
	run -0 simulated "$TOPOLOGIES/small.net" --hosts roce --node node1 -- bash -c '
		devices; ibstat roce0; cat /sys/class/infiniband/roce0/ports/1/gid_attrs/types/{0,1}
		smpquery nodedesc -D 0
		refused umad:roce0/1 SubnMgt && taken umad:roce0/1 PerfMgt'
	[[ $output == $'roce0\nsim0\n0: sim0/1\n1: roce0/1\n'*'State: Active'*'Base lid: 0'*'Link layer: Ethernet'*$'IB/RoCE v1\nRoCE v2'*'node1 HCA-1'*'no QP0'* ]]
	run -0 simulated "$TOPOLOGIES/hosts.net" --no-sm --hosts roce --node node18 -- cat "$IB"/mlx5_{0,1}/node_desc
	[[ $output == $'node18 mlx5_0\nnode18 mlx5_1' ]]
}

@test "a planarized CA has a device for QP1 and one for QP0, of one port GUID" {
	# shellcheck disable=SC2016  # for the inner shell to expand
	run -0 simulated "$TOPOLOGIES/hosts.net" --hosts planar --node node18 -- bash -c '
		devices; cat /sys/class/infiniband/{mlx5_0,smi1}/ports/1/gids/0; ls /dev/infiniband
		env -u MADKIT_DEVICE madsend --device umad:smi1/2 -D 0,1 Get NodeDescription
		env -u MADKIT_DEVICE madsend --device umad:mlx5_0/1 -L "$(cat /sys/class/infiniband/mlx5_0/ports/1/lid)" Get PortCounters PortSelect=1
		refused umad:mlx5_0/1 SubnMgt && taken umad:mlx5_0/1 PerfMgt && refused umad:smi1/3 PerfMgt && taken umad:smi1/3 SubnMgt'
	[[ $output == $'mlx5_0\nsmi1\n0: mlx5_0/1\n1: smi1/1\n2: smi1/2\n3: smi1/3\n4: smi1/4\n'* ]]
	[[ ${lines[7]} == "${lines[8]}" && ${lines[7]} == fe80:* ]]
	[[ $output == *$'\nissm1\nissm2\nissm3\nissm4\numad0\n'* && $output != *issm0* ]]
	[[ $output == *'leaf1 rack1'*XmitPkts* ]]
	# each message names the queue pair that is missing, and the device that has it
	# shellcheck disable=SC2016  # for the inner shell to expand
	run -0 simulated "$TOPOLOGIES/hosts.net" --hosts planar --node node18 -- bash -c '
		export -n MADKIT_DEVICE; unset MADKIT_DEVICE
		! madsend -C smi1 -L 2 Get PortCounters PortSelect=1 2>&1; ! madreg -C smi1 --class PerfMgt 2>&1; ! madreg -C mlx5_0 --class SubnMgt 2>&1
		madreg -j -C smi1 --class PerfMgt 2>/dev/null | jq -r .data.cause'
	(($(grep -c 'smi1/1 has no QP1, which class PerfMgt needs: use mlx5_0/1, the other device of the same port' <<<"$output") == 2))
	[[ $output == *'mlx5_0/1 has no QP0, which class SubnMgt needs: use smi1/1, the other device of the same port'*no-gsi ]]
	# without -C, a request goes to the device that has its queue pair
	run -0 simulated "$TOPOLOGIES/hosts.net" --hosts planar --node node18 -- env -u MADKIT_DEVICE bash -c '
		madsend -D 0,1 Get NodeDescription && madsend -L 1 Get PortCounters PortSelect=1 && madreg --class SubnMgt
		madreg --list -j -C mlx5_0 | jq -c .data.issm; madreg --list -j -C smi1 | jq -r .data.issm.path'
	[[ $output == *'leaf1 rack1'*XmitPkts*umad:smi1/1*$'\nnull\n/dev/infiniband/issm1\n/dev/infiniband/issm2\n'* ]]
	# all planes lead to the same subnet, which has each link once
	# shellcheck disable=SC2016  # for the inner shell to expand
	run -0 --separate-stderr simulated "$TOPOLOGIES/hosts.net" --hosts planar --node node18 -- env -u MADKIT_DEVICE bash -c '
		for device in umad:smi1/{1..4} all; do
			madsweep -j --device "$device" | jq -cs "[(map(select(.kind == \"port\" and .port.peer)) | length), .[-1].device, (.[-1].data | .nodes, .links, .duplicates, .complete)]"
		done
		madsweep -q -j --via sa Get PortCounters | jq -cs ".[-1] | [.device, (.data | .nodes, .links, .duplicates, .complete)]"'
	[[ $output == '[16,"umad:smi1/1",9,8,0,true]
[16,"umad:smi1/2",9,8,0,true]
[16,"umad:smi1/3",9,8,0,true]
[16,"umad:smi1/4",9,8,0,true]
[16,"umad:smi1/1",9,8,0,true]
["umad:mlx5_0/1",9,8,0,true]' ]]
	(($(grep -c 'umad:smi1/[234] is in the subnet of umad:smi1/1' <<<"$stderr") == 3))
	# IsSMDisabled
	run -0 simulated "$TOPOLOGIES/hosts.net" --no-sm --hosts planar --node node18 -- cat "$IB/mlx5_0/ports/1/cap_mask" "$IB/smi1/ports/1/cap_mask"
	((lines[0] & 0x400 && !(lines[1] & 0x400)))
}
