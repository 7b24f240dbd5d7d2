# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the cycles of calls among the files of one directory: a line "DIRECTORY: FILE FILE..." for each set of files
# that all use one another's functions or data, directly or through others. Reads what nm prints of the objects,
# in which each line has the name of its object.
#	nm -A $(find lib src sim -name '*.o') | awk -f tests/closure.awk -f tests/calls.awk

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
		if (!(part[2] in defines) || part[1] == defines[part[2]])
			continue
		split(part[1], from, ": ")
		split(defines[part[2]], to, ": ")
		if (from[1] == to[1])
			within[from[1]] = within[from[1]] from[2] "\n" to[2] "\n"
	}
	for (directory in within)
		calls_cycles(directory)
}

function calls_cycles(directory,    all, i, k, n, seen, name) {
	split("", reaches)
	split("", seen)
	n = split(within[directory], all, "\n") - 1
	for (i = 1; i <= n; i += 2) {
		reaches[all[i], all[i + 1]]
		seen[all[i]]
		seen[all[i + 1]]
	}
	n = 0
	for (i in seen) {
		for (k = n++; k && name[k - 1] > i; k--)
			name[k] = name[k - 1]
		name[k] = i
	}
	print_cycles(directory, name, n)
}
