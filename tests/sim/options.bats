#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# D12: each option of each command, in each form of the command: it is refused, or it changes something.

setup() {
	load common
	cd "$dir" || return
	fabric=sim:fat-tree:2,2,1
	printf '%s\n' '{"header":{"method":"Get","attribute":"PortInfo"}}' \
		'{"header":{"method":"Get","attribute":"PortCounters"},"data":{"PortSelect":1}}' >lines
	printf '%s\n' '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":999}}' \
		'{"header":{"method":"Get","attribute":"PortInfo"},"remote":{"lid":999}}' >silent
	echo '{"header":{"method":"Get","attribute":"PortInfo"},"remote":{"gid":"fe80::10:1"}}' >gid
	echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"host"}}' >name
	echo '{"header":{"method":"Set","attribute":"PortInfo"},"data":{"LMC":1}}' >set
	echo '{"header":{"method":"Get","class":"Vendor0x32","attribute_id":16}}' >vendor
	echo '{"header":{"method":"GetTable","attribute":"NodeRecord"}}' >table
	echo '{"header":{"method":"Get","attribute":"ModuleInfo"},"remote":{"lid":4},"data":{"PortSelect":1}}' >register
	printf 'CA=nosuch\ntimeout=5\nm_key=0x4711\nsa_key=0x4712\n' >conf
	printf '0x0000000000100000 "host"\n0x0000000000200002 "leaf"\n' >map
	madsweep -q --device sim:fat-tree:2,3,2 -j Get PortCountersExtended | jq -c '.epoch -= 3600' >counters.json
	printf 'slow usual 0\nslow links 1\nSymbolErrorCounter=10\n' >limits
	printf 'slow leaf1/1 # known\nslow leaf1/2 until=2020-01-01 # unknown\n' >accept
	madsweep -q -j --device sim:fat-tree:2,4,2 >plan
	sed 's/"lid":3,/"lid":99,/; s/h1-1 HCA-1/h1-x HCA-1/' plan >moved
	printf 'leaf-one,1,h1-1,1\n' >named.csv
	echo 'leaf-one leaf1' >names
	{ madsend --dry-run -D 0 -y 7 Get PortInfo -f raw; madsend --dry-run -L 4 Get PortCounters PortSelect=1 -f raw; } >mads
	inputs=(*)
	mkdir inputs && cp "${inputs[@]}" inputs
}

teardown() { clean_up; }

# the options that select a form of a command besides the one without such an option
declare -gA forms=([madsend]='batch describe' [madrecv]='subscribe snoop read' [madpoll]='until delta' [madreg]='list registers'
	[madcheck]='local list-rules' [madsim]='control generate' [madsweep]='clear topology')

# "--option ARGUMENT" a line, by command, from --help
declare -gA options_of=()
options_read() {
	local command
	for command in "${all_commands[@]}"; do
		options_of[$command]=$("$command" --help | sed -nE 's/^  (-.,|   ) (--[A-Za-z0-9-]+) ?([^ ]*) .*/\2 \3/p')
	done
}

# valid arguments, by their names in --help; any other is x
# shellcheck disable=SC2054  # commas in the keys
declare -gA values=([N]=1 [MS]=1 [S]=1 [LID]=1 [US]=1 [BYTES,..]=1 [MASK]=1 [OUI]=1 [KEY]=1 [GUID]=1 [TRAP,..]=1
	[CLASS]=PerfMgt [PATH]=0,1 [GID]=fe80::1 [VL15]=typical [HAVE,..]=roce [FMT]=text [HOW]=none [AS]=echo [M,..]=Get
	[RULE]=fat-tree:1,1,0 [EXPR]='kind == "event"' [A,B.C]=kind [A,B]=silent [LEVEL]=info [WHEN]=never [NxGBPS]=1x10 [TIME]=10s
	[FILE]=limits)

# given OPTION ARGUMENT: sets word to the option with a valid value
given() {
	word=$1
	[[ -z ${2:-} ]] || word+="=${values[$2]-x}"
}

# long COMMAND WORD: sets option to the long name of an option as it is in a row
long() {
	option=${2%%[ =]*}
	[[ $option != -[!-]* ]] || option=$("$1" --help | sed -nE "s/^  ${option:0:2}, (--[A-Za-z0-9-]+).*/\1/p")
}

# said COMMAND...: sets status, and stderr to its messages; nothing is printed
said() {
	status=0
	stderr=$("$@" 2>&1 >printed 3>&-) || status=$?
	[[ ! -s printed ]]
}

# rows COMMAND FORM: "BASE|OPTION WORDS" a line. BASE with the option ends, prints or writes something else than BASE
# alone; % in BASE is where the option goes if not behind it. A BASE @FILE: TEXT is a test that has this text.
rows() {
	local command form base='' line
	while read -r line; do
		case $line in
		'') ;;
		'== '*) read -r _ command form base <<<"$line" ;;
		*) [[ $command/$form != "$1/$2" ]] || printf '%s|%s\n' "$base" "$line" ;;
		esac
	done <"$BATS_TEST_DIRNAME/options.table"
}

# what COMMAND... prints, writes and ends with; times and process IDs are not the option's
result() {
	local status=0 preload=() file
	rm -rf run && cp -r inputs run && cd run || return
	# as inside() in ../programs.sh does
	[[ $1 != madsim || -z ${MADKIT_PRELOAD:-} ]] ||
		preload=(env LD_PRELOAD="$MADKIT_PRELOAD" ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0")
	"${preload[@]}" timeout -s KILL 60 "$@" >out 2>err </dev/null 3>&- || status=$?
	echo "status $status"
	rm "${inputs[@]}"
	stat -c '%A %s %n' -- *
	for file in *; do
		[[ $file == out || $file == err ]] || od -An -v -tx1 "$file"
	done
	cat -v out err |
		sed -E -e 's/"time":"[^"]*","epoch":[0-9.]*//; s/"tid":"[^"]*"//; s/"rtt_us":[0-9]*//; s/sim-[A-Za-z0-9]{6}//g'
	cd ..
}

# changes BASE OPTION...
changes() {
	local base=$1 words without with word got
	shift
	if [[ $base == @* ]]; then
		word=${base%%: *}
		grep -qF -- "${base#*: }" "$BATS_TEST_DIRNAME/../${word#@}" && return
		echo "no such test: $base"
		return 1
	fi
	eval "words=($base)"
	[[ " $base " == *' % '* ]] || words+=(%)
	without=() with=()
	for word in "${words[@]}"; do
		if [[ $word == % ]]; then with+=("$@"); else without+=("$word") with+=("$word"); fi
	done
	if [[ ! -v results[$base] ]]; then
		results[$base]=$(result "${without[@]}")
		[[ ${results[$base]} != 'status 137'* ]] || { echo "$base: does not end by itself"; return 1; }
		[[ $(result "${without[@]}") == "${results[$base]}" ]] || { echo "$base: two runs differ"; return 1; }
	fi
	got=$(result "${with[@]}")
	[[ $got != *'has no effect'* && $got != *'nknown option'* ]] || { echo "${with[*]}: $got"; return 1; }
	[[ $got != "${results[$base]}" ]] || { echo "${with[*]}: no effect"; return 1; }
}

@test "an option is listed by --help or refused, and the message names the commands that have it" {
	declare -A have=()
	options_read
	for command in "${all_commands[@]}"; do
		while read -r option _; do
			have[$option]+=" $command"
		done <<<"${options_of[$command]}"
	done
	((${#have[@]} > 60))
	for option in "${!have[@]}"; do
		for command in "${all_commands[@]}"; do
			# a name cut short may be one of another option of this command
			[[ ${have[$option]} != *" $command"* && ${options_of[$command]} != *"$option"* ]] || continue
			said "$command" "$option" 1 && ((status == 2)) || { echo "$command $option: $status $stderr"; return 1; }
			read -ra names <<<"${have[$option]}"
			hint=${stderr#*$'\n'}
			[[ $stderr == "$command: unknown option '$option': "* && ($hint == "$stderr" || ($hint == "$command: hint: "* && $hint != *$'\n'*)) ]] ||
				{ echo "$command $option: $stderr"; return 1; }
			for name in "${names[@]}"; do
				[[ ${stderr#*: *: } == *"$name"* ]] || { echo "$command $option: no $name in $stderr"; return 1; }
			done
		done
	done
}

@test "each option of --help has a row in one form of the command at least, and is refused in the other forms" {
	options_read
	for command in "${all_commands[@]}"; do
		grep -q "{ effects $command; }" "$BATS_TEST_FILENAME" || { echo "$command: no test that each option has an effect"; return 1; }
		declare -A seen=()
		for form in - ${forms[$command]}; do
			declare -A listed=()
			while IFS='|' read -r _ words; do
				long "$command" "$words"
				[[ -n $option ]] || { echo "$command: no option $words"; return 1; }
				listed[$option]=1 seen[$option]=1
			done < <(rows "$command" "$form")
			selector=()
			if [[ $form != - ]]; then
				given "--$form" "$(sed -n "s/^--$form //p" <<<"${options_of[$command]}")"
				selector=("$word")
			fi
			while read -r option argument; do
				[[ ! -v listed[$option] && " ${forms[$command]} help version " != *" ${option#--} "* ]] || continue
				given "$option" "$argument"
				said "$command" "${selector[@]}" "$word" || :
				[[ $status == 2 && ($stderr == "$command: $option has no effect with"*"--$form "* ||
					$stderr == "$command: $option has no effect without --"*) ]] ||
					{ echo "$command $form $option: neither a row nor refused: $status $stderr"; return 1; }
			done <<<"${options_of[$command]}"
			unset listed
		done
		while read -r option _; do
			[[ -v seen[$option] || " ${forms[$command]} help version " == *" ${option#--} "* ]] ||
				{ echo "$command $option: no row"; return 1; }
		done <<<"${options_of[$command]}"
		unset seen
	done
}

effects() {
	export MADKIT_DEVICE=$fabric
	declare -gA results=()
	local bad=0
	for form in - ${forms[$1]}; do
		while IFS='|' read -r base words; do
			eval "option=($words)"
			changes "$base" "${option[@]}" || bad=1
		done < <(rows "$1" "$form")
	done
	return "$bad"
}

@test "each option has an effect: madsend" { effects madsend; }
@test "each option has an effect: madrecv" { effects madrecv; }
@test "each option has an effect: madpoll" { effects madpoll; }
@test "each option has an effect: madreg" { effects madreg; }
@test "each option has an effect: madsim" { effects madsim; }
@test "each option has an effect: madsweep" { effects madsweep; }
@test "each option has an effect: madcheck" { effects madcheck; }

@test "each option has an effect: madport" { effects madport; }
@test "each option has an effect: madwatch" { effects madwatch; }

# arrive COMMAND...: a Send arrives while COMMAND waits at node2
arrive() {
	MADKIT_DEVICE=sim:unix:$socket@node2 timeout 60 "$@" >arrived 2>arrived.err </dev/null 3>&- &
	local listener=$!
	while kill -0 "$listener" 2>/dev/null; do
		on node1 madsend --name 'node2 HCA-1' --class 0x32 --oui 0x1405 Send 0x12 -m 7 data=c0ffee >/dev/null
	done
	wait "$listener"
}

@test "options that change how a MAD that arrives is shown" {
	serve "$topologies/small.net"
	vendor=(--class 0x32 --oui 0x1405)
	for command in 'madrecv -n 1' madpoll; do
		# shellcheck disable=SC2086  # words
		arrive $command "${vendor[@]}"
		plain=$(<arrived)
		[[ $plain == '# Send '* ]]
		for words in -v '-f hex' '-f raw' -j '--fields header.modifier' '--rmpp none -j'; do
			# shellcheck disable=SC2086
			arrive $command "${vendor[@]}" $words
			[[ -s arrived && $(tr -d '\0' <arrived) != "$plain" ]] || { echo "$command $words"; return 1; }
		done
		# shellcheck disable=SC2086
		arrive $command "${vendor[@]}" -jp
		(($(wc -l <arrived) > 10))
		# shellcheck disable=SC2086
		run arrive $command "${vendor[@]}" --assert 'header.modifier == 8'
		((status == 6))
		# shellcheck disable=SC2086
		arrive ${command/-n 1/} "${vendor[@]}" -n 3 -j
		(($(wc -l <arrived) >= 3))
		# shellcheck disable=SC2086
		arrive $command "${vendor[@]}" -w capture
		madrecv -r capture -j | jq -e 'select(.header.modifier == 7)' >/dev/null
	done
	# an agent for another version of the class gets nothing
	on node2 madrecv "${vendor[@]}" --class-version 2 --deadline 300 -n 1 2>err >out & listener=$!
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send 0x12
	status=0
	wait "$listener" || status=$?
	((status == 3))
}

@test "options without an effect beside the others, or on the request" {
	while read -r option command; do
		# shellcheck disable=SC2086  # words
		eval "run --separate-stderr $command"
		((status == 2 && ${#stderr_lines[@]} == 1)) || { echo "$command: $status $stderr"; return 1; }
		[[ -z $output && $stderr == *"$option"* ]] || { echo "$command: $stderr"; return 1; }
	done <<-'END'
		--interval madsend -i 5 Get NodeInfo
		--node-name-map madsend --node-name-map /dev/null Get NodeInfo
		--hop-limit madsend --hop-limit 3 -L 4 Get NodeInfo
		--verbose madsend -v -j Get NodeInfo
		--verbose madpoll -v -f hex --class 4
		--fields madsend --fields Guid -f raw Get NodeInfo
		--fields madreg --list --fields kind
		--show-keys madsend -K -f hex Get PortInfo
		--show-keys madreg --class 4 -K -d
		--show-keys madreg --class 4 -K
		--write madreg --class 4 -w x
		--json madsend -f text -j Get NodeInfo
		--pretty madrecv -f raw -p -r mads
		--m-key madsend -y 1 Get PortCounters
		--m-key madpoll -y 1 Get PortCounters --until PortSelect==1
		--m-key madpoll -y 1 Get PortCounters --delta
		--Direct madpoll -D 0 Get PortCounters --delta
		--sm-key madsend --sm-key 1 Get PortInfo
		--sm-port madsend -s 1 Get PortInfo
		--sm-port madsend -s 1 -L 4 GetTable NodeRecord
		--timeout madsend -t 5 --no-response Get NodeInfo
		--retries madsend --retries 5 --class 0x32 --oui 1 Send 0x10
		--redirects madsend --redirects 0 --no-response Get PortCounters PortSelect=1
		--redirects madsend --redirects 2 Get NodeInfo
		--pkey-index madsend --pkey-index 1 Get NodeInfo
		--pkey-index madpoll -Y 1 -L 4 Get NodeInfo --until NumPorts==1
		--redirects madpoll --redirects 2 -L 4 Get NodeInfo --until NumPorts==1
		--rmpp madsend --rmpp none Get NodeInfo
		--rmpp madpoll --rmpp none Get PortCounters PortSelect=1 --until PortSelect==1
		--rmpp madrecv --class PerfMgt --rmpp none
		--rmpp madpoll --class PerfMgt --rmpp user
		--locate madsend --locate -D 0,1 --no-response Get NodeInfo
		--no-response madsend --no-response --class 0x32 --oui 1 Send 0x10
		--oui madrecv --class PerfMgt --oui 1
		--oui madpoll --class PerfMgt --oui 1
		--retries madrecv --class 4 --retries 1
		--batch madsend --batch lines --describe
		--read madrecv -r mads --snoop
		--delta madpoll Get PortCounters --delta --until PortSelect==1
		--generate madsim --generate fat-tree:1,1,0 --control x
	END
	# a key that has no effect is not asked for
	run -2 --separate-stderr setsid -w madsend -y x --describe </dev/null
	[[ $stderr == *"--m-key has no effect with --describe"* ]]
}

@test "the configuration is read only where it has an effect" {
	export MADKIT_DEVICE=
	for command in 'madsend --describe NodeInfo' 'madrecv -r mads' 'madsim --generate fat-tree:1,1,0'; do
		# shellcheck disable=SC2086  # words
		run -2 --separate-stderr $command -z conf
		[[ $stderr == *"option '-z'"* || $stderr == *'--config has no effect with'* ]]
	done
}
