# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How the commands end when they are not left alone: signals, closed standard output, an unplugged device.
# shellcheck disable=SC2154  # out and err are cmd_status's
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"
. "$(dirname "$0")/devices.sh"
to1=(-C rxe0 --gid "$gid1" "${vendor[@]}")

# ---- signals: a request that waits. That it does shows at the other side.
for signal in INT:130 TERM:143 HUP:129; do
    listen recv madrecv -C rxe1 "${vendor[@]}" --method 0x10 -n 1
    start request madsend "${to1[@]}" -t 60000 0x10 0x10
    await says "$work/recv.out" Vendor
    kill -"${signal%:*}" "$pid"
    ends "madsend: SIG${signal%:*} while it waits: ${signal#*:}" "$pid" "${signal#*:}"
    is "... without output" "$(<"$work/request.out")$(<"$work/request.err")" ""
done

# ---- signals: a listener, whose agent is gone afterwards
for signal in TERM:143 INT:130; do
    listen recv madrecv -C rxe1 "${vendor[@]}" --method 0x10 -j
    cmd_status "madrecv: holds its method" 1 madreg -C rxe1 "${vendor[@]}" --method 0x10
    madsend "${to1[@]}" --no-response 0x10 0x10
    await lines "$work/recv.out" 1
    kill -"${signal%:*}" "$pid"
    ends "madrecv: SIG${signal%:*}: ${signal#*:}" "$pid" "${signal#*:}"
    json "$(<"$work/recv.out")" "madrecv: what had come by then is whole" 'length == 1'
    cmd_status "madrecv: its method is free again" 0 madreg -C rxe1 "${vendor[@]}" --method 0x10
done
start poll madpoll -C rxe1 "${vendor[@]}" --method 0x10
await waits "$pid"
kill -INT "$pid"
ends "madpoll: SIGINT: 130" "$pid" 130

# ---- standard output
for command in "madreg --list" "madsend -C rxe0 Get PerfMgt:ClassPortInfo -j"; do
    # shellcheck disable=SC2016,SC2086  # for the inner shell; words
    {
        cmd_status "${command%% *}: standard output closed: 1" 1 bash -c '"$@" >&-' bash $command
        like "... in words" "$err" 'standard output'
        cmd_status "${command%% *}: standard output full: 1" 1 bash -c '"$@" > /dev/full' bash $command
        like "... in words" "$err" 'standard output: No space left'
    }
done
mkfifo "$work/fifo"
: > "$work/fifo.err"
env --default-signal madrecv -C rxe1 "${vendor[@]}" --banner -j > "$work/fifo" 2> "$work/fifo.err" &
pid=$!
exec {reader}< "$work/fifo"
await says "$work/fifo.err" listening
madsend "${to1[@]}" Send 0x10 data=01
read -r -t 60 -u "$reader" line
json "$line" "a pipe: the line is there while it goes on listening" 'length == 1'
exec {reader}<&-
madsend "${to1[@]}" Send 0x10 data=02
await ended "$pid"
wait "$pid"
like "a pipe that nobody reads any more ends it: 1, or as by SIGPIPE" "$?" '^(1|141)$'
cmd_status "... and its agent is gone" 0 madreg -C rxe1 "${vendor[@]}" --method Send

# ---- the device goes away
listen recv madrecv -C rxe1 "${vendor[@]}" --method 0x10
recv=$pid
start poll madpoll -C rxe1 "${vendor[@]}" --method 0x11
poll=$pid
start both madpoll --device umad:rxe0 --device umad:rxe1 "${vendor[@]}" --method 0x13
both=$pid
start hold madreg -C rxe1 "${vendor[@]}" --method 0x12 --hold
hold=$pid
listen silent madrecv -C rxe0 "${vendor[@]}" --method 0x10 -n 1
start request madsend -C rxe1 --gid "$gid0" "${vendor[@]}" -t 60000 0x10 0x10
request=$pid
await says "$work/silent.out" Vendor
await waits "$poll"
await waits "$both"
await says "$work/hold.out" registered
rdma link delete rxe1
ends "unplug: madrecv: 1" "$recv" 1
ends "unplug: madpoll: 1" "$poll" 1
await says "$work/both.err" gone
await waits "$both"
kill -TERM "$both"
ends "D4: unplug: madpoll of two waits on the other: 143" "$both" 143
ends "unplug: madreg --hold: 1" "$hold" 1
ends "unplug: madsend: 1" "$request" 1
one_line "unplug: madrecv says so" "$(grep -v listening "$work/recv.err")" '^madrecv: umad:rxe1/1: the device is gone$'
one_line "unplug: madpoll says so" "$(<"$work/poll.err")" '^madpoll: umad:rxe1/1: the device is gone$'
one_line "unplug: madpoll of two says so" "$(<"$work/both.err")" '^madpoll: umad:rxe1/1: the device is gone$'
one_line "unplug: madreg says so" "$(<"$work/hold.err")" '^madreg: umad:rxe1/1: the device is gone$'
one_line "unplug: madsend says so" "$(<"$work/request.err")" '^madsend: .*umad:rxe1/1: the device is gone$'
is "unplug: madpoll does not call that readable" "$(<"$work/poll.out")" ""
cmd_status "unplugged: 1" 1 madrecv -C rxe1 "${vendor[@]}"
one_line "... and says what there is" "$err" 'no CA rxe1; there is rxe0/1'
cmd_status "rxe0 is alone now, and taken unasked" 0 madreg "${vendor[@]}"
like "... it is" "$out" '^# registered: umad:rxe0/1'
devices_up
cmd_status "plugged in again" 0 madreg -C rxe1 "${vendor[@]}" --method 0x10,0x11,0x12
done_testing
