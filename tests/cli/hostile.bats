#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Input that was made to do harm: files, words, descriptors and limits.

# shellcheck disable=SC2154  # run sets output, stderr and their lines

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return 1
}

# failed STATUS WORD COMMAND...: that status, one line that names the word, no output
failed() {
	local want=$1 word=$2
	shift 2
	run "-$want" --separate-stderr timeout 20 "$@"
	[[ -z $output && ${#stderr_lines[@]} -eq 1 ]] || { echo "$output$stderr"; return 1; }
	[[ $stderr == "$1: "*"$word"* ]] || { echo "$stderr"; return 1; }
}

@test "a dump without newlines ends with 5, and once" {
	madsend --dry-run -f hex Get NodeInfo | tr -d '\n' >oneline
	run -5 --separate-stderr timeout 20 madrecv -r oneline
	((${#stderr_lines[@]} == 2))
	[[ ${stderr_lines[0]} == *"offset 0: the file ends within a MAD: 18 of 256"* ]]
	[[ ${stderr_lines[1]} == *"line 1, column"* ]]
	((${#output} < 200))
}

@test "every length of a file is an answer, and JSON" {
	madsend --dry-run -f raw -L 3 GetTable NodeRecord >mad
	cat mad mad mad >mads
	for n in 1 4 23 24 35 36 55 56 63 64 163 164 255 256 257 300 511 512 600; do
		head -c "$n" mads >cut
		want=5
		((n % 256)) || want=0
		run "-$want" --separate-stderr timeout 20 madrecv -r cut -j
		[[ ${#stderr_lines[@]} -eq $((n % 256 ? 1 : 0)) ]] || { echo "$n: $stderr"; return 1; }
		[[ $(jq -s length <<<"$output") == $(((n + 255) / 256)) ]]
		run "-$want" --separate-stderr timeout 20 madrecv -r cut
	done
}

@test "files without an end, and without a MAD" {
	failed 5 "base version 0x00" madrecv -r /dev/zero
	failed 6 "/dev/null" madrecv -r /dev/null
	failed 1 "Is a directory" madrecv -r .
	failed 1 "'nosuch'" madrecv -r nosuch
	head -c 3000000 /dev/zero | tr '\0' a >long
	failed 5 "line 1 is too long" madrecv -r long
	failed 1 "more than" madsend --dry-run GetTable NodeRecord data=@/dev/zero
	failed 1 "'.'" madsend --dry-run Get NodeInfo data=@.
	failed 1 "'nosuch'" madsend --dry-run Get NodeInfo data=@nosuch
}

@test "what is echoed is no order to a terminal" {
	for word in $'No\e[31mde' $'No\x9b31mde' $'No\xc2\x9b31mde' $'No\nde' $'No\x7fde' $'\xff\xfe'; do
		failed 2 "there is no attribute" madsend Get "$word"
		# nothing but printable ASCII is left of it
		run -1 env LC_ALL=C grep -q '[^ -~]' <<<"$stderr"
	done
	failed 2 "'Knöten'" madsend Get Knöten
}

@test "what is mistyped has a neighbour" {
	failed 2 "'Gett' of class SubnMgt; did you mean 'Get'?" madsend Gett NodeInfo
	failed 2 "did you mean 'NodeInfo'?" madsend Get NodeInf
	failed 2 "class SA; did you mean 'PortInfoRecord'?" madsend Get SA:PortInfo
	failed 2 "did you mean 'PathRecord'?" madsend Get SA:PahtRecord
	failed 2 "did you mean 'LinkState'?" madsend --dry-run Get PortInfo LinkStat=1
	for words in 'Get Frobnicate' 'Frob NodeInfo' 'Get PortInfo X=1'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr madsend $words
		[[ $stderr != *"did you mean"* ]] || { echo "$stderr"; return 1; }
	done
}

@test "an option's name cut too short lists what it could be" {
	failed 2 "'--s' is one of --sm-port, --sm-key, --sl, --show-keys" madsend --s 5
	failed 2 "unknown option '--frob'" madsend --frob
	run -0 madsend --dry-ru Get NodeInfo
}

@test "values that are empty, and fields given twice" {
	for option in --name --Ca --write --config --node-name-map --filter --fields --assert; do
		failed 2 "$option is empty" madsend --dry-run Get NodeInfo "$option" ''
	done
	failed 2 "given twice" madsend --dry-run Get NodeInfo BaseVers=1 basevers=1
	run -0 madsend --dry-run Get P_KeyTable 'PKey[1]=1' 'PKey[2]=1'
}

@test "a capture is begun only when all else is right, and is not what is read" {
	madsend --dry-run -f raw Get NodeInfo >mad
	cp mad copy
	failed 2 "bogus" madsend -w mad Get NodeInfo bogus=1
	failed 1 "" madsend --device umad:nosuch/1 -w mad Get NodeInfo
	failed 2 "'mad'" madrecv -r mad -w mad
	ln mad link
	failed 2 "'link'" madrecv -r mad -w link
	cmp mad copy
	failed 2 "'-'" madrecv -r mad -w -
	failed 1 "/dev/full" madrecv -r mad -w /dev/full
	[[ ! -e - ]]
	[[ ! -e new ]]
	run -0 madrecv -r mad -w new
	[[ $(od -An -tx1 -N4 new) == ' d4 c3 b2 a1' || $(od -An -tx1 -N4 new) == ' 4d 3c b2 a1' ||
		$(od -An -tx1 -N4 new) == ' a1 b2 c3 d4' || $(od -An -tx1 -N4 new) == ' a1 b2 3c 4d' ]]
}

@test "closed and full descriptors" {
	madsend --dry-run -f raw Get NodeInfo >mad
	for command in 'madsend --dry-run Get NodeInfo' 'madrecv -r mad' 'madrecv -r mad -j' \
		'madsend --describe' 'madreg --help' 'madpoll -V'; do
		for to in '>&-' '>/dev/full' '<&- >&-'; do
			run -1 --separate-stderr bash -c "$command $to"
			((${#stderr_lines[@]} == 1)) || { echo "$command $to: $stderr"; return 1; }
			[[ $stderr == "${command%% *}: "*"standard output"* ]]
		done
		run -1 bash -c "$command <&- >&- 2>&-"
		run -0 --separate-stderr bash -c "$command <&- 2>&-"
		[[ -n $output ]]
	done
}

@test "limits: of file size and memory" {
	madsend --dry-run -f raw Get NodeInfo >mad
	for _ in {1..2000}; do cat mad; done >mads
	run -1 --separate-stderr bash -c 'ulimit -f 1; exec madrecv -r mads >out'
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"too large"* ]]
	# a sanitizer reserves more than there is
	! ldd "$(command -v madsend)" | grep -q asan || return 0
	head -c 60000000 /dev/zero >big
	run -1 --separate-stderr bash -c 'ulimit -v 90000; exec madsend --dry-run -f raw GetTable NodeRecord data=@big'
	[[ -z $output && $stderr == "madsend: "* && ${#stderr_lines[@]} -eq 1 ]]
}

@test "configuration: missing, a directory, bad lines" {
	failed 1 "'nosuch'" madsend --dry-run -z nosuch Get NodeInfo
	failed 1 "Is a directory" madsend --dry-run -z . Get NodeInfo
	printf 'timeout=abc\n' >bad
	failed 2 "bad line 1: timeout 'abc'" madsend --dry-run -z bad Get NodeInfo
	printf '# ok\n\nPort = 256\n' >bad
	failed 2 "bad line 3: Port" madsend --dry-run -z bad Get NodeInfo
	printf 'CA=%070d\n' 0 >bad
	failed 2 "the CA is too long" madsend --dry-run -z bad Get NodeInfo
	printf 'm_key=\e[31mx\n' >bad
	failed 2 "bad line 1: m_key" madsend --dry-run -z bad Get NodeInfo
	[[ $stderr != *31mx* ]]
	printf '\xff\xfe no value here\n' >odd
	failed 2 "odd line 1: no '='" madsend --dry-run -z odd Get NodeInfo
	printf 'SOMETHING=else\n' >odd
	run -0 madsend --dry-run -z odd Get NodeInfo
}

@test "the environment: nothing of it matters but MADKIT_DEVICE" {
	want=$(madsend --dry-run -j Get PortInfo)
	for setting in LC_ALL=C LC_ALL=de_DE.UTF-8 POSIXLY_CORRECT=1 TZ=Nowhere/Land HOME=; do
		[[ $(env "$setting" madsend --dry-run -j Get PortInfo) == "$want" ]]
		[[ $(env "$setting" madsend Get PortInfo --dry-run -j) == "$want" ]]
	done
	[[ $(env -i LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" "$(command -v madsend)" --dry-run -j Get PortInfo) == "$want" ]]
	for device in garbage 'umad:x/y' umad:/ $'\e[31m' umad:../../etc/1; do
		MADKIT_DEVICE=$device failed 2 "" madsend Get NodeInfo
		[[ $stderr != *$'\e'* ]]
	done
}
