# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv --respond and --buffer through a real kernel.
# shellcheck disable=SC2154  # out and err are cmd_status's
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"
to1=(-C rxe0 --gid "$gid1" "${vendor[@]}")

# ---- one MAD there and back
listen echo madrecv -C rxe1 "${vendor[@]}" --method Get,Set,Send,0x10 --respond echo -j
echo=$pid
number=0
for method in Get:GetResp Set:GetResp 0x10:144; do
    # the data: all that a MAD of this class holds
    data=$(head -c 216 /dev/urandom | xxd -p -c 0)
    cmd_status "echo: ${method%:*}" 0 madsend "${to1[@]}" -t 20000 "${method%:*}" 0x1234 -m 77 "data=$data" -j
    json "$out" "... its response" ".[0] | .kind == \"response\" and .status.mad == 0 and .remote.gid == \"$gid1\" and
        (.header | (.method // .method_id) == (\"${method#*:}\" | tonumber? // .) and .attribute_id == 4660 and
        .modifier == 77 and .oui == 5125)" \
        "... with the same data" ".[0].data.Data == \"$data\""
    number=$((number + 1))
    await lines "$work/echo.out" $number
    json "$(sed -n ${number}p "$work/echo.out"; echo "$out")" "... to a request with that transaction ID, which was shown" \
        '.[0].kind == "request" and .[0].header.tid == .[1].header.tid and .[0].data == .[1].data'
done
cmd_status "echo: a Send" 0 madsend "${to1[@]}" Send 0x10
kill "$echo"
ends "echo: SIGTERM: 143" "$echo" 143
is "echo: nothing was wrong" "$(<"$work/echo.err")" "madrecv: listening on umad:rxe1/1 for Get,Set,Send,0x10"

# ---- long messages: the received message equals the sent one, and its echo. 40 bytes of headers come first.
listen echo madrecv -C rxe1 "${vendor[@]}" --method Get,Set,Send,0x10 --respond echo -f raw
echo=$pid
received=0
for size in 217 10000 1048576; do
    head -c $size /dev/urandom > "$work/data"
    madsend "${to1[@]}" -t 20000 0x10 0x10 "data=@$work/data" -f raw > "$work/back" 2> "$work/back.err"
    is "echo: $size bytes: answered" "$?$(<"$work/back.err")" 0
    cmp -s "$work/data" <(tail -c +41 "$work/back" | head -c $size)
    tap_result $? "... every byte came back"
    is "... and no more" "$(($(stat -c %s "$work/back") - 40))" "$size"
    cmp -s "$work/data" <(tail -c +$((received + 41)) "$work/echo.out" | head -c $size)
    tap_result $? "... as it had arrived"
    received=$((received + size + 40))
done
is "echo: nothing was wrong" "$(<"$work/echo.err")" "madrecv: listening on umad:rxe1/1 for Get,Set,Send,0x10"
kill "$echo"
ends "echo: SIGTERM: 143" "$echo" 143

# ---- the same by RMPP of the commands' own, at either end or both
for ends in user:kernel kernel:user user:user; do
    listen echo madrecv -C rxe1 "${vendor[@]}" --method 0x10 --respond echo -f raw --rmpp "${ends#*:}"
    head -c 1048576 /dev/urandom > "$work/data"
    madsend "${to1[@]}" -t 20000 --rmpp "${ends%:*}" 0x10 0x10 "data=@$work/data" -f raw > "$work/back" 2> "$work/back.err"
    is "echo: --rmpp $ends: answered" "$?$(<"$work/back.err")" 0
    cmp -s "$work/data" <(tail -c +41 "$work/back")
    tap_result $? "... every byte came back"
    is "... and nothing was wrong" "$(<"$work/echo.err")" "madrecv: listening on umad:rxe1/1 for 0x10"
    kill "$pid"
    ends "... SIGTERM: 143" "$pid" 143
done
listen echo madrecv -C rxe1 "${vendor[@]}" --method 0x10 --respond echo --rmpp user -n 1
cmd_status "echo: --rmpp user, one MAD" 0 madsend "${to1[@]}" --rmpp user 0x10 0x10 data=0102 -j
json "$out" "... is answered" '.[0].data.Data[:4] == "0102" and .[0].attempts == 1'
ends "... -n 1 ends it" "$pid" 0

# ---- a transfer to a receiver that ends: the library's RMPP reports it, the kernel's does not
head -c 16777216 /dev/zero > "$work/data"
for how in user kernel; do
    [ $how = user ] && deadline=-1 || deadline=5000
    listen end madrecv -C rxe1 "${vendor[@]}" --method 0x10 --rmpp user -d
    end=$pid
    start request madsend "${to1[@]}" --rmpp $how -t 1000 --retries 0 --deadline "$deadline" --no-response 0x10 0x10 "data=@$work/data" -j
    request=$pid
    await lines "$work/end.err" 300
    kill "$end"
    ends "madrecv in the middle of a message: SIGTERM: 143" "$end" 143
    if [ $how = user ]; then
        ends "... --rmpp user: 4" "$request" 4
        json "$(<"$work/request.out")" "... with the status of the ABORT" \
            '.[0] | .kind == "error" and .status.send == 103 and .status.rmpp == 127 and (.status.text | contains("127 (unspecified)"))'
        one_line "... in words" "$(<"$work/request.err")" 'the peer aborted the transfer: RMPP status 127 \(unspecified\)'
    else
        ends "... --rmpp kernel: 3" "$request" 3
        json "$(<"$work/request.out")" "... which is not known to be one" '.[0] | .kind == "timeout" and .status.rmpp == null'
    fi
done

# ---- ibping
listen pong madrecv -C rxe1 --respond ibping -n 2 -j
for request in "${vendor[*]} Get 0" "Get Ping"; do
    # shellcheck disable=SC2086  # words without blanks
    cmd_status "ibping: $request" 0 madsend -C rxe0 --gid "$gid1" -t 20000 $request -j
    # the guest has no domain
    json "$out" "... answered with the host's name" '.[0] | .kind == "response" and .header.attribute == "Ping" and
        (.data.Host | startswith("guest"))'
done
ends "ibping: -n 2 ends it" "$pid" 0

# ---- what a vendor's table may take is asked of whom its OUI names
listen table madrecv -C rxe1 "${vendor[@]}" --method Get,0x12 --respond echo -n 2 -j
madsend "${to1[@]}" 0x12 0x10 data=01 > /dev/null 2>&1
ends "a vendor's table" "$pid" 0
json "$(<"$work/table.out")" "... its ClassPortInfo is asked for first" 'map(.header.attribute_id) == [1, 16]'

# ---- a buffer that does not grow
for size in 256:1040 1039:1040 1040:; do
    head -c 1000 /dev/urandom > "$work/data"
    listen small madrecv -C rxe1 "${vendor[@]}" --buffer "${size%:*}" -n 2 -j
    madsend "${to1[@]}" Send 0x11 data=01 && madsend "${to1[@]}" Send 0x10 "data=@$work/data"
    if [ -n "${size#*:}" ]; then
        ends "--buffer ${size%:*}: a longer message ends it: 1" "$pid" 1
        one_line "... and tells its length" "$(grep -v listening "$work/small.err")" \
            "^madrecv: umad:rxe1/1: the next message needs 1040 bytes, and --buffer is ${size%:*}\$"
        json "$(<"$work/small.out")" "... after what fits" '.[0].kind == "request" and .[0].data.Data[:2] == "01"' \
            "... in JSON, too" "length == 2 and (.[1] | .kind == \"error\" and .status.send == 28 and
            (.data | del(.error)) == {\"needed\": 1040, \"buffer\": ${size%:*}, \"next\": null})"
    else
        ends "--buffer ${size%:*}: a message that just fits: 0" "$pid" 0
        json "$(<"$work/small.out")" "... is there" 'length == 2 and (.[1].data.Data | length) == 2000'
    fi
done
for sizes in 256,needed 256,1040; do
    listen small madrecv -C rxe1 "${vendor[@]}" --buffer $sizes -n 2 -j
    madsend "${to1[@]}" Send 0x10 "data=@$work/data" && madsend "${to1[@]}" Send 0x11 data=01
    ends "C7: --buffer $sizes: 0" "$pid" 0
    json "$(<"$work/small.out")" "C7: ... the longer message stays queued and is received next" 'length == 3 and
        (.[0].data | del(.error)) == {"needed": 1040, "buffer": 256, "next": 1040} and (.[1].data.Data | length) == 2000 and
        .[2].data.Data[:2] == "01"'
done
listen small madrecv -C rxe1 "${vendor[@]}" --buffer 255 -j
madsend "${to1[@]}" Send 0x10 data=01
ends "--buffer 255: not even a MAD fits: 1" "$pid" 1
one_line "... no length is made up" "$(grep -v listening "$work/small.err")" 'needs at least 256 bytes, and --buffer is 255'
done_testing
