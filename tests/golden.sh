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
def beside($suffix): # the key of what belongs to a value, or to an element of an array
	if .[-1] | type == "number" then .[:-2] + [.[-2] + $suffix, .[-1]]
	else .[:-1] + [.[-1] + $suffix] end;
# the symbols that the unit of a field may have, by its name
def unit: map(select(type == "string"))[-1] as $name
	| [["Temperature$|^Temperature(High|Low)$|^Threshold(High|Low)$", "C"], ["^Voltage", "V"], ["^(Max)?Power$", "W"],
	   ["^(Rx|Tx)Power(High|Low)?$", "dBm"], ["^TxBias(High|Low)?$", "mA"], ["^CableLength$", "m"],
	   ["^Attenuation", "dB"], ["^Wavelength$", "nm"], ["^(TimeSinceLastClear|UpTime)$", "s"], ["^DataRate$", "Gb/s"]]
	| map(. as $u | select($name | test($u[0])))[0] // [null, null] | .[1];
# Text has the symbol, and three digits or more, of which the last one is rounded.
def scaled($text; $v; $symbols):
	if $v == null then $text == "-"
	else ($text | capture("^(?<n>-?(?<int>[0-9]+)([.](?<part>[0-9]+))?)( (?<symbol>.*))?$")) as $t
	| ($t.n | tonumber) as $n
	| ($t.symbol // "" | test("^(" + $symbols + ")$")) and
	  ($n == $v or ((($t.int + ($t.part // "")) | ltrimstr("0") | length) > 2 and
	   ($n - $v | fabs) <= 0.5000001 * pow(10; -($t.part // "" | length)))) end;
def ber($text; $v):
	if $v == null then $text == "-"
	elif $v == 15e-255 then $text == "none seen"
	else ($text | tonumber? // null) == $v end;
def same($text; $key):
	getpath($key) as $v
	| ($key | beside("_name")) as $name
	| ($key | beside("_names")) as $names
	| if $text == "<not displayed>" then $v == null and (.redacted | index($key | join(".")) != null)
	  elif getpath($name) != null then $text == getpath($name)
	  elif getpath($name[:-1]) | has($name[-1]) then $text == "?(\($v))"
	  elif getpath($names) != null then
		([$text | split("\n\t\t\t\t")[] | split(" or ")[]] - getpath($names)) as $left
		| ($left | length) < 2 and
		  ($left == [] or $left[0] == "0" and $v == 0 or
		   $left[0] == "undefined (\($v))" or
		   $left[0] == $v or
		   ($left[0] | startswith("0x")) and ($left[0] | hex) == $v)
	  elif ($v | type) == "string" then
		$text == $v or
		($v | startswith("0x")) and ($text | test("^[0-9]+$")) and
		((($text | tonumber) / ($v | hex) - 1) | fabs) < 1e-15
	  elif $v == null and ($key[-1] | type == "string" and test("[0-9]$")) then
		# an element of an array, as libibmad calls it: Name0
		($key[-1] | capture("^(?<name>.*?)(?<n>[0-9]+)$")) as $e
		| same($text; $key[:-1] + [$e.name, ($e.n | tonumber)])
	  elif $text | startswith("0x") then ($text | hex) == $v
	  elif $key | map(select(type == "string"))[-1] | test("BER(Lane)?$") then ber($text; $v)
	  elif ($key | unit) != null then scaled($text; $v; $key | unit)
	  # jq has 53 bits
	  elif ($v | type) == "number" then ($text | tonumber? // null) == $v
	  else $text == ($v | tostring) end;
[$text | split("\n# ")[] | [split("\n")[1:][] | select(test("^[A-Za-z_0-9.\\[\\]]+:\\.*[^. ]|^\t"))]
	| join("\n") | [splits("\n(?!\t)")]] as $groups
| to_entries[] | .key as $n | .value
| . as $line
| [$groups[$n][]? | select(. != "") | capture("^(?<key>[^:]+):\\.*(?<value>(.|\n)*)$")
	| . as $f
	| select($line | same($f.value; ["data"] + [$f.key | scan("[^][.]+") | tonumber? // .]) | not) | "\($n) \(.key) \(.value)"]
| select(. != []) | .[]'
for json in "$dir"/*.json; do
	name=$(basename "$json" .json)
	count=$((count + 1))
	if jq -e -c . "$json" 2>&1 | cmp -s - "$json"; then
		echo "ok $count - $name.json, as jq writes it"
	elif jq -e . "$json" >/dev/null 2>&1 && grep -qE '\\u00(7f|[89])' "$json"; then
		echo "ok $count - $name.json (jq does not escape DEL and C1)"
	elif jq -e . "$json" >/dev/null 2>&1 && grep -qE ':[0-9]{17}' "$json"; then
		echo "ok $count - $name.json (jq has 53 bits of a number)"
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
