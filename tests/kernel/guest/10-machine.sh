# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the other tests take for granted: the devices as they should be, and the project within reach.
set -u
. "$(dirname "$0")/tap.sh"

for i in 0 1; do
    device=/sys/class/infiniband/rxe$i/ports/1
    is "rxe$i: ACTIVE" "$(cat $device/state)" "4: ACTIVE"
    is "rxe$i: RoCE" "$(cat $device/link_layer)" Ethernet
    is "rxe$i: its GID 0 is link-local" "$(cat $device/gids/0)" "fe80:0000:0000:0000:0000:00ff:fe00:000$((i + 1))"
done
is "two umad devices" "$(cat /sys/class/infiniband_mad/umad*/ibdev | sort | tr '\n' ' ')" "rxe0 rxe1 "
is "for root alone" "$(stat -c '%a %u' /dev/infiniband/umad* | sort -u)" "600 0"
is "umad's ABI is 5" "$(cat /sys/class/infiniband_mad/abi_version)" 5
tracing=/sys/kernel/tracing/events
is "13 trace events of ib_mad, four of them of the SMI" "$(find $tracing/ib_mad -mindepth 1 -type d | wc -l)" 13
is "3 trace events of ib_umad" "$(find $tracing/ib_umad -mindepth 1 -type d | wc -l)" 3
is "they tell headers, addresses and status, no payload" \
    "$(grep -hE '^\s*field:' $tracing/ib_mad/*/format $tracing/ib_umad/*/format | grep -iE 'data|payload')" ""

ok "the source directory is there" test -f "$MADKIT_SRC/configure.ac"
ok "the build directory is there" test -f "$MADKIT_BUILD/config.status"
# shellcheck disable=SC2016
cmd_status "and not to be written to" 1 bash -c '> "$MADKIT_BUILD/new"'
ok "a temporary directory is" test -w "$(mktemp -d)"
is "the library is the one just built" "$(ls "$LD_LIBRARY_PATH"/libmadkit.so.*.*.*)" \
    "$LD_LIBRARY_PATH/libmadkit.so.0.0.0"
done_testing
