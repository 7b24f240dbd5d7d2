# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes a manual page from its source. A line "@include NAME@" becomes the file NAME.man, without its licence line;
# "@example NAME@" the program examples/NAME.c with its output.
# @VERSION@, @DATE@ and @PKGDATADIR@ become the variables of these names.
# Needs -v fragments=DIR -v examples=DIR -v version=V -v date=D -v pkgdatadir=DIR.
/^@include [a-z-]+@$/ {
	name = $2
	sub(/@$/, "", name)
	file = fragments "/" name ".man"
	n = 0
	while ((getline line < file) > 0) {
		n++
		if (line !~ /SPDX-License-Identifier/)
			print line
	}
	close(file)
	if (!n) {
		print "no fragment " file > "/dev/stderr"
		exit 1
	}
	next
}
# Prints an example without its licence line.
function example(file,   n, line) {
	print ".EX"
	while ((getline line < file) > 0) {
		n++
		if (line ~ /SPDX-License-Identifier/)
			continue
		gsub(/\\/, "\\e", line)
		gsub(/-/, "\\-", line)
		gsub(/\t/, "    ", line)
		print line
	}
	close(file)
	print ".EE"
	if (!n) {
		print "no example " file > "/dev/stderr"
		exit 1
	}
}
/^@example [a-z_-]+@$/ {
	name = $2
	sub(/@$/, "", name)
	example(examples "/" name ".c")
	print ".PP\nOutput:\n.PP"
	example(examples "/" name ".out")
	next
}
{
	gsub(/@VERSION@/, version)
	gsub(/@DATE@/, date)
	gsub(/@PKGDATADIR@/, pkgdatadir)
	print
}
