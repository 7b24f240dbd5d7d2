# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tasks.bash TABLE, inside madsim: runs the tasks of the table on node2.

set -u
here=$(dirname "${BASH_SOURCE[0]}")
. "$here/shell.bash"
export MADKIT_DEVICE=sim:unix:$MADSIM_SOCKET@node2 MADSIM_NODE=node2
failed=0 title=''

# in the table, --control needs no socket
# shellcheck disable=SC2317  # rows of the table call it
madsim() {
	[[ $1 == --control ]] && set -- --control "$MADSIM_SOCKET" "${@:2}"
	command madsim "$@"
}

fail() {
	echo "$title: $1"
	cat out
	failed=1
}

# run STATUS COMMAND: sets ms
run() {
	local want=$1 begin=${EPOCHREALTIME/./} status=0
	eval "$2" >out 2>&1 || status=$?
	ms=$(((${EPOCHREALTIME/./} - begin) / 1000))
	((status == want)) || fail "'$2' ended with $status, not $want"
}

finish() {
	[[ -n $title ]] || return
	run "$our_status" "$ours"
	our_ms=$ms
	grep -Eq -e "$regex" out || fail "'$ours' printed no line like '$regex'"
	ms=-
	[[ -z $theirs ]] || ! command -v perfquery >/dev/null || run "$their_status" "$theirs"
	[[ -z $clears ]] || eval "$clears" >/dev/null
	printf 'task\t%s\t%s\t%s\t%s\t%s\n' "$title" "${#ours}" "$our_ms" "${#theirs}" "$ms"
}

while IFS= read -r line <&3; do
	case $line in
	'== '*)
		finish
		title=${line#== } theirs='' clears=''
		;;
	'+ '*) eval "${line#+ }" >/dev/null ;;
	'$ '*) read -r _ our_status ours <<<"$line" ;;
	'% '*) read -r _ their_status theirs <<<"$line" ;;
	'~ '*) regex=${line#\~ } ;;
	'- '*) clears=${line#- } ;;
	esac
done 3<"$1"
finish
exit "$failed"
