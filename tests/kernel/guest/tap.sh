# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Source me in a guest script: assertions that print TAP. End the script with done_testing; without its
# plan a script counts as died.
tap_count=0 tap_failed=0
tap_errors=$(mktemp)

# tap_result STATUS DESCRIPTION: one line; STATUS 0 is ok
tap_result() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
    fi
    return "$1"
}

# diag TEXT: each line of TEXT as a diagnostic
diag() { printf '%s\n' "$1" | sed 's/^/#   /'; }

# ok DESCRIPTION COMMAND [ARGUMENT...]: the command succeeds
ok() {
    local description=$1
    shift
    "$@"
    tap_result $? "$description" || { diag "failed: $*"; return 1; }
}

# is DESCRIPTION GOT WANTED: equal strings
is() {
    [ "$2" = "$3" ]
    tap_result $? "$1" || { diag "   got: $2"; diag "wanted: $3"; return 1; }
}

# like DESCRIPTION GOT REGEX: GOT matches the extended regular expression
like() {
    [[ $2 =~ $3 ]]
    tap_result $? "$1" || { diag "   got: $2"; diag "wanted a match of: $3"; return 1; }
}

# cmd_status DESCRIPTION STATUS COMMAND [ARGUMENT...]: the command exits with STATUS. Leaves its
# standard output in $out and its standard error in $err.
# shellcheck disable=SC2034  # out and err are for the caller
cmd_status() {
    local description=$1 wanted=$2 got
    shift 2
    out=$("$@" 2>"$tap_errors")
    got=$?
    err=$(<"$tap_errors")
    [ "$got" -eq "$wanted" ]
    tap_result $? "$description" || {
        diag "exit status $got, wanted $wanted: $*"
        diag "standard output: $out"
        diag "standard error: $err"
        return 1
    }
}

# done_testing: the plan; status 1 if an assertion failed
done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}
