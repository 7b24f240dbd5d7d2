#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck as a plugin of Nagios, read by Monitoring::Plugin, and as a check of NHC.

setup() {
	load common
	cd "$dir" || return
	cat >read.pl <<-'EOT'
		# prints LABEL=VALUE of the performance data on standard input, and the status that its ranges stand for
		use strict; use warnings;
		use Monitoring::Plugin::Performance; use Monitoring::Plugin;
		my $line = <STDIN>;
		$line =~ /^IB (OK|WARNING|CRITICAL|UNKNOWN) - [^|]+ \| (.*)$/ or die "no plugin output: $line";
		my $worst = OK;
		for my $p (Monitoring::Plugin::Performance->parse_perfstring($2)) {
			print $p->label, "=", $p->value, $p->uom, "\n";
			# a range that does not parse dies
			my $status = $p->threshold->get_status($p->value);
			$worst = $status if $status > $worst;
		}
		print "ranges=$worst\n";
	EOT
}

teardown() { clean_up; }

# plugin STATUS RANGES OPTION...: the line for Nagios has the status and the values of JSON
plugin() {
	local status=$1 ranges=$2 data
	shift 2
	run "-$status" --separate-stderr madcheck --nagios "$@"
	perl read.pl <<<"${lines[0]}" >values || { echo "${lines[0]}"; return 1; }
	madcheck -q -j "$@" >json 2>/dev/null || :
	for data in critical warnings infos accepted nodes links down; do
		grep -qx "$data=$(jq -r "select(.kind == \"summary\").data.$data" json)" values || { echo "$data"; cat values json; return 1; }
	done
	grep -qE '^time=[0-9.]+s$' values
	grep -qx "ranges=$ranges" values || { cat values; return 1; }
}

@test "the status of the plugin is that of its line: after a signal, and if a file cannot be written" {
	serve fat-tree:4,6,2
	control link leaf1 2 width=1x
	control fault drop node=leaf3 class=PerfMgt method=GetResp >/dev/null
	MADKIT_DEVICE=sim:unix:$socket@h1-1 madcheck --nagios --rules standard,counters -t 60000 >out 2>err 3>&- &
	pid=$!
	until (($(control fault list | jq -s 'map(.done // .data.done) | add') > 0)); do :; done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 1 && $(head -n 1 out) == 'IB WARNING - 1 warning '* ]] || { echo "$status"; cat out err; return 1; }
	for words in '--write-accept /nonexistent/x' '--state /nonexistent/x'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr madcheck --nagios --device sim:fat-tree:4,6,2 $words
		[[ ${lines[0]} == 'IB UNKNOWN - '*/nonexistent/x* && ${#lines[@]} == 1 ]] || { echo "$output"; return 1; }
	done
	# the reason is in the line
	run -3 --separate-stderr madcheck --nagios --device 'sim:fat-tree:4,6,2@h1-1,control=link h1-1 1 down'
	[[ ${lines[0]} == 'IB UNKNOWN - no problems in 1 node (0 switches), 0 links; not everything was judged (no link) |'* ]]
}

@test "performance data and ranges, as Monitoring::Plugin reads them: values as in JSON, and the same status" {
	local device=sim:fat-tree:4,6,2
	perl -MMonitoring::Plugin -e 1 2>/dev/null || skip "libmonitoring-plugin-perl is missing"
	plugin 0 0 --device "$device"
	plugin 1 1 --device "$device,control=link leaf2 3 width=1x"
	plugin 2 2 --device "$device,control=agent h3-2 mute"
	plugin 2 2 --device "$device,control=agent h3-2 mute,control=link leaf2 3 width=1x,control=link leaf1 2 down"
	echo 'slow leaf2/3 # reason' >known
	plugin 0 0 --device "$device,control=link leaf2 3 width=1x" --accept known
	# 60 problems of two kinds
	plugin 2 2 --device sim:fat-tree:10,4,2,sm=none
	plugin 0 0 --device "sim:$topologies/mixed.dump"
	# a name that has a bar, quotes and equal signs is text
	sed "s/h2-3 HCA-1/a|'b'=1;2 c/" <(madsim --generate fat-tree:4,6,2) >odd.net
	plugin 1 1 --device "sim:$dir/odd.net,control=link leaf2 3 width=1x"
}

@test "--nagios is 3, with a line of a plugin: usage, files, devices, deadlines" {
	for words in --bad --expect '--limits nosuch' '--device sim:nosuch' '--device umad:nosuch/1' '--device sim:fat-tree:4,6,2 --deadline 0' \
		'--device sim:fat-tree:4,6,2 extra' '--device sim:fat-tree:4,6,2 -j' '--local --expect x'; do
		# shellcheck disable=SC2086  # words
		run -3 --separate-stderr madcheck --nagios $words
		[[ ${lines[0]} == 'IB UNKNOWN - '* && ${#lines[@]} -eq 1 ]] || { echo "$words: $output"; return 1; }
	done
}

# As check_cmd_status of NHC: the command runs in the background without output, SIGTERM ends it after a time, and its status
# is compared. NHC reports a timeout if the status is 143.
check_cmd_status() {
	local limit want status=0
	while getopts 't:r:' option; do
		case $option in t) limit=$OPTARG ;; r) want=$OPTARG ;; *) return 2 ;; esac
	done
	shift $((OPTIND - 1))
	timeout --preserve-status "$limit" "$@" </dev/null >/dev/null 2>&1 3>&- &
	wait $! || status=$?
	((status == want))
}

@test "NHC: check_cmd_status -t N -r 0 madcheck --local passes for a healthy port only" {
	local OPTIND=1 healthy=sim:fat-tree:4,6,2
	check_cmd_status -t 10 -r 0 madcheck --local --expect 1x200 --device "$healthy"
	for fault in 'link h1-1 1 width=1x' 'link h1-1 1 down' 'link leaf1 1 shows=1x,HDR' 'info leaf1 1 NeighborMTU=2' 'agent leaf1 mute' 'info h1-1 1 Lid=0'; do
		OPTIND=1
		check_cmd_status -t 10 -r 0 madcheck --local --expect 1x200 --device "$healthy,control=$fault" && { echo "$fault"; return 1; }
	done
	# faults elsewhere drain no host
	for fault in 'link h1-2 1 width=1x' 'agent h4-6 mute' 'link spine1 2 down'; do
		OPTIND=1
		check_cmd_status -t 10 -r 0 madcheck --local --device "$healthy,control=$fault" || { echo "$fault"; return 1; }
	done
	OPTIND=1
	check_cmd_status -t 10 -r 0 madcheck --local --device umad:nosuch/1 && return 1
	# the limit of NHC, and that of madcheck before it
	serve fat-tree:2,2,1
	control agent leaf1 mute >/dev/null
	OPTIND=1
	check_cmd_status -t 1 -r 143 madcheck --local -t 60000 --device "sim:unix:$socket@h1-1"
	OPTIND=1
	check_cmd_status -t 10 -r 3 madcheck --local -t 60000 --deadline 300 --device "sim:unix:$socket@h1-1"
}
