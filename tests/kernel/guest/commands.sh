# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Source me in a guest script after tap.sh: what the tests of the commands have in common. Every process
# costs a tenth of a second in the guest, so what bash can do it does.
# shellcheck disable=SC2034  # for the scripts
work=$(mktemp -d)
gid0=fe80::ff:fe00:1 gid1=fe80::ff:fe00:2
# A class that is free unless a test uses it, and an OUI.
vendor=(--class 0x32 --oui 0x001405)
mkfifo "$work/never"
exec {never}<> "$work/never"

# await COMMAND...: until it succeeds, 60 s at most
await() {
    local end=$((SECONDS + 60))
    until "$@"; do
        [ $SECONDS -lt $end ] || { diag "not in 60 s: $*"; return 1; }
        read -r -t 0.02 -u "$never"
    done
    return 0
}

# Conditions, which leave alone what they look at. says FILE TEXT: FILE holds TEXT; ended PID; lines FILE N;
# waits PID: it sleeps in poll() and has a umad device open, that is a listener without a banner listens
says() { [[ $(<"$1") == *"$2"* ]]; }
ended() { [ ! -e "/proc/$1" ] || [[ $(cat "/proc/$1/stat" 2>/dev/null || echo ") Z ") == *") Z "* ]]; }
lines() { local all; mapfile -t all < "$1"; [ ${#all[@]} -ge "$2" ]; }
waits() {
    local call fd
    # poll is 7 here, ppoll 271
    { read -r call _ < "/proc/$1/syscall"; } 2>/dev/null || return
    [ "$call" = 7 ] || [ "$call" = 271 ] || return
    for fd in "/proc/$1/fd/"*; do [[ $(readlink "$fd") != */umad* ]] || return 0; done
    return 1
}

# start NAME COMMAND...: in the background; $work/NAME.out and NAME.err, and $pid. A shell lets such a
# command ignore SIGINT, which this does not.
start() {
    local name=$1
    shift
    # now, not when the other process does it: an old file of that name must not be read
    : > "$work/$name.out"
    : > "$work/$name.err"
    env --default-signal "$@" > "$work/$name.out" 2> "$work/$name.err" < /dev/null &
    pid=$!
}

# listen NAME COMMAND...: start, and wait until its banner says that it listens
listen() {
    start "$@" --banner
    await says "$work/$1.err" listening
}

# ends DESCRIPTION PID STATUS: the process ends with STATUS, in 60 s
ends() {
    local got
    await ended "$2" || kill -KILL "$2"
    wait "$2"
    got=$?
    is "$1" "$got" "$3"
}

# json TEXT DESCRIPTION FILTER [DESCRIPTION FILTER]...: each filter holds of the lines of TEXT, as an array
json() {
    local text=$1 program="empty" descriptions=() filters=() results i
    shift
    while [ $# -gt 1 ]; do
        descriptions+=("$1")
        filters+=("$2")
        program+=", (try ($2) catch false)"
        shift 2
    done
    mapfile -t results < <(jq -sc "$program" <<< "$text" 2>&1)
    for i in "${!filters[@]}"; do
        is "${descriptions[i]}" "${results[i]:-}" true || { diag "${filters[i]}"; diag "$text"; }
    done
}

# one_line DESCRIPTION TEXT REGEX: TEXT is one line, and matches
one_line() {
    [[ $2 =~ $3 && $2 != *$'\n'* ]]
    tap_result $? "$1" || { diag "   got: $2"; diag "wanted one line with: $3"; return 1; }
}

# took DESCRIPTION SINCE LEAST MOST: milliseconds since SINCE, of now_ms
took() {
    local elapsed=$((${EPOCHREALTIME/./} / 1000 - $2))
    [ $elapsed -ge "$3" ] && [ $elapsed -le "$4" ]
    tap_result $? "$1" || { diag "$elapsed ms, wanted $3 to $4"; return 1; }
}
now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }
