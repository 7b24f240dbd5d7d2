# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the cycles of calls among the files of one directory: a line "DIRECTORY: FILE FILE..." for each set of files
# that all use one another's functions or data, directly or through others. Reads what nm prints of the objects,
# in which each line has the name of its object.
#	nm -A $(find lib src shim -name '*.o') | awk -f tests/calls.awk

{
	object = $1
	sub(/:[0-9a-f]*$/, "", object)
	if (!(object in file)) {
		directory = name = object
		sub(/\/[^\/]*$/, "", directory)
		sub(/\/\.libs$/, "", directory)
		sub(/.*\//, "", name)
		sub(/\.o$/, "", name)
		# automake's prefix: the program or library
		sub(/^.*-/, "", name)
		file[object] = directory ": " name
	}
	if ($(NF - 1) ~ /^[TDRB]$/)
		defines[$NF] = file[object]
	else if ($(NF - 1) == "U")
		uses[file[object], $NF]
}
END {
	for (use in uses) {
		split(use, part, SUBSEP)
		from = part[1]
		if (!(part[2] in defines) || (to = defines[part[2]]) == from)
			continue
		directory = from
		sub(/: .*/, ": ", directory)
		if (index(to, directory) == 1) {
			reaches[from, to]
			within[directory] = within[directory] from "\n" to "\n"
		}
	}
	for (directory in within)
		calls_cycles(directory)
}

function calls_cycles(directory,    i, n, name, seen, all, via, from, to, printed, cycle) {
	split("", seen)
	n = split(within[directory], all, "\n") - 1
	for (i = 1; i <= n; i++)
		seen[all[i]]
	n = 0
	for (i in seen) {
		for (to = n++; to && name[to - 1] > i; to--)
			name[to] = name[to - 1]
		name[to] = i
	}
	for (via = 0; via < n; via++)
		for (from = 0; from < n; from++)
			if ((name[from], name[via]) in reaches)
				for (to = 0; to < n; to++)
					if ((name[via], name[to]) in reaches)
						reaches[name[from], name[to]]
	for (i = 0; i < n; i++) {
		if (!((name[i], name[i]) in reaches) || i in printed)
			continue
		cycle = name[i]
		for (to = i + 1; to < n; to++)
			if ((name[i], name[to]) in reaches && (name[to], name[i]) in reaches) {
				cycle = cycle " " substr(name[to], length(directory) + 1)
				printed[to]
			}
		print cycle
	}
}
