# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For cycles.awk and calls.awk: prints the cycles among the files name[0] to name[n - 1], of which reaches[A, B] says that
# A uses B: "DIRECTORY: FILE FILE..." for each set of files that all use one another, directly or through others.
function print_cycles(directory, name, n,    i, j, via, from, to, cycle, printed) {
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
