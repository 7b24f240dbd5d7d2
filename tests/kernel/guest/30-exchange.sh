# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsend, madrecv and madpoll against each other through a real kernel.
# shellcheck disable=SC2016,SC2154  # for the inner shell; out and err are cmd_status's
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"
to1=(-C rxe0 --gid "$gid1" "${vendor[@]}")

# ---- one MAD from rxe0 to rxe1
listen recv madrecv -C rxe1 "${vendor[@]}" -n 1 -j
is "madrecv: the banner" "$(<"$work/recv.err")" "madrecv: listening on umad:rxe1/1 for Get,Set,Send,Trap,Report,TrapRepress"
cmd_status "madsend: a MAD that no answer is wanted to" 0 madsend "${to1[@]}" Send 0x10 -m 77 data=c0ffee
is "madsend: without a word" "$out$err" ""
ends "madrecv: -n 1 ends it" "$pid" 0
json "$(<"$work/recv.out")" \
    "madrecv: one line" 'length == 1' \
    "A13: madrecv: a request, the first" '.[0] | .schema == "madkit/1" and .kind == "request" and .seq == 1' \
    "madrecv: where it came" '.[0] | .host == "guest" and .device == "umad:rxe1/1"' \
    "madrecv: and from where" ".[0].remote | .gid == \"$gid0\" and .qp == 1" \
    "madrecv: the header" '.[0].header | .class_id == 50 and .method == "Send" and .attribute_id == 16 and
    .modifier == 77 and .oui == 5125 and .status == 0' \
    "madrecv: the data" ".[0].data.Data == \"c0ffee$(printf '%0426d' 0)\""

# ---- from a different GID of its port
second_gid=(fe80::101/64 dev v0)
ip -6 addr add "${second_gid[@]}" nodad
has_second() { says /sys/class/infiniband/rxe0/ports/1/gids/1 fe80:0000:0000:0000:0000:0000:0000:0101; }
await has_second
listen recv madrecv -C rxe1 "${vendor[@]}" -n 1 -j --fields remote.gid
cmd_status "madsend: --gid-index" 0 madsend "${to1[@]}" --gid-index 1 Send 0x10
ends "madrecv: gets it" "$pid" 0
json "$(<"$work/recv.out")" "madrecv: from the GID of that index" '.[0].remote.gid == "fe80::101"'
ip -6 addr del "${second_gid[@]}"
cmd_status "madsend: a GID index that is not there: 1" 1 madsend "${to1[@]}" --gid-index 77 Send 0x10
one_line "... in words" "$err" "^madsend: cannot send .*: the port has no GID of that index"

# ---- MADs that are not shown do not count
listen recv madrecv -C rxe1 "${vendor[@]}" -n 2 -j --filter 'header.modifier > 1' --fields header.modifier
for modifier in 1 2 1 3; do madsend "${to1[@]}" Send 0x10 -m $modifier; done
ends "madrecv: -n 2 of those that match" "$pid" 0
json "$(<"$work/recv.out")" "madrecv: these two" 'map(.header) == [{"modifier": 2}, {"modifier": 3}]'

# ---- a message of many packets
head -c 100000 /dev/urandom > "$work/data"
listen recv madrecv -C rxe1 "${vendor[@]}" -n 1 -j
cmd_status "madsend: 100000 bytes" 0 madsend "${to1[@]}" Send 0x10 "data=@$work/data"
is "madsend: without a word" "$out$err" ""
ends "madrecv: takes them in" "$pid" 0
cmp -s "$work/data" <(jq -r .data.Data "$work/recv.out" | xxd -r -p)
tap_result $? "madrecv: every byte as it was sent"
start deaf madreg -C rxe1 "${vendor[@]}" --method Send --rmpp-version 1 --user-rmpp --hold
await says "$work/deaf.out" registered
begin=$(now_ms)
cmd_status "madsend: to somebody who acknowledges nothing: 3" 3 madsend "${to1[@]}" --retries 0 Send 0x10 \
    "data=@$work/data"
one_line "... in words" "$err" "not known to have arrived.*rxe0/1: Active"
took "... after 2 s" "$begin" 1800 60000
kill "$pid"

# ---- the capture of both
listen recv madrecv -C rxe1 "${vendor[@]}" -n 1 -w "$work/recv.pcap"
cmd_status "-w: a MAD" 0 madsend "${to1[@]}" Send 0x10 data=c0ffee -w "$work/send.pcap"
ends "-w: received" "$pid" 0
if command -v tshark > /dev/null; then
    # both in one file, that is without the second header: tshark takes seconds to start here
    { cat "$work/send.pcap"; tail -c +25 "$work/recv.pcap"; } > "$work/both.pcap"
    is "-w: tshark reads both" "$(tshark -r "$work/both.pcap" -T fields -e infiniband.mad.mgmtclass \
        -e infiniband.mad.method -e infiniband.mad.attributeid 2>/dev/null)" $'0x32\t0x03\t0x0010\n0x32\t0x03\t0x0010'
else
    tap_result 0 "-w: read by another # SKIP tshark is not installed"
fi

# ---- answered by the kernel, and not answered
cmd_status "a Get that no agent takes: 4" 4 madsend -C rxe0 Get PerfMgt:ClassPortInfo -j
json "$out" "... the kernel's status" \
    '.[0] | .kind == "response" and .status.mad == 12 and .header.method == "GetResp"'
one_line "... in words" "$err" 'status 0x000c'
cmd_status "the same from the other device: 4" 4 madsend -C rxe0 --gid "$gid1" Get PerfMgt:ClassPortInfo
one_line "... in words" "$err" "Gid $gid1 .*status 0x000c"
# the upper half of the ID is the kernel's, which the response shows
cmd_status "-w: a request and its answer" 4 madsend -C rxe0 --gid "$gid1" Get PerfMgt:ClassPortInfo -w "$work/get.pcap"
json "$(madrecv -r "$work/get.pcap" -j)" "-w: both have the ID of the wire and the same remote" \
    'map(.kind) == ["request", "response"] and .[0].header.tid == .[1].header.tid and
     (.[0].header.tid | startswith("0x00000000") | not) and .[0].remote.gid == .[1].remote.gid'

listen silent madrecv -C rxe1 "${vendor[@]}" --method 0x10 -j
silent=$pid
for rmpp in none kernel; do
    begin=$(now_ms)
    cmd_status "no answer, RMPP $rmpp: 3" 3 madsend "${to1[@]}" --rmpp $rmpp -t 200 --retries 2 0x10 0x10 -j
    took "... after 3 x 200 ms" "$begin" 600 600000
    one_line "A9: ... in words" "$err" "no response .*Gid $gid1 in [0-9.]+ s, 3 tries;.*rxe0/1: Active"
    json "$out" "... a timeout" '.[0] | .kind == "timeout" and .status.send == 110' \
        "C3: ... the library sent every try" ".[0].attempts == 3"
done
await lines "$work/silent.out" 6
# a request of several segments is not sent again once its last one was acknowledged
head -c 1000 "$work/data" > "$work/1000bytes"
cmd_status "A9: a long request, acknowledged and not answered: 3" 3 madsend "${to1[@]}" -t 700 --retries 3 \
    --rmpp kernel 0x10 0x11 "data=@$work/1000bytes"
one_line "A9: ... no number of tries, which is not known" "$err" 'no response .* in [0-9.]+ s; check'
await lines "$work/silent.out" 7
is "A9: ... the peer saw one" "$(jq -s 'map(select(.header.attribute_id == 17)) | length' "$work/silent.out")" 1
json "$(head -n 6 "$work/silent.out")" "... which came six times" 'length == 6' \
    "A16: ... with two transaction IDs, one for each request" 'map(.header.tid) | unique | length == 2'
# a negative timeout: the kernel waits without limit and resends nothing, although it is to do the retries
for rmpp in none kernel; do
    begin=$(now_ms) attribute=0x2$([ $rmpp = none ]; echo $?)
    cmd_status "C1: -t -1, RMPP $rmpp, ended by the deadline: 3" 3 madsend "${to1[@]}" --rmpp $rmpp -t -1 --retries 2 \
        --deadline 3000 0x10 "$attribute" -j
    took "C1: ... when it is over" "$begin" 3000 60000
    one_line "C1: ... in words" "$err" "no response .*Gid $gid1 in [0-9.]+ s, 1 try;"
    json "$out" "C1: ... a timeout, after one try" '.[0] | .kind == "timeout" and .status.send == 110 and .attempts == 1'
    is "C1: ... the peer saw one" "$(jq -s "map(select(.header.attribute_id == $((attribute)))) | length" "$work/silent.out")" 1
    env --default-signal madsend "${to1[@]}" --rmpp $rmpp -t -1 0x10 0x22 > /dev/null 2>&1 &
    pid=$! seen=0
    [ $rmpp = none ] || seen=1
    arrived() { [ "$(jq -s 'map(select(.header.attribute_id == 34)) | length' "$work/silent.out")" -gt "$seen" ]; }
    await arrived
    kill -TERM "$pid"
    ends "C1: ... SIGTERM: 143" "$pid" 143
done
begin=$(now_ms)
cmd_status "--deadline: 3" 3 madsend "${to1[@]}" -t 60000 --deadline 300 0x10 0x10
took "... when it is over" "$begin" 300 60000
kill "$silent"
ends "madrecv: SIGTERM ends it with 143" "$silent" 143
madsend "${to1[@]}" --dry-run -j 0x10 0x10 > "$work/line"
cat "$work/line" "$work/line" > "$work/batch"
cmd_status "madsend --batch, not waiting: 3" 3 madsend -C rxe0 --batch "$work/batch" --deadline 0 -j
json "$out" "... each was sent, and told" 'map(.kind) == ["timeout", "timeout"]'
is "... in words" "${err##*$'\n'}" "madsend: the deadline has passed"
cmd_status "a GID that nobody has: 3" 3 madsend -C rxe0 --gid fe80::77 "${vendor[@]}" 0x10 0x10
one_line "... in words" "$err" 'the kernel cannot resolve that GID'
cmd_status "no LIDs on RoCE: 2" 2 madsend -C rxe0 -L 5 "${vendor[@]}" 0x10 0x10
one_line "... in words" "$err" 'rxe0/1 is RoCE.*--gid'

# ---- waiting
begin=$(now_ms)
cmd_status "madrecv: nothing in time: 3" 3 madrecv -C rxe1 "${vendor[@]}" --deadline 300
one_line "... in words" "$err" 'no MAD came in 300 ms'
cmd_status "madpoll: nothing in time: 3" 3 madpoll -C rxe1 "${vendor[@]}" --deadline 300
one_line "... in words" "$err" 'no MAD came in 300 ms'
took "... after 300 ms each" "$begin" 600 60000
cmd_status "madpoll: nothing there, not waiting: 3" 3 madpoll -C rxe1 "${vendor[@]}" --deadline 0

# until it has ended: before it listens, MADs are lost
send_until_ended() {
    madsend "${to1[@]}" Send 0x10
    ended "$1"
}
start poll madpoll -C rxe1 "${vendor[@]}" -j
await send_until_ended "$pid"
ends "madpoll: 0 when a MAD is there" "$pid" 0
json "$(<"$work/poll.out")" "C7: madpoll shows the MAD" \
    'length >= 1 and all(.kind == "request" and .device == "umad:rxe1/1" and .header.method == "Send" and
     .header.attribute_id == 16)'
start poll madpoll --device umad:rxe0 --device umad:rxe1 "${vendor[@]}"
await send_until_ended "$pid"
ends "madpoll: of two devices" "$pid" 0
like "madpoll: shows the MAD" "$(<"$work/poll.out")" '^# Send Vendor0x32 '
# a round trip on the same route after each: earlier packets have arrived
start poll madpoll --device umad:rxe0 --device umad:rxe1 "${vendor[@]}" -j
poll=$pid
await waits "$poll"
kill -STOP "$poll"
madsend "${to1[@]}" Send 0x10
madsend -C rxe0 --gid "$gid1" Get PerfMgt:ClassPortInfo > /dev/null 2>&1
madsend -C rxe1 --gid "$gid0" "${vendor[@]}" Send 0x10
madsend -C rxe1 --gid "$gid0" Get PerfMgt:ClassPortInfo > /dev/null 2>&1
kill -CONT "$poll"
ends "madpoll: of two devices with a MAD each" "$poll" 0
json "$(<"$work/poll.out")" "C7: madpoll shows both MADs" 'map([.kind, .device, .header.method]) ==
    [["request", "umad:rxe0/1", "Send"], ["request", "umad:rxe1/1", "Send"]]'
cmd_status "madpoll: of two devices, nothing in time: 3" 3 madpoll --device umad:rxe0 --device umad:rxe1 \
    "${vendor[@]}" --deadline 200
one_line "... in words" "$err" 'no MAD came in 200 ms'
cmd_status "D4: madpoll: of two devices, one that is not there: 1" 1 madpoll --device umad:rxe0 --device umad:rxe9 \
    "${vendor[@]}" --deadline 200
like "... in words" "$err" $'no CA rxe9[^\n]*\nmadpoll: no MAD came in 200 ms$'
cmd_status "madpoll: the same one twice: 2" 2 madpoll --device umad:rxe0 --device umad:rxe0/1 "${vendor[@]}"
one_line "... in words" "$err" '--device umad:rxe0/1 is given twice'
start poll madpoll --device umad:rxe0 --device umad:rxe1 "${vendor[@]}" -- \
    sh -c 'head -n 1; echo "from the command, on $MADKIT_DEVICE"; exit 9'
await send_until_ended "$pid"
ends "madpoll -- COMMAND: its status" "$pid" 9
like "C7: madpoll -- COMMAND: the MAD is its standard input" "$(<"$work/poll.out")" \
    $'^# Send Vendor0x32 [^\n]*\nfrom the command, on umad:rxe1/1$'
done_testing
