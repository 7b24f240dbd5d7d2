#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each kind of screen with long names on terminals of 20, 80 and 120 columns, byte for byte: tests/data/screens. Colours are
# shown as <31m>. If SCREENS_WRITE is set, the files are written instead: read the difference before it is committed.

setup() {
	load common
	screens=$BATS_TEST_DIRNAME/../data/screens
	unset COLUMNS NO_COLOR CLICOLOR CLICOLOR_FORCE
	export LC_ALL=C.UTF-8
	spec=sim:$topologies/long.net@0x100000,control=counter\ 0x200002\ 2\ SymbolErrorCounter=65535
	spec+=,control=counter\ 0x200002\ 2\ PortRcvErrors=12,control=counter\ 0x200003\ 4\ PortXmitData=2500000000
	spec+=,control=counter\ 0x200003\ 4\ LinkDownedCounter=3,control=agent\ 0x10000a\ mute\ gsi
	spec+=,control=link\ 0x100004\ 1\ down
}

teardown() { clean_up; }

# commands: one of each kind of screen
commands() {
	cat <<-'END'
		madsweep
		madsweep --links
		madsweep --errors
		madsweep --fields node.name,number,width,speed,gbps,peer.node.name --filter gbps<200
		madsweep --route compute-rack11-node111,compute-rack12-node112
		madsweep Get NodeInfo
		madsweep Get PortInfo
		madsweep Get NodeDescription
		madsweep Get PortCountersExtended
		madsweep Get PKeyTable -m 0 --select number==3
		madsweep Get PortCounters -f text --select number==4
		madsend -f table GetTable NodeRecord
		madsend -f table GetTable PortInfoRecord EndportLID=1
		madsend -f table GetTable MCMemberRecord
		madsend -f table --fields LinkState,CapMask,Lid Get PortInfo
		madpoll --delta -n 1 Get PortCountersExtended PortSelect=1 --fields PortXmitData,PortRcvPkts
		madpoll --delta -n 1 -L 2 Get PortCountersExtended PortSelect=4 --fields PortXmitData
		madcheck
		madcheck --all --rules standard,counters --severity critical
		madcheck --local
		madport ib-core-rack12-leaf1/4
		madport ib-core-rack12-leaf1/2
		madport ib-core-rack12-leaf1/3
	END
}

# show COLUMNS: all screens
show() {
	local line
	while read -r line; do
		printf '$ %s\n' "$line"
		MADKIT_DEVICE=$spec timeout 60 script -qec "stty cols $1; set -f; ${line//</\\<} -t 100 --retries 0 2>/dev/null" /dev/null \
			</dev/null | tr -d '\r' | sed 's/\x1b\[\([0-9]*m\)/<\1>/g'
	done < <(commands)
}

# compare COLUMNS
compare() {
	show "$1" >"$dir/screen"
	[[ -z $SCREENS_WRITE ]] || cp "$dir/screen" "$screens/$1"
	diff "$screens/$1" "$dir/screen"
}

@test "a terminal of 20 columns" { compare 20; }

@test "a terminal of 80 columns" { compare 80; }

@test "a terminal of 120 columns" { compare 120; }

@test "a pipe has whole names and no colours; a terminal without UTF-8 only ASCII" {
	[[ $(madsweep -q --device "$spec") == *$'münchen-rack12-東京113 mlx5_0           1 '* ]]
	madsweep -q --device "$spec" --errors | grep -q $'\x1b' && return 1
	LC_ALL=C COLUMNS=200 run -0 script -qec "madsweep -q --device '$spec'" /dev/null </dev/null
	[[ $output == *'m\xc3\xbcnchen-rack12-\xe6\x9d\xb1\xe4\xba\xac113 mlx5_0'* ]]
	LC_ALL=C grep -q '[^ -~[:space:]]' <<<"${output//$'\x1b'/}" && return 1
	# COLUMNS comes before the size of the terminal
	COLUMNS=120 run -0 script -qec "stty cols 80; madsweep -q --device '$spec'" /dev/null </dev/null
	[[ $output == *MF0\;ib-core-rack12-spine1:MQM8700/U1* ]]
}
