#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""routes.py NETDISCOVER FTS

Checks the unicast routes that dump_fts printed on the topology that ibnetdiscover printed, and prints one line:

  unreachable  pairs of a switch and a LID whose packets do not arrive
  loops        channels (a cable, one direction) that are part of a credit loop: the dependencies of channels
               of all LIDs, switches' included, from all switches
  detours      pairs of switches with end ports between whose end ports a route is not the shortest
  load         the least and the most LIDs of channel adapters on a cable from a switch with end ports to a
               switch
  shared       end ports with several LIDs (LMC), two of which have the same cable although there is another
"""
import collections
import re
import sys


def read_topology(path):
    peers, node, switches = {}, None, set()
    for line in open(path, encoding="utf-8"):
        if match := re.match(r'(Switch|Ca|Rt)\s+\d+ "(\S+)"', line):
            node = match[2]
            if match[1] == "Switch":
                switches.add(node)
        elif match := re.match(r'\[(\d+)\]\S*\s+"(\S+)"\[(\d+)\]', line):
            peers[node, int(match[1])] = (match[2], int(match[3]))
    return peers, switches


def read_tables(path):
    tables, table, adapters = {}, None, {}
    for line in open(path, encoding="utf-8"):
        if match := re.match(r"Unicast lids .* guid 0x([0-9a-f]+) ", line):
            table = tables.setdefault("S-" + match[1], {})
        elif match := re.match(r"0x([0-9a-f]+) (\d+) : \((.*?):? portguid 0x([0-9a-f]+)", line):
            table[int(match[1], 16)] = int(match[2])
            # a switch has one LID
            if match[3] != "Switch":
                adapters[int(match[1], 16)] = match[4]
    return tables, adapters


def cyclic(depends):
    """The channels that are left when those that wait for no other have been removed, again and again."""
    waits = {channel: len(onto) for channel, onto in depends.items()}
    back = collections.defaultdict(list)
    for channel, onto in depends.items():
        for other in onto:
            back[other].append(channel)
            waits.setdefault(other, 0)
    free = [channel for channel, n in waits.items() if not n]
    while free:
        channel = free.pop()
        del waits[channel]
        for other in back[channel]:
            waits[other] -= 1
            if not waits[other]:
                free.append(other)
    return waits


def distances(peers, switches, to):
    found, queue = {to: 0}, collections.deque([to])
    while queue:
        node = queue.popleft()
        for (_, _), (peer, _) in peers[node]:
            if peer in switches and peer not in found:
                found[peer] = found[node] + 1
                queue.append(peer)
    return found


def main():
    ports, switches = read_topology(sys.argv[1])
    tables, adapters = read_tables(sys.argv[2])
    peers = collections.defaultdict(list)
    for end, peer in ports.items():
        peers[end[0]].append((end, peer))
    lids = sorted({lid for table in tables.values() for lid in table})
    depends, loads = collections.defaultdict(set), collections.Counter()
    ends = {node for node in switches if any(peer not in switches for _, (peer, _) in peers[node])}
    home, arrives, cables = {}, {}, collections.defaultdict(collections.Counter)
    for lid in lids:
        for node, table in tables.items():
            port = table.get(lid)
            onto = ports.get((node, port), (None, 0))[0] if port else None
            if port == 0 or (onto and onto not in switches):
                home[lid] = node
            elif onto:
                after = tables[onto].get(lid)
                if after and ports.get((onto, after), ("",))[0] in switches:
                    depends[node, port].add((onto, after))
                if lid in adapters:
                    loads[node, port] += 1
                    cables[node, adapters[lid]][port] += 1
    unreachable = 0
    far = {to: distances(peers, switches, to) for to in set(home.values())}
    detours = set()
    for lid in lids:
        for node in switches:
            at, hops = node, 0
            while at != home.get(lid) and hops < 64:
                at, hops = ports.get((at, tables[at].get(lid)), (None, 0))[0], hops + 1
                if at not in switches:
                    break
            unreachable += at != home.get(lid)
            if lid in adapters and node in ends and hops != far[home[lid]].get(node):
                detours.add((node, home[lid]))
    uplinks = [(node, port) for (node, port), (peer, _) in ports.items() if node in ends and peer in switches]
    load = [loads[link] for link in uplinks] or [0]
    shared = 0
    for (node, guid), used in cables.items():
        others = len({port for port in tables[node].values() if ports.get((node, port), ("",))[0] in switches})
        shared += max(used.values()) > -(-sum(used.values()) // others) and node in ends
    print(f"unreachable={unreachable} loops={len(cyclic(depends))} detours={len(detours)} "
          f"load={min(load)}-{max(load)} shared={shared}")


main()
