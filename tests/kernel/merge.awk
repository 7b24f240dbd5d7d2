# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# awk -f merge.awk -v dir=DIR NAME...
# Makes one TAP stream of DIR/NAME.tap: numbers the assertions anew and puts the name before each. A test
# without a plan, with another number of assertions than planned, or whose exit status (DIR/NAME.rc) does
# not agree with its assertions is a failed assertion more. Exit status 1 if anything failed.
function result(good, text) {
    total++
    if (!good) failures++
    print (good ? "ok " : "not ok ") total " - " text
}

function merge(name,    line, file, seen, bad, planned, rc, part) {
    file = dir "/" name ".tap"
    planned = -1
    while ((getline line < file) > 0) {
        if (line ~ /^(not )?ok( |$)/) {
            seen++
            good = line ~ /^ok/ || line ~ /# *TODO/
            if (!good) bad++
            sub(/^(not )?ok *[0-9]*( *-)? */, "", line)
            result(good, name ": " line)
        } else if (line ~ /^1\.\.[0-9]+/) {
            planned = substr(line, 4) + 0
        } else {
            print (line ~ /^#/ ? line : "# " line)
        }
    }
    close(file)
    file = dir "/" name ".rc"
    if ((getline line < file) <= 0) {
        result(0, name ": did not end")
        return
    }
    close(file)
    split(line, part, " ")
    rc = part[1]
    print "# " name ": " seen + 0 " assertions, " part[2] " s"
    if (planned < 0) result(0, name ": printed no plan, exit status " rc)
    else if (planned != seen) result(0, name ": planned " planned " assertions, made " seen + 0)
    else if (planned == 0) result(0, name ": made no assertion")
    else if (rc != 0 && !bad) result(0, name ": exit status " rc " although every assertion held")
    else if (rc == 0 && bad) result(0, name ": exit status 0 although an assertion failed")
}

BEGIN {
    for (i = 1; i < ARGC; i++) merge(ARGV[i])
    print "1.." total
    exit failures > 0
}
