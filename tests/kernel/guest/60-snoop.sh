# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv --snoop: other processes' MADs, by the kernel's trace events.
# shellcheck disable=SC2154  # out and err are cmd_status's
# shellcheck disable=SC2016  # jq's variables
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"
to1=(-C rxe0 --gid "$gid1" "${vendor[@]}")
tracing=/sys/kernel/tracing
instances() { local all=("$tracing/instances/"*); echo "${all[*]##*/}"; }
none='*'	# the pattern itself

# tids FILE: how many lines have the TID
tids() { [ "$(grep -c "\"tid\":\"$2\"" "$1")" -ge "$3" ]; }

# ---- a request and its response, between two processes that are not the one that looks on
listen snoop madrecv --snoop -j
snoop=$pid
is "the banner" "$(<"$work/snoop.err")" "madrecv: listening on every port"
is "an instance of its own" "$(instances)" "madkit-$snoop-0"
listen echo madrecv -C rxe1 "${vendor[@]}" --method 0x10 --respond echo -j
echo=$pid
cmd_status "a request and its response" 0 madsend "${to1[@]}" -t 20000 0x10 0x1234 -m 77 data=c0ffee -j
answer=$out
tid=$(jq -r .header.tid <<< "$answer")
await tids "$work/snoop.out" "$tid" 4
json "$(grep "\"tid\":\"$tid\"" "$work/snoop.out"; cat "$work/echo.out"; echo "$answer")" \
    "seen four times: sent and received at either port" 'length == 6 and (.[:4] | map([.device, .kind, .attempts])) ==
     [["umad:rxe0/1", "request", 1], ["umad:rxe1/1", "request", null],
      ["umad:rxe1/1", "response", 1], ["umad:rxe0/1", "response", null]]' \
    "class, class version, method and TID are those that the receiver was shown" \
    '.[4].header as $h | .[:2] | all(.header | [.class_id, .class_version, .method_id, .tid] ==
     ($h | [.class_id, .class_version, .method_id, .tid]))' \
    "... and those that the sender was shown" \
    '.[5].header as $h | .[2:4] | all(.header | [.class_id, .class_version, .method_id, .tid] ==
     ($h | [.class_id, .class_version, .method_id, .tid]))' \
    "the rest of the header as well" '.[5].header as $h | .[:4] | all(.header | [.base_version, .attribute_id, .modifier,
     .status] == ($h | [.base_version, .attribute_id, .modifier, .status]))' \
    "of data nothing" '.[:4] | all(.data == null and .rest == {} and .rmpp == null)' \
    "no GID, and QP 1" '.[:4] | all(.remote.gid == null and .remote.qp == 1)' \
    "one after the other" '.[:4] | map(.seq) | . == sort' \
    "the times are of now, and in order" 'def at: .time[:19] + "Z" | fromdate; (.[5] | at) as $t | .[:4] |
     (map(.time) | . == sort) and all(at - $t | . >= -60 and . <= 1)' \
    "the keys are those of any line" '.[5] as $a | .[:4] | all(keys == ($a | keys))'

# ---- the tries of the kernel, which reports them nowhere else: of requests for tables
kill "$echo"
ends "the responder: SIGTERM: 143" "$echo" 143
listen silent madrecv -C rxe1 --class SA --method GetTable -j
silent=$pid
cmd_status "no answer: 3" 3 madsend -C rxe0 --gid "$gid1" --rmpp kernel -t 200 --retries 2 GetTable NodeRecord
await lines "$work/silent.out" 3
tid=$(jq -sr '.[0].header.tid' "$work/silent.out")
await tids "$work/snoop.out" "$tid" 6
json "$(grep "\"tid\":\"$tid\"" "$work/snoop.out")" "each try is seen and numbered" \
    'map(select(.device == "umad:rxe0/1").attempts) == [1, 2, 3]' \
    "... and arrives" 'map(select(.device == "umad:rxe1/1").attempts) == [null, null, null]'
kill "$silent"
ends "the silent one: SIGTERM: 143" "$silent" 143

# ---- the segments of a long message: 216 bytes of data in each
head -c 10000 /dev/urandom > "$work/data"
listen recv madrecv -C rxe1 "${vendor[@]}" --method Send -n 1 -j
recv=$pid
cmd_status "10000 bytes" 0 madsend "${to1[@]}" Send 0x77 "data=@$work/data"
ends "... arrive" "$recv" 0
tid=$(jq -r .header.tid "$work/recv.out")
sent() { [ "$(jq -sc "map(select(.header.tid == \"$tid\" and .header.method == \"Send\" and
    .device == \"umad:rxe0/1\" and .attempts)) | length" "$work/snoop.out")" -ge 47 ]; }
await sent
tap_result $? "each of the 47 segments is seen"

# ---- its end
is "nothing was wrong" "$(<"$work/snoop.err")" "madrecv: listening on every port"
kill -TERM "$snoop"
ends "SIGTERM: 143" "$snoop" 143
is "the instance is gone" "$(instances)" "$none"
for signal in INT:130 HUP:129 QUIT:131 USR1:138 USR2:140 RTMIN:162; do
    listen snoop madrecv --snoop
    is "an instance again" "$(instances)" "madkit-$pid-0"
    kill -"${signal%:*}" "$pid"
    ends "SIG${signal%:*}: ${signal#*:}" "$pid" "${signal#*:}"
    is "X5: ... and the instance is gone" "$(instances)" "$none"
done
cmd_status "nothing in time: 3" 3 madrecv --snoop --deadline 100 --filter 'header.modifier == 99999'
one_line "... in words" "$err" 'no MAD that --filter selects came in 100 ms'
is "... and the instance is gone" "$(instances)" "$none"
mkfifo "$work/fifo"
: > "$work/fifo.err"
env --default-signal madrecv --snoop --banner -j > "$work/fifo" 2> "$work/fifo.err" &
pid=$!
exec {reader}< "$work/fifo"
await says "$work/fifo.err" listening
is "X13: of the capabilities, CAP_DAC_OVERRIDE is left" \
    "$(awk '/^(CapPrm|CapEff|NoNewPrivs):/ { print $2 }' "/proc/$pid/status" | tr '\n' ' ')" "0000000000000002 0000000000000002 1 "
exec {reader}<&-
ends "X4: nobody reads any more: 141, without a MAD" "$pid" 141
is "... without a word" "$(<"$work/fifo.err")" "madrecv: listening on every port"
is "... and the instance is gone" "$(instances)" "$none"
is "others' tracing goes on" "$(<"$tracing/events/ib_mad/enable") $(<"$tracing/tracing_on")" "1 1"

# ---- output
listen all madrecv --snoop -n 2 --filter 'header.modifier == 7'
both=$pid
listen one madrecv --snoop -C rxe1 -n 1 --filter 'header.modifier == 7' -j
one=$pid
is "two at once" "$(wc -w <<< "$(instances)")" 2
madsend "${to1[@]}" Send 0x10 -m 7
ends "-n of all ports" "$both" 0
ends "-n of one port" "$one" 0
is "the banner of one" "$(<"$work/one.err")" "madrecv: listening on umad:rxe1/1"
json "$(<"$work/one.out")" "that port" 'map(.device) == ["umad:rxe1/1"] and .[0].kind == "request"'
tid=$(jq -r .header.tid "$work/one.out")
is "text: a line each" "$(<"$work/all.out")" \
    "umad:rxe0/1 sent Vendor0x32 Send attribute 0x0010 modifier 7 status 0x0000 TID $tid to QP 1
umad:rxe1/1 received Vendor0x32 Send attribute 0x0010 modifier 7 status 0x0000 TID $tid from QP 1"
listen fields madrecv --snoop --device verbs:rxe0/1 -n 1 --filter 'header.modifier == 8' --fields header.tid
madsend "${to1[@]}" Send 0x10 -m 8
ends "a port is the same by whatever transport it is named" "$pid" 0
like "--fields are shown as of any MAD" "$(<"$work/fields.out")" $'^# Send Vendor0x32 .*\nheader.tid:\\.+0x[0-9a-f]{16}$'

# ---- faster than they are read: losses are reported. The kernel does not always know how many.
listen slow madrecv --snoop -j --fields header.modifier
slow=$pid
kill -STOP "$slow"
echo 8 > "$tracing/instances/madkit-$slow-0/buffer_size_kb"
madsend "${to1[@]}" Send 0x10 -n 400 -i 0 > /dev/null
kill -CONT "$slow"
await says "$work/slow.err" lost
madsend "${to1[@]}" Send 0x10 -m 9
await says "$work/slow.out" '"modifier":9'
shown=$(grep -c '"modifier":0' "$work/slow.out")
lost=$(sed -n 's/^madrecv: \([0-9]*\) MADs or more were lost.*/\1/p' "$work/slow.err" | tail -n 1)
[ "$shown" -gt 0 ] && [ "${lost:-0}" -gt 0 ] && [ $((shown + lost)) -le 800 ]
tap_result $? "400 MADs sent and received: the last are shown, others counted as lost" ||
    diag "$shown shown, ${lost:-none} lost; $(<"$work/slow.err")"
kill "$slow"
ends "... SIGTERM: 143" "$slow" 143

# ---- W18: what becomes of each event if a signal ends it while its reader is slow; another instance counts them
truth=$tracing/instances/truth
mkdir "$truth"
echo 4096 > "$truth/buffer_size_kb"
: > "$work/slow.err"
env --default-signal madrecv --snoop --banner -j > "$work/fifo" 2> "$work/slow.err" &
slow=$!
exec {reader}< "$work/fifo"
await says "$work/slow.err" listening
echo 64 > "$tracing/instances/madkit-$slow-0/buffer_size_kb"
for event in ib_mad_ib_send_mad ib_mad_recv_done_handler ib_mad_error_handler; do
    echo 1 > "$truth/events/ib_mad/$event/enable"
done
madsend "${to1[@]}" Send 0x10 -n 2000 -i 0 > /dev/null
kill -TERM "$slow"
ends "W18: SIGTERM with a reader that does not read: 143" "$slow" 143
shown=$(wc -l <&"$reader")
exec {reader}<&-
read -r lost unread < <(sed -n 's/^madrecv: MADs that are not shown: \([0-9]*\) lost, \([0-9]*\) not yet read at the end$/\1 \2/p' "$work/slow.err")
total=$(awk '/^(entries|overrun|commit overrun|dropped events):/ { n += $NF } END { print n }' "$truth"/per_cpu/cpu*/stats)
[ "$shown" -gt 0 ] && [ "${lost:-0}" -gt 0 ] && [ "${unread:-0}" -gt 0 ] && [ $((shown + lost + unread)) -eq "$total" ]
tap_result $? "W18: shown, lost and unread are all events" ||
    diag "$shown shown, ${lost:-none} lost, ${unread:-none} unread of $total; $(<"$work/slow.err")"
rmdir "$truth"

# ---- what the kernel is given as a timeout, which ib_mad's events do not show
own=$tracing/instances/timeouts
mkdir "$own"
echo 1 > "$own/events/ib_umad/ib_umad_write/enable"
cmd_status "C1: -t -1: 3" 3 madsend "${to1[@]}" -t -1 --deadline 100 0x10 0x55
cmd_status "C1: -t 2147483647: 3" 3 madsend "${to1[@]}" -t 2147483647 --deadline 100 0x10 0x55
echo 0 > "$own/events/ib_umad/ib_umad_write/enable"
is "C1: the kernel gets a negative timeout for -t -1, and the longest one" \
    "$(sed -n 's/.* ms \(-\{0,1\}[0-9]*\) ret .*/\1/p' "$own/trace" | sed 's/^4294967295$/-1/' | tr '\n' ' ')" "-1 2147483647 " ||
    diag "$(<"$own/trace")"
rmdir "$own"

# ---- the examples of madrecv(1); tests/sim/manual.bats compares them with the page
cmd_status "an example of the manual page" 124 timeout 1 \
    madrecv --snoop --filter 'header.attribute == PortCounters'
cmd_status "another one" 124 timeout 1 \
    madrecv --snoop -j --filter 'header.class_id == 0x81 && attempts > 1'
for i in 1 2 3 4 5; do
    cmd_status "X5: timeout(1) sends SIGTERM twice" 124 timeout "0.$i" madrecv --snoop
    is "X5: ... and no instance is left" "$(instances)" "$none"
done

# ---- where it cannot be
cmd_status "a port that is not there: 1" 1 madrecv --snoop -C rxe9
one_line "... in words" "$err" 'no CA rxe9'
cmd_status "not as root: 1" 1 setpriv --reuid 65534 --regid 65534 --clear-groups madrecv --snoop -j
one_line "... and names the path" "$err" "^madrecv: .*/sys/kernel/tracing.*Permission denied"
json "$out" "... in JSON, too" 'length == 1 and .[0].kind == "error" and .[0].status.send == 13 and (.[0].data.error | test("Permission denied"))'
cmd_status "without a tracefs: 1" 1 unshare -m sh -c "umount $tracing && exec madrecv --snoop"
one_line "... and says what to mount" "$err" 'no tracefs is mounted.*mount -t tracefs'
is "no instance is left" "$(instances)" "$none"
done_testing
