# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the cycles of #include directives among the files of one directory: a line "DIRECTORY: FILE FILE..." for each
# set of files that all include one another, directly or through others. X.c and X.h count as one file, X. Headers are
# included as "NAME", or with their path below lib.
#	awk -f tests/cycles.awk lib/agent/*.[ch]

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
	for (via = 0; via < n; via++)
		for (from = 0; from < n; from++)
			if ((name[from], name[via]) in reaches)
				for (to = 0; to < n; to++)
					if ((name[via], name[to]) in reaches)
						reaches[name[from], name[to]]
	for (i = 0; i < n; i++) {
		if (!((name[i], name[i]) in reaches) || i in printed)
			continue
		cycle = directory ": " name[i]
		for (j = i + 1; j < n; j++)
			if ((name[i], name[j]) in reaches && (name[j], name[i]) in reaches) {
				cycle = cycle " " name[j]
				printed[j]
			}
		print cycle
	}
}
