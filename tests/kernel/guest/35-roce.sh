# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# RoCE ports: no QP0, no subnet administrator, link-local GIDs. Ports by the path of their device node.
# shellcheck disable=SC2154  # out and err are cmd_status's
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/commands.sh"

# ---- what needs QP0, or a subnet administrator
no_qp0='rxe0/1 is RoCE, which has no QP0: class SubnMgt(DR)? needs an InfiniBand port$'
for words in "madsend Get NodeInfo" "madsend -D 0,1 Get NodeInfo" "madsend -D 0,1 --locate Get NodeInfo" \
    "madsend -L 4 Get PortInfo" "madsend --gid $gid1 Get NodeInfo" "madsend --merge Set PortInfo LinkState=4" \
    "madpoll Get PortInfo --until LinkState==Active" "madpoll -n 2 Get SMInfo --until ActCount>1"; do
    read -ra command <<< "$words"
    cmd_status "RoCE: $words: 1" 1 "${command[@]}" -C rxe0
    one_line "RoCE: ... no QP0" "$err" "^${command[0]}: $no_qp0"
done
cmd_status "RoCE: an SMP, JSON: 1" 1 madsend -C rxe0 Get NodeInfo -j
json "$out" "RoCE: ... an error" \
    'length == 1 and (.[0] | .kind == "error" and .status.send == 93 and .header.attribute == "NodeInfo")'
echo '{"header":{"class":"SubnMgt","method":"Get","attribute":"NodeInfo"},"remote":{"lid":4},"tag":1}' > "$work/batch"
cmd_status "RoCE: an SMP of a batch: 1" 1 madsend -C rxe0 --batch "$work/batch" -j
like "RoCE: ... no QP0" "$err" "no QP0"
for words in "madrecv --class SubnMgt" "madrecv --class SubnMgtDR --method Trap" "madpoll --class SubnMgt" \
    "madreg --class SubnMgt"; do
    read -ra command <<< "$words"
    cmd_status "RoCE: $words: 1" 1 "${command[@]}" -C rxe0
    one_line "RoCE: ... no QP0" "$err" 'rxe0/1 has no QP0: subnet management classes need an InfiniBand port'
done
for words in "madsend Get PathRecord" "madsend -s 5 GetTable NodeRecord" "madrecv --subscribe 64"; do
    read -ra command <<< "$words"
    cmd_status "RoCE: $words: 1" 1 "${command[@]}" -C rxe0
    one_line "RoCE: ... no subnet administrator" "$err" 'rxe0/1 is RoCE, which has no subnet manager and no subnet administrator$'
done
for words in "-L 4" "-G 0x1" "--name node1"; do
    read -ra command <<< "$words"
    cmd_status "RoCE: $words: 2" 2 madsend -C rxe0 "${command[@]}" "${vendor[@]}" Get 0x10
    one_line "RoCE: ... --gid" "$err" 'rxe0/1 is RoCE, which has no LIDs: use --gid'
done

# ---- link-local GIDs, written in more than one way; the peer sees the sender's
listen echo madrecv --device /dev/infiniband/umad1 "${vendor[@]}" --method 0x10 --respond echo -j
echo=$pid
is "device path: the banner names the port" "$(<"$work/echo.err")" "madrecv: listening on umad:rxe1/1 for 0x10"
n=0
for gid in "$gid1" fe80:0:0:0:0:ff:fe00:2 FE80::FF:FE00:0002; do
    n=$((n + 1))
    cmd_status "RoCE: --gid $gid: 0" 0 madsend --device /dev/infiniband/umad0 --gid "$gid" "${vendor[@]}" 0x10 0x10 -m $n -j
    json "$out" "RoCE: ... the response comes from there" \
        ".[0] | .device == \"umad:rxe0/1\" and .remote.gid == \"$gid1\" and .header.modifier == $n"
done
await lines "$work/echo.out" 3
json "$(<"$work/echo.out")" "RoCE: the peer saw one request each, from the sender's link-local GID" \
    "map([.remote.gid, .header.modifier]) == [[\"$gid0\", 1], [\"$gid0\", 2], [\"$gid0\", 3]]"

# ---- the kernel resolves the GID before it sends: the round trip excludes that, and is unknown then
ip -6 neigh del $gid1 dev v0
tc qdisc add dev v1 root netem delay 300ms
cmd_status "A16: RoCE: a GID that is resolved first" 0 madsend -C rxe0 --gid $gid1 "${vendor[@]}" 0x10 0x10 -t 5000 -j
tc qdisc del dev v1 root
ip -6 neigh replace $gid1 lladdr 02:00:00:00:00:02 dev v0 nud permanent
json "$out" "W17: RoCE: ... its round trip is not known" '.[0].rtt_us == null'
kill "$echo"
ends "RoCE: SIGTERM: 143" "$echo" 143
cmd_status "RoCE: a zone is no part of a GID: 2" 2 madsend -C rxe0 --gid "$gid1%v0" "${vendor[@]}" Get 0x10
one_line "RoCE: ... in words" "$err" "GID '$gid1%v0' is not an IPv6 address"

# ---- ports by the path of their device node
for i in 0 1; do
    cmd_status "device path: madreg of umad$i" 0 madreg --device /dev/infiniband/umad$i --class PerfMgt
    like "device path: ... is rxe$i" "$out" "^# registered: umad:rxe$i/1"
done
cmd_status "device path: MADKIT_DEVICE" 0 env MADKIT_DEVICE=/dev/infiniband/umad1 madreg --class PerfMgt
like "device path: ... is rxe1" "$out" '^# registered: umad:rxe1/1'
cmd_status "device path: madreg --list" 0 madreg --list --device /dev/infiniband/umad1
is "device path: ... is rxe1" "$(grep '^#' <<< "$out")" "# umad:rxe1/1"
cmd_status "device path: madpoll of two" 3 madpoll --device /dev/infiniband/umad0 --device /dev/infiniband/umad1 \
    "${vendor[@]}" --deadline 100
cmd_status "device path: madpoll, the same port twice: 2" 2 madpoll --device /dev/infiniband/umad0 --device umad:rxe0/1 "${vendor[@]}"
one_line "device path: ... in words" "$err" '--device umad:rxe0/1 is given twice'
cmd_status "device path: madrecv --snoop" 3 madrecv --snoop --device /dev/infiniband/umad1 --deadline 100
cmd_status "device path: a node that is not there: 1" 1 madsend --device /dev/infiniband/umad9 "${vendor[@]}" Get 0x10
one_line "device path: ... names the ports" "$err" 'no port has the device node /dev/infiniband/umad9; there are rxe0/1 '
for path in /dev/infiniband/issm0 /dev/null /dev/infiniband/umad /dev/infiniband/umad01 /dev/infiniband/umad0x; do
    cmd_status "device path: $path: 2" 2 madsend --device "$path" "${vendor[@]}" Get 0x10
    one_line "device path: ... in words" "$err" "'$path' is neither umad:CA/PORT nor /dev/infiniband/umadN"
done
done_testing
