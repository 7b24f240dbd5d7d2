# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion of madkit's commands. All words come from the commands themselves: options from
# --help, classes, attributes and fields from madsend --describe.

# "--option ARGUMENT" a line, for each option with a letter "-x ARGUMENT" too.
_madkit_options() {
	"$1" --help 2>/dev/null | sed -nE \
		-e 's/^  (-.), (--[A-Za-z-]+) ?([^ ]*) .*/\1 \3\n\2 \3/p' \
		-e 's/^      (--[A-Za-z-]+) ?([^ ]*) .*/\1 \2/p'
}

# The names under a key of --describe's JSON lines.
_madkit_names() {
	local key=$1
	shift
	madsend --describe -j "$@" 2>/dev/null | grep -oE "\"$key\":\"[^\"]*\"" | cut -d '"' -f 4 | sort -u
}

# _madkit_values ATTRIBUTE FIELD WORD: values and bits by name that begin with the word.
_madkit_values() {
	local field=$2 value
	while [[ $field =~ ^(.*)\[[0-9]*\](.*)$ ]]; do
		field=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
	done
	madsend --describe -j "$1" 2>/dev/null | grep -oiE "\"name\":\"${field//./\\.}\"[^}]*\"values\":\{[^}]*" |
		sed 's/.*"values":{//' | grep -oE ':"[^"]*"' | cut -d '"' -f 2 | sort -u |
		while read -r value; do
			[[ $value != "$3"* ]] || printf '%q\n' "$value"
		done
}

# _madkit_argument KIND WORD ATTRIBUTE: what an option's argument may be, by its name in --help.
_madkit_argument() {
	local words=()
	case $1 in
	FILE | 'FILE|-' | PATH)
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		compopt -o filenames 2>/dev/null
		return
		;;
	FMT) words=(text json hex raw) ;;
	AS) words=(echo ibping) ;;
	RULE) words=(fat-tree:) ;;
	HOW) words=(kernel user none) ;;
	CLASS) mapfile -t words < <(_madkit_names class) ;;
	M,..) words=(Get Set Send Trap Report TrapRepress) ;;
	A,B.C)
		[[ -z $3 ]] || mapfile -t COMPREPLY < <(compgen -P "${2%"${2##*,}"}" -W "$(_madkit_names name "$3")" -- "${2##*,}")
		return
		;;
	SPEC) mapfile -t words < <(madreg --list -j 2>/dev/null | grep -oE '"(device|umad":\{"path)":"[^"]*"' | grep -oE '[^"]*"$' | tr -d '"'); words+=(sim:) ;;
	NAME) mapfile -t words < <(madreg --list -j 2>/dev/null | grep -oE '"ca":"[^"]*"' | cut -d '"' -f 4 | sort -u) ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$2")
}

# _madkit_control WORD [WORDS...]: what madsim --control may be told next, after WORDS.
_madkit_control() {
	local cur=$1 next=''
	shift
	case $#/${1:-} in
	0/) next='link node fault counter stats quit' ;;
	1/fault) next='drop delay duplicate reorder corrupt garble list clear' ;;
	2/node) next='gone back' ;;
	3/link) next='down up' ;;
	*/fault)
		[[ $2 == list || $2 == clear ]] && return
		next='node= port= class= method= attribute= rate= nth= delay='
		compopt -o nospace 2>/dev/null
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$next" -- "$cur")
}

_madkit() {
	local command=${1##*/} cur=${COMP_WORDS[COMP_CWORD]} word joined='' skip='' taken='' i
	local -a positional=()
	local -A takes=()
	COMPREPLY=()

	while read -r word i; do
		takes[$word]=$i
	done < <(_madkit_options "$command")

	# bash splits words at = and : too
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word == : || $joined == : ]] || taken=''
		if [[ $word == [=:] ]]; then
			joined=$word
			[[ $word != : || ${#positional[@]} -eq 0 ]] || positional[-1]+=:
		elif [[ -n $joined ]]; then
			[[ -z $skip ]] || taken=$skip/$word
			skip=''
			[[ $joined != : || ${#positional[@]} -eq 0 ]] || positional[-1]+=$word
			joined=''
		elif [[ -n $skip ]]; then
			taken=$skip/$word
			skip=''
		elif [[ $word == -- ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
		elif [[ $word == -* ]]; then
			skip=${takes[$word]:-}
		else
			positional+=("$word")
		fi
	done

	[[ $cur != = ]] || { joined='=' cur=''; }
	[[ $cur != : ]] || { joined=':' cur=''; }
	if [[ $joined == : && $taken == SPEC/sim ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		return
	fi
	if [[ -n $skip ]]; then
		_madkit_argument "$skip" "$cur" "${positional[1]:-}"
		return
	fi
	if [[ $joined == = ]]; then
		((${#positional[@]} < 3)) || [[ $command == madsim ]] ||
			mapfile -t COMPREPLY < <(_madkit_values "${positional[1]}" "${positional[-1]}" "$cur")
		return
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${!takes[*]}" -- "$cur")
		return
	fi
	if [[ $command == madsim && " ${COMP_WORDS[*]} " == *' --control '* ]]; then
		_madkit_control "$cur" "${positional[@]}"
		return
	fi
	if [[ $command == madsim ]]; then
		_madkit_argument FILE "$cur"
		[[ -z $cur || fat-tree: != "$cur"* ]] || { COMPREPLY+=(fat-tree:) && compopt -o nospace 2>/dev/null; }
		return
	fi
	[[ $command == madsend || $command == madpoll ]] || return
	if [[ " ${COMP_WORDS[*]} " == *' --describe '* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_madkit_names class) $(_madkit_names attribute)" -- "$cur")
		return
	fi
	case ${#positional[@]} in
	0) mapfile -t COMPREPLY < <(compgen -W 'Get Set GetTable GetTraceTable GetMulti Delete Send Trap Report TrapRepress' -- "$cur") ;;
	1) mapfile -t COMPREPLY < <(compgen -W "$(_madkit_names attribute)" -- "$cur") ;;
	*)
		mapfile -t COMPREPLY < <(compgen -S = -W "$(_madkit_names name "${positional[1]}") data" -- "$cur")
		compopt -o nospace 2>/dev/null
		;;
	esac
}

complete -F _madkit madsend madrecv madpoll madreg madsim
