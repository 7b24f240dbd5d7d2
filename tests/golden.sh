#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The golden JSON by another reader: jq takes every line, and its values are
# those of the golden text, field by field.
dir=${top_srcdir:?}/tests/data/golden
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP jq is missing"
	exit
fi
count=0 status=0
# Text: "Name:....value", bit names indented below; one group a record.
# shellcheck disable=SC2016
compare='
def hex: ltrimstr("0x") | explode | map(if . > 90 then . - 87 else . - 48 end)
	| reduce .[] as $d (0; . * 16 + $d);
def same($text; $key):
	getpath($key) as $v
	| ($key[:-1] + [$key[-1] + "_name"]) as $name
	| ($key[:-1] + [$key[-1] + "_names"]) as $names
	| if $text == "<not displayed>" then $v == null and (.redacted | index($key | join(".")) != null)
	  elif getpath($name) != null then $text == getpath($name)
	  elif getpath($name[:-1]) | has($name[-1]) then $text == "?(\($v))"
	  elif getpath($names) != null then
		([$text | split("\n\t\t\t\t")[] | split(" or ")[]] - getpath($names)) as $left
		| ($left | length) < 2 and
		  ($left == [] or $left[0] == "0" and $v == 0 or
		   ($left[0] | startswith("0x")) and ($left[0] | hex) == $v)
	  elif ($v | type) == "string" then $text == $v
	  elif $text | startswith("0x") then ($text | hex) == $v
	  else $text == ($v | tostring) end;
[$text | split("\n# ")[] | [split("\n")[1:][] | select(test("^[A-Za-z_0-9.\\[\\]]+:\\.*[^. ]|^\t"))]
	| join("\n") | [splits("\n(?!\t)")]] as $groups
| to_entries[] | .key as $n | .value
| . as $line
| [$groups[$n][]? | select(. != "") | capture("^(?<key>[^:]+):\\.*(?<value>(.|\n)*)$")
	| . as $f
	| select($line | same($f.value; ["data"] + ($f.key | split("."))) | not) | "\($n) \(.key) \(.value)"]
| select(. != []) | .[]'
for json in "$dir"/*.json; do
	name=$(basename "$json" .json)
	count=$((count + 1))
	if jq -e -c . "$json" 2>&1 | cmp -s - "$json"; then
		echo "ok $count - $name.json, as jq writes it"
	elif jq -e . "$json" >/dev/null 2>&1 && grep -qE '\\u00(7f|[89])' "$json"; then
		echo "ok $count - $name.json (jq does not escape DEL and C1)"
	else
		echo "not ok $count - $name.json, as jq writes it"
		jq -e -c . "$json" 2>&1 | diff - "$json" | sed 's/^/# /' | cut -c 1-300
		status=1
	fi
	count=$((count + 1))
	# an error reply has no text but its title; odd text is escaped in another
	# way; tables in rows have no names
	case $name in
	nodedesc-odd | portinfo-bad | sa-error) wrong= ;;
	*) wrong=$(jq -s -r --rawfile text "$dir/$name.txt" "$compare" "$json" 2>&1) ;;
	esac
	if [ -z "$wrong" ]; then
		echo "ok $count - $name: the values of the text"
	else
		echo "not ok $count - $name: the values of the text"
		echo "$wrong" | sed 's/^/# /'
		status=1
	fi
done
echo "1..$count"
exit $status
