# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madreg on a real kernel: what there is, who gets it, and why not.
# shellcheck disable=SC2154  # out and err are cmd_status's
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# ---- the list
cmd_status "list" 0 madreg --list
is "list: both ports" "$(grep '^#' <<< "$out")" "# umad:rxe0/1
# umad:rxe1/1"
is "list: lines as infiniband-diags has them" "$(grep -cvE '^#|^[A-Za-z]+:\.+[^.]' <<< "$out")" 0
for i in 0 1; do
    like "list: the device node of rxe$i, its mode and owner" "$out" "/dev/infiniband/umad$i mode 0600 root:root"
done
cmd_status "list as JSON" 0 madreg --list -j
json "$out" \
    "list: one line a port" 'map(.device) == ["umad:rxe0/1", "umad:rxe1/1"]' \
    "list: RoCE" 'all(.data.link_layer == "Ethernet")' \
    "list: active, no LID" 'map(.data) | all(.state == 4 and .state_name == "Active" and .lid == 0)' \
    "list: GUIDs" 'map(.data.port_guid) == ["0x000000fffe000001", "0x000000fffe000002"]' \
    "list: the umad devices" 'map(.data.umad.path) == ["/dev/infiniband/umad0", "/dev/infiniband/umad1"]' \
    "list: who may open the nodes" \
    '[.[].data | .umad, .issm] | all(.mode == "0600" and .owner == "root" and .group == "root" and .usable)' \
    "list: nobody has them open" '[.[].data | .umad, .issm] | all(.open_by == [])'
cmd_status "list of one" 0 madreg --list -C rxe1
is "list of one: that one" "$(grep '^#' <<< "$out")" "# umad:rxe1/1"
cmd_status "list of what is not there: 6" 6 madreg --list -C rxe9
one_line "list of what is not there: in words" "$err" 'no such port'
cmd_status "list, not as root" 0 "${nobody[@]}" madreg --list -j
json "$out" "list, not as root: not for this user" '[.[].data | .umad, .issm] | all(.usable | not)'

# ---- registered
cmd_status "a registration" 0 madreg -C rxe0 "${vendor[@]}" --method 0x10,Send
like "a registration: where" "$out" '^# registered: umad:rxe0/1 agent 0'
like "a registration: the methods" "$out" 'Methods:\.+Send,0x10'
cmd_status "as JSON" 0 madreg -C rxe0 "${vendor[@]}" --method 0x10,Send -j
json "$out" "as JSON: one line, an event" 'length == 1 and .[0].kind == "event"' \
    "as JSON: where" '.[0].device == "umad:rxe0/1" and .[0].agent == 0' \
    "as JSON: what" \
    '.[0].data | .registered and .class_id == 50 and .oui == 5125 and .methods == ["Send", "0x10"]'

# ---- refused: CAUSE ERRNO WORDS ARGUMENT..., and filters for json in more
more=()
refused() {
    local cause=$1 errno=$2 words=$3
    shift 3
    cmd_status "refused ($*): 1" 1 madreg -C rxe0 "$@" -j
    json "$out" "... an error" "length == 1 and .[0].kind == \"error\" and .[0].status.send == $errno" \
        "... the cause: $cause" \
        ".[0].data | (.registered | not) and .cause == \"$cause\" and .errno == $errno" "${more[@]}"
    one_line "... in words on standard error" "$err" "^madreg: umad:rxe0/1 refused: .*$words"
    more=()
}
refused class 22 0x50 --class 0x50
refused class-version 22 0x83 --class 0x0a --class-version 0x83
refused oui 22 OUI --class 0x32
refused rmpp-version 22 "RMPP version 2" "${vendor[@]}" --rmpp-version 2
refused rmpp-class 22 "does not use RMPP" --class PerfMgt --rmpp-version 1
refused no-smi 93 "no QP0" --class SubnMgt --method Get
more=("... the kernel module that may hold it" '.[0].data | .methods_taken == ["Send"] and
    .possible_holders == [{"kernel_module": "ib_cm", "loaded": true, "methods": ["Send"]}]')
refused methods-taken 22 "class CM: another agent is registered for method Send" --class CM --method Send
cmd_status "refused, as text" 1 madreg -C rxe0 --class CM --method Send
for line in '# refused: umad:rxe0/1' 'Cause:\.+methods-taken' 'Errno:\.+22 ' 'MethodsTaken:\.+Send' \
    'PossibleHolder:\.+kernel module ib_cm'; do
    like "... $line" $'\n'"$out" $'\n'"$line"
done

# ---- places that are used up: 8 vendors of a class version
held=()
for ((i = 1; i <= 8; i++)); do
    start "vendor$i" madreg -C rxe0 --class 0x33 --oui $i --method 0x10 --hold
    held+=("$pid")
    await says "$work/vendor$i.out" registered
done
more=("... the processes that have the port open"
    ".[0].data.possible_holders | map(.pid | tostring) | sort == (\"${held[*]}\" / \" \" | sort)")
refused agents-exhausted 12 "8 OUIs" --class 0x33 --oui 9 --method 0x10
cmd_status "another class version has places of its own" 0 madreg -C rxe0 --class 0x33 --class-version 2 --oui 9 --method 0x10
kill "${held[@]}"
for pid in "${held[@]}"; do ends "hold: SIGTERM: 143" "$pid" 143; done
cmd_status "a place is free again" 0 madreg -C rxe0 --class 0x33 --oui 9 --method 0x10

# ---- held
start holder madreg -C rxe0 "${vendor[@]}" --method 0x10 --hold
holder=$pid
await says "$work/holder.out" registered
more=("... which of them" '.[0].data.methods_taken == ["0x10"]'
    "... the process that has the port open"
    ".[0].data.possible_holders == [{\"pid\": $holder, \"command\": \"madreg\"}]")
refused methods-taken 22 0x10 "${vendor[@]}" --method Get,0x10
nothing_held='.[0].data | .possible_holders == [] and .processes_not_seen == 0 and .supported_flags == null'
more=("... nobody holds anything" "$nothing_held")
refused class 22 0x50 --class 0x50
more=("... nobody holds anything" "$nothing_held")
refused class-version 22 0x83 --class CM --class-version 0x83 --method Send
cmd_status "refused for the class, as text" 1 madreg -C rxe0 --class 0x50
is "... without a possible holder" "$(grep PossibleHolder <<< "$out")" ""
cmd_status "the other method is free" 0 madreg -C rxe0 "${vendor[@]}" --method Get
cmd_status "so is another port" 0 madreg -C rxe1 "${vendor[@]}" --method 0x10
cmd_status "list: who has it open" 0 madreg --list -j
json "$out" "list: that process" ".[0].data.umad.open_by == [{\"pid\": $holder, \"command\": \"madreg\"}]" \
    "list: and nobody the other port" '.[1].data.umad.open_by == []'
kill -TERM "$holder"
ends "hold: SIGTERM ends it with 143" "$holder" 143
is "hold: without a word" "$(<"$work/holder.err")" ""
cmd_status "hold: and gives the method back" 0 madreg -C rxe0 "${vendor[@]}" --method 0x10

# shellcheck disable=SC2016  # for the inner shell
cmd_status "hold -- COMMAND: its status" 7 madreg -C rxe0 "${vendor[@]}" --method 0x10 --hold -- \
    sh -c 'echo "from the command"; "$@" > /dev/null 2>&1; exit $(($? + 6))' sh \
    madreg -C rxe0 "${vendor[@]}" --method 0x10
is "hold -- COMMAND: standard output is the command's" "$out" "from the command"
cmd_status "hold -- COMMAND: given back after it" 0 madreg -C rxe0 "${vendor[@]}" --method 0x10
cmd_status "hold -- COMMAND: one that is not there: 127" 127 madreg -C rxe0 "${vendor[@]}" --hold -- /nonexistent
cmd_status "hold -- COMMAND: one that cannot run: 126" 126 madreg -C rxe0 "${vendor[@]}" --hold -- /etc/passwd

# ---- no device, no permission
cmd_status "not as root: 1" 1 "${nobody[@]}" madreg -C rxe0 --class PerfMgt -j
json "$out" "... with its cause" '.[0] | .kind == "error" and .status.send == 13 and (.data.registered | not) and
    .data.cause == "permission" and .data.errno == 13 and (.data.text | test("umad0.*0600"))'
cmd_status "a CA that is not there: 1" 1 madreg -C rxe9 --class PerfMgt -j
json "$out" "... with its cause" '.[0].data.cause == "no-device" and (.[0].data.text | test("no CA rxe9"))'
for command in "madreg --class PerfMgt" "madrecv --class PerfMgt" "madpoll --class PerfMgt" \
    "madsend Get PerfMgt:ClassPortInfo"; do
    # shellcheck disable=SC2086  # words
    {
        cmd_status "${command%% *}: none of two RoCE ports unasked: 1" 1 $command
        one_line "... and names them" "$err" 'rxe0/1 \(RoCE, Active\), rxe1/1 \(RoCE, Active\)'
        cmd_status "${command%% *}: a CA that is not there: 1" 1 $command -C rxe9
        one_line "... and names it" "$err" 'no CA rxe9'
        cmd_status "${command%% *}: not as root: 1" 1 "${nobody[@]}" $command -C rxe0
        one_line "... and names the node" "$err" 'no permission to open /dev/infiniband/umad0: .*0600'
    }
done
done_testing
