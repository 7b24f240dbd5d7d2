# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The text of madsend --describe as a manual page: madkit-attributes(7).
# Needs -v version=V -v date=D.
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
	print ".TH MADKIT\\-ATTRIBUTES 7 \"" date "\" \"madkit " version "\" \"madkit\""
	# names are searched for: no hyphens in them
	print ".nh"
	print ".ad l"
	print ".SH NAME"
	print "madkit\\-attributes \\- classes, attributes and fields that madkit knows by name"
	print ".SH DESCRIPTION"
	print "This page lists the names that"
	print ".BR madsend (1)"
	print "and the other commands accept and print.  It is generated from"
	print ".BR \"madsend \\-\\-describe\" ."
	print ".PP"
	print "For each field, it has the first bit, counted from the start of the attribute, and the width in bits."
	print "For an array, it has the number of elements and, after \"every\", the distance between two elements."
	print "If a field exists only with certain values of other fields, these follow \"where\"."
	print "Class SubnMgtDR (directed routes) has the attributes of SubnMgt."
	print ".PP"
	print "The kind of a field determines its values:"
	print ".TP"
	print ".B unsigned\n0 or a positive number"
	print ".TP"
	print ".B counter\na number that stops at its maximum"
	print ".TP"
	print ".BR hex \", \" lid \", \" guid\na number that is printed in hexadecimal (lid: decimal)"
	print ".TP"
	print ".B gid\nan IPv6 address"
	print ".TP"
	print ".BR enum \", \" bits\nnamed values, or a set of named bits; the names follow"
	print ".TP"
	print ".BR string \", \" bytes\ntext, or hexadecimal digits"
	print ".TP"
	print ".B key\na secret, not shown without"
	print ".B \\-K"
	print ".TP"
	print ".B scaled\na number with a unit, and the fraction of it that one bit is; \"null if\": bits that mean that there is no value"
	print ".TP"
	print ".B ber\na bit error rate: a coefficient from 0 to 15 and a power of ten, such as 1.5e\\-15; \"none seen\" is 15e\\-255, which expressions"
	print "and sort keys count as 0. A rate with the coefficient 0 is null: it is not known, or the lane does not exist."
	print ".SS Sources of registers"
	print "The layouts of registers of NVIDIA\\(aqs devices (ModuleInfo and others of class Mlnx) are from mstflint, which is free software."
	print "After \"also\", letters list further sources that have a field at the same position and with the same width:"
	print ".TP"
	print ".B L\nmlx5_ifc.h of the Linux kernel"
	print ".TP"
	print ".B S\nmlxsw/reg.h of the Linux kernel"
	print ".TP"
	print ".B F\nmlx5_ifc.h of FreeBSD"
	print ".TP"
	print ".B T\na public program that reads these pages"
	print ".PP"
	print "A field marked \"one source\" is only in mstflint, and may be wrong."
	print "An attribute marked \"experimental\" is in no source: its layout is a guess from published values."
	print "Registers have not yet been tried on hardware, and say so."
	print "The aliases are the names of mstflint and mlxlink, without blanks; they are accepted as names."
	print ".SS Requests that clear or reset"
	print "Registers are only read: the method of these attributes is Get, and bits that no field has are 0 in a request."
	print "Some fields of registers clear or reset something even on a Get."
	print "They have no name, and are sent as 0: clr and counters_cap of PPCNT (clears the counters of the port; returns other data),"
	print "mtr and mte of MTMP (resets the highest temperature), and rst of PMAOS (resets the module)."
	print "PDDR page 9 and MCIA have no attribute: they clear latched flags of the module, and MCIA selects its pages."
	print "To send such a request nevertheless, write its bytes:"
	print ".B madsend \\-\\-class Mlnx \\-m REGISTER Get AccessRegisterGMP data=HEX"
	print "(or Set)."
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
	print ".BR madpoll (1),"
	print ".BR madkit (7)"
	if (last == "") {
		print "madsend --describe printed nothing" > "/dev/stderr"
		exit 1
	}
}
