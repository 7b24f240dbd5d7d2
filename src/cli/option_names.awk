# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Lists the options of the tables in preprocessed sources: the rows of the arrays struct option_row COMMAND_rows[].
# Macros are expanded by then, so that a row begins with its letter (or 0) and its name.
BEGIN { print "/* Made by src/cli/option_names.awk from the tables of the commands. */" }
/struct option_row [a-z]+_rows\[\]/ {
	match($0, /[a-z]+_rows\[\]/)
	command = substr($0, RSTART, RLENGTH - 7)
}
command != "" {
	rest = $0
	while (match(rest, /\{ *('.'|0), *"[A-Za-z0-9-]+"/)) {
		row = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		sub(/^\{ */, "", row)
		print "{ \"" command "\", " row " },"
		n++
	}
	if ($0 ~ /^};/)
		command = ""
}
END { exit n < 100 }
