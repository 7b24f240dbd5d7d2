#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of manual pages that need tables of the subnet administrator, run on node1 of the small topology.

load common
load ../manual

teardown() { clean_up; }

# lines PROMPT PAGE: the commands behind a prompt that is not "$".
lines() {
	sed -n "s/^$1 //p" "$MADKIT_BUILD/man/$2" | sed -e 's/\\-/-/g' -e "s/\\\\(aq/'/g"
}

# In a sanitized build, programs of others need the sanitizer's runtime before the device.
madsim() {
	if [[ -n ${MADKIT_PRELOAD:-} && " $* " == *' -- '* ]]; then
		inside "$@"
	else
		command madsim "$@"
	fi
}

@test "X12: no server outlives clean_up, although madsim is a function here" {
	export MADKIT_RUN=x12.$BASHPID
	serve "$topologies/small.net"
	on node1 madsend -q Get NodeInfo
	clean_up
	run -0 "$BATS_TEST_DIRNAME/../leftovers" "$MADKIT_RUN"
}

@test "the examples of madkit-expressions(7)" {
	cd "$BATS_TEST_TMPDIR" || return
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	# a link for LinkWidthActive < LinkWidthEnabled
	control link node3 1 width=1x
	run_examples madkit-expressions.7 6
}

@test "the other examples of madsim(1)" {
	local line count=0
	cd "$dir" || return
	ibnetdiscover() { inside "$topologies/small.net" -- ibnetdiscover; }
	while IFS= read -r line; do
		line=${line//\/tmp\/fabric/$socket}
		[[ $line != *"fabric.net --socket"* ]] || madsim --generate fat-tree:2,2,1 >fabric.net
		if [[ $line == *' &' ]]; then
			# a subshell that runs the function madsim would end alone
			eval "exec ${line% &} --banner 2>banner &"
			started+=($!)
			until grep -qs . banner; do :; done
		else
			run -0 eval "$line"
		fi
		count=$((count + 1))
	done < <(lines 'host[#$]' madsim.1)
	((count == 6)) || { echo "$count"; return 1; }
	wait "${started[0]}"
}

@test "the examples of madrecv(1) that need another host" {
	serve "$topologies/small.net"
	start echo env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x32 --oui 0x001405 --respond echo --banner
	run -0 on node1 eval "$(lines 'other\$' madrecv.1)"
	[[ $output == *c0ffee* ]]
}

@test "the examples of madrecv(1) that need a kernel are those of the kernel lane" {
	local line count=0
	while IFS= read -r line; do
		grep -qF "    $line" "$BATS_TEST_DIRNAME/../kernel/guest/60-snoop.sh"
		count=$((count + 1))
	done < <(lines 'host#' madrecv.1)
	((count == 2))
}

@test "the line of madkit-batch(7) is a request" {
	cd "$dir" || return
	serve "$topologies/small.net"
	sed -n 's/^{"header"/{"header"/p' "$MADKIT_BUILD/man/madkit-batch.7" >line
	[[ $(wc -l <line) == 1 ]]
	[[ $(on node1 madsend --batch line -j | jq -c '[.tag, .remote.lid, .kind]') == '["a",4,"response"]' ]]
}

@test "the examples of madcheck(1) print what the page shows" {
	cd "$BATS_TEST_TMPDIR" || return
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	show_examples madcheck.1 3
}

@test "the examples of madport(1) print what the page shows" {
	show_examples madport.1 6
}

@test "the examples of madsweep(1)" {
	cd "$BATS_TEST_TMPDIR" || return
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	run_examples madsweep.1 10
	run_examples madkit-sweep.7 5
	run_examples madkit-metrics.7 3
}

@test "the examples of madkit-registers(7)" {
	cd "$dir" || return
	export MADKIT_DEVICE=sim:fat-tree:4,8,2
	run_examples madkit-registers.7 10
}

@test "the inventory of madkit-registers(7) has each cable once, also one between two ports of a switch" {
	local links
	cd "$dir" || return
	# ports 5 and 6 of leaf1 have a cable, port 7 has none
	madsim --generate fat-tree:2,2,2 | sed '/^Switch.*"leaf1"/ {
		s/^Switch\t4 "\([^"]*\)".*/&\n[5]\t"\1"[6]\n[6]\t"\1"[5]/
		s/4/7/
	}' >net
	links=$(($(grep -c '^\[' net) / 2))
	export MADKIT_DEVICE=sim:net
	eval "$(page_commands madkit-registers.7 | grep "csv --select")"
	((links == 9 && $(wc -l <cables.csv) == 1 + links + 1))
	((links + 1 == $(tail -n +2 cables.csv | cut -d , -f 8 | sort -u | wc -l)))
	grep -q '^leaf1,5,leaf1,6,Active,Mellanox,' cables.csv
	grep -q '^leaf1,7,,,Unplugged,,,' cables.csv
}

@test "the limit of madkit-rules(7) is used" {
	local command
	cd "$dir" || return
	export MADKIT_DEVICE=sim:fat-tree:4,8,2
	run_examples madkit-rules.7 2
	# a module that is hotter, but not hotter than its own threshold
	export MADKIT_DEVICE="$MADKIT_DEVICE,control=temperature leaf2 9 71"
	run -0 madcheck --nagios --rules temp
	run -1 eval "$(page_commands madkit-rules.7 | tail -n 1)"
	[[ $output == *'temp leaf2/9: the module is at 71 C (limit 70 C)'* ]]
	# as in cron: only problems are mailed
	command=$(page_text madkit-rules.7 | sed -n "s|^\*/10 \* \* \* \* root \(.*\)/etc/madkit-limits|\1limits|p")
	[[ $(eval "$command") == *'temp leaf2/9: the module is at 71 C (limit 70 C)'* ]]
	export MADKIT_DEVICE=sim:fat-tree:4,8,2
	run -0 --separate-stderr eval "$command"
	[[ -z $output$stderr ]]
}

@test "each command that madkit-registers(7) has instead of another program's" {
	local command rows=0
	export MADKIT_DEVICE=sim:fat-tree:4,8,2
	while IFS=$'\t' read -r _ command; do
		run -0 eval "$command"
		# more than the first line, the summary and messages
		((${#lines[@]} > 1))
		rows=$((rows + 1))
	done < <(page_text madkit-registers.7 | sed -n '/^\.SH INSTEAD/,/^\.TE/p' | sed -z 's/T{\n//g; s/\nT}//g' | grep $'\t' | tail -n +2)
	((rows >= 13))
}

@test "the local port that madkit-registers(7) finds is that of the port" {
	local command port
	cd "$dir" || return
	export MADKIT_DEVICE=sim:fat-tree:4,8,2
	command=$(page_text madkit-registers.7 | sed -n 's/^\$ \(madsweep .*Get PortMapping.*\)/\1/p')
	port=$(eval "$command" -f csv | tail -n 1 | cut -d , -f 1)
	((port > 7))
	madsweep -q -j --select 'node.name == "leaf2" && number == 7' Get ModuleInfo | head -n 1 >swept
	[[ $(madsend -L "$(jq .remote.lid swept)" -j Get ModuleInfo PortSelect="$port" | jq .data.VendorSerialNumber) == "$(jq .data.VendorSerialNumber swept)" ]]
}
