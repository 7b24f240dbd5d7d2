# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compares the ports and links of madsweep with those of ibnetdiscover and iblinkinfo. Needs `on`
# (tests/shim/serve.sh or tests/ibsim/fabric.sh).
#
# madsweep is also compared with ibqueryerrors (queryerrors.bash), ibtracert (tests/tracert.bash), ibroute
# (forwarding.bash) and saquery (records.bats), all of infiniband-diags 44, on fabrics of madsim and of ibsim. These are
# all differences, in each of which the others are wrong or know less:
#
#   ports that are down     ibnetdiscover prints width and speed, which PortInfo then does not define (IBA C14-24.2.1).
#                           They are not compared.
#   port 0 of a switch      The others do not list it. It is not compared.
#   XDR                     The others do not know LinkSpeedExtActive2: QDR, and "Could be" (links.bats).
#   FDR10                   libibnetdisc requests it only from devices in a fixed list, madsweep from all of the vendor
#                           (tests/sim/topology.bats). Records of the SA have QDR (records.bats).
#   silent nodes            libibnetdisc has two SMPs outstanding: two silent nodes cost it 4 s (faults.bats, bench/sweep).
#   duplicate GUIDs         libibnetdisc merges the nodes; madsweep has two (tests/unit/sweep_toy.c).
#   ibqueryerrors --details The names of some counters are swapped. They are not compared.
#   tables of the SA        ibsim cuts them off after the first packet: saquery does not notice, madsweep --via sa is
#                           incomplete. They are compared on madsim only.

links_of_ibnetdiscover() {
	sed -E "s/ +/ /g; s/^((CA|SW|RT) [0-9]+ [0-9]+ 0x[0-9a-f]+) [0-9?]+x? [A-Z0-9?]+ '/\1 down '/" | sort
}

# The output of ibnetdiscover -p, from madsweep -j.
links_as_ibnetdiscover() {
	jq -r --arg q "'" 'def kind: {CA: "CA", Switch: "SW", Router: "RT"}[.node.type];
		def side: "\(kind) \(.lid) \(.number) \(.guid // .node.guid)";
		def name: $q + .node.name + $q;
		select(.kind == "port").port | select(.number > 0) |
		if .peer then "\(side) \(.width) \(.speed) - \(.peer | side) ( \(name) - \(.peer | name) )"
		else "\(side) down \(name)" end' | sed -E 's/ +/ /g' | sort
}

links_of_iblinkinfo() {
	sed -E 's/\[ *\]//g; s/ +/ /g; s/^(0x[0-9a-f]+ ") /\1/; s/==> ""/==>""/; s/ \( ?\)$//; s/\( ?(Could .*[^ ]) ?\)$/(\1)/' | sort
}

# The output of iblinkinfo -l, from madsweep -j: with widths and speeds that the link could have.
links_as_iblinkinfo() {
	jq -r 'def rate: {SDR: "2.5 Gbps", DDR: "5.0 Gbps", QDR: "10.0 Gbps", FDR10: "10.0 Gbps (FDR10)", FDR: "14.0625 Gbps",
			EDR: "25.78125 Gbps", HDR: "53.125 Gbps", NDR: "106.25 Gbps", XDR: "212.5 Gbps"}[.];
		def could($is; $best; $words): if $is == $best then [] else ["Could be " + $words] end;
		select(.kind == "port").port | select(.number > 0) |
		"\(.guid // .node.guid) \"\(.node.name)\" \(.lid) \(.number) ==( " + if .peer then
			"\(.width | ascii_upcase) \(.speed | rate) \(.state)/ \(.phys))==> \(.peer | "\(.guid // .node.guid) \(.lid) \(.number)") \"\(.peer.node.name)\"" +
			(could(.width; .width_best; .width_best | ascii_upcase) + could(.speed; .speed_best;
				if .speed_best == "FDR10" then "FDR10 (Found link at \(.speed) but expected speed is FDR10)" else .speed_best | rate end) |
				if . == [] then "" else " (" + join(" ") + ")" end)
		else "\(.state)/ \(.phys))==>\"\"" end' | sed -E 's/ +/ /g' | sort
}

# links_agree NODE: the three programs, as programs of NODE, report the same links. Leaves madsweep's lines
# in $BATS_TEST_TMPDIR/swept.
links_agree() {
	local swept=$BATS_TEST_TMPDIR/swept
	on "$1" madsweep -q -j >"$swept"
	on "$1" ibnetdiscover -p >"$BATS_TEST_TMPDIR/discovered"
	on "$1" iblinkinfo -l >"$BATS_TEST_TMPDIR/linkinfo"
	diff <(links_of_ibnetdiscover <"$BATS_TEST_TMPDIR/discovered") <(links_as_ibnetdiscover <"$swept")
	diff <(links_of_iblinkinfo <"$BATS_TEST_TMPDIR/linkinfo") <(links_as_iblinkinfo <"$swept")
}
