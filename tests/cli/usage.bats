#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Errors on the command line: status 2 and one line that names the word.

setup() { load common; }

@test "a usage error refers to the manual page, which has the word in question" {
	usage_error "(see madsend(1))" madsend -L 4 Get PortCounters
	[[ $stderr == *"PortSelect is missing"* && $stderr != *--help* ]]
	if [[ -n ${MADKIT_BUILD:-} ]]; then
		grep -q PortSelect "$MADKIT_BUILD/man/madsend.1"
	fi
	usage_error "(see madpoll(1))" madpoll Get NodeInfo
	usage_error "(see madreg(1))" madreg
}

@test "a COMMAND without -- before it is named, and so is --class" {
	local net=$BATS_TEST_DIRNAME/../data/topologies/small.net
	usage_error "'madsend' is an unexpected word: write -- before COMMAND" \
		madsim "$net" --node node1 madsend -D 0 Get NodeInfo
	usage_error "'true' is an unexpected word: write -- before COMMAND" madsim "$net" true
	usage_error "'sleep' is not an option: write -- before COMMAND" madreg --class PerfMgt --hold sleep 0.1
	usage_error "'ls' is an unexpected word: write -- before COMMAND" madreg --class PerfMgt --hold ls -Z
	usage_error "'PerfMgt' is not an option: write --class PerfMgt" madreg PerfMgt
	usage_error "unknown option '-D': madsend, madpoll and madport have it" madsim "$net" -D 0
}

@test "--help lists the command's options, on standard output" {
	for command in "${all_commands[@]}"; do
		run -0 --separate-stderr "$command" --help
		[[ -z $stderr ]]
		[[ $output == "Usage: $command "* ]]
		[[ $output == *"-V, --version"* ]]
		# no line wraps on a terminal of 90 columns
		run -1 grep -E '^.{91}' <<<"$output"
		run -0 "$command" -h
	done
}

@test "each command's own options are in its --help" {
	while read -r command options; do
		help=$("$command" --help)
		for option in $options; do
			(($(grep -cE -- "^ +(-., )?$option " <<<"$help") == 1)) || { echo "$command $option"; return 1; }
		done
	done <<-OPTIONS
		madsend --Lid --Direct --Guid --gid --name --mod --class --class-version --oui --comp-mask --rmpp
		madsend --no-response --dry-run --merge --zero-rest --locate --describe
		madrecv --class --class-version --oui --method --rmpp --subscribe --snoop --read --banner --respond --buffer
		madpoll --Lid --Direct --Guid --gid --name --mod --class --class-version --oui --comp-mask --rmpp
		madpoll --method --until --delta
		madreg --class --class-version --oui --method --rmpp-version --user-rmpp --hold --list --registers
		madport --Lid --Direct --Guid --gid --name --mod --yes --dry-run --force
		madsim --socket --node --sm --no-sm --sweep --hosts --seed --latency --vl15 --training --events --banner --control --generate
	OPTIONS
}

@test "--version names the package" {
	for command in "${all_commands[@]}"; do
		run -0 --separate-stderr "$command" -V
		[[ $output =~ ^"$command (madkit) "[0-9]+\.[0-9]+ ]]
	done
}

@test "unknown options and missing values" {
	for command in "${all_commands[@]}"; do
		usage_error "'--frob'" "$command" --frob
		usage_error "'-X'" "$command" -X
		usage_error "'--deadline'" "$command" --deadline
		usage_error "'--help=3'" "$command" --help=3
		[[ $command != madsim ]] || continue
		usage_error "'-C'" "$command" -C
		usage_error "'--device'" "$command" --device
		usage_error "'--json=3'" "$command" --json=3
	done
}

@test "a mistyped option is answered with the one that was meant" {
	usage_error "unknown option '--lid'; did you mean '--Lid'?" madsend --lid 3 Get NodeInfo
	usage_error "unknown option '--dir=0,1'; did you mean '--Direct'?" madsend --dir=0,1 Get NodeInfo
	usage_error "unknown option '--subscibe'; did you mean '--subscribe'?" madrecv --subscibe 64
	# not an option of another command
	run -2 --separate-stderr madsim --lid
	[[ $stderr == "madsim: unknown option '--lid' (see madsim(1))" ]] || { echo "$stderr"; return 1; }
	# nor anything for a word without a limit
	usage_error "unknown option '--$(printf 'lid%.0s' {1..200})" madsend "--$(printf 'lid%.0s' {1..200})"
}

@test "D9: in the name of a long option _ is the same as -" {
	run -0 --separate-stderr madsend --m_key=5 --show_keys --dry_run -D 0 Get NodeInfo -j --fields header.m_key
	[[ $output == '{"header":{"m_key":"0x0000000000000005"}}' ]]
	run -0 --separate-stderr madsend --m_key 0x6 --show_k --dry-run -D 0 Get NodeInfo -j --fields header.m_key
	[[ $output == '{"header":{"m_key":"0x0000000000000006"}}' ]]
	printf '0x2 "a_b"\n' >"$BATS_TEST_TMPDIR/map"
	# not in a value, nor in a word
	run -0 --separate-stderr madsend --node_name-map "$BATS_TEST_TMPDIR/map" --name --a_b --sm_port=7 --dry-run Get NodeInfo
	[[ $output == '# Get NodeInfo: Name --a_b port 0'* ]]
	usage_error "--dry_run" madsend Get NodeInfo -- --dry_run
	usage_error "option '--sm_port' needs a value" madsend --sm_port
	usage_error "unknown option '--m_keys'; did you mean '--m-key'?" madsend --m_keys
	usage_error "unknown option '--m_key': madsend, madpoll, madcheck, madport, madsweep and madwatch have it" madreg --m_key 3
	usage_error "option '--sm_' is one of --sm-port, --sm-key " madsend --sm_ 3
	# an option with two names once
	usage_error "option '--s' is one of --sm-port, --sm-key, --sl, --show-keys (" madpoll --s 3
	usage_error "option '--p' is one of --pkey-index, --pretty (" madsend --p 3
}

@test "D9: the names of infiniband-diags for options that exist here" {
	usage_error "--pkey-index '65536'" madsend --pkey-idx 65536 Get PortCounters
	usage_error "--pkey-index '65536'" madsend --pkey_idx=65536 Get PortCounters
	run -0 --separate-stderr madsend --smkey=5 --show-keys --dry-run GetTable NodeRecord -j --fields header.sm_key
	[[ $output == '{"header":{"sm_key":"0x0000000000000005"}}' ]]
}

@test "D9: an option of infiniband-diags that does not exist here: the message says what to use" {
	usage_error "'-e': for infiniband-diags -e use no option, because errors are always reported" madsend -e Get NodeInfo
	usage_error "'-o': for ibping and ibsysstat -o use --oui OUI (" madpoll -o 3
	[[ ${stderr_lines[1]} == *'hint: -o of iblinkinfo, ibnetdiscover and ibqueryerrors: see madkit-migration(7)' ]]
	usage_error "'--outstanding_smps': for iblinkinfo" madsend --outstanding_smps=3
	usage_error "'--outstanding-smps': for iblinkinfo" madrecv --outstanding-smps 3
	usage_error "'-S': for perfquery -S use 'madsend -L LID Get PortRcvDataSL PortSelect=N'" madrecv -S
	usage_error "'-r': madrecv has it (" madsend -r
	[[ ${stderr_lines[1]} == "madsend: hint: for perfquery -r use 'madsend "* ]]
	usage_error "'-W': madkit has no counterpart of vendstat -W" madsend -W 1
	usage_error "'-x': for smpquery -x " madsend -vx
	# the whole name is not an abbreviation, and a key is not printed
	usage_error "'--pkey': for saquery --pkey use " madsend --pkey 0xffff Get NodeInfo
	usage_error "'--show': madkit has no counterpart of ibnetdiscover --show" madsend --show Get NodeInfo
	usage_error "'--cckey': madkit has no counterpart of ibccquery and ibccconfig --cckey (" madsend --cckey=0x4711
	[[ $stderr != *4711* ]]
	# madsweep replaces whole programs
	usage_error "'-l': for iblinkinfo -l use 'madsweep' (" madsweep -l
	[[ $stderr != *perfquery* && ${stderr_lines[1]} == *'hint: -l of ibnetdiscover: see madkit-migration(7)' ]]
	usage_error "'-D': madsend, madpoll and madport have it (" madsweep -D 0,1
	[[ ${stderr_lines[1]} == "madsweep: hint: --from chooses where the sweep begins, --select which ports are shown" ]]
	usage_error "'--Guid': madsend, madpoll and madport have it (" madsweep --Guid=0x33
	[[ ${stderr_lines[1]} == "madsweep: hint: --from chooses where"* ]]
	# a value may be a key
	usage_error "'--m-key': madsend, madpoll, madcheck, madport, madsweep and madwatch have it" madreg --m-key=0x4711
	[[ $stderr != *4711* ]]
	# a simulator is not one of them
	usage_error "unknown option '-S' (" madsim -S
}

@test "V6: an option that several programs have is one line of at most 120 characters, and a hint" {
	usage_error "unknown option '-R': for perfquery -R use 'madsend -L LID Set PortCounters PortSelect=N CounterSelect=all'" madsend -R
	[[ $stderr == *$'all\'\nmadsend: hint: -R of saquery, ibnetdiscover, ibqueryerrors: see madkit-migration(7)' ]] || { echo "$stderr"; return 1; }
	((${#stderr_lines[0]} <= 120 && ${#stderr_lines[1]} <= 120))
}

@test "V5: a long option with one dash is named" {
	usage_error "unknown option '-port': write --Port (" madsend -port 3 Get NodeInfo
	usage_error "unknown option '-lid': write --Lid (" madpoll -lid 3 Get NodeInfo --until NumPorts
	usage_error "'-o'" madsend -o 3
}

@test "several options of infiniband-diags: the message has the one command for them" {
	usage_error "'-R': for perfquery -R -x use 'madsend -L LID Set PortCountersExtended PortSelect=N CounterSelect=all'" madsend -R -x 3 1
	usage_error "'-x': for perfquery -x -R use 'madsend -L LID Set PortCountersExtended PortSelect=N CounterSelect=all'" madpoll -L5 -xR
	usage_error "'-r': madrecv has it (see madsend(1))"$'\n'"madsend: hint: for perfquery -r -x -a use 'madsend -L LID Get PortCountersExtended PortSelect=255', then 'madsend -L LID Set PortCountersExtended PortSelect=255 CounterSelect=all'" madsend -r -x -a
	usage_error "for perfquery -l -R use 'madsend -L LID Set PortCounters PortSelect=N CounterSelect=all' for each port" madsend -l -R
	usage_error "for perfquery --Reset_only --xmtsl use 'madsend -L LID Set PortXmitDataSL " madsend --Reset_only --xmtsl
	usage_error "for saquery --slid --dlid --mtu use 'madsend GetTable PathRecord SLID=LID DLID=LID MTU=N'" madsend --slid=3 --dlid 4 --mtu 4
	usage_error "for saquery -N -O use 'madsend GetTable NodeRecord LID=LID'" madsend -N -O 3
	usage_error "for ibaddr -l -g use 'madsend -L LID Get PortInfo --fields GidPrefix,Lid,LMC'" madsend -l -g
	usage_error "for ibroute and dump_fts -a -M use 'madsend -L LID -m all Get MulticastForwardingTable'" madsend -a -M
	# no command does both, or the other word is a value or not of that program
	usage_error "'-x': for smpquery -x " madsend -x -X
	usage_error "'-R': for perfquery -R use 'madsend -L LID Set PortCounters PortSelect=N CounterSelect=all'" madsend -R -L -x
	usage_error "'-R': for perfquery -R use 'madsend -L LID Set PortCounters " madsend -R -- -x
	usage_error "'-e': for infiniband-diags -e use no option" madsend -e -R -x
}

@test "D9: what the messages say to use is accepted" {
	local table=$BATS_TEST_DIRNAME/../../src/cli/option_diags.c n=0 option words limits=$BATS_TEST_TMPDIR/limits
	echo 'SymbolErrorCounter=10' >"$limits"
	for option in $(sed -nE "s/^	\{ \"[^\"]*\",[[:space:]]*('(.)'|0),[[:space:]]*(\"([^\"]*)\"|NULL),.*/-\2 --\4/p" "$table" |
		tr ' ' '\n' | grep -vxE -- '--?' | sort -u); do
		run -2 --separate-stderr madpoll "$option"
		[[ $stderr == "madpoll: unknown option '$option': "* && ${#stderr} -lt 700 ]] || { echo "$option: $stderr"; return 1; }
		while read -r words; do
			words=$(sed -E "s/'//g; s/-L LID/-L 4/; s/-m (N|all)/-m 1/; s/=(LID|NAME|ID|[QP]KEY)\>/=1/g; s/=GID/=fe80::1/g;
				s/=GUID/=0x1/; s/=MLID/=0xc000/; s/mlid MLID/mlid 0xc000/; s/=N\>/=1/g" <<<"$words")
			case $words in
			'madsend -L 4 -D PATH' | 'madsend --batch'* | madreg* | madrecv*) continue ;;
			'madcheck --limits FILE') words="madcheck --limits $limits --device sim:fat-tree:1,2,0" ;;
			esac
			if [[ $words == madsweep* ]]; then
				words=${words/--filter EXPR/--filter \"SymbolErrorCounter >= 0\"}
				words=${words/EXPR/\"number > 0\"}
				[[ $words != *--clear* ]] || words+=' --yes'
				[[ $words != *' N' ]] || words="${words% N} 1"
				eval "run $words --device sim:fat-tree:1,2,0"
			elif [[ $words == *' --device '* ]]; then
				# shellcheck disable=SC2086
				run $words
			else
				# shellcheck disable=SC2086
				run $words --dry-run
			fi
			# there is no multicast group
			[[ $status == 0 || ($status == 6 && $words == *--mlid*) ]] || { echo "$option: $words: $output"; return 1; }
			((++n))
		done < <(grep -oE "'mad[a-z]+ [^']*'" <<<"$stderr")
	done
	((n > 50)) || { echo "$n"; return 1; }
}

@test "D9: each option of each program of infiniband-diags exists here, is explained, or is named by a suggestion" {
	local program name letter option n=0
	for program in ibaddr ibccconfig ibccquery iblinkinfo ibnetdiscover ibping ibportstate ibqueryerrors ibroute ibstat \
		ibsysstat ibtracert dump_fts perfquery saquery sminfo smpdump smpquery vendstat; do
		command -v "$program" >/dev/null || continue
		while read -r name letter; do
			for option in "--$name" ${letter:+"-$letter"}; do
				# saquery has each letter as a name, too
				[[ $option != --? && $option != -[hV] && $option != --help && $option != --version ]] || continue
				run -2 --separate-stderr madsend "$option"
				[[ $stderr != *"unknown option"* || $stderr == *"for "*"$program"*" $option use "* || $stderr == *" have it"* ||
					$stderr == *"no counterpart of "*"$program"*" $option"* || $stderr == *"for "*" use "* ||
					"$program $option" == 'ibqueryerrors --ca' ]] || { echo "$program $option: $stderr"; return 1; }
				((++n))
			done
		done < <("$program" --help 2>&1 | sed -nE 's/^  --([A-Za-z_-]+)(, -(.))?( .*)?$/\1 \3/p')
	done
	command -v smpquery >/dev/null || skip 'infiniband-diags is missing'
	((n > 200)) || { echo "$n"; return 1; }
}

@test "the list of options in --help names no option that the command does not have" {
	for command in "${all_commands[@]}"; do
		known=$("$command" --help | grep -oE '^  (-.,|   ) --[A-Za-z-]+' | grep -oE -- '--.*')
		while read -r option; do
			grep -qxF -- "$option" <<<"$known" || { echo "$command: $option"; return 1; }
		done < <("$command" --help | grep -E '^  (-.,|   ) --' | grep -oE -- '--[A-Za-z][A-Za-z-]+' | sort -u)
	done
}

@test "words that are missing" {
	usage_error METHOD madsend
	usage_error ATTRIBUTE madsend Get
	usage_error "--class" madrecv
	usage_error "--class" madpoll
	usage_error "--until EXPR or --delta is missing" madpoll Get NodeInfo
	usage_error "--until EXPR or --delta is missing" madpoll -L 4 -i 100 Get NodeInfo
	usage_error "--Lid has no effect without --until or --delta (" madpoll -L 4
	usage_error --list madreg
	usage_error TOPOLOGY madsim
}

@test "numbers, LIDs, GUIDs, GIDs and paths are read whole or not at all" {
	usage_error "LID '0x1zz'" madsend -L 0x1zz Get NodeInfo
	usage_error "LID '70000'" madsend -L 70000 Get NodeInfo
	usage_error "LID is empty" madsend -L '' Get NodeInfo
	usage_error "GUID '0x12345678901234567'" madsend -G 0x12345678901234567 Get NodeInfo
	usage_error "GUID '0xg'" madsend -G 0xg Get NodeInfo
	usage_error "GID '12'" madsend --gid 12 Get NodeInfo
	usage_error "'1,2'" madsend -D 1,2 Get NodeInfo
	usage_error "'x'" madsend -D 0,x Get NodeInfo
	usage_error "'0,1,0'" madsend -D 0,1,0 Get NodeInfo
	usage_error "63 hops" madsend -D "$(printf '0'; printf ',1%.0s' {1..64})" Get NodeInfo
	usage_error "--timeout '5sec'" madsend -t 5sec Get NodeInfo
	usage_error "--timeout '30d' is more than" madsend -t 30d Get NodeInfo
	usage_error "--timeout '0'" madsend -t 0 Get NodeInfo
	usage_error "--timeout '-5'" madsend -t -5 Get NodeInfo
	usage_error "--sl '16'" madsend --sl 16 Get NodeInfo
	usage_error "--mod '0x100000000'" madsend -m 0x100000000 Get NodeInfo
	usage_error "--deadline '-2'" madsend --deadline -2 Get NodeInfo
	usage_error "--count '0'" madsend -n 0 Get NodeInfo
	usage_error "'xml'" madsend -f xml Get NodeInfo
}

@test "a time has a unit, or is in milliseconds" {
	local device=sim:fat-tree:2,1,1 pair

	for pair in 70=0.070 70ms=0.070 10s=10.000 2min=120.000 1h=3600.000 1d=86400.000; do
		run madpoll --device "$device" Get PortCounters PortSelect=1 --delta -i "${pair%=*}" -n 1
		[ "$status" -eq 0 ]
		[[ ${lines[0]} == *" in ${pair#*=} s" ]]
	done
}

@test "methods, attributes and fields that do not exist" {
	usage_error "'Frob'" madsend Frob NodeInfo
	usage_error "'GetTable'" madsend GetTable NodeInfo
	usage_error "'NodeInf'" madsend Get NodeInf
	usage_error "'bogus'" madsend Get NodeInfo bogus=1
	usage_error "'Guid'" madsend Get NodeInfo Guid
	usage_error "PerfMgt:ClassPortInfo" madsend Get ClassPortInfo
	usage_error "0x99" madsend Get 0x99
	usage_error "'Foo'" madsend --class 0x32 --oui 0x1405 Get 0x99 Foo=1
	usage_error "'nosuch'" madsend --class nosuch Get NodeInfo
	usage_error "'Frob'" madrecv --class PerfMgt --method Get,Frob
	usage_error "'GetResp'" madrecv --class PerfMgt --method GetResp
	usage_error "'nosuch'" madreg --class nosuch
}

@test "an index behind a field that is no array" {
	usage_error "PathRecord: 'PKey[1]': the field is not an array" madsend GetTable PathRecord SGID=fe80::1 'PKey[1]=1'
	usage_error "PathRecord: 'PKey[1]': the field is not an array" madsend GetTable PathRecord 'PKey[1]=cord'
	usage_error "PortInfo: 'PortState[0]': the field is not an array" madsend -L 2 Set PortInfo 'PortState[0]=Active'
	# the fields of one of the notices
	usage_error "Notice: 'LIDADDR[1]': the field is not an array" \
		madsend Send SubnMgt:Notice IsGeneric=1 TrapNumber=129 'LIDADDR[1]=5'
	usage_error "Notice has no field 'LIDADDR[1]'" madsend Send SubnMgt:Notice 'LIDADDR[1]=5'
}

@test "the habits of infiniband-diags are named" {
	usage_error "'NodeInfo' is an attribute: the method precedes it, as in Get NodeInfo" madsend -D 0 NodeInfo
	usage_error "'PortInfo' is an attribute" madsend -G 0x1 PortInfo 1
	usage_error "'ClassPortInfo' is an attribute" madsend ClassPortInfo Get
	usage_error "the port is -m 1 " madsend -L 2 Get PortInfo 1
	usage_error "the port is PortSelect=1 " madsend -L 2 Get PortCounters 1
	usage_error "'1' is not Field=value (" madsend -L 2 Get NodeInfo 1
	usage_error "-D takes the address: -D 0,1 Get NodeInfo" madsend -D NodeInfo 0,1
	usage_error "-L takes the address: -L 5 Get NodeInfo" madsend -L Get NodeInfo 5
	usage_error "-G takes the address" madsend -G PortInfo 0x1
	# the address as a word
	usage_error "'2' is not a method: the LID is given as -L 2, as in -L 2 Get NodeInfo (" madsend 2 Get NodeInfo
	usage_error "'2' is not a method: the LID is given as -L 2, as in -L 2 Get NodeInfo (" madpoll 2 Get NodeInfo --until NumPorts
	usage_error "'0x2' is not an attribute: the LID is given as -L 0x2, as in -L 0x2 Get NI (" madsend Get 0x2 NI
	usage_error "'0,1' is not a method: the directed route is given as -D 0,1, as in -D 0,1 Get NI (" madsend 0,1 Get NI
	usage_error "'0x2c90300000001' is not a method: the GUID is given as -G 0x2c90300000001, " madsend 0x2c90300000001 Get NI
	usage_error "'NodeInfo' is an attribute: the method precedes it, and the LID is given as -L 2, as in -L 2 Get NodeInfo (" madsend NodeInfo 2
	usage_error "'2' is not Field=value; the LID is given as -L 2 (" madsend Get NodeInfo 2
	usage_error "'3' is not a method: the destination is given by an option already (" madsend -L 2 3 Get NodeInfo
	run -0 madsend --dry-run 0x12 NodeRecord
}

@test "an option that takes one value is given once; there is no LID 0" {
	usage_error "'--Lid' is given twice" madsend -L 2 -L 3 Get NodeInfo
	usage_error "'--fields'" madsend --fields Guid --dry-run Get NodeInfo --fields NumPorts
	usage_error "'--timeout'" madrecv --subscribe 64 -t 5 --timeout 6
	run -0 madsend --dry-run -j -j -d -d Get NodeInfo
	usage_error "0 is not a LID" madsend -L 0 Get NodeInfo
	usage_error "0 is not a LID" madsend -L 0 Get PortCounters PortSelect=1
}

@test "-- without a COMMAND" {
	usage_error "COMMAND is missing" madreg --class PerfMgt --hold --
	usage_error "COMMAND is missing" madpoll --class PerfMgt --
	run -0 madsend --dry-run Get NodeInfo --
	usage_error "--class" madrecv --
}

@test "a line of the configuration that is no KEY=VALUE is named" {
	local conf=$BATS_TEST_TMPDIR/conf
	printf '# a comment\n\nCA=x\nfoo bar\n' >"$conf"
	run -2 --separate-stderr madsend -z "$conf" --dry-run Get NodeInfo
	[[ $stderr == "madsend: $conf line 4: no '=' after 'foo'" ]]
	# a comment may be long
	{ printf '#'; printf 'x%.0s' {1..3000}; printf '\nport bar\n'; } >"$conf"
	run -2 --separate-stderr madsend -z "$conf" --dry-run Get NodeInfo
	[[ $stderr == *"line 2: no '=' after 'port'"* ]]
	printf 'm_key 0x4711\n' >"$conf"
	run -2 --separate-stderr madsend -z "$conf" --dry-run Get NodeInfo
	[[ $stderr == *m_key* && $stderr != *4711* ]]
}

@test "A4: every PerfMgt attribute that has PortSelect needs it, if there is a destination" {
	attributes=$(madsend --describe -j | jq -r 'select(.class == "PerfMgt" and any(.fields[]; .name == "PortSelect")) | .attribute' | sort -u)
	[[ $(wc -l <<<"$attributes") == 21 ]]
	for attribute in $attributes; do
		for command in "madsend -L 4 Get $attribute" "madsend --dry-run -L 4 Get $attribute" \
			"madsend --dry-run -G 0x1 Set $attribute CounterSelect=1" "madpoll --name x Get $attribute --delta" \
			"madpoll --gid fe80::1 Get $attribute --until PortSelect==1"; do
			[[ $attribute != PortSamplesControl ]] ||
				command=${command/CounterSelect=1/}
			# shellcheck disable=SC2086  # words
			usage_error "$attribute: PortSelect is missing" $command
			[[ $stderr == *'PortSelect=255 all ports'* ]]
		done
		for port in 0 255; do
			run -0 --separate-stderr madsend --dry-run -L 4 Get "$attribute" PortSelect=$port -j
			[[ $(jq .data.PortSelect <<<"$output") == "$port" ]]
		done
		run -5 --separate-stderr madsend --dry-run --batch - -j \
			<<<"{\"header\":{\"method\":\"Get\",\"attribute\":\"$attribute\"},\"remote\":{\"lid\":4},\"tag\":7}"
		[[ $stderr == *'PortSelect is missing'* && $(jq .tag <<<"$output") == 7 ]]
	done
	run -0 madsend --dry-run -L 4 Get PortSamplesResult
	run -0 madsend --dry-run -L 4 Get PerfMgt:ClassPortInfo
	run -0 madsend --dry-run -L 4 Get PortCounters data=0001
}

@test "B16: an OUI of more than 24 bits is exit status 2 in every command" {
	export MADKIT_DEVICE=sim:fat-tree:1,2,0
	cd "$BATS_TEST_TMPDIR" && : >empty
	for command in 'madreg --class 0x32 --method Get' 'madrecv --class 0x32' 'madpoll --class 0x32' \
		'madsend --class 0x32 Send 0x10' 'madsend Get OpenIBPing:0x10' 'madsend --batch empty' \
		'madsend --dry-run --batch empty'; do
		# shellcheck disable=SC2086  # words
		usage_error "0x1000000" $command --oui 0x1000000
	done
	run -5 --separate-stderr madsend --dry-run --batch - \
		<<<'{"header":{"class":"Vendor0x32","method":"Send","attribute_id":16,"oui":16777216},"tag":1}'
	[[ $stderr == *16777216* && -z $output ]]
}

@test "A8: messages about a mistyped key do not repeat it" {
	for word in 'PortInfo Mkey=0x5ec2e7zz' 'SubnMgt:SMInfo SM_Key=5ec2e7zz' 'ServiceRecord ServiceKey=5ec2e7zz'; do
		# shellcheck disable=SC2086  # words
		run -2 --separate-stderr madsend --dry-run Get $word
		[[ $stderr == *'not shown'* && $stderr != *5ec2e7* ]] || { echo "$stderr"; return 1; }
	done
	run -2 --separate-stderr madsend --assert 'Mkey == 0x5ec2e7zz' Get PortInfo
	[[ $stderr != *5ec2e7* ]]
	for line in '{"header":{"method":"Get","attribute":"PortInfo","m_key":"0x5ec2e7zz"}}' \
		'{"header":{"method":"Get","attribute":"PortInfo"},"data":{"Mkey":"0x5ec2e7zz"}}'; do
		run -5 --separate-stderr madsend --dry-run --batch - <<<"$line"
		[[ $stderr == *'not shown'* && $stderr != *5ec2e7* ]] || { echo "$stderr"; return 1; }
	done
}

@test "madreg without ib_umad names the cause: --list 6, a registration 1" {
	[[ ! -e /sys/class/infiniband_mad ]] || skip "ib_umad is loaded"
	run -6 --separate-stderr madreg --list
	[[ -z $output && $stderr == *"ib_umad module is not loaded" ]]
	run -1 --separate-stderr madreg --class PerfMgt -j
	[[ $(jq -c '[.kind, .status.send, .device, .data.registered, .data.cause, .data.errno]' <<<"$output") == \
		'["error",2,null,false,"module-not-loaded",2]' ]]
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == "madreg: $(jq -r .data.text <<<"$output")" ]]
}

@test "what was meant: records of the SA, fields by their beginning, where they are listed" {
	usage_error "GetTable NodeRecord" madsend GetTable NodeInfo
	usage_error "GetTable PortInfoRecord" madsend GetTable PI
	usage_error "'SymbolErrorCounter'?" madsend Get PortCounters SymbolError=1
	usage_error "'SymbolErrorCounter'?" madsend Get PortCounters SymbolErorCounter=1
	usage_error "madsend --describe PortCounters" madsend Get PortCounters xxx=1
}

@test "a modifier where the port is PortSelect" {
	usage_error "PortCounters has no modifier: the port is PortSelect=1" madsend -L 2 -m 1 Get PortCounters
	usage_error "PortSelect=3" madpoll -L 2 -m 3 Get PortCountersExtended --delta
	run -0 madsend --dry-run -L 2 Get PortCounters PortSelect=1
	[[ ${lines[0]} == "# Get PortCounters: Lid 2 port 1" ]]
	# what the table is not certain of passes
	run -0 madsend --dry-run -L 2 -m 1 Get PortSamplesControl PortSelect=1
	run -0 madsend --dry-run -L 2 -m 1 Get NodeInfo
}

@test "a Set that gives every field replaces nothing unsaid" {
	run -0 madsend --dry-run Set NodeDescription NodeDesc=foo
	usage_error "--merge" madsend --dry-run Set P_KeyTable 'P_Key[0]=1'
	usage_error "--merge" madsend --dry-run Set PortInfo LMC=1
	export MADKIT_DEVICE=sim:fat-tree:2,2,1
	usage_error "Set SwitchInfo replaces the whole attribute: give every field" \
		madpoll -D 0,1 Set SwitchInfo LifeTimeValue=19 --until LifeTimeValue==19 -n 1
	run -0 madpoll Set NodeDescription NodeDesc=foo --until 'status.mad >= 0' -n 1
}

@test "values that do not fit" {
	usage_error "'256'" madsend --dry-run Set PortCounters PortSelect=256
	usage_error "'1x'" madsend --dry-run Set PortCounters PortSelect=1x
	usage_error "LinkState" madsend --dry-run Set PortInfo LinkState=Frobbed --zero-rest
	usage_error "'0a0b0'" madsend --dry-run --class 0x32 --oui 0x1405 Send 0x10 data=0a0b0
	usage_error "300" madsend --dry-run Get PortCounters data="$(printf '00%.0s' {1..300})"
	usage_error "0x1000000" madsend --dry-run --class 0x32 --oui 0x1000000 Send 0x10
}

@test "options that contradict each other" {
	usage_error "--device" madsend --device umad:x -C y Get NodeInfo
	for command in 'madsend Get NodeInfo' 'madrecv --class 4' 'madreg --class 4'; do
		# shellcheck disable=SC2086  # words
		usage_error "'umad:y'" $command --device umad:x --device umad:y
	done
	# shellcheck disable=SC2046  # words
	usage_error "'umad:x17'" madpoll --class 4 $(printf -- '--device umad:x%d ' {1..17})
	usage_error "destination" madsend -L 1 -G 0x1 Get NodeInfo
	usage_error "destination" madsend -D 0 --name x Get NodeInfo
	usage_error "-D" madsend -D 0,1 Get PortCounters
	usage_error "--merge" madsend -D 0 Set PortInfo LMC=1
	usage_error "--merge" madsend Get PortInfo --merge
	usage_error "--zero-rest" madsend Get PortInfo --zero-rest
	usage_error "--merge" madsend Set PortInfo --merge --zero-rest
	usage_error "--locate" madsend -L 1 Get PortInfo --locate
	usage_error "--oui" madsend --class 0x32 Send 0x10
	usage_error "--oui" madsend --oui 1 Get PortCounters
	usage_error "--comp-mask" madsend --comp-mask 1 Get PortCounters
	usage_error "--gid" madsend --hop-limit 1 -L 3 Get PortCounters
	usage_error "'users'" madsend --rmpp users GetTable NodeRecord
	usage_error "--rmpp has no effect: class SubnMgtDR has no RMPP" madsend --rmpp user -D 0 Get NodeInfo
	usage_error "not with --rmpp user" madrecv --class 0x32 --buffer 4096 --rmpp user
	usage_error "RMPP" madsend --rmpp kernel Get PortCounters
	usage_error "--class" madrecv -r /dev/null --class PerfMgt
	usage_error "--subscribe" madrecv --subscribe 64 --class PerfMgt
	usage_error "--respond" madrecv --subscribe 64 --respond echo
	usage_error "--snoop" madrecv --snoop -r x
	usage_error "--snoop" madrecv --snoop --subscribe 64
	usage_error "--snoop" madrecv --snoop --respond ibping
	usage_error "--class has no effect with --snoop" madrecv --snoop --class PerfMgt
	usage_error "--method has no effect with --snoop" madrecv --snoop --method Get
	usage_error "only headers" madrecv --snoop -f raw
	usage_error "--write has no effect with --snoop" madrecv --snoop -w x
	usage_error "--buffer" madrecv -r /dev/null --buffer 256
	usage_error "'pong'" madrecv --class PerfMgt --respond pong
	usage_error "--class, --respond ibping" madrecv --respond echo
	usage_error "0x32" madrecv --respond ibping --class PerfMgt
	usage_error "0x001405" madrecv --respond ibping --oui 0x1406
	usage_error "--buffer '0'" madrecv --class PerfMgt --buffer 0
	usage_error "--delta" madpoll Get PortCounters --delta --until 'PortSelect==1'
	usage_error "'Send'" madpoll Send SubnMgt:Notice --delta
	usage_error "COMMAND" madpoll Get PortCounters --delta -- true
	usage_error "uses Get, not 'Set'" madpoll Set PortCounters PortSelect=1 CounterSelect=all --delta
	usage_error "COMMAND" madreg --class PerfMgt -- true
	usage_error "--fields: madreg --list has no field 'LinkState'" madreg --list -j --fields LinkState
	usage_error "--fields has no effect" madreg --list --fields Lid
	usage_error "--filter: madreg --list has no field 'LinkState'" madreg --list --filter 'LinkState == Active'
	usage_error "--assert: the envelope" madreg --class PerfMgt --assert 'data.registered == 1'
	usage_error "text or JSON" madreg --list -f hex
}

@test "a library that is not usable is reported in one line that names its package" {
	local dir=$BATS_TEST_TMPDIR/lib
	mkdir -p "$dir"

	# not a library at all
	: >"$dir/libtracefs.so.1"
	: >"$dir/libibverbs.so.1"
	LD_LIBRARY_PATH=$dir:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madrecv --snoop --deadline 0
	[[ $stderr == "madrecv: "*"trace events need the package libtracefs1: "*libtracefs.so.1:* ]]
	((${#stderr_lines[@]} == 1))
	LD_LIBRARY_PATH=$dir:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madreg --device verbs: --class PerfMgt
	[[ $stderr == *"UD queue pairs need the package libibverbs1: "*libibverbs.so.1:* ]]

	# another version
	for library in libtracefs.so.1 libibverbs.so.1; do
		${CC:-cc} -shared -Wl,-soname,$library -o "$dir/$library" -x c /dev/null
	done
	LD_LIBRARY_PATH=$dir:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madrecv --snoop --deadline 0
	[[ $stderr == *"another version of the package libtracefs1: its libtracefs.so.1 has no "* ]]
	((${#stderr_lines[@]} == 1))
	LD_LIBRARY_PATH=$dir:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madreg --device verbs: --class PerfMgt
	[[ $stderr == *"another version of the package libibverbs1: its libibverbs.so.1 has no "* ]]

	# as installed: no tracefs, not root, or no event
	run --separate-stderr madrecv --snoop --deadline 0 --filter 'header.modifier == 99999'
	((status == 1 || status == 3))
	[[ $stderr != *libtracefs* ]]
	((${#stderr_lines[@]} == 1))
}

@test "expressions and projections are checked before anything is sent" {
	usage_error "--filter" madsend --dry-run Get NodeInfo --filter 'Guid=='
	usage_error "'Foo'" madsend --dry-run Get NodeInfo --filter 'Foo==1'
	usage_error "'Foo'" madsend --dry-run Get NodeInfo --assert 'Foo==1'
	usage_error "'Foo'" madsend --dry-run Get NodeInfo --fields Guid,Foo
	usage_error "'Foo'" madpoll Get NodeInfo --until 'Foo==1'
	usage_error "--until" madpoll Get NodeInfo --until '('
}

@test "no such device: status 1, no such transport: status 2, and one line that names it" {
	for command in 'madsend Get NodeInfo' 'madrecv --class 4' 'madpoll --class 4' 'madreg --class 4' \
		'madpoll Get NodeInfo --until Guid'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr $command --device umad:nosuch/1
		[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
	done
	run -2 --separate-stderr madsend --device nothing:x Get NodeInfo
	[[ $stderr == "madsend: "*"'nothing'"* ]]
	run -2 --separate-stderr madsend --device replay:x Get NodeInfo
	[[ $stderr == "madsend: "*"'replay"* ]]
	run -2 --separate-stderr env MADKIT_DEVICE=nothing:y madsend Get NodeInfo
	[[ $stderr == *"'nothing'"* ]]
	# the command line wins
	run -2 --separate-stderr env MADKIT_DEVICE=nothing:y madsend --device replay:x Get NodeInfo
	[[ $stderr == *"'replay"* ]]
}

@test "a key that begins as a number and is none is not asked for, and not repeated" {
	usage_error "M_Key" madsend -y 0x12secret Get NodeInfo
	[[ $stderr != *secret* ]]
	# without a terminal, confirmation is impossible
	run -2 --separate-stderr setsid -w madsend -y x Get NodeInfo </dev/null
	[[ $stderr == *terminal* ]]
}

@test "D5: only commands that sweep accept a file of M_Keys" {
	usage_error 'M_Key: only madcheck, madport, madsweep and madwatch accept @FILE' madsend -y @keys Get NodeInfo
	[[ $stderr != *terminal* ]]
	usage_error 'M_Key: only madcheck, madport, madsweep and madwatch accept @FILE' madpoll -y @keys -D 0 Get PortInfo --until 'Lid > 0'
}

@test "what a user typed reaches the terminal without its control characters" {
	run -2 --separate-stderr madsend Get $'No\e[31mde'
	[[ $stderr != *$'\e'* ]]
}

@test "madreg --list without a device says so once" {
	! sanitized || skip "a sanitizer wants to be loaded first"
	local compiler
	cat >"$BATS_TEST_TMPDIR/none.c" <<-'END'
		#define _GNU_SOURCE
		#include <dirent.h>
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <string.h>
		DIR *opendir(const char *name)
		{
			DIR *(*next)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
			return next(strcmp(name, "/sys/class/infiniband_mad") ? name : "/proc/self/task");
		}
		int open(const char *path, int flags, ...)
		{
			return openat(AT_FDCWD, strcmp(path, "/sys/class/infiniband_mad/abi_version") ? path : "/proc/self/comm",
				      flags & ~O_CREAT);
		}
	END
	read -ra compiler <<<"${CC:-cc}"
	"${compiler[@]}" -shared -fPIC -o "$BATS_TEST_TMPDIR/none.so" "$BATS_TEST_TMPDIR/none.c" -ldl
	run -6 --separate-stderr env LD_PRELOAD="$BATS_TEST_TMPDIR/none.so" madreg --list
	[[ $stderr == "madreg: no InfiniBand device; there are no ports with a umad device" ]] || { echo "$stderr"; return 1; }
}

@test "-C beside --device sim: says how a CA of a host is named, and --control where its words are" {
	local hosts=$BATS_TEST_DIRNAME/../data/topologies/hosts.net
	run -2 --separate-stderr madsend --device "sim:$hosts@node17" -C mlx5_2 -D 0 Get NodeDescription
	[[ $stderr == *"'@node1 mlx5_1:2' (see madkit-sim(7))" ]]
	run -0 --separate-stderr madsend --device "sim:$hosts@node17 mlx5_2:2" -D 0 Get NodeDescription
	[[ $output == *'node17 mlx5_2' ]]
	run -2 --separate-stderr madsim --control socket
	[[ $stderr == *' stats, sysfs or quit (see madsim-control(7))' ]]
}
