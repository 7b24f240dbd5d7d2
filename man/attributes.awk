# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The text of madsend --describe as a manual page: madkit-attributes(7).
# Needs -v version=V.
function plain(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	return text
}
BEGIN {
	print ".\\\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
	print ".\\\" made by man/attributes.awk from madsend --describe"
	print ".TH MADKIT\\-ATTRIBUTES 7 \"\" \"madkit " version "\" \"madkit\""
	# names are searched for: no hyphens in them
	print ".nh"
	print ".ad l"
	print ".SH NAME"
	print "madkit\\-attributes \\- classes, attributes and fields that madkit knows"
	print ".SH DESCRIPTION"
	print "What"
	print ".BR madsend (1)"
	print "and the other commands know by name, as"
	print ".B madsend \\-\\-describe"
	print "lists it. A field begins at a bit, counted from the first bit of the attribute, and is so"
	print "many bits wide; of an array the number of elements stands before, and after \"every\" the"
	print "bits from one to the next. Kinds: unsigned, counter (it stops at all ones), hex, guid, gid,"
	print "lid, enum and bits (with their names), string, bytes, key (not shown without"
	print ".BR \\-K )."
	print "\"where\" tells of a field that is there with certain values of others alone."
	print "Class SubnMgtDR, subnet management by directed route, has the attributes of SubnMgt."
}
/^# / {
	class = $2
	skip = class == "SubnMgtDR"
	if (skip)
		next
	if (class != last)
		print ".SH " toupper(plain(class))
	last = class
	name = $3
	sub(/:$/, "", name)
	about = $0
	sub(/^[^:]*: /, "", about)
	print ".SS " plain(name)
	print plain(toupper(substr(about, 1, 1)) substr(about, 2)) "."
	next
}
skip { next }
{
	at = index($0, ":")
	name = substr($0, 1, at - 1)
	about = substr($0, at + 1)
	sub(/^\.*/, "", about)
	print ".TP"
	print "\\fB" plain(name) "\\fR"
	print plain(about)
}
END {
	print ".SH SEE ALSO"
	print ".BR madsend (1),"
	print ".BR madrecv (1),"
	print ".BR madpoll (1)"
	if (last == "") {
		print "madsend --describe told nothing" > "/dev/stderr"
		exit 1
	}
}
