#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Declarations of the conformance suite: every case can be run somewhere, cases that only the simulated fabric
# can run are listed with the reason, and a lane's TAP is checked against them (tests/conformance/ran).
src=${top_srcdir:?}
build=${top_builddir:?}
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "${top_srcdir:?}/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
only=$src/tests/conformance/ONLY-HERE
"$build/tests/conformance/conformance" --list > "$work/list" || exit 1

none "80 cases or more" "$(awk 'END { if (NR < 80) print NR }' "$work/list")"
none "each has a name of its own" "$(cut -d' ' -f1 "$work/list" | sort | uniq -d)"
none "each can be run somewhere" "$(awk '$3 == "-" { print $1 }' "$work/list")"
none "what passes on no fabric but ours is listed" "$(awk '$3 !~ /kernel|ibsim/ { print $1 }' "$work/list" |
	sort > "$work/ours"; awk '{ print $1 }' "$only" | sort | comm -13 - "$work/ours")"
none "... and nothing else" "$(awk '{ print $1 }' "$only" | sort | comm -23 - "$work/ours")"
none "... each with a reason" "$(awk 'NF < 2' "$only")"
none "... and 15 of them at most" "$(awk 'NR > 15' "$only")"

# A lane that omits a case, runs one too many or has an undeclared name.
for place in kernel ibsim sim madsim shim; do
	awk -v place=$place '{ here = index("," $3 ",", "," place ",")
		print "ok " NR " - " $1 (here ? "" : " # SKIP " place " has no such thing") }' "$work/list" > "$work/tap"
	none "what ran at $place is what is declared" "$("$src/tests/conformance/ran" $place "$work/tap" < "$work/list")"
done
is_bad() { # WHAT FILE
	"$src/tests/conformance/ran" kernel "$2" < "$work/list" > "$work/said" && bad=accepted || bad=
	none "$1" "$bad$([ -s "$work/said" ] || echo 'says nothing')"
}
awk '$3 ~ /kernel/ { print "ok " NR " - conformance: " $1; next } { print "ok " NR " - conformance: " $1 " # SKIP" }' \
	"$work/list" > "$work/good"
none "the kernel lane names its program before the case" "$("$src/tests/conformance/ran" kernel "$work/good" < "$work/list")"
sed 5d "$work/good" > "$work/tap"
is_bad "a case that is missing is noticed" "$work/tap"
sed '5s/$/ # SKIP no time/' "$work/good" > "$work/tap"
is_bad "so is one that was skipped" "$work/tap"
{ cat "$work/good"; echo "ok 999 - conformance: smi/new"; } > "$work/tap"
is_bad "... and one that nobody declared" "$work/tap"
tap_done
