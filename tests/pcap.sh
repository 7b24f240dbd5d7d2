#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Capture files by another reader: tshark dissects the golden MADs, finds
# nothing malformed, and reads the values that our JSON has.
if ! command -v tshark >/dev/null || ! command -v jq >/dev/null; then
	echo "1..0 # SKIP tshark or jq is missing"
	exit
fi
golden=${top_srcdir:?}/tests/data/golden
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0 status=0
is() { # GOT WANT WHAT
	count=$((count + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $count - $3"
	else
		echo "not ok $count - $3"
		echo "# got $1, want $2"
		status=1
	fi
}
fields() { # FILTER FIELD
	tshark -r "$dir/c" -Y "$1" -T fields -E occurrence=f -e "$2" 2>/dev/null
}
json() { jq -r "$2" "$golden/$1.json"; }

"${top_builddir:?}/tests/unit/pcap" "$dir/c" || echo "Bail out! no capture"
# noderecords-rmpp has two segments
is "$(tshark -r "$dir/c" 2>/dev/null | wc -l)" "$(($(find "$golden" -name "*.hex" | wc -l) + 1))" "every MAD is a packet"
is "$(fields _ws.malformed frame.number)" '' "none is malformed"
is "$(fields infiniband infiniband.mad.mgmtclass | wc -l)" "$(fields frame frame.number | wc -l)" "each holds a MAD"
is "$(fields 'infiniband.mad.mgmtclass == 0x81 && infiniband.mad.attributeid == 0x11' infiniband.nodeinfo.nodeguid)" \
	"$(json nodeinfo .data.Guid)" "NodeInfo's GUID"
is "$(fields 'infiniband.mad.mgmtclass == 0x04 && infiniband.mad.attributeid == 0x12' infiniband.portcounters.portxmitdata)" \
	"$(json pc .data.PortXmitData)" "PortCounters' data"
is "$(fields 'infiniband.mad.method == 0x81 && infiniband.mad.mgmtclass == 0x03 && infiniband.mad.attributeid == 0x35' infiniband.pathrecord.dgid)" \
	"$(json pathrecord .data.DGID)" "PathRecord's GID"
is "$(fields 'infiniband.rmpp.segmentnumber == 1' infiniband.rmpp.payloadlength | sed 's/^0x0*//')" \
	"$(printf '%x' "$(json noderecords-rmpp 'select(.record == 0).rmpp.payload_length')")" "PayloadLength of the first of two segments"
echo "1..$count"
exit $status
