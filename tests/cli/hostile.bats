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
	((${#stderr_lines[@]} == 1))
	[[ -z $output && $stderr == *"line 1, column"* ]]
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
	failed 5 "the line is longer than 1048576 bytes" madrecv -r long
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

@test "B16: a message about a long word says what is wrong with it" {
	long=$(printf 'x%.0s' {1..60000})
	failed 2 "character 1" madrecv -r /dev/null --filter "(${long}"
	failed 2 "character 60001" madrecv -r /dev/null --filter "${long}("
	[[ $stderr == *": --filter 'xxx"*" ... "* && ${#stderr} -lt 1100 ]]
	failed 1 "File name too long" madrecv -r "$long"
	failed 1 "File name too long" madsend --dry-run -z "$long" Get NodeInfo
	failed 1 "File name too long" madsend --dry-run Get NodeInfo data=@"$long"
	failed 1 "File name too long" madsend --device sim:"$long" Get NodeInfo
	failed 2 "is not Field=value" madsend --dry-run Get NodeInfo "$long"
	failed 2 "is not a number" madsend --dry-run Get NodeInfo Guid="$long"
}

@test "an option's name cut too short lists what it could be" {
	failed 2 "'--s' is one of --summary, --sm-port, --sm-key, --sl, --show-keys" madsend --s 5
	failed 2 "unknown option '--frob'" madsend --frob
	run -0 madsend --dry-ru Get NodeInfo
}

@test "values that are empty, and fields given twice" {
	for option in --name --Ca --write --config '--name x --node-name-map' --filter --fields --assert; do
		# shellcheck disable=SC2086  # words
		failed 2 "${option##* } is empty" madsend --dry-run Get NodeInfo $option ''
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
	copies 2000 mad >mads
	run -1 --separate-stderr bash -c 'ulimit -f 1; exec madrecv -r mads >out'
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"too large"* ]]
	# a sanitizer reserves more than there is
	! sanitized || return 0
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

# m_key_of FILE: the M_Key of a request that was built with this configuration.
m_key_of() { madsend --dry-run -f raw -z "$1" -D 0 Get NodeInfo >mad && hex mad 24 8; }

@test "B16: configuration: a NUL byte is an error, and no line swallows the next" {
	printf 'CA=x\0y\nm_key=0x1\n' >bad
	failed 2 "bad line 1: a NUL byte in column 5" madsend --dry-run -z bad Get NodeInfo
	printf '\nm_key=0x11\n# \0\nPort=300\n' >bad
	failed 2 "bad line 3: a NUL byte in column 3" madsend --dry-run -z bad Get NodeInfo
	failed 2 "/dev/zero line 1" madsend --dry-run -z /dev/zero Get NodeInfo
	# 1023 bytes are a line, 1024 are not; a comment may have any number
	{ printf 'm_key=0x%01015d\n' 0; printf 'm_key=0x12\n'; } >long
	[[ $(head -n 1 long | wc -c) == 1024 ]]
	failed 2 "long line 1: longer than 1023 bytes" madsend --dry-run -z long Get NodeInfo
	{ printf 'm_key=0x%01014d\n' 0; printf '  # %05000d\n' 0; printf 'm_key=0x12\n'; } >long
	[[ $(m_key_of long) == 0000000000000012 ]]
	# ends of lines, blanks, keys of other programs
	printf 'm_key=0x13\r\nsa_key=0x1\r\nPort=1\r\n' >crlf
	[[ $(m_key_of crlf) == 0000000000000013 ]]
	printf 'MLX4_mode=0\nnd_format=0\n\t m_key\t=  0x14 ' >no-newline
	[[ $(m_key_of no-newline) == 0000000000000014 ]]
	# from a pipe as from a file
	[[ $(cat crlf | m_key_of /dev/stdin) == 0000000000000013 ]]
}

@test "B16: a NUL byte in a batch or a topology is an error of its line, and only of that" {
	good='{"header":{"method":"Get","attribute":"NodeInfo"},"tag":7}'
	for bad in "$good\\0" "\\0$good" '\0' "${good/:7/:\\0}" "${good/:7/:\"\\0\"}" "$good\\0$good"; do
		run -5 --separate-stderr madsend --dry-run -j --batch - < <(printf "$bad\n%s\n" "$good")
		[[ ${#stderr_lines[@]} -eq 1 && $stderr == "madsend: line 1: "* ]] || { echo "$bad: $stderr"; return 1; }
		[[ $(jq -c '[.kind, .tag]' <<<"${lines[1]}") == '["request",7]' ]]
	done
	printf 'Switch 2 "a"\n[1] "b"[1]\0[2] "c"[1]\nCa 1 "b"\n[1] "a"[1]\n' >net
	failed 5 "net: line 2, column 11" madsend --device sim:net Get NodeInfo
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
