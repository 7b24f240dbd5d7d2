#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep -f prometheus: against perfquery and the topology; read by prometheus_client, node_exporter and promtool.

setup() {
	load common
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1 MADSIM_SOCKET=$socket MADSIM_NODE=node1
	file=$dir/infiniband.prom
	two=PortCountersExtended,PortRcvErrorDetails
	# the first python3 may be another one than Debian's, without its modules
	for python in python3 /usr/bin/python3 ''; do
		[[ -z $python ]] || ! "$python" -c 'import prometheus_client' 2>/dev/null || break
	done
}

teardown() { clean_up; }

metrics() { madsweep -q -f prometheus "$@"; }

query() {
	local shim=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 LD_PRELOAD=$shim perfquery "$@"
}

# samples [FILE]: "NAME LABEL=VALUE... = NUMBER" a line, labels sorted, as prometheus_client reads them; on standard input
samples() {
	[[ -n $python ]] || skip "prometheus_client is not installed"
	"$python" -c '
import sys
from prometheus_client.parser import text_string_to_metric_families
text = sys.stdin.read()
for family in text_string_to_metric_families(text):
    assert family.documentation and family.type in ("counter", "gauge"), family
    for sample in family.samples:
        assert sample.timestamp is None, sample
        assert family.type == ("counter" if sample.name.endswith("_total") else "gauge"), sample
        print(sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items())), "=", int(sample.value) if sample.value == int(sample.value) else sample.value)'
}

# value NAME LABEL...: its number in $all; labels in the order of samples
value() { sed -n "s/^infiniband_$1 .*= //p" <<<"$all" | head -n 1; }

# counters LID PORT: "NAME VALUE" a line, of perfquery -x and -E, in units of the metrics
counters() {
	{ query -x "$@"; query -E "$@"; } | awk -F ':\\.*' '/^[A-Z].*:\.+[0-9]+$/ && !/Select/ { print $1, $2 * ($1 ~ /(Xmit|Rcv)Data$/ ? 4 : 1) }' | sort
}

# The fields of perfquery and the names, as infiniband_exporter has them.
names() {
	cat <<-'END' | sort
		ExcessiveBufferOverrunErrors excessive_buffer_overrun_errors
		LinkDownedCounter link_downed
		LinkErrorRecoveryCounter link_error_recovery
		LocalLinkIntegrityErrors local_link_integrity_errors
		PortBufferOverrunErrors buffer_overrun_errors
		PortDLIDMappingErrors dlid_mapping_errors
		PortLocalPhysicalErrors local_physical_errors
		PortLoopingErrors looping_errors
		PortMalformedPktErrors malformed_packet_errors
		PortMulticastRcvPkts multicast_receive_packets
		PortMulticastXmitPkts multicast_transmit_packets
		PortRcvConstraintErrors receive_constraint_errors
		PortRcvData receive_data_bytes
		PortRcvErrors receive_errors
		PortRcvPkts receive_packets
		PortRcvRemotePhysicalErrors receive_remote_physical_errors
		PortRcvSwitchRelayErrors receive_switch_relay_errors
		PortUnicastRcvPkts unicast_receive_packets
		PortUnicastXmitPkts unicast_transmit_packets
		PortVLMappingErrors vl_mapping_errors
		PortXmitConstraintErrors transmit_constraint_errors
		PortXmitData transmit_data_bytes
		PortXmitDiscards transmit_discards
		PortXmitPkts transmit_packets
		PortXmitWait transmit_wait
		QP1Dropped qp1_dropped
		SymbolErrorCounter symbol_error
		VL15Dropped vl15_dropped
	END
}

@test "each counter is what perfquery reads before and after, of a switch and of a channel adapter" {
	local n=100 field name lid after before all labels kind
	for field in $(names | cut -d ' ' -f 1); do
		control counter leaf2 7 "$field=$((++n))" || true
		control counter node3 1 "$field=$((n + 1000))" || true
	done
	for kind in switch hca; do
		case $kind in
		switch) lid=(2 7) labels='guid=0x0000000000200001 port=7 switch=leaf2 rack2' ;;
		hca) lid=(6 1) labels='guid=0x0000000000100005 hca=node3 HCA-1 port=1 switch=leaf1 rack1' ;;
		esac
		before=$(counters "${lid[@]}")
		all=$(metrics --hca Get "$two" | samples)
		after=$(counters "${lid[@]}")
		# field, name, before, after
		n=0
		while read -r field name before_value after_value; do
			got=$(grep "^infiniband_${kind}_port_${name}_total $labels = " <<<"$all" | sed 's/.*= //')
			((before_value <= got && got <= after_value)) || { echo "$field: $before_value <= '$got' <= $after_value"; return 1; }
			n=$((n + 1))
		done < <(join <(names) <(join <(echo "$before") <(echo "$after")))
		((n == 28)) || { echo "$n counters"; return 1; }
	done
	# the values were not all 0: almost all differ
	[[ $(grep "port_.*_total $labels" <<<"$all" | sed 's/.*= //' | sort -u | wc -l) -ge 20 ]]
}

@test "ports, links and devices are those of the topology" {
	local all n
	all=$(metrics --hca | samples)
	[[ $(grep -c '^infiniband_switch_port_transmit_wait_total ' <<<"$all") == 16 ]]
	[[ $(grep -c '^infiniband_hca_port_transmit_wait_total ' <<<"$all") == 4 ]]
	# small.net: node3 is at leaf1 port 2
	grep -qx 'infiniband_switch_port_state guid=0x0000000000200000 port=2 switch=leaf1 rack1 = 1' <<<"$all"
	[[ $(grep -c '^infiniband_switch_port_state .* = 0$' <<<"$all") == 8 ]]
	for n in switch_up hca_up switch_info hca_info; do grep -q "^infiniband_$n .* = 1$" <<<"$all"; done
	# both ends of a cable agree; ibnetdiscover has the same links
	diff <(grep '_uplink_info ' <<<"$all" | sed -E 's/.*guid=(\S+) .*port=([0-9]+) .*uplink_guid=(\S+) .*uplink_port=([0-9]+) .*/\1 \2 \3 \4/' | sort) \
		<(grep '_uplink_info ' <<<"$all" | sed -E 's/.*guid=(\S+) .*port=([0-9]+) .*uplink_guid=(\S+) .*uplink_port=([0-9]+) .*/\3 \4 \1 \2/' | sort)
	[[ $(grep -c '_uplink_info ' <<<"$all") == 12 ]]
	diff <(madsweep -q -j | jq -r 'select(.kind == "port" and .port.gbps and .port.number > 0).port | "\(.node.name) \(.number) \(.gbps)"' | sort) \
		<({
			sed -nE 's/^infiniband_switch_port_rate_bytes_per_second .* port=([0-9]+) switch=(.*) = (.*)/\2 \1 \3/p' <<<"$all"
			sed -nE 's/^infiniband_hca_port_rate_bytes_per_second guid=\S+ hca=(.*) = (.*)/\1 1 \2/p' <<<"$all"
		} | awk '{ $NF = sprintf("%.0f", $NF * 8 / 1e9); print }' | sort)
	# without --hca, and of a part
	all=$(metrics | samples)
	[[ $(grep -c '^infiniband_hca' <<<"$all") == 0 && $(grep -c '^infiniband_switch_port_link_downed_total' <<<"$all") == 16 ]]
	all=$(metrics --select 'node.name =~ "^leaf1"' | samples)
	[[ $(grep -c '^infiniband_switch_port_link_downed_total' <<<"$all") == 8 && $(grep -c '^infiniband_switch_up ' <<<"$all") == 1 ]]
}

@test "the text: one HELP and TYPE for each family, names of the dashboards, and what other programs read" {
	local name reason text exporter pid
	text=$(metrics --hca Get "$two")
	[[ $(grep '^# TYPE' <<<"$text" | sort | uniq -d) == '' ]]
	[[ $(grep '^# TYPE' <<<"$text" | cut -d ' ' -f 3) == "$(grep '^# HELP' <<<"$text" | cut -d ' ' -f 3)" ]]
	[[ $(grep '^# TYPE' <<<"$text" | cut -d ' ' -f 3) == "$(grep -v '^#' <<<"$text" | sed 's/{.*//' | uniq)" ]]
	while IFS=$'\t' read -r name reason; do
		[[ $name != \#* ]] || continue
		[[ -n $reason ]] || grep -q "^$name{" <<<"$text" || { echo "no $name"; return 1; }
	done <"$BATS_TEST_DIRNAME/../data/metrics/names"
	if type -P promtool; then
		promtool check metrics <<<"$text"
	fi
	metrics --hca --output "$file" Get "$two"
	diff <(grep -v -e duration -e last_exec -e _total <<<"$text") <(grep -v -e duration -e last_exec -e _total "$file")
	exporter=$(type -P prometheus-node-exporter node_exporter | head -n 1)
	[[ -n $exporter ]] || skip "node_exporter is not installed"
	"$exporter" --collector.disable-defaults --collector.textfile --collector.textfile.directory="$dir" \
		--web.listen-address=127.0.0.1:19128 --log.level=error 3>&- &
	pid=$!
	started+=("$pid")
	until curl --fail --silent http://127.0.0.1:19128/metrics >"$dir/scraped"; do kill -0 "$pid"; done
	grep -qx 'node_textfile_scrape_error 0' "$dir/scraped"
	# it sorts families and labels, and writes large numbers in another form
	diff <(samples <"$file" | sort) <(grep infiniband_ "$dir/scraped" | samples | sort)
}

@test "a switch that does not respond to requests for counters: up is 0, and its counters are absent" {
	local all
	control agent leaf2 mute gsi
	run -0 --separate-stderr madsweep -f prometheus -t 50 --retries 0
	all=$(samples <<<"$output")
	grep -qx 'infiniband_switch_up guid=0x0000000000200001 switch=leaf2 rack2 = 0' <<<"$all"
	grep -qx 'infiniband_switch_up guid=0x0000000000200000 switch=leaf1 rack1 = 1' <<<"$all"
	grep -q '^infiniband_switch_collect_timeout collector=switch-runonce guid=0x0000000000200001 = 1' <<<"$all"
	[[ $(grep -c '_total .*guid=0x0000000000200001 port' <<<"$all") == 0 ]]
	[[ $(grep -c '_link_downed_total .*guid=0x0000000000200000 port' <<<"$all") == 8 ]]
	# it responds to SMPs, so that its links are known
	[[ $(grep -c '^infiniband_switch_port_state guid=0x0000000000200001' <<<"$all") == 8 ]]
	(($(sed -n 's/^infiniband_exporter_collect_timeouts_total collector=switch-runonce = //p' <<<"$all") >= 1))
	run -3 madsweep -q -f prometheus -t 50 --retries 0 --strict
}

@test "a node that does not respond at all is known from the earlier run, a node that is gone is not" {
	metrics --hca --output "$file"
	control agent leaf2 mute
	run -0 --separate-stderr madsweep -f prometheus -t 50 --retries 0 --hca --output "$file"
	grep -qx 'infiniband_switch_up{guid="0x0000000000200001",switch="leaf2 rack2"} 0' "$file"
	grep -qx 'infiniband_hca_up{guid="0x0000000000100003",hca="node2 HCA-1"} 0' "$file"
	grep -qx 'infiniband_hca_up{guid="0x0000000000100001",hca="node1 HCA-1"} 1' "$file"
	[[ $(grep -c 'guid="0x0000000000200001",port' "$file") == 0 ]]
	# once more, and then of all switches: they are not forgotten
	metrics -t 50 --retries 0 --output "$file"
	grep -qx 'infiniband_switch_up{guid="0x0000000000200001",switch="leaf2 rack2"} 0' "$file"
	[[ $(grep -c hca_up "$file") == 0 ]]
	control agent leaf1 mute
	metrics -t 50 --retries 0 --output "$file"
	[[ $(grep '^infiniband_switch_up' "$file" | sed 's/.*} //' | xargs echo) == '0 0' ]]
	control agent leaf1 normal
	control agent leaf2 normal
	metrics --hca --output "$file"
	[[ $(grep -c '_up{.* 1$' "$file") == 6 ]]
	control link node3 1 down
	metrics --hca --output "$file"
	[[ $(grep -c '_up{' "$file") == 5 ]]
	# the port of the switch is down, and has its counters
	grep -qx 'infiniband_switch_port_state{guid="0x0000000000200000",port="2",switch="leaf1 rack1"} 0' "$file"
	grep -qx 'infiniband_switch_port_link_downed_total{guid="0x0000000000200000",port="2",switch="leaf1 rack1"} 1' "$file"
}

@test "--output: a reader has the old file or the new one, and a failure keeps the old one" {
	local before
	metrics --output "$file"
	[[ $(stat -c %a "$file") == 644 ]]
	chmod 640 "$file"
	before=$(md5sum <"$file")
	exec 5<"$file"
	metrics --output "$file"
	# a reader that has begun reads the old file to its end
	[[ $(md5sum <&5) == "$before" && $(md5sum <"$file") != "$before" && $(stat -c %a "$file") == 640 ]]
	exec 5<&-
	before=$(md5sum <"$file")
	# each ends with its status, and keeps the file
	run -1 madsweep -q --device sim:unix:/nosuch -f prometheus --output "$file"
	[[ $(md5sum <"$file") == "$before" ]]
	# the disk is full after 1 KiB
	run -1 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 1; madsweep -q -f prometheus --output "$1"' bash "$file"
	[[ $stderr == "madsweep: cannot write '$file': File too large"* ]] || { echo "$stderr"; return 1; }
	[[ $(md5sum <"$file") == "$before" ]]
	control agent leaf1 slow=200
	run -143 timeout --preserve-status 0.3 env --default-signal=TERM madsweep -q -f prometheus --output "$file"
	[[ $(md5sum <"$file") == "$before" ]]
	run -3 madsweep -q --deadline 100 -f prometheus --output "$file"
	[[ $(md5sum <"$file") == "$before" ]]
	control agent leaf1 normal
	[[ $(echo "$dir"/infiniband*) == "$file" ]]
	for name in "$dir" /dev/null /dev/stdout; do
		run -1 --separate-stderr madsweep -q -f prometheus --output "$name"
		[[ $stderr == *'is not a regular file'* && -z $output ]]
	done
	run -1 --separate-stderr madsweep -q -f prometheus --output "$dir/none/x"
}

@test "--output: a deadline during the requests for counters leaves out ports, and up is 0" {
	metrics --output "$file"
	control agent leaf2 slow=300 gsi
	run -3 madsweep -q -t 5000 --deadline 1500 -f prometheus --output "$file"
	grep -qx 'infiniband_switch_up{guid="0x0000000000200000",switch="leaf1 rack1"} 1' "$file"
	grep -qx 'infiniband_switch_up{guid="0x0000000000200001",switch="leaf2 rack2"} 0' "$file"
	[[ $(grep -c '_link_downed_total.*leaf1' "$file") == 8 ]]
	(($(grep -c '_link_downed_total.*leaf2' "$file") < 8))
}

@test "--output: symbolic links are followed, those of others are not; - is standard output" {
	local all
	mkdir "$dir/disk"
	ln -s disk/first "$dir/link"
	ln -s ../link "$dir/disk/chain"
	# what they lead to does not exist, then it does
	metrics --output "$dir/disk/chain"
	chmod 640 "$dir/disk/first"
	metrics --output "$dir/link"
	[[ -L $dir/link && -L $dir/disk/chain && $(stat -c %F,%a "$dir/disk/first") == 'regular file,640' ]]
	ln -s "$dir/disk/second" "$dir/absolute"
	metrics --output "$dir/absolute"
	[[ -L $dir/absolute && -f $dir/disk/second ]]
	ln -s loop "$dir/loop"
	run -1 --separate-stderr madsweep -q -f prometheus --output "$dir/loop"
	[[ $stderr == *'Too many levels of symbolic links' ]]
	[[ $(find "$dir" "$dir/disk" -name '*.??????' | wc -l) == 0 ]]
	if ((!EUID)); then
		mkdir -m 1777 "$dir/shared"
		chmod 755 "$dir"
		setpriv --reuid 65534 --clear-groups ln -s "$dir/disk/first" "$dir/shared/link"
		run -1 --separate-stderr madsweep -q -f prometheus --output "$dir/shared/link"
		[[ $stderr == *'it is a symbolic link of another user in a shared directory' ]]
		setpriv --reuid 65534 --clear-groups touch "$dir/shared/file"
		run -1 --separate-stderr madsweep -q -f prometheus --output "$dir/shared/file"
		[[ $stderr == *'it belongs to another user, in a shared directory' && ! -s $dir/shared/file ]]
		touch "$dir/shared/own"
		metrics --output "$dir/shared/own"
		[[ -s $dir/shared/own ]]
		# the file may be written to, but not replaced
		install -d -o 65534 "$dir/closed"
		install -m 666 /dev/null "$dir/closed/file"
		run -1 --separate-stderr setpriv --bounding-set -dac_override,-dac_read_search madsweep -f prometheus \
			--output "$dir/closed/file"
		[[ $stderr == *'hint: the file is replaced, so its directory must be writable'* ]]
	fi
	cd "$dir"
	all=$(metrics --output - | samples)
	[[ $(grep -c '^infiniband_switch_up .* = 1$' <<<"$all") == 2 && ! -e ./- ]]
}

@test "the queries and alerts of madkit-metrics(7) use metrics and labels that exist" {
	local text name label
	sed -n '/^\.SH QUERIES/,/^\.SH VALUES/p' "$MADKIT_BUILD/man/madkit-metrics.7" | sed 's/\\-/-/g' >"$dir/queries"
	text=$(metrics)
	for name in $(grep -o 'infiniband_[a-z_]*' "$dir/queries" | sort -u); do
		grep -q "^$name{" <<<"$text" || { echo "no $name"; return 1; }
	done
	for label in guid port uplink uplink_port; do
		grep -q "^infiniband_switch_uplink_info.*[{,]$label=" <<<"$text"
	done
	grep -q '^infiniband_exporter_last_execution{collector="ibnetdiscover-runonce"}' <<<"$text"
	sed -n '/^groups:/,/^\.EE/p' "$dir/queries" | sed '/^\.EE/d' >"$dir/rules.yml"
	[[ $(grep -c '^  - alert: ' "$dir/rules.yml") == 6 ]]
	if type -P promtool; then
		promtool check rules "$dir/rules.yml"
	fi
}

@test "a name of the firmware does not replace that of the earlier run; a foreign file has none" {
	local line
	sed 's/"node3 HCA-1"/"MT4123 ConnectX6 Mellanox Technologies"/' "$topologies/small.net" >"$dir/reset.net"
	of() { grep '^infiniband_hca_info.*0x0000000000100005' "$file" | sed -E 's/.*hca="(.*)",lid.*/\1/'; }
	madsweep -q --device "sim:$dir/reset.net" -f prometheus --hca --output "$file"
	[[ $(of) == 'MT4123 ConnectX6 Mellanox Technologies' ]]
	metrics --hca --output "$file"
	[[ $(of) == 'node3 HCA-1' ]]
	madsweep -q --device "sim:$dir/reset.net" -f prometheus --hca --output "$file"
	[[ $(of) == 'node3 HCA-1' && $(grep -c 'uplink="node3 HCA-1"' "$file") == 1 ]]
	# a name with escapes comes back as it was; others end the reading of names
	cp "$file" "$dir/good"
	while read -r line; do
		sed "s/^infiniband_hca_info.*0x0000000000100005.*/infiniband_hca_info$line/" "$dir/good" >"$file"
		run -0 --separate-stderr madsweep --device "sim:$dir/reset.net" -f prometheus --hca --output "$file"
		if [[ $line == *good* ]]; then
			[[ $(of) == 'a\"good\\name\n' && $stderr != *'not used'* ]]
		else
			[[ $(of) == MT4123* && $stderr == *"$file:"[0-9]*': not as madsweep wrote it: its names are not used'* ]] || { echo "$line: $stderr"; return 1; }
		fi
	done <<-'END'
		{guid="0x0000000000100005",hca="a\\"good\\\\name\\n",lid="6"} 1
		{guid="0x0000000000100005",hca="a\\x",lid="6"} 1
		{guid="0x0000000000100005",hca="a
		{guid="0x0000000000100005",hca="a",lid="65536"} 1
		{guid="0x000000000010000g",hca="a",lid="6"} 1
		{guid="0x0000000000100005",switch="a",lid="6"} 1
		{guid="0x0000000000100005",hca="a",lid="6"} 1 5
		x
	END
	head -c 100000 /dev/urandom >"$file"
	run -0 --separate-stderr madsweep -f prometheus --output "$file"
	[[ $stderr == *"'$file' was not written by madsweep: its names are not used"* ]]
	: >"$file"
	run -0 --separate-stderr madsweep -f prometheus --output "$file"
	[[ $stderr != *'not used'* ]]
}

@test "names with quotes, backslashes and UTF-8 are as they were" {
	sed -e 's/"node3 HCA-1"/"nœud \\\\ 3 HCA-1"/' "$topologies/small.net" >"$dir/names.net"
	wanted=$(madsweep -q -j --device "sim:$dir/names.net" --select 'guid == 0x100005' | jq -r 'select(.kind == "port").port.node.name')
	[[ $wanted == 'nœud '* ]]
	madsweep -q --device "sim:$dir/names.net" -f prometheus --hca | samples >"$dir/samples"
	grep -qxF "infiniband_hca_info guid=0x0000000000100005 hca=$wanted lid=6 = 1" "$dir/samples"
}

# lack MASK MASK2 ARGUMENT...: as metrics, on nodes that lack these capabilities
lack() {
	env "LACKED=$1" "LACKED2=$2" "LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/tests/sim/.libs/capabilities.so" \
		madsweep -f prometheus "${@:3}"
}

@test "counters that PortCountersExtended of a node does not have are those of PortCounters" {
	local all
	export LACKED_BY=switches
	control counter leaf2 7 SymbolErrorCounter=7
	control counter leaf2 7 PortXmitWait=4294967296
	for masks in '0x600 0' '0 2'; do
		read -ra masks <<<"$masks"
		run -0 --separate-stderr lack "${masks[@]}" --hca
		all=$(samples <<<"$output")
		grep -qx 'infiniband_switch_port_symbol_error_total guid=0x0000000000200001 port=7 switch=leaf2 rack2 = 7' <<<"$all"
		[[ $(grep -c '^infiniband_switch_port_receive_data_bytes_total' <<<"$all") == 16 ]]
		[[ $(grep -c '^infiniband_switch_up .* = 1' <<<"$all") == 2 ]]
		[[ $stderr == *'PortCounters: 16 ports, 16 answered'* && $stderr != *'not requested'* ]] || { echo "$stderr"; return 1; }
		# 32 bits are full
		[[ $(grep -c 'switch_port_transmit_wait_total .*guid=0x0000000000200001 port=7' <<<"$all") == 0 ]]
		[[ $(grep -c 'switch_port_transmit_wait_total' <<<"$all") == 15 ]]
	done
	[[ $(grep -c 'hca_port_unicast_receive_packets_total' <<<"$all") == 4 ]]
	run -0 lack 0x600 0 -q --select 'node.type == Switch'
}

@test "several subnets are one text; what has no meaning for metrics is refused" {
	local words
	madsim --generate fat-tree:2,2,1 | sed 's/(\([12]000\)/(9\1/g; s/0x\([12]000\)/0x9\1/; s/S-0000000000/S-0000000009/; s/H-0000000000/H-0000000009/' >"$dir/other.net"
	run -0 --separate-stderr madsweep -q -f prometheus --device "sim:$topologies/small.net" --device "sim:$dir/other.net"
	[[ $(grep -c '^infiniband_switch_up{' <<<"$output") == 5 ]]
	[[ $(grep '^# TYPE' <<<"$output" | sort | uniq -d) == '' ]]
	samples <<<"$output" | grep -q 'port=3 switch=leaf1 = '
	while read -ra words; do
		run -2 madsweep "${words[@]}"
	done <<-END
		--hca
		--output $file
		-f json --output $file
		-f prometheus Get NodeInfo
		-f prometheus Get PortCounters,PortXmitDiscardDetails
		-f prometheus --filter number==1
		-f prometheus --assert number==1
		-f prometheus --fields number
		-f prometheus --sort name
		-f prometheus --links
		-f prometheus --errors
		-f prometheus --route 1,2
		-f prometheus --mlid 0xc000
		-f prometheus --clear PortCounters --select number>0 --yes
		-f prometheus --pretty
		-f prometheus -K -w $dir/capture
	END
}
