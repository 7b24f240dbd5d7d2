# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Source me in the guest. devices_up makes the missing ones of two soft-RoCE devices, rxe0 and rxe1, over
# a pair of virtual Ethernet devices: fixed addresses, link-local GIDs (index 0), permanent neighbours,
# because neighbour discovery under load costs two thirds of the rate.
devices_up() {
    local i peer
    if [ ! -e /sys/class/net/v0 ]; then
        ip link set lo up
        ip link add v0 address 02:00:00:00:00:01 type veth peer name v1 address 02:00:00:00:00:02
        for i in 0 1; do
            peer=$((1 - i))
            echo 0 > /proc/sys/net/ipv6/conf/v$i/accept_dad
            ip link set v$i up
            ip -6 neigh add fe80::ff:fe00:$((peer + 1)) lladdr 02:00:00:00:00:0$((peer + 1)) dev v$i nud permanent
        done
    fi
    for i in 0 1; do
        [ -e /sys/class/infiniband/rxe$i ] || rdma link add rxe$i type rxe netdev v$i || return
    done
}
