#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The manual pages say what the commands do: each option of --help is described,
# each option described exists, and the pages are well-formed.
build=${top_builddir:?}
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "${top_srcdir:?}/tests/tap.sh"

helped=$(mktemp); described=$(mktemp); shared=$(mktemp)
trap 'rm -f "$helped" "$described" "$shared"' EXIT
plain() { sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e 's/\\//g' "$@"; }
long() { grep -oE -- '--[A-Za-z][A-Za-z-]*' | sort -u; }
# The options with a paragraph of their own, and those that the section of common options names.
own() { plain "$1" | grep -E '^(-[A-Za-z], )?--[A-Za-z]' | long; }
common() { plain "$1" | sed -n '/^\.SS Common options/,/^\.SH/p' | sed '/^\.TP/,$!d' | long; }

pages=$(find "$build/man" -name 'mad*.[137]' | sort)
none "there are manual pages" "$([ "$(echo "$pages" | wc -l)" -ge 36 ] || echo "$pages")"
if command -v mandoc > /dev/null; then
	none "every page is well-formed" "$(echo "$pages" | while read -r page; do mandoc -Tlint -W warning "$page"; done)"
	none "a command's page has at most 250 lines" "$(for page in "$build"/man/*.1; do
		lines=$(mandoc -Tascii -O width=78 "$page" | wc -l)
		[ "$lines" -le 250 ] || echo "$page: $lines lines"
	done)"
else
	skip "every page is well-formed" "mandoc is not installed"
fi
if command -v man groff > /dev/null; then
	none "man has no warning about a page" "$(echo "$pages" | while read -r page; do
		man --warnings -l "$page" 2>&1 > /dev/null | sed "s|^|$page: |"
	done)"
else
	skip "man has no warning about a page" "man or groff is not installed"
fi
none "every page has a date" "$(echo "$pages" | xargs grep -LE '^\.TH [^ ]+ [137] "20[0-9]{2}-[01][0-9]-[0-3][0-9]" ')"
none "every page of a command has the same sections" "$(for page in "$build"/man/*.1; do
	for section in NAME SYNOPSIS DESCRIPTION EXAMPLES OPTIONS 'EXIT STATUS' SECURITY 'SEE ALSO'; do
		grep -qx "\.SH $section" "$page" || echo "$page: no $section"
	done
done)"

own "$build/man/madkit-options.7" > "$shared"
commands=$(sed -n 's/^bin_PROGRAMS = //p' "$top_srcdir/Makefile.am")
for command in $commands; do
	page=$build/man/$command.1
	"$build/$command" --help < /dev/null 2>&1 | grep -E '^ *(-[A-Za-z], +)?--[A-Za-z]' | sed -E 's/^ *(-[A-Za-z], +)?(--[A-Za-z-]+).*/\2/' |
		sort -u > "$helped"
	{ own "$page"; common "$page"; } | sort -u > "$described"
	none "$command --help lists options" "$([ -s "$helped" ] || echo none)"
	none "$command.1 has each option of --help" "$(comm -23 "$helped" "$described")"
	none "$command.1 has no option that --help does not list" "$(comm -13 "$helped" "$described")"
	none "madkit-options.7 describes the common options of $command.1" "$(common "$page" | comm -23 - "$shared")"
done
none "madkit-options.7 describes only options of several commands" "$(for command in madsend madrecv madpoll madreg madsweep madcheck madport madwatch; do
	common "$build/man/$command.1"
done | sort -u | comm -13 - "$shared" | grep -vx -e --smkey -e --pkey-idx)"

# The page that is made from --describe has all of it.
page=$build/man/madkit-attributes.7
"$build/madsend" --describe -j < /dev/null | grep -v '"class":"SubnMgtDR"' |
	grep -oE '"(attribute|name)":"[^"]*"' | sort -u | cut -d '"' -f 4 > "$helped"
sed -nE -e 's/^\.SS (.*)/\1/p' -e 's/^\\fB(.*)\\fR$/\1/p' "$page" | sed 's/\\-/-/g' | sort -u > "$described"
none "--describe lists attributes and fields" "$([ "$(wc -l < "$helped")" -gt 700 ] || wc -l "$helped")"
none "madkit-attributes.7 has each of them" "$(sort -u "$helped" | comm -23 - "$described")"

# madkit(7), and the pages that are made from the public headers.
src=${top_srcdir:?}
pages() { find "$build/man" -name '*madkit*.[37]' ! -name '*attributes*' | sort; }
nouns() { for header in "$src"/lib/madkit/*.h; do basename "$header" .h; done | grep -vxE 'decls|madkit'; }
none "there are public headers" "$([ "$(nouns | wc -l)" -ge 20 ] || nouns)"
none "each public header has its page" "$(for noun in $(nouns); do
	[ -s "$build/man/madkit_$noun.3" ] || echo "$noun"
done)"
none "... and its example, with what that prints" "$(for noun in $(nouns); do
	for file in "$noun.c" "$noun.out"; do
		[ -s "$src/man/examples/$file" ] || echo "man/examples/$file"
	done
done)"
none "each example is that of a public header or of libmadkit(3)" "$(for file in "$src"/man/examples/*; do
	file=${file##*/}
	file=${file%.*}
	{ echo libmadkit; nouns; } | grep -qxF "${file%%-*}" || echo "$file"
done)"
none "libmadkit(3) names the page of each public header" "$(for noun in $(nouns); do
	grep -qF ".BR madkit_$noun (3)" "$build/man/libmadkit.3" || echo "$noun"
done)"
faults() { awk -v noun="$1" -v list=faults -f "$src/man/header.awk" "$2"; }
none "each function is documented with its parameters and its return value" "$(for noun in $(nouns); do
	faults "$noun" "$src/lib/madkit/$noun.h"
done)"
cat > "$helped" << 'EOF'
/*
 * madkit_fault - a header with faults
 */

/*
 * madkit_fault_a - documents another parameter
 * @wrong: not a parameter
 */
int madkit_fault_a(int a, ...);

void madkit_fault_b(int b);
EOF
none "... which is checked" "$(faults fault "$helped" | sort > "$described"; diff "$described" - << 'EOF'
madkit_fault_a has no parameter wrong
madkit_fault_a: @... is missing
madkit_fault_a: @a is missing
madkit_fault_a: Return: is missing
madkit_fault_b: @b is missing
madkit_fault_b: the comment begins with ""
EOF
)"
none "no parameter is shown with its @" "$(pages | xargs grep -nE '(^|[^A-Za-z0-9])@[a-z]')"
none "no paragraph is a piece of a word" "$(pages | xargs grep -nE '^[A-Za-z]$|[^/] /$')"
# the kernel's present and former interface for its own users of MADs
kernel=$KERNEL_HEADERS/include/rdma/ib_mad.h
if [ -r "$kernel" ]; then
	{ printf '%s\n' ib_process_mad_wc ib_redirect_mad_qp ib_register_mad_snoop ib_mad_snoop_handler
		sed -nE 's/^typedef .*\(\*(ib_[a-z_]+)\)\(.*/\1/p' "$kernel"
		grep -oE '\b(ib|opa)_[a-z0-9_]+ ?\(' "$kernel" | tr -d ' ('; } | sort -u > "$helped"
	pages | xargs sed -n '/^\.SH DIFFERENCES/,/^\.SH EXAMPLES/p' | grep -oE '\b(ib|opa)_[a-z0-9_]+' | sort -u > "$described"
	none "the kernel has functions for MADs" "$([ "$(wc -l < "$helped")" -gt 20 ] || cat "$helped")"
	none "each function of the kernel's has its twin" "$(comm -23 "$helped" "$described")"
	sed -n "/^Each function and each handler/,/^\.SH/p" "$build/man/libmadkit.3" | grep -oE '\b(ib|opa)_[a-z0-9_]+' |
		grep -vxF ib_mad | sort -u > "$described"
	none "L2: libmadkit(3) lists each of them" "$(comm -23 "$helped" "$described")"
	none "L2: ... and no other" "$(comm -13 "$helped" "$described")"
else
	skip "each function of the kernel's has its twin" "no $kernel"
fi
words() { tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9_' '\n' | grep . | sort -u; }
# the names of the pages, and the exported names
cut -d ' ' -f 1 "$build/man/aliases" | sort -u > "$helped"
sed -n '/^};/q; s/^	\(madkit_[a-z0-9_]*\);$/\1/p' "$src/lib/libmadkit.sym" | sort -u > "$described"
none "only names lead to pages" "$(grep -vxE 'madkit_[a-z0-9_]+' "$helped")"
none "each exported name leads to a page" "$(comm -13 "$helped" "$described")"
none "libmadkit(3) names nothing else" "$(grep -oE '^\.BR madkit_[a-z_]+ \(3\)|madkit_[a-z_]+\(\)' \
	"$build/man/libmadkit.3" | grep -oE 'madkit_[a-z_]+' | sort -u | while read -r name; do
	[ -e "$build/man/$name.3" ] || grep -qxF "$name" "$helped" || echo "$name"
done)"
if command -v mandoc > /dev/null; then
	none "... which has it in its description, with all that the header says" "$(for noun in $(nouns); do
		LC_ALL=C.UTF-8 mandoc -Tutf8 "$build/man/madkit_$noun.3" | sed "s/.$(printf '\b')//g" > "$described"
		sed -n "s/ madkit_$noun\$//p" "$build/man/aliases" | while read -r name; do
			[ "$(grep -cE "(^|[ *(])$name(\(|\)|;)" "$described")" -ge 2 ] || echo "$name"
		done
		# no word of its comments may be lost, except those in inline functions
		awk '/^static inline/ { skip = 1 } !skip { text = text "\n" $0 } /^}/ { skip = 0 }
			END {
				while ((at = index(text, "/*")) > 0) {
					text = substr(text, at)
					end = index(text, "*/")
					print substr(text, 3, end - 3)
					text = substr(text, end + 2)
				}
			}' "$src/lib/madkit/$noun.h" | grep -v SPDX | words > "$helped"
		words < "$described" | comm -23 "$helped" - | sed "s/^/$noun: /"
	done)"
else
	skip "... which has it in its description" "mandoc is not installed"
fi
tap_done
