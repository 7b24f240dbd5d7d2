# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the cycles of #include directives among the files of one directory: a line "DIRECTORY: FILE FILE..." for each
# set of files that all include one another, directly or through others. X.c and X.h count as one file, X. Headers are
# included as "NAME", or with their path below lib.
#	awk -f tests/closure.awk -f tests/cycles.awk lib/agent/*.[ch]

FNR == 1 {
	directory = file = FILENAME
	sub(/\/[^\/]*$/, "", directory)
	sub(/.*\//, "", file)
	sub(/\.[ch]$/, "", file)
	if (!(file in seen)) {
		seen[file]
		name[n++] = file
	}
	prefix = directory "/"
	sub(/^lib\//, "", prefix)
}
/^#include ["<]/ {
	header = substr($2, 2, length($2) - 2)
	if (index(header, prefix) == 1)
		header = substr(header, length(prefix) + 1)
	else if ($2 ~ /^</)
		next
	if (header !~ /\// && sub(/\.[ch]$/, "", header) && header != file)
		reaches[file, header]
}
END {
	print_cycles(directory, name, n)
}
