# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A manual page from its source: lines "@include NAME@" become the fragment
# common/NAME.man (without its licence line), "@function FILE NAME@" that function of
# examples/FILE.c, "@example NAME@" the program examples/NAME.c with its output, @VERSION@ the package's version.
# Needs -v common=DIR -v examples=DIR -v version=V.
/^@include [A-Za-z-]+@$/ {
	name = $2
	sub(/@$/, "", name)
	file = common "/" name ".man"
	n = 0
	while ((got = (getline line < file)) > 0) {
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
/^@function [a-z_]+ [a-z_]+@$/ {
	name = $3
	sub(/@$/, "", name)
	file = examples "/" $2 ".c"
	n = 0
	while ((getline line < file) > 0) {
		if (line ~ "^static .*[ *]" name "\\(")
			n = 1
		if (!n)
			continue
		gsub(/\\/, "\\e", line)
		gsub(/-/, "\\-", line)
		gsub(/\t/, "    ", line)
		print line
		if (line == "}")
			break
	}
	close(file)
	if (!n || line != "}") {
		print "no function " name " in " file > "/dev/stderr"
		exit 1
	}
	next
}
{ gsub(/@VERSION@/, version); print }
