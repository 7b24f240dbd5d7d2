# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What smpquery, perfquery and saquery say, and whether our JSON says the same. To be sourced.

# Of dotted lines ("Field:.....value"), one line "Field<TAB>value" each. A line below a bit
# mask's line names its bits and has no dots.
dots() {
	sed -nE 's/^([A-Za-z0-9_ ]+):\.+(.*)$/\1\t\2/p'
}

# The same of saquery's records, whose hexadecimal numbers become decimal ones.
record_dots() {
	local name value
	sed -nE 's/^\t\t([A-Za-z0-9_]+)\.+([^.].*)$/\1\t\2/p' | while IFS=$'\t' read -r name value; do
		[[ $value != 0x* ]] || value=$((value))
		printf '%s\t%s\n' "$name" "$value"
	done
}

# agree COUNT ORACLE JSON: each field of ORACLE ("Field<TAB>value" lines) is in the data of the
# one line JSON, as that text, as the name of that number, or as that number (a secret is null); and
# there are at least COUNT.
agree() {
	local fields wrong
	fields=$(wc -l <<<"$2")
	((fields >= $1)) || { echo "the oracle gave $fields fields where $1 were expected:"; echo "$2"; return 1; }
	wrong=$(jq -rn --arg oracle "$2" --arg line "$3" '
		def hex: ascii_downcase | explode[2:]
			| reduce .[] as $c (0; . * 16 + (if $c > 57 then $c - 87 else $c - 48 end));
		($line | fromjson | .data) as $data
		| $oracle | split("\n")[] | split("\t") as [$field, $text]
		| $data[$field] as $value
		| select(if $text == "<not displayed>" then $value != null or ($data | has($field) | not)
			else $value == null or ([
			($value | tostring),
			$data[$field + "_name"],
			($data[$field + "_names"] // [] | join(" or "))
		] | any(. == $text) | not) and ($value | type == "number" and
			$value == ($text | if test("^0x[0-9a-fA-F]+$") then hex
				elif test("^[0-9]+$") then tonumber else null end) | not) end)
		| "\($field): theirs \($text), ours \($value) \($data[$field + "_name"] // $data[$field + "_names"] // "")"')
	[[ -z $wrong ]] || { echo "$wrong"; return 1; }
}

# A PathRecord of our JSON in the words of saquery: octets that hold a selector and a value stay whole.
path_as_saquery() {
	jq -r '.data | [
		["service_id", (.ServiceID | if type == "string" then 0 else . end)],
		["dgid", .DGID], ["sgid", .SGID], ["dlid", .DLID], ["slid", .SLID],
		["hop_flow_raw", .RawTraffic * 2147483648 + .FlowLabel * 256 + .HopLimit],
		["tclass", .TClass], ["num_path_revers", .Reversible * 128 + .NumbPath], ["pkey", .P_Key],
		["qos_class", .QoSClass], ["sl", .SL], ["mtu", .MTUSelector * 64 + .MTU],
		["rate", .RateSelector * 64 + .Rate], ["pkt_life", .PacketLifeTimeSelector * 64 + .PacketLifeTime],
		["preference", .Preference]][] | "\(.[0])\t\(.[1])"'
}

# lid_of PATH PORT: of the node at the end of a direct route
lid_of() { on "${FROM:-$FABRIC_SM_NODE}" smpquery portinfo -D "$1" "$2" | sed -n 's/^Lid:\.*//p'; }

# same COUNT ORACLE-COMMAND... -- OUR-ARGUMENTS...: both run on node $FROM, or the one with the subnet manager
same() {
	local count=$1 oracle=() theirs ours
	shift
	while [[ $1 != -- ]]; do
		oracle+=("$1")
		shift
	done
	shift
	theirs=$(on "${FROM:-$FABRIC_SM_NODE}" "${oracle[@]}" | dots)
	ours=$(on "${FROM:-$FABRIC_SM_NODE}" madsend -j "$@")
	[[ $(wc -l <<<"$ours") == 1 ]] || return
	agree "$count" "$theirs" "$ours"
}
