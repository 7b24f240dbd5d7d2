# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A user without capabilities who may open the device by its group, as SECURITY of madkit(7) describes.
# shellcheck disable=SC2154  # out and err are cmd_status's
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"
group=4711
tracing=/sys/kernel/tracing
user=(setpriv --reuid 65534 --regid 65534 --groups "$group" --inh-caps=-all --bounding-set=-all)
restore() {
    chgrp root /dev/infiniband/umad*
    chmod 600 /dev/infiniband/umad*
}
trap restore EXIT
chgrp $group /dev/infiniband/umad*
chmod 660 /dev/infiniband/umad*

is "group: the user has no capability" "$("${user[@]}" grep -E '^Cap(Eff|Bnd)' /proc/self/status | tr -d '\n\t')" \
    "CapEff:0000000000000000CapBnd:0000000000000000"
cmd_status "group: without the group: 1" 1 setpriv --reuid 65534 --regid 65534 --clear-groups madreg -C rxe0 --class PerfMgt
one_line "group: ... in words" "$err" 'no permission to open /dev/infiniband/umad0: its mode is 0660, its owner 0:4711'

# ---- what works: sending, receiving, answering, RMPP by either, waiting, registering, listing
listen echo "${user[@]}" env madrecv -C rxe1 "${vendor[@]}" --method 0x10 --respond echo -j
echo=$pid
head -c 10000 /dev/urandom > "$work/data"
chmod 711 "$work"
for rmpp in kernel user; do
    cmp -s "$work/data" <("${user[@]}" madsend -C rxe0 --gid "$gid1" "${vendor[@]}" --rmpp $rmpp -t 20000 \
        0x10 0x10 "data=@$work/data" -f raw | tail -c +41)
    tap_result $? "group: 10000 bytes and back, RMPP $rmpp"
done
cmd_status "group: a refusal is explained: 1" 1 "${user[@]}" madreg -C rxe1 "${vendor[@]}" --method 0x10 -j
json "$out" "group: ... the cause and the methods; the holder's process may be unknown" \
    '.[0].data | .cause == "methods-taken" and .methods_taken == ["0x10"] and .processes_not_seen > 0'
kill "$echo"
ends "group: SIGTERM: 143" "$echo" 143
is "group: the peer saw both requests" "$(jq -s length "$work/echo.out")" 2
start poll "${user[@]}" madpoll -C rxe1 "${vendor[@]}" -j --fields header.method
send_until_ended() {
    "${user[@]}" madsend -C rxe0 --gid "$gid1" "${vendor[@]}" Send 0x10
    ended "$1"
}
await send_until_ended "$pid"
ends "group: madpoll" "$pid" 0
like "group: ... has the MAD" "$(<"$work/poll.out")" '^\{"header":\{"method":"Send"\}\}'
cmd_status "group: madreg" 0 "${user[@]}" madreg -C rxe0 "${vendor[@]}" --method 0x10
cmd_status "group: madreg --list" 0 "${user[@]}" madreg --list -j
json "$out" "group: ... the devices may be opened, issm not" 'all(.data | .umad.usable and (.issm.usable | not)) and
    all(.data.umad | .mode == "0660" and .group == "4711")'

# ---- what does not: the trace events of --snoop need CAP_DAC_OVERRIDE, whatever group tracefs has
cmd_status "group: --snoop: 1" 1 "${user[@]}" madrecv --snoop -j
one_line "group: ... names the path" "$err" "$tracing/instances: Permission denied"
mode=$(stat -c %a $tracing) instances=$(stat -c %a $tracing/instances)
chgrp $group $tracing $tracing/instances
chmod g+rwx $tracing $tracing/instances
cmd_status "group: --snoop with tracefs of the group: 1" 1 "${user[@]}" madrecv --snoop
one_line "group: ... names what is for root" "$err" "$tracing/.*: Permission denied"
chgrp root $tracing $tracing/instances
chmod "$mode" $tracing
chmod "$instances" $tracing/instances
is "group: no instance is left" "$(find $tracing/instances -mindepth 1 -maxdepth 1)" ""
capable=(setpriv --reuid 65534 --regid 65534 --clear-groups "--bounding-set=-all,+dac_override"
    "--inh-caps=-all,+dac_override" "--ambient-caps=-all,+dac_override")
listen snoop "${capable[@]}" madrecv --snoop -n 1 --filter 'header.modifier == 4711' -j
"${user[@]}" madsend -C rxe0 --gid "$gid1" "${vendor[@]}" Send 0x10 -m 4711
ends "group: --snoop with CAP_DAC_OVERRIDE alone: 0" "$pid" 0
json "$(<"$work/snoop.out")" "group: ... shows the MAD and its port" \
    'length == 1 and (.[0] | .device == "umad:rxe0/1" and .header.modifier == 4711)'
is "group: no instance is left" "$(find $tracing/instances -mindepth 1 -maxdepth 1)" ""
cmd_status "group: madreg --list with CAP_DAC_OVERRIDE" 0 "${capable[@]}" madreg --list -j
json "$out" "group: ... every node may be opened" 'all(.data | .umad.usable and .issm.usable)'
done_testing
