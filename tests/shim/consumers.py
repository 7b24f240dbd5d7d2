#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""consumers.py CONSUMER FILE

Reads FILE, the output of ibnetdiscover or of madsweep --topology, as a program that uses it does, and prints what that
program gets:

  tree     topograph: node and peer of each line of a switch, with the names of both. Its lines must match; others are
           ignored. Of a name it takes what its patterns for hosts and managed switches select, or nothing.
  graph    ibtopotool: nodes and peers with the sum of the data rates of their links in Gbit/s, from words at fixed places;
           any other line is an error
"""
import collections
import re
import sys

TREE_NODE = re.compile(r'(?P<type>Ca|Switch)\s+[0-9]+\s+"(?P<id>[^"]+)"\s+# "(?P<name>[^"]+)"')
TREE_PEER = re.compile(r'\[[0-9]+\]\s+"(?P<id>[^"]+)"\[[0-9]+\](?:\([0-9a-f]+\))?\s+# "(?P<name>[^"]+)"')
TREE_HOST = re.compile(r"(\S+)\s\S+$")
TREE_MANAGED = re.compile(r"[^;:]+;([^;:]+):[^;:]+$")

GRAPH_RATES = {"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "FDR": 13.64, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200}


def tree_name(kind, name):
    if kind == "Ca":
        match = TREE_HOST.match(name)
    else:
        match = TREE_MANAGED.match(name)
        if not match and not set(name) & set(" ;:"):
            return name
    return match[1] if match else ""


def tree(lines):
    hosts, switches, switch = {}, {}, None
    for line in lines:
        if line.startswith("#"):
            continue
        if not line.strip():
            switch = None
        elif match := TREE_NODE.match(line):
            name = tree_name(match["type"], match["name"])
            if match["type"] == "Ca":
                hosts[match["id"]] = name
            else:
                switch = match["id"]
                switches[switch] = (name, [])
        elif switch and (match := TREE_PEER.match(line)):
            switches[switch][1].append((match["id"], match["name"]))
    for node, (name, peers) in switches.items():
        for peer, description in peers:
            yield f"{node} ({name}) {peer} ({hosts.get(peer, '')}) {description}"


def graph(lines):
    node, links = None, collections.Counter()
    for line in lines:
        words = line.split()
        if line.startswith(("Switch", "Ca")):
            node = words[2][1:-1]
            assert line[line.index("#"):].split('"')[1]
        elif not words:
            node = None
        elif node:
            width, speed = words[-1].split("x")
            links[node, words[1].split('"')[1]] += int(width) * GRAPH_RATES[speed]
    for (node, peer), rate in links.items():
        yield f"{node} {peer} {rate:g}"


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in sorted({"tree": tree, "graph": graph}[sys.argv[1]](lines)):
        print(line)


main()
