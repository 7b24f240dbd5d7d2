# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints "FUNCTION FILE" or "FUNCTION FILE static" for each function that C sources define, if they are in the kernel's style: the head
# begins in column 0, and so does the "{" of the body. A function whose head and body are macros is not seen.
FNR == 1 { head = ""; comment = 0 }
{
	line = $0
	if (comment) {
		if (!sub(/^.*\*\//, "", line))
			next
		comment = 0
	}
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
	sub(/\/\/.*/, "", line)
	comment = sub(/\/\*.*/, "", line)
}
line ~ /^(#|$|[}])/ { head = ""; next }
line ~ /^[{]/ || line ~ /^[a-z].*\) *[{].*[}]$/ {
	if (line !~ /^[{]/)
		head = line
	gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", head)
	sub(/\(\*/, "", head)	# what returns a pointer to a function
	if (match(head, /[A-Za-z_][A-Za-z0-9_]* *\(/) && head !~ /^[^(]*=/) {
		name = substr(head, RSTART, RLENGTH - 1)
		sub(/ *$/, "", name)
		print name, FILENAME (head ~ /^ *static / ? " static" : "")
	}
	head = ""
	next
}
line ~ /;[ \t]*$/ && line !~ /^[ \t]/ { head = ""; next }
{ head = head " " line }
