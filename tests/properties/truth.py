# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The truth about a case, computed from its data only: a breadth-first search over cables, and the rules of
madkit-sim(7) for widths and speeds. Nothing here has seen an output of madkit."""
from __future__ import annotations

import functools

from case import SPEEDS, WIDTHS, best_of, connected, first_port, lids_of, port_caps

TYPE = {'switch': 'Switch', 'ca': 'CA', 'router': 'Router'}
# data rates of a lane in Mbit/s: signalling rate x 8/10 up to QDR, x 64/66 above
LANE = {'SDR': 2000, 'DDR': 4000, 'QDR': 8000, 'FDR10': 10000, 'FDR': 14062.5 * 64 / 66, 'EDR': 25000, 'HDR': 50000,
        'NDR': 100000, 'XDR': 200000}
Port = tuple[int, int]


class Truth:
    def __init__(self, case: dict):
        self.case, self.nodes = case, case['nodes']
        self.caps = port_caps(case)
        self.link: dict[Port, tuple[int, int, str, str]] = {}
        for a, pa, b, pb, width, speed in case['links']:
            self.link[a, pa], self.link[b, pb] = (b, pb, width, speed), (a, pa, width, speed)
        unplugged = {tuple(d) for d in case['down']}
        self.up = {p for p, (b, pb, *_) in self.link.items()
                   if p not in unplugged and (b, pb) not in unplugged
                   and p[0] not in case['gone'] and b not in case['gone']}
        # both ends of links that are up and down in turn; they are up here
        self.flapping = {end for n, p, _ in case['flaps'] if (n, p) in self.link for end in ((n, p), self.link[n, p][:2])}
        self.info: dict[Port, dict[str, int]] = {}
        for n, p, setting in case['info']:
            name, value = setting.split('=')
            self.info.setdefault((n, p), {})[name] = int(value)
        # whose agent drops requests without its M_Key: both bits protect it (Gets) or nothing but Sets
        self.locked = {n for (n, _), fields in self.info.items() if fields.get('Mkey') and fields.get('ProtectBits', 0) >= 2}
        self.mute = self.locked | {n for n, which in case['mute'] if which != 'gsi'}
        self.mute_gsi = {n for n, which in case['mute'] if which != 'smi'}
        self.at: Port = tuple(case['at'])
        self.managed = set() if case['sm'] is None else connected(case, case['sm'], first_port(case, case['sm']))
        self.number = {node['guid']: i for i, node in enumerate(self.nodes)}
        # whether each request has its response, in time and once
        self.reliable = not (case['faults'] or case['slow'] or case['vl15'] or case['flaps'])
        # ... and that of other classes, which need a LID, a partition, and a subnet manager that can change routes
        fields = {name for fields in self.info.values() for name in fields}
        moved = case['down'] or case['gone']
        self.reliable_gmp = self.reliable and not fields & {'Lid', 'PKey[0]'} and not ('Mkey' in fields and moved)
        # whether packets may be changed without a notice
        self.honest = not any(f.startswith('garble') for f in case['faults'])
        # whether the port of the command has a link; port 0 of a switch always has
        self.attached = self.at in self.up or self.is_switch(self.at[0])
        self.dist = self.distances(self.at)

    def is_switch(self, n: int) -> bool:
        return self.nodes[n]['type'] == 'switch'

    def distances(self, start: Port, mute: bool = True) -> dict[int, int]:
        """The number of links to each node that directed routes reach from a port. Only switches forward, and they
        do not if their agent is mute; a mute node is not reached."""
        dist, todo = {start[0]: 0}, [start[0]]
        while todo:
            n = todo.pop(0)
            for p in range(1, self.nodes[n]['ports'] + 1) if self.is_switch(n) else [start[1]] if n == start[0] else []:
                peer = self.link[n, p][0] if (n, p) in self.up else None
                if peer is not None and peer not in dist and not (mute and peer in self.mute):
                    dist[peer] = dist[n] + 1
                    todo.append(peer)
        return dist

    def silent(self, nodes: set[int]) -> list[Port]:
        """The ports of these nodes from behind which nothing responds."""
        return [(n, p) for n in nodes for p in self.entered(n) if (n, p) in self.up and self.link[n, p][0] in self.mute]

    def entered(self, n: int, dist: dict[int, int] | None = None) -> list[int]:
        """The ports of a node that a sweep sees: all of a switch, those of another node by which it is reached."""
        if self.is_switch(n):
            return list(range(0 if self.nodes[n]['enhanced'] else 1, self.nodes[n]['ports'] + 1))
        dist = self.dist if dist is None else dist
        return [p for p in range(1, self.nodes[n]['ports'] + 1)
                if (n, p) == self.at or ((n, p) in self.up and self.is_near((n, p), dist))]

    def is_near(self, port: Port, dist: dict[int, int]) -> bool:
        """Returns True if the other end of a cable is a switch of the sweep, or the port of the sweep itself."""
        b, pb = self.link[port][:2]
        return b in dist and (self.is_switch(b) or (b, pb) == self.at)

    def ports(self, nodes, dist: dict[int, int] | None = None) -> set[Port]:
        return {(n, p) for n in nodes for p in self.entered(n, dist)}

    # ---- an object "port" ---------------------------------------------------------------------------------

    def end_port(self, n: int, p: int) -> Port:
        return (n, 0) if self.is_switch(n) else (n, p)

    def lid(self, n: int, p: int) -> int | None:
        """The LID of a port, of a switch that of its port 0; None if it is not unicast."""
        end = self.end_port(n, p)
        lid = self.info.get(end, {}).get('Lid', lids_of(self.case, *end)[0])
        return lid if 0 < lid < 0xc000 else None

    def lids(self, n: int, p: int) -> range:
        """All LIDs of an end port, with those of its LMC."""
        lid, count = self.lid(n, p), len(lids_of(self.case, *self.end_port(n, p)))
        return range(lid // count * count, lid // count * count + count) if lid else range(0)

    def original(self, n: int, p: int) -> range:
        """The LIDs that the subnet manager has assigned."""
        return lids_of(self.case, *self.end_port(n, p))

    def sharers(self, nodes, dist: dict[int, int] | None = None) -> set[Port]:
        """The Active end ports of these nodes of which a LID is also that of another. dist: those that a sweep of the
        nodes in it has read."""
        owners: dict[int, set[Port]] = {}
        for n, p in {self.end_port(n, p) for n, p in self.ports(nodes, dist)} | {(n, 0) for n in nodes if self.is_switch(n)}:
            # the port of the command responds to requests to its own LIDs, whatever its link
            if self.is_switch(n) or self.state(n, p) == 'Active' or (n, p) == self.at:
                for lid in self.lids(n, p):
                    owners.setdefault(lid, set()).add((n, p))
        return set().union(*(ports for ports in owners.values() if len(ports) > 1))

    def is_alone(self, n: int, p: int) -> bool:
        """Returns True if no other end port has one of the LIDs of an end port."""
        own, mine = set(self.lids(n, p)), self.end_port(n, p)
        return not any(own & set(self.lids(m, q)) for m in range(len(self.nodes))
                       for q in ([0] if self.is_switch(m) else range(1, self.nodes[m]['ports'] + 1)) if (m, q) != mine)

    def port_guid(self, n: int, p: int) -> int | None:
        if self.is_switch(n):
            return self.nodes[n]['guid0'] if p == 0 else None
        return self.nodes[n]['ends'][p - 1][0]

    def port_of_lid(self, lid: int) -> Port | None:
        """The end port to which packets to a LID are forwarded, as the subnet manager has assigned the LIDs."""
        for n, p in connected(self.case, *self.at):
            if (n in self.dist and (p == 0 if self.is_switch(n) else self.state(n, p) == 'Active')
                    and lid in lids_of(self.case, n, p)):
                return n, p
        return None

    def end(self, n: int, p: int) -> dict:
        node, guid = self.nodes[n], self.port_guid(n, p)
        return {'node.name': node['name'], 'node.guid': f'0x{node["guid"]:016x}',
                'node.system_guid': f'0x{node["system"]:016x}', 'node.device_id': node['device'],
                'node.type': TYPE[node['type']], 'number': p, 'guid': guid and f'0x{guid:016x}', 'lid': self.lid(n, p)}

    def state(self, n: int, p: int) -> str:
        if self.is_switch(n) and p == 0:
            return 'Active'
        if (n, p) not in self.up:
            return 'Down'
        return 'Active' if (n, p) in self.managed else 'Initialize'

    def record(self, n: int, p: int) -> dict:
        """The object "port" as madkit-json(7) describes it, flat; of a peer that cannot be read, nothing is known."""
        port0 = self.is_switch(n) and p == 0
        widths, speeds = self.caps[n, p]
        port = self.end(n, p) | {'state': self.state(n, p), 'phys': 'LinkUp' if port0 or (n, p) in self.up else 'Polling',
                                 'width_enabled': None if port0 else best_of(widths, WIDTHS),
                                 'speed_enabled': None if port0 else best_of(speeds, SPEEDS)}
        blank = dict.fromkeys(['width', 'speed', 'gbps', 'width_best', 'speed_best', 'mtu'])
        port |= blank
        if (n, p) in self.up:
            b, pb, width, speed = self.link[n, p]
            port |= {'width': width, 'speed': speed, 'gbps': int(LANE[speed] * int(width[:-1]) / 1000 + 0.5),
                     'mtu': 4096}
            if b not in self.mute:
                port |= {'width_best': best_of(widths & self.caps[b, pb][0], WIDTHS),
                         'speed_best': best_of(speeds & self.caps[b, pb][1], SPEEDS)}
                port |= {'peer.' + k: v for k, v in self.end(b, pb).items()}
        return port

    @functools.cached_property
    def steady(self) -> Truth:
        """The truth while all links that flap are down."""
        return Truth(self.case | {'down': self.case['down'] + [f[:2] for f in self.case['flaps']], 'flaps': []})

    def values(self, n: int, p: int) -> dict[str, set]:
        """The possible values of each key of the object "port": there are several if the link goes down and up."""
        found = {key: {value} for key, value in self.record(n, p).items()}
        if (n, p) in self.flapping:
            for key, value in self.steady.record(n, p).items():
                found.setdefault(key, {None}).add(value)
            for key in found:
                if key.startswith('peer.'):
                    found[key].add(None)
            found['state'] |= {'Down', 'Initialize', 'Armed', 'Active'}
        return found

    # ---- counters ------------------------------------------------------------------------------------------

    def counters(self, n: int, p: int) -> dict[str, int]:
        """The counters of errors that were set at a port."""
        return {name: value for m, q, name, value in self.case['counters'] if (m, q) == (n, p)}
