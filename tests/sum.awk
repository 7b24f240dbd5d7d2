# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# awk [-v all=1] -f sum.awk FILE...
# Sums TAP: prints "PASSED FAILED SKIPPED", and on standard error the failures, with the comments
# after it. One test is one line of TAP; a whole file skipped is one. Failures too are a file
# without a plan, each test fewer or more than planned, and "Bail out!"; with all, tests skipped
# because something "is missing" or "not installed".

function complain(text) { print name ": " text > "/dev/stderr" }

function finish() {
	if (!planned) {
		complain(seen ? "no plan" : "no TAP")
		failed++
	} else if (seen != plan) {
		complain(plan " tests planned, " seen " ran")
		failed += seen < plan ? plan - seen : seen - plan
	}
}

# From "# SKIP" on.
function skip(reason) {
	if (all && reason ~ /missing|not installed/) {
		complain("skipped, though all are wanted: " $0)
		failed++
	} else
		skipped++
}

function start() {
	name = FILENAME
	sub(/.*\//, "", name)
	planned = plan = seen = failing = 0
}

FNR == 1 { if (started++) finish(); start() }

/^1\.\.[0-9]+/ {
	if (planned++) {
		complain("two plans")
		failed++
	}
	plan = substr($1, 4) + 0
	if (!plan) {
		complain("skipped: " substr($0, index($0, "#") + 2))
		skip($0)
	}
}
/^(not )?ok( |$)/ {
	seen++
	failing = 0
	if (match($0, /# *[Ss][Kk][Ii][Pp]/))
		skip(substr($0, RSTART))
	else if (/^ok/)
		passed++
	else {
		failed++
		failing = 1
		complain($0)
	}
}
/^Bail out!/ { complain($0); failed++ }
failing && /^#/ { print "    " $0 > "/dev/stderr" }

END {
	# An empty file has no first line.
	if (started) finish()
	for (i = 1; i < ARGC; i++)
		if ((getline line < ARGV[i]) < 1) {
			name = ARGV[i]
			complain("no TAP")
			failed++
		}
	printf "%d %d %d\n", passed, failed, skipped
}
