# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Healthy fabrics for audit.py: trees, tori, rails, split cages, planes, and a file of ibnetdiscover."""
from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = ['1x', '2x', '4x', '8x', '12x']
SPEEDS = ['SDR', 'DDR', 'QDR', 'FDR10', 'FDR', 'EDR', 'HDR', 'NDR', 'XDR']
LANE = dict(zip(SPEEDS, [2, 4, 8, 10, 13.64, 25, 50, 100, 200]))
MELLANOX = 0x2c9
AGGREGATION = 'Mellanox Technologies Aggregation Node'
End = tuple[int, int]  # the GUID of a node, and a port


@dataclass
class Node:
    guid: int
    kind: str  # S or H
    ports: int
    name: str
    vendor: int = 0
    device: int = 0
    # of a channel adapter, by port; a switch has port 0
    guids: dict[int, int] = field(default_factory=dict)
    lids: dict[int, int] = field(default_factory=dict)

    @property
    def aggregation(self) -> bool:
        return self.name.startswith(AGGREGATION)


class Fabric:
    """Nodes and cables. In a healthy fabric, each link has the best rate of both ends."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.peer: dict[End, End] = {}
        self.rate: dict[End, tuple[str, str]] = {}
        self.next_lid, self.next_guid = 1, 0x10000

    def add(self, kind: str, ports: int, name: str, vendor: int = 0, device: int = 0, shared: bool = False) -> int:
        guid = self.next_guid
        self.next_guid += 0x100
        node = Node(guid, kind, ports, name, vendor, device)
        for port in [0] if kind == 'S' else range(1, ports + 1):
            node.guids[port] = guid if kind == 'S' else guid + (1 if shared else port)
            if shared and port > 1:
                node.lids[port] = node.lids[1]
                continue
            node.lids[port], self.next_lid = self.next_lid, self.next_lid + 1
        self.nodes[guid] = node
        return guid

    def link(self, a: End, b: End, width: str, speed: str) -> None:
        self.peer[a], self.peer[b] = b, a
        self.rate[a] = self.rate[b] = width, speed

    def text(self) -> str:
        out = []
        for node in self.nodes.values():
            out.append(f'vendid={node.vendor:#x}\ndevid={node.device:#x}\nsysimgguid={node.guid:#x}')
            if node.kind == 'S':
                out.append(f'switchguid={node.guid:#x}({node.guid:x})\nSwitch\t{node.ports} "S-{node.guid:016x}"\t'
                           f'# "{node.name}" enhanced port 0 lid {node.lids[0]} lmc 0')
            else:
                out.append(f'caguid={node.guid:#x}\nCa\t{node.ports} "H-{node.guid:016x}"\t# "{node.name}"')
            for port in range(1, node.ports + 1):
                if (node.guid, port) not in self.peer:
                    continue
                guid, far = self.peer[node.guid, port]
                other = self.nodes[guid]
                rate = ''.join(self.rate[node.guid, port])
                lid = other.lids[0 if other.kind == 'S' else far]
                if node.kind == 'S':
                    own = '' if other.kind == 'S' else f'({other.guids[far]:x})'
                    out.append(f'[{port}]\t"{other.kind}-{guid:016x}"[{far}]{own}\t# "{other.name}" lid {lid} {rate}')
                else:
                    out.append(f'[{port}]({node.guids[port]:x})\t"S-{guid:016x}"[{far}]\t# lid {node.lids[port]} lmc 0 '
                               f'"{other.name}" lid {lid} {rate}')
            out.append('')
        return '\n'.join(out)

    @classmethod
    def read(cls, path: str) -> Fabric:
        """Reads the output of ibnetdiscover."""
        fabric, vendor, device, node = cls(), 0, 0, Node(0, 'S', 0, '')
        with open(path, encoding='utf-8') as file:
            for line in file:
                if found := re.match(r'(vendid|devid)=(\w+)', line):
                    value = int(found[2], 16)
                    vendor, device = (value, device) if found[1] == 'vendid' else (vendor, value)
                elif found := re.match(r'(?:Switch|Ca)\s+(\d+) "([SH])-(\w+)"\s+# "([^"]*)"(?:.* lid (\d+))?', line):
                    node = Node(int(found[3], 16), found[2], int(found[1]), found[4], vendor, device)
                    fabric.nodes[node.guid] = node
                    if node.kind == 'S':
                        node.guids[0], node.lids[0] = node.guid, int(found[5])
                elif found := re.match(r'\[(\d+)\](?:\((\w+)\))?\s+"[SH]-(\w+)"\[(\d+)\]\S*\s+#(?: lid (\d+))?.* (\d+x)(\w+)', line):
                    port = int(found[1])
                    if node.kind == 'H':
                        node.guids[port], node.lids[port] = int(found[2], 16), int(found[5])
                    fabric.peer[node.guid, port] = int(found[3], 16), int(found[4])
                    fabric.rate[node.guid, port] = found[6], found[7]
        return fabric

    def capable(self) -> dict[End, tuple[str, str]]:
        """The best width and speed that each port with a cable supports: the best of the links of its node and kind."""
        best: dict[tuple, tuple[int, int]] = {}
        for (guid, _), rate in self.rate.items():
            key, (w, s) = (guid, port_kind(*rate)), (WIDTHS.index(rate[0]), SPEEDS.index(rate[1]))
            old = best.get(key, (0, 0))
            best[key] = max(old[0], w), max(old[1], s)
        return {end: (WIDTHS[best[end[0], port_kind(*rate)][0]], SPEEDS[best[end[0], port_kind(*rate)][1]])
                for end, rate in self.rate.items()}


def port_kind(width: str, speed: str) -> str:
    if width == '2x' and SPEEDS.index(speed) >= SPEEDS.index('HDR'):
        return 'split'
    return 'plane' if (width, speed) == ('1x', 'XDR') else 'plain'


def fat_tree(r: random.Random, leaves: int, hosts: int, spines: int, split: bool = False, planes: bool = False) -> Fabric:
    f, speed = Fabric(), r.choice(['EDR', 'HDR', 'NDR'])
    vendor = r.choice([0, MELLANOX])
    if planes:
        speed, vendor = 'XDR', MELLANOX
    if split:
        speed = r.choice(['HDR', 'NDR'])
    each = 4 if planes else 1
    width = '1x' if planes else '4x'
    tops = [f.add('S', leaves * each, f'spine{i}', vendor, 0xd2f2) for i in range(spines)]
    for i in range(leaves):
        leaf = f.add('S', (hosts + spines) * each, f'leaf{i}', vendor, 0xd2f2)
        for j in range(hosts):
            host = f.add('H', each, f'h{i}-{j} mlx5_0', vendor, 0x1021, shared=planes)
            for p in range(each):
                f.link((host, p + 1), (leaf, j * each + p + 1), '2x' if split and j % 2 else width, speed)
        for j, spine in enumerate(tops):
            for p in range(each):
                f.link((leaf, (hosts + j) * each + p + 1), (spine, i * each + p + 1), width, speed)
    return f


def torus(r: random.Random, x: int, y: int, z: int, hosts: int) -> Fabric:
    f, speed = Fabric(), r.choice(['FDR', 'EDR', 'HDR'])
    at = {(i, j, k): f.add('S', 6 + hosts, f'sw{i}-{j}-{k}', MELLANOX, 0xd2f0) for i in range(x) for j in range(y) for k in range(z)}
    for (i, j, k), switch in at.items():
        for axis, size in enumerate((x, y, z)):
            to = [i, j, k]
            to[axis] = (to[axis] + 1) % size
            # two switches on an axis have one link, a single one has none
            if size > 2 or to[axis] > (i, j, k)[axis]:
                f.link((switch, 2 * axis + 1), (at[tuple(to)], 2 * axis + 2), '4x', speed)
        for h in range(hosts):
            host = f.add('H', 1, f'n{i}-{j}-{k}-{h} mlx5_0', MELLANOX, 0x1017)
            f.link((host, 1), (switch, 7 + h), '4x', speed)
    return f


def rails(r: random.Random, hosts: int, count: int) -> Fabric:
    """Hosts with a device for each rail, and some with two ports."""
    f, speed = Fabric(), r.choice(['EDR', 'HDR', 'NDR'])
    tops = [f.add('S', 2 * count, f'core{i}', MELLANOX, 0xd2f2) for i in range(2)]
    leaves = [f.add('S', 2 * hosts + 4, f'rail{i}', MELLANOX, 0xd2f2) for i in range(count)]
    for i, leaf in enumerate(leaves):
        for j, top in enumerate(tops):
            for p in (1, 2):
                f.link((leaf, 2 * hosts + 2 * j + p), (top, 2 * i + p), '4x', speed)
    for h in range(hosts):
        for i, leaf in enumerate(leaves):
            device = f.add('H', 2 if h % 3 == 2 else 1, f'gpu{h:02} mlx5_{i}', MELLANOX, 0x1021)
            f.link((device, 1), (leaf, h + 1), '4x', speed)
            if h % 3 == 2:
                f.link((device, 2), (leaves[(i + 1) % count], hosts + h + 1), '4x', speed)
    return f


FABRICS = {
    'fat tree': lambda r: fat_tree(r, r.randint(2, 10), r.randint(2, 12), r.randint(1, 6)),
    'fat tree of 504 hosts': lambda r: fat_tree(r, 28, 18, 18),
    'torus': lambda r: torus(r, r.randint(2, 4), r.randint(2, 4), r.randint(1, 3), r.randint(1, 3)),
    'mixed.dump': lambda r: Fabric.read(os.path.join(HERE, '../data/topologies/mixed.dump')),
    'split ports': lambda r: fat_tree(r, r.randint(2, 6), r.randint(4, 12), r.randint(1, 4), split=True),
    'planes': lambda r: fat_tree(r, r.randint(2, 5), r.randint(2, 6), r.randint(1, 3), planes=True),
    'rails': lambda r: rails(r, r.randint(3, 12), r.randint(2, 8)),
}
LARGE = {'fat tree of 5,040 hosts': lambda r: fat_tree(r, 210, 24, 24)}
