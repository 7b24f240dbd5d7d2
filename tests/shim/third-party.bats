#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each program of infiniband-diags with each of its options, by third-party.table.

load common

setup_file() {
	serve fat-tree:2,2,2
	until_true 60 on "h2-2 HCA-1" grep -q ACTIVE /sys/class/infiniband/sim0/ports/1/state
	export THIRD=$SERVED_DIR/third
	mkdir -p "$THIRD"
	printf '0x200002 "first leaf"\n' >"$THIRD/names"
	: >"$THIRD/config"
	echo 'SymbolErrorCounter=100' >"$THIRD/thresholds"
	local name path
	while read -r name path; do
		echo "s/{$name}/$(on "h1-1 HCA-1" smpquery portinfo -D "$path" 0 | dotted Lid)/g"
	done >"$THIRD/lids" <<-'END'
		h1-1 0
		leaf1 0,1
		h1-2 0,1,2
		spine1 0,1,3
		leaf2 0,1,3,2
		h2-1 0,1,3,2,1
	END
	echo "s/{SM}/$(on "h1-1 HCA-1" smpquery portinfo -D 0 0 | dotted SMLid)/g; s/{CA}/$(on "h1-1 HCA-1" ibstat -l)/g; s|{DIR}|$THIRD|g" >>"$THIRD/lids"
	filled <<<'{h1-1} {h1-2}
{h1-1} {h2-1}' >"$THIRD/pairs"
	on "h1-1 HCA-1" dump_lfts >"$THIRD/lfts"
	join h1-1 fe80::10:1
	join h1-2 fe80::10:3
	spawn ibping "h2-1 HCA-1" ibping -S
	spawn ibsysstat "h2-1 HCA-1" ibsysstat -S
	until_true 10 on "h1-1 HCA-1" ibping -c 1 -t 100 "$(filled <<<'{h2-1}')"
	until_true 10 on "h1-1 HCA-1" ibsysstat -t 100 "$(filled <<<'{h2-1}')"
}

# join NAME GID: so that there is a multicast tree
join() {
	madsend -q --device "sim:unix:$SERVED_SOCKET@$1 HCA-1" Set MCMemberRecord MGID=ff12:401b:ffff::ffff:ffff PortGID="$2" JoinState=1 >/dev/null
}

filled() { sed -f "$THIRD/lids"; }

# rows: without comments
rows() { sed '/^#/d; /^$/d' "$BATS_TEST_DIRNAME/third-party.table"; }

# say WHAT OUTPUT
say() { printf '%s\n%s\n' "$1" "$2" | sed 's/^/# /' >&3; }

# row_run COMMAND: sets out and status
row_run() {
	local -a words
	read -ra words <<<"$1"
	status=0
	out=$(on "h1-1 HCA-1" "${words[@]}" </dev/null 2>&1) || status=$?
}

# row_holds COMMAND STATUS PATTERN
row_holds() {
	local out status
	row_run "$1"
	[[ $status == "$2" ]] || { say "$1: status $status" "$out"; return 1; }
	case $3 in
	'') ;;
	-) [[ -z ${out//[[:space:]]/} ]] || { say "$1: prints" "$out"; return 1; } ;;
	*) printf '%s\n' "$out" | grep -Ezq -- "$3" || { say "$1: no $3" "$out"; return 1; } ;;
	esac
}

# row_split ROW: sets mark, command, wanted, pattern and why
row_split() {
	local rest=$1
	mark=
	[[ $rest != [=!]\ * ]] || { mark=${rest:0:1}; rest=${rest:2}; }
	why=
	[[ $rest != *\ \;\;\ why:\ * ]] || { why=${rest##* ;; why: }; rest=${rest% ;; why: *}; }
	command=${rest%% ;; *} rest=${rest#* ;; }
	wanted=${rest%% ;;*} pattern=${rest#* ;;} pattern=${pattern# }
}

# Without what differs from run to run: times, processes, counters of what the program itself sends
steady() { sed -E 's/time [0-9.]+ ms|[0-9.]+\/[0-9.]+\/[0-9.]+ ms|activity count [0-9]+|ibwarn: \[[0-9]+\]|generated on .*|(Xmit|Rcv|Unicast)[A-Za-z]*(Data|Pkts):?\.+[0-9]+|vm\.\S*|^Mkey:.*//g'; }

common_options() {
	cat <<-'END'
		--Ca {CA}
		--Port 1
		--timeout 2000
		--sm_port {SM}
		--m_key 0
		--show_keys
		--errors
		--config {DIR}/config
		--verbose
		--debug
	END
}

programs() { dpkg -L infiniband-diags | sed -n 's|^/usr/s\{0,1\}bin/||p' | sort; }

@test "each row gives its status and its output" {
	local row command wanted pattern why mark failed=0 n=0
	while IFS= read -r row; do
		row_split "$row"
		row_holds "$command" "$wanted" "$pattern" || failed=$((failed + 1))
		n=$((n + 1))
	done < <(rows | filled)
	echo "# $n rows, $failed failed" >&3
	((n > 250 && !failed))
}

@test "common options do not change a result" {
	local row command wanted pattern why mark option failed=0 n=0 out status base first help program
	while IFS= read -r row; do
		row_split "$row"
		[[ $mark == "=" ]] || continue
		row_run "$command"
		first=$status base=$(steady <<<"$out")
		program=${command%% *}
		help=$("$program" --help </dev/null 2>&1) || :
		while read -r option; do
			[[ $help == *" ${option%% *}"[,\ ]* ]] || continue
			row_run "$program $option${command#"$program"}"
			[[ $status == "$first" && ($option == --debug || $option == --verbose || $base == "$(steady <<<"$out")") ]] ||
				{ say "$program $option${command#"$program"}" "$out"; failed=$((failed + 1)); }
			n=$((n + 1))
		done < <(common_options | filled)
	done < <(rows | filled)
	echo "# $n runs, $failed failed" >&3
	((n > 120 && !failed))
}

@test "the table has each program, and each option of each program" {
	local program long short missing=0 common
	common=" $(common_options | sed 's/ .*//' | tr '\n' ' ') --help --version "
	for program in $(programs); do
		grep -qE "^([=!] )?$program( |$)" <(rows) || { say "no row" "$program"; missing=$((missing + 1)); }
		while read -r long short; do
			[[ $common != *" $long "* ]] || continue
			{ rows; sed -n 's/^\tspawn [a-z]* "[^"]*" //p' "$BATS_TEST_FILENAME"; } | grep -E "^([=!] )?$program " |
				sed 's/ ;;.*//' | grep -qE -- " ($long${short:+|$short})( |$)" ||
				{ say "$program: no row with" "$long $short"; missing=$((missing + 1)); }
		done < <({ "$program" --help </dev/null 2>&1 || :; } | sed -nE 's/^  (--[A-Za-z][A-Za-z_-]*),? ?(-[A-Za-z])?( .*|$)/\1 \2/p')
	done
	((!missing))
}

@test "what fails has its reason in madsim(1)" {
	local row command wanted pattern why mark page n=0
	page=$(sed -n '/^\.SH NOT SIMULATED/,/^\.SH [^N]/p' "$MADKIT_BUILD/man/madsim.1")
	while IFS= read -r row; do
		row_split "$row"
		[[ $mark == "!" ]] || continue
		[[ $why && $page == *"$why"* ]] || { say "no reason" "$row"; return 1; }
		n=$((n + 1))
	done < <(rows)
	((n > 5))
}
