# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion of madkit's commands. All words come from the commands themselves: options from
# --help, classes, attributes and fields from madsend --describe.
#
# bash inserts a word as it is, and executes what the word contains: names from files, devices and fabrics pass through
# _madkit_quoted, and names of files are completed with "compopt -o filenames", which quotes them.

# "--option ARGUMENT" a line, for each option with a letter "-x ARGUMENT" too.
_madkit_options() {
	"$1" --help 2>/dev/null | sed -nE \
		-e 's/^  (-.), (--[A-Za-z-]+) ?([^ ]*) .*/\1 \3\n\2 \3/p' \
		-e 's/^      (--[A-Za-z-]+) ?([^ ]*) .*/\1 \2/p'
}

# _madkit_offer WORD [SUFFIX [PREFIX]]: the lines of standard input that begin with WORD, ignoring case.
_madkit_offer() {
	local line
	while IFS= read -r line; do
		[[ -z $line || ${line,,} != "${1,,}"* ]] || COMPREPLY+=("${3:-}$line${2:-}")
	done
}

# The names under a key of --describe's JSON lines.
_madkit_names() {
	local key=$1
	shift
	madsend --describe -j "$@" 2>/dev/null | grep -oE "\"$key\":\"[^\"]*\"" | cut -d '"' -f 4 | sort -u
}

# _madkit_attributes METHOD [CLASS]: those that the method may have; all of them for a method without a name.
_madkit_attributes() {
	local lines omit='^$'
	# the subnet administrator is not on each node
	[[ ${command:-} != madsweep ]] || omit='"class":"SA"'
	lines=$(madsend --describe -j ${2:+"$2"} 2>/dev/null)
	{ [[ $1 =~ ^[A-Za-z]+$ ]] && grep -iE "\"methods\":\[[^]]*\"$1\"" <<<"$lines" || echo "$lines"; } |
		grep -v "$omit" | grep -oE '"attribute":"[^"]*"' | cut -d '"' -f 4 | sort -u
}

# The attributes of which madsweep --clear resets counters.
_madkit_clears() {
	madsend --describe -j PerfMgt 2>/dev/null | grep '"methods":\[[^]]*"Set"' |
		grep -E '\{"name":"CounterSelect",[^{}]*"count":1,[^{}]*"kind":"bits"' | grep -oE '"attribute":"[^"]*"' | cut -d '"' -f 4 | sort -u
}

# _madkit_port_names [PREFIX]: the fields of the object "port" of madsweep.
_madkit_port_names() {
	_madkit_names name port | sed "s/^/${1:-}/"
}

# _madkit_fields ATTRIBUTE OPTION: the names that an expression, or a list of fields, may have.
_madkit_fields() {
	if [[ ${command:-} != madsweep ]]; then
		[[ -z $1 ]] || _madkit_names name "$1"
	elif [[ -z $1 || $2 == --select ]]; then
		_madkit_port_names
	else
		# fields of a list A,B are those of each
		_madkit_names name "${1%%,*}"
		_madkit_port_names port.
	fi
	[[ $2 != --fields || " ${COMP_WORDS[*]} " != *' '--@(route|mlid)[' =']* ]] || echo hop
}

# _madkit_swept TOPOLOGY: names of nodes that are known without the fabric: those of a name map, and of a simulated one.
_madkit_swept() {
	local file='' i
	for ((i = 1; i + 1 < ${#COMP_WORDS[@]}; i++)); do
		[[ ${COMP_WORDS[i]} == --node-name-map ]] || continue
		file=${COMP_WORDS[i + 1]}
		[[ $file != = ]] || file=${COMP_WORDS[i + 2]:-}
	done
	file=${file/#\~\//"$HOME/"}
	[[ ! -f $file ]] || sed -nE 's/^[[:blank:]]*0x[0-9A-Fa-f]+[[:blank:]]+"([^"]*)".*/\1/p' -- "$file"
	if [[ $1 == unix:* ]]; then
		_madkit_records "$1" NodeDescription
	elif [[ -n $1 ]]; then
		_madkit_nodes "$1"
	fi
}

# _madkit_methods [ATTRIBUTE]: those that the attribute may have.
_madkit_methods() {
	madsend --describe -j "$@" 2>/dev/null | grep -oE '"methods":\[[^]]*' | grep -oE '"[A-Z][A-Za-z]*"' | tr -d '"' | sort -u
}

# _madkit_values ATTRIBUTE FIELD WORD: values and bits by name that begin with the word, or with the part after its last comma.
_madkit_values() {
	local field=$2 listed='' described i
	[[ $3 != *,* ]] || listed=${3%,*},
	while [[ $field =~ ^(.*)\[[0-9]*\](.*)$ ]]; do
		field=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
	done
	described=$(madsend --describe -j "$1" 2>/dev/null | grep -oiE "\"name\":\"${field//./\\.}\"[^}]*\"values\":\{[^}]*")
	_madkit_offer "${3#"$listed"}" < <(
		[[ ${field,,} != counterselect* || $described != *'"kind":"bits"'* ]] || echo all
		printf '%s\n' "$described" | sed 's/.*"values":{//' | grep -oE ':"[^"]*"' | cut -d '"' -f 2 | sort -u | _madkit_quoted
	)
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=$listed${COMPREPLY[i]}
	done
}

# Lines as a shell's words.
_madkit_quoted() {
	local line
	while IFS= read -r line; do
		[[ -z $line ]] || printf '%q\n' "$line"
	done
}

# _madkit_ports KEY [CA]: a key of the ports of this machine, or of an adapter.
_madkit_ports() {
	madreg --list -j 2>/dev/null | grep -F "\"ca\":${2:+"\"$2\","}" | grep -oE "\"$1\":(\"[^\"]*\"|[0-9]+)" | sed 's/^[^:]*://' | tr -d '"' | sort -u
}

# Whether reading a topology ends: it is generated, served, or a regular file; options may follow the name.
_madkit_ends() {
	local file=$1
	[[ -e $file ]] || file=${file%%,*}
	[[ $1 == @(unix|fat-tree):* || -f $file ]]
}

# _madkit_records TOPOLOGY KEY: a key of the nodes of a simulated fabric, in memory or served, as its SA has them.
# Values with an escape other than \" and \\ are omitted.
_madkit_records() {
	local topology=${1/#\~\//"$HOME/"}
	_madkit_ends "$topology" || return
	madsend --device "sim:$topology" --deadline 1000 -K -j GetTable NodeRecord 2>/dev/null |
		grep -oE "\"$2\":(\"([^\"\\]|\\\\[\"\\])*\"|[0-9]+)" | sed -E 's/^[^:]*://; s/^"(.*)"$/\1/; s/\\(["\])/\1/g' | sort -u
}

# The attribute that a request behind the cursor has: madpoll --until EXPR Get PortInfo.
_madkit_attribute_behind() {
	local i
	for ((i = COMP_CWORD + 1; i + 1 < ${#COMP_WORDS[@]}; i++)); do
		[[ ${COMP_WORDS[i]} == @(Get|Set|GetTable|GetMulti|Delete) ]] || continue
		echo "${COMP_WORDS[i + 1]}"
		return
	done
}

# _madkit_expression WORD ATTRIBUTE OPTION: names of fields for the name that an expression ends with.
_madkit_expression() {
	local text=${1#[\'\"]} name
	name=${text##*[!A-Za-z0-9_.]}
	_madkit_offer "$name" '' "${text%"$name"}" < <(_madkit_fields "$2" "$3")
	compopt -o nospace 2>/dev/null
}

# _madkit_nodes TOPOLOGY [KIND]: names or descriptions of the nodes of a file or of a generated topology.
_madkit_nodes() {
	local line='^[A-Za-z]+[[:blank:]]+[0-9]+[[:blank:]]+"([^"]*)"' file=${1/#\~\//"$HOME/"}
	[[ ${2:-} == name ]] || line+='[^#]*#[[:blank:]]*"([^"]*)"'
	if [[ -f $file ]]; then
		cat -- "$file"
	elif [[ $1 == fat-tree:* ]]; then
		madsim --generate "$1"
	fi 2>/dev/null | sed -nE "s/$line.*/\\$([[ ${2:-} == name ]] && echo 1 || echo 2)/p" | sort -u
}

# _madkit_argument KIND WORD ATTRIBUTE OPTION CA TOPOLOGY: what an option's argument may be, by its name in --help.
_madkit_argument() {
	local words='' before=''
	[[ $1 != *,.. && $1 != A,B.C && $1 != A,B ]] || before=${2%"${2##*,}"}
	case $1 in
	FILE | 'FILE|-' | PATH)
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		compopt -o filenames 2>/dev/null
		return
		;;
	FMT)
		words='text table csv json hex raw'
		[[ ${command:-} != madsweep ]] || words+=' dot prometheus'
		;;
	WHEN) words='auto always never' ;;
	AS) words='echo ibping' ;;
	RULE) words=fat-tree: ;;
	VL15) words=typical ;;
	HOW) words='kernel user none' ;;
	SOURCE) words='smp sa' ;;
	CLASS) words=$(_madkit_names class) ;;
	HAVE,..) words='roce planar single' ;;
	M,..) words='Get Set Send Trap Report TrapRepress' ;;
	TRAP,..) words=$(madsend --describe -j SubnMgt:Notice 2>/dev/null | grep -oE '"TrapNumber":\[[0-9,]*' | grep -oE '[0-9]+' | sort -nu) ;;
	A,B.C) words=$(_madkit_fields "$3" "$4") ;;
	A,B)
		if [[ $4 == --rules ]]; then
			_madkit_offer "${2#"$before"}" '' "$before" < <(
				echo standard
				madcheck --list-rules 2>/dev/null | sed -nE '/^subnet/q; s/^([a-z]+) .*/\1/p'
			)
			return
		fi
		_madkit_offer "${2#"$before"}" '' "$before" < <(_madkit_swept "$6" | sort -u | _madkit_quoted)
		return
		;;
	ATTRIBUTE) words=$(_madkit_clears) ;;
	BY)
		[[ $2 == -* ]] || words='guid name'
		[[ $2 != -* ]] || before=-
		[[ -z $3 ]] || words+=" $(_madkit_fields "$3" "$4")"
		;;
	KEY)
		[[ ${command:-} == mad@(check|port|reg|sweep) && $4 != --sm-key ]] || return
		_madkit_offer "$2" < <(echo @)
		[[ $2 != @* ]] || mapfile -t COMPREPLY < <(compgen -P @ -f -- "${2#@}" | _madkit_quoted)
		compopt -o nospace 2>/dev/null
		return
		;;
	SPEC) words="$(_madkit_ports device) $(_madkit_ports path | grep -v issm) sim:" ;;
	NAME) words=$(_madkit_ports ca) ;;
	N) [[ $4 != -m && $4 != --mod ]] || words=all
		[[ $4 != -P && $4 != --Port ]] || words=$(_madkit_ports port "$5") ;;
	HOST)
		[[ -z $6 ]] || _madkit_offer "$2" < <(
			if [[ $6 == unix:* ]]; then
				_madkit_records "$6" NodeDescription
			else
				_madkit_nodes "$6"
			fi | _madkit_quoted
		)
		return
		;;
	NODE)
		if [[ ${command:-} == madsweep ]]; then
			_madkit_offer "$2" < <(_madkit_swept "$6" | sort -u | _madkit_quoted)
			return
		fi
		[[ -z $6 ]] || _madkit_offer "$2" < <(_madkit_nodes "$6" name | _madkit_quoted)
		return
		;;
	LID) words=$(_madkit_records "$6" LID) ;;
	GUID) words=$(_madkit_records "$6" PortGuid) ;;
	EXPR)
		_madkit_expression "$2" "$3" "$4"
		return
		;;
	esac
	_madkit_offer "${2#"$before"}" '' "$before" < <(tr ' ' '\n' <<<"$words" | _madkit_quoted)
}

# _madkit_control WORD [WORDS...]: what madsim --control may be told next, after WORDS.
_madkit_control() {
	local cur=$1 next='' socket='' i
	shift
	case $#/${1:-} in
	1/link | 1/node | 1/agent | 1/info | 1/join | 1/leave | 1/counter | 1/errors | 1/traffic | 1/sysfs | \
		1/cable | 1/module | 1/temperature | 1/ber | 1/fec | 1/reason | 1/register | 1/vkey)
		for ((i = 1; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} != --control ]] || socket=${COMP_WORDS[i + 1]}
		done
		# the word is not expanded yet
		# shellcheck disable=SC2016
		[[ ${socket//[\"{\}]/} != '$MADSIM_SOCKET' ]] || socket=${MADSIM_SOCKET:-}
		[[ -z $socket ]] || _madkit_offer "$cur" < <(_madkit_records "unix:$socket" NodeDescription | _madkit_quoted)
		return
		;;
	0/) next='link node agent info join leave fault counter errors traffic cable module temperature ber fec reason register vkey stats sysfs quit' ;;
	1/fault) next='drop delay duplicate reorder corrupt garble answer list clear' ;;
	[23]/node)
		next='firmware= psid='
		(($# > 2)) || next="gone back $next"
		[[ $cur != [fp]* ]] || compopt -o nospace 2>/dev/null
		;;
	2/agent)
		next='mute slow= normal'
		[[ $cur != s* ]] || compopt -o nospace 2>/dev/null
		;;
	3/agent) next='smi gsi' ;;
	[3-5]/link)
		next='width= speed= mtu='
		(($# > 3)) || next="down up best flap= supported= enabled= shows= $next"
		[[ ${4:-} != @(supported|enabled|shows)* ]] || next='supported= enabled= shows='
		[[ $cur != [wsmfe]* ]] || compopt -o nospace 2>/dev/null
		;;
	[3-6]/traffic)
		next='gbps= packets= sl='
		compopt -o nospace 2>/dev/null
		;;
	*/cable | */module | */ber)
		case $1 in
		cable) next='vendor= part= serial= length= type= technology= identifier=' ;;
		module) next='temperature= voltage= rx= tx= bias= state= error= diagnosis=' ;;
		ber) next='raw= effective= symbol=' ;;
		esac
		(($# < 3)) && return
		[[ $1 != cable || $# -gt 3 ]] || next="none $next"
		[[ $cur == n* ]] || compopt -o nospace 2>/dev/null
		;;
	2/register)
		next='refuse= noecho wrong=register wrong=block wrong=port wrong=page off normal'
		[[ $cur != r* ]] || compopt -o nospace 2>/dev/null
		;;
	*/fault)
		[[ $2 == list || $2 == clear ]] && return
		next='node= port= class= method= attribute= rate= nth= delay='
		[[ $2 != answer ]] || next='as= as-modifier= as-port= node= port= class= method= attribute= rate= nth='
		compopt -o nospace 2>/dev/null
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$next" -- "$cur")
}

# _madkit_command BEGIN TOPOLOGY: a command behind "--" and its own words, in the fabric of madsim.
_madkit_command() {
	local begin=$1 _madkit_fabric=$2
	if ((begin == COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
		compopt -o filenames 2>/dev/null
	elif [[ ${COMP_WORDS[begin]} == mad@(send|recv|poll|reg|sweep) ]]; then
		local -a words=("${COMP_WORDS[@]:begin}")
		local -a COMP_WORDS=("${words[@]}")
		local COMP_CWORD=$((COMP_CWORD - begin))
		_madkit "${words[0]}"
	else
		_madkit_argument FILE "${COMP_WORDS[COMP_CWORD]}"
	fi
}

_madkit() {
	local command=${1##*/} cur=${COMP_WORDS[COMP_CWORD]} word joined='' skip='' taken='' option='' ca='' before='' i
	local topology=''
	local -a positional=()
	local -A takes=()
	COMPREPLY=()

	while read -r word i; do
		takes[$word]=$i
	done < <(_madkit_options "$command")

	# bash splits words at =, : and @ too
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word == : || $joined == : ]] || taken=''
		if [[ $word == [=:@] ]]; then
			joined=$word
			[[ $word != : || ${#positional[@]} -eq 0 ]] || positional[-1]+=:
		elif [[ -n $joined ]]; then
			[[ -z $skip ]] || taken=$skip/$word
			[[ $skip != NAME ]] || ca=$word
			skip=''
			if [[ $joined == : && $taken == SPEC/sim ]]; then
				topology+=${topology:+:}$word
			elif [[ $joined == : && ${#positional[@]} -gt 0 ]]; then
				positional[-1]+=$word
			fi
			joined=''
		elif [[ -n $skip ]]; then
			taken=$skip/$word
			[[ $skip != NAME ]] || ca=$word
			skip=''
		elif [[ $word == -- ]]; then
			[[ $command == madsim ]] || positional=()
			_madkit_command $((i + 1)) "${positional[0]:-}"
			return
		elif [[ $word == -* ]]; then
			skip=${takes[$word]:-}
			option=$word
		else
			positional+=("$word")
		fi
	done

	[[ $cur != [=:@] ]] || { joined=$cur cur=''; }
	[[ -n $joined ]] || taken=''
	if [[ $joined == : && $taken == SPEC/sim && $cur != *@* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		return
	fi
	if [[ $joined == : && $taken == SPEC/umad ]]; then
		_madkit_offer "$cur" < <(_madkit_ports device | sed 's/^umad://' | _madkit_quoted)
		return
	fi
	# --m-key @FILE
	if [[ $skip == KEY && $joined == @ ]]; then
		_madkit_argument FILE "$cur"
		return
	fi
	if [[ $taken == SPEC/sim || $joined == @ ]]; then
		[[ $cur != *@* ]] || topology=${cur%@*}
		_madkit_offer "${cur##*@}" '' "${cur%"${cur##*@}"}" < <(_madkit_nodes "${topology%@*}" name | _madkit_quoted)
		return
	fi
	[[ $command != madsim ]] || topology=${positional[0]:-}
	[[ -n $topology || ${MADKIT_DEVICE:-} != sim:* ]] || topology=${MADKIT_DEVICE#sim:}
	topology=${topology:-${_madkit_fabric:-}}
	if [[ -n $skip ]]; then
		_madkit_argument "$skip" "$cur" "${positional[1]:-$(_madkit_attribute_behind)}" "$option" "$ca" "${topology%@*}"
		return
	fi
	if [[ $joined == = ]]; then
		((${#positional[@]} < 3)) || [[ $command == madsim ]] ||
			_madkit_values "${positional[1]}" "${positional[-1]}" "$cur"
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
	if [[ $command == madport ]]; then
		local -a actions=(disable enable reset speed width)
		word=${positional[*]: -1}
		[[ $word != speed ]] || actions=(auto SDR DDR QDR FDR EDR HDR NDR XDR)
		[[ $word != width ]] || actions=(auto 1x 2x 4x 8x 12x)
		_madkit_offer "$cur" < <(
			printf '%s\n' "${actions[@]}"
			((${#positional[@]})) || _madkit_swept "${topology%@*}" | sort -u | _madkit_quoted
		)
		return
	fi
	[[ $command == mad@(send|poll|sweep) ]] || return
	if [[ " ${COMP_WORDS[*]} " == *' --describe '* ]]; then
		_madkit_offer "$cur" < <(_madkit_names class; _madkit_names attribute)
		return
	fi
	if [[ $joined == : && ${#positional[@]} -eq 2 ]]; then
		_madkit_offer "$cur" < <(_madkit_attributes "${positional[0]}" "${positional[1]%%:*}")
		return
	fi
	case ${#positional[@]} in
	0)
		if [[ $command == madsweep ]]; then
			_madkit_offer "$cur" < <(echo Get)
			return
		fi
		word=${COMP_WORDS[COMP_CWORD + 1]:-}
		[[ ${COMP_WORDS[COMP_CWORD + 2]:-} != : ]] || word+=:${COMP_WORDS[COMP_CWORD + 3]:-}
		[[ $word != -* ]] || word=''
		_madkit_offer "$cur" < <(_madkit_methods ${word:+"$word"})
		;;
	1)

		[[ $command != madsweep ]] || before=${cur%"${cur##*,}"}
		_madkit_offer "${cur#"$before"}" '' "$before" < <(_madkit_attributes "${positional[0]}")
		;;
	*)
		_madkit_offer "$cur" = < <(_madkit_names name "${positional[1]%%,*}"; echo data)
		compopt -o nospace 2>/dev/null
		;;
	esac
}

complete -F _madkit madcheck madport madsend madrecv madpoll madreg madsim madsweep madwatch
