#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# saquery prints the same with the built-in subnet administrator and with opensm, which takes over from it and
# keeps the LIDs.

load common

# The manager's LID differs. MulticastFDBTop is for an SA with an optional capability. opensm sets HOQLife, VLStallCount, LifeTimeValue and partition
# enforcement of switches, sees a switch by another port, and does not read tables of lanes without qos.
DIFFER='SMLid|master_sm_base_lid|LocalPort:|VLStall|HoqLife|LifeTimeValue|MulticastFDBTop|PartEnforce|VL *:|Weight:'

# Not compared: ClassPortInfo (madsim has RandomForwardingTableRecord, ServiceAssociationRecord,
# TraceRecord and NDR), records of ports that are down (opensm has not read them), SMInfoRecord (that of
# madsim has only its own manager), multicast paths without a source, routes,
# P_Keys of
# switches (the built-in manager does not read them) and of blocks but 0 (opensm has BlockNum in the wrong byte
# order), the JoinState of members for
# a requester without the SM_Key, a rate below that of the path, and queries that opensm does not answer.
QUERIES=$(cat <<'QUERIES'
NR
NR 1
NR 99
-p
-N
-D
-L node2
-l node2
-G node2
-O 1
-O 99
-U 0x100003
-U 0x999
-g
-m
-m 0xc000
-m 0xc0ff
-x
-S
PIR 1
PIR 1/1
PIR 1/0
PIR 1/2
PIR 2/0
PIR 2/1
PIR 2/99
PIR 99
SL2VL
SL2VL 1
SL2VL 1/0/0
SL2VL 1/1/1
SL2VL 2/1/1
SL2VL 2/1
--smkey 1 PKTR 1/0/0
VLAR
VLAR 1
VLAR 1/0
VLAR 1/1/1
VLAR 1/0/1
VLAR 2/1/1
VLAR 2/1
VLAR 2/0/1
VLAR 2/99
VLAR 99
LR
LR 1
LR 1/1
LR 1 2
LR 2/1
LR 99
SR
PR
--slid 1 PR
--dlid 1 PR
--slid 1 --dlid 2 PR
--slid 1 --dlid 99 PR
--slid 99 PR
--slid 99 --dlid 1 PR
--slid 1 --dlid 1 PR
--sgid fe80::10:1 --dgid fe80::10:3 PR
--sgid fe80::10:1 --dgid fe80::999 PR
--sgid fe80::10:1 --dgid ff12:401b:ffff::1 PR
--sgid fe80::10:1 --dgid ff12:401b:ffff::ffff:ffff PR
--sgid fec0::10:1 --dgid fe80::10:3 PR
--sgid fe80::10:1 --dlid 99 PR
--sgid fe80::10:1 --dgid fe80::10:3 --slid 2 PR
--src-to-dst 1:2
--src-to-dst 1:99
--src-to-dst node1:node2
--sgid-to-dgid fe80::10:1-fe80::10:3
--sgid-to-dgid fe80::10:1-fe80::999
--slid 1 --dlid 3 --reversible 1 PR
--slid 1 --dlid 3 --reversible 0 PR
--slid 1 --dlid 3 --numb_path 1 PR
--slid 1 --dlid 3 --numb_path 0 PR
--slid 1 --dlid 3 --pkey 0xffff PR
--slid 1 --dlid 3 --pkey 0x7fff PR
--slid 1 --dlid 3 --pkey 0x8001 PR
--slid 1 --dlid 3 --pkey 0 PR
--slid 1 --dlid 3 --qos_class 1 PR
--slid 1 --dlid 3 --qos_class 0 PR
--slid 1 --dlid 3 --sl 0 PR
--slid 1 --dlid 3 --sl 1 PR
--slid 1 --dlid 3 --mtu 4 PR
--slid 1 --dlid 3 --mtu 1 PR
--slid 1 --dlid 3 --mtu 0x84 PR
--slid 1 --dlid 3 --mtu 0x81 PR
--slid 1 --dlid 3 --mtu 0x44 PR
--slid 1 --dlid 3 --mtu 0xc4 PR
--slid 1 --dlid 3 --mtu 0x80 PR
--slid 1 --dlid 3 --mtu 0x8f PR
--slid 1 --dlid 3 --rate 3 PR
--slid 1 --dlid 3 --rate 0x83 PR
--slid 1 --dlid 3 --rate 0x43 PR
--slid 1 --dlid 3 --rate 0x90 PR
--slid 1 --dlid 3 --rate 0xbf PR
--slid 1 --dlid 3 --pkt_lifetime 0x92 PR
--slid 1 --dlid 3 --pkt_lifetime 0x52 PR
--slid 1 --dlid 3 --pkt_lifetime 0x12 PR
--slid 1 --dlid 3 --pkt_lifetime 0x80 PR
--slid 1 --dlid 3 --tclass 1 PR
--slid 1 --dlid 3 --flow_label 1 PR
--slid 1 --dlid 3 --hop_limit 1 PR
--slid 1 --dlid 3 --service_id 1 PR
MCMR
--mlid 0xc000 MCMR
--mlid 0xc0ff MCMR
--mgid ff12:401b:ffff::ffff:ffff MCMR
--mgid ff12:401b:ffff::1 MCMR
--gid fe80::10:1 MCMR
--pkey 0xffff MCMR
--pkey 0x8001 MCMR
--mtu 0x84 MCMR
--mtu 0x85 MCMR
--mtu 4 MCMR
--rate 0x83 MCMR
--rate 0x90 MCMR
--pkt_lifetime 0x92 MCMR
--qkey 0xb1b MCMR
--tclass 0 MCMR
--flow_label 0 MCMR
--hop_limit 0 MCMR
--scope 2 MCMR
--scope 5 MCMR
--proxy_join 0 MCMR
--sl 0 MCMR
LFTR 2
LFTR 2/9
LFTR 2/700
LFTR 1
LFTR 99
MFTR 2/1
GIR
GIR 1
GIR 1/0
GIR 1/1
GIR 2
GIR 2
GIR 99
SWIR
SWIR 2
SWIR 1
SWIR 99
SMIR 99
--slid 1 --dlid 3 PR
--slid 1 --dlid 4 PR
--slid 2 --dlid 4 PR
--slid 2 --dlid 3 PR
--sgid fe80::10:1 --dgid fe80::10:3 --slid 5 --dlid 3 PR
--dgid fe80::20:0 PR
QUERIES
)

# prints NODE: each query and the output of saquery, sorted.
prints() {
	local query words
	while read -r query; do
		read -ra words <<<"$query"
		{ on "$1" saquery "${words[@]}" 2>&1 </dev/null; echo "status $?"; } | grep -vE "$DIFFER" | sed 's/\[[0-9A-F]*\]//' |
			LC_ALL=C sort | sed "s|^|$query: |"
	done <<<"$QUERIES"
}

join() {
	run -0 on node2 madsend Set MCMemberRecord MGID=ff12:401b:ffff::ffff:ffff PortGID=fe80::10:3 JoinState=1 P_Key=0xffff \
		Q_Key=0xb1b SL=0 FlowLabel=0 TClass=0
}

@test "E5: saquery, with the built-in subnet administrator and with opensm" {
	serve "$TOPOLOGIES/small.net" --sm node4
	until_true 60 port_is_active node1
	join
	prints node2 >"$BATS_TEST_TMPDIR/ours"
	opensm_start daemon node3
	until_true 60 opensm_says daemon 'SUBNET UP'
	until_true 60 master_is node3
	join
	prints node2 >"$BATS_TEST_TMPDIR/theirs"
	(($(grep -c ': status 0$' "$BATS_TEST_TMPDIR/theirs") > 100))
	diff "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/theirs"
}

master_is() { [[ $(on node4 sminfo 2>/dev/null) == "sminfo: sm lid $(($(port_file "$1" lid))) "*MASTER ]]; }
