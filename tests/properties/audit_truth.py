# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The truth for audit.py: the problems that madcheck(1) promises for the faults of a case."""
from __future__ import annotations

from collections import Counter

from audit_fabrics import AGGREGATION, LANE, SPEEDS, WIDTHS, End
from audit_faults import LIMITS, Case, common, kind_of, rank


def usual_of(values: dict, kinds: dict) -> dict:
    """For each link, the values that more than half of the links of its kind have, and at least three."""
    count = Counter((kinds[link], value) for link, value in values.items())
    total = Counter(kinds[link] for link in values)
    return {link: [v for (k, v), n in count.items() if k == kinds[link] and 2 * n > total[k] and n >= 3] for link in values}


class Truth:
    """The part of a fabric that a sweep from the first host sees, and the problems in it."""

    def __init__(self, c: Case, tables: dict[int, list[int]]):
        self.c, self.f, self.tables = c, c.f, tables
        for (switch, lid), port in c.entries.items():
            if switch in tables:
                tables[switch][lid] = port
        self.found: dict[tuple, tuple[str, End | None]] = {}
        self.read: set[int] = {c.own[0]} - c.mute
        self.ends: set[End] = set()
        self.owners: dict[int, set[int]] = {}
        self.reaches: dict[int, bool] = {}
        todo = [c.own[0]] if self.read else []
        while todo:
            guid = todo.pop()
            node = self.f.nodes[guid]
            ports = range(0, node.ports + 1) if node.kind == 'S' else [c.own[1]] if guid == c.own[0] else []
            for end in [(guid, p) for p in ports]:
                self.ends.add(end)
                if not c.up(end):
                    continue
                peer = self.f.peer[end]
                if peer[0] in c.mute:
                    self.found['silent', frozenset([end])] = 'critical', end
                    continue
                self.ends.add(peer)
                if peer[0] not in self.read:
                    self.read.add(peer[0])
                    todo.append(peer[0])
        self.links = [(a, b) for a, b in self.f.peer.items() if a < b and {a, b} <= self.ends and c.up(a)
                      and {a[0], b[0]} <= self.read]
        self.active = [e for e in self.ends if (self.f.nodes[e[0]].kind == 'H') == (e[1] > 0) and c.state(e) == 'Active'
                       and (e[1] > 0 or any(c.state(x) == 'Active' for x in self.ends if x[0] == e[0] and x[1] > 0))]
        for judge in (self.rates, self.limits, self.mtus, self.states, self.managers, self.identities, self.names,
                      self.routes, self.partitions, self.errors, self.registers):
            judge()
        every, self.found = self.found, {at: value for at, value in self.found.items() if at[0] in c.rules}
        # what does not respond is a problem, or else is not judged
        self.complete = 'silent' in c.rules or not any(rule == 'silent' for rule, _ in every)
        if 'counters' in c.rules and any(c.up(e) and self.f.nodes[e[0]].kind == 'H' and e[0] in self.read and not self.alias(e)
                                         and (not self.reached(e[0]) or e[0] in c.mute_gsi) for e in self.ends if e[1]):
            self.complete = False
        if {'module', 'temp', 'ber', 'fec'} & set(c.rules) and any(
                not self.answers(g) for g in self.read if not self.f.nodes[g].aggregation):
            self.complete = False

    def add(self, rule: str, ends, severity: str, first: End | None = None) -> None:
        self.found[rule, frozenset(ends) if not isinstance(ends, str) else ends] = severity, first

    @property
    def judged(self) -> list[tuple[End, End]]:
        return [link for link in self.links if not any(self.f.nodes[g].aggregation for g, _ in link)]

    def rates(self) -> None:
        c = self.c
        rates, kinds = {}, {}
        for a, b in self.links:
            if c.active(a) != c.active(b):
                self.add('half', (a, b), 'critical', a if a in c.shows else b)
        for link in self.judged:
            if c.active(link[0]) == c.active(link[1]):
                rates[link], kinds[link] = c.active(link[0]), kind_of(c, link)
        usual = usual_of(rates, kinds)
        for link, rate in rates.items():
            best = common(c.enabled[link[0]], c.enabled[link[1]])
            if rank(rate)[0] < rank(best)[0] or rank(rate)[1] < rank(best)[1]:
                size = int(rate[0][:-1]) * LANE[rate[1]]
                known = rate[0] != '1x' and any(size >= int(w[:-1]) * LANE[s] for w, s in usual[link])
                self.add('slow', link, 'info' if known else 'warning')

    def limits(self) -> None:
        c = self.c
        enabled = {link: common(c.enabled[link[0]], c.enabled[link[1]]) for link in self.judged
                   if c.active(link[0]) == c.active(link[1])}
        usual = usual_of(enabled, {link: kind_of(c, link) for link in enabled})
        for link, rate in enabled.items():
            best = common(c.supported[link[0]], c.supported[link[1]])
            split = c.active(link[0])[0] == '2x' and '2x' in [max(c.enabled[e][0], key=WIDTHS.index) for e in link]
            if rate != (rate[0] if split else best[0], best[1]):
                lower = [e for e in link if c.enabled[e] != c.supported[e]]
                self.add('misconfigured', link, 'info' if rate in usual[link] else 'warning', lower[0] if len(lower) == 1 else None)

    def mtus(self) -> None:
        c = self.c
        mtus = {link: c.mtu[link[0]] for link in self.judged if c.mtu[link[0]] == c.mtu[link[1]]}
        usual = usual_of(mtus, {link: kind_of(c, link) for link in mtus})
        for link in self.judged:
            a, b = link
            if c.state(a) != 'Active':
                # the subnet manager sets the MTU when it activates the link
                continue
            if c.mtu[a] != c.mtu[b]:
                self.add('mtu', link, 'warning', min(link, key=lambda e: c.mtu[e]))
            elif c.mtu[a] < min(c.cap[a], c.cap[b]):
                self.add('mtu', link, 'info' if c.mtu[a] in usual[link] else 'warning')

    def states(self) -> None:
        for link in self.links:
            # a link of which the ends differ is one problem
            half = 'half' in self.c.rules and ('half', frozenset(link)) in self.found
            if self.c.state(link[0]) != 'Active' and not half:
                self.add('init', link, 'warning')

    def managers(self) -> None:
        c = self.c
        if not c.managed or c.manager not in self.ends or c.manager[0] in c.mute or c.manager[0] not in self.read:
            self.add('sm', (), 'critical')
            return
        master = c.lids[c.manager]
        original = self.f.nodes[c.manager[0]].lids[c.manager[1]]
        for end in self.active:
            # each plane has its PortInfo
            if c.sm_lid.get(end, original) != master:
                self.add('sm', [end], 'warning', end)

    def reached(self, guid: int) -> bool:
        """Returns True if requests that are no SMPs can reach a node, and responses the first host: it has an Active port
        with a LID that no other port has, and the links between them are Active."""
        if guid not in self.reaches:
            ends = [e for e in self.active if e[0] == guid and not self.alias(e) and self.range(e) and not self.shares(e)]
            own = self.range(self.c.own)
            self.reaches[guid] = guid == self.c.own[0] or bool(own) and any(
                self.delivers(self.c.own, self.range(e)[0], guid) and self.delivers(e, own[0], self.c.own[0]) for e in ends)
        return self.reaches[guid]

    def delivers(self, start: End, lid: int, owner: int) -> bool:
        """Returns True if links that are Active lead from an end port to a LID."""
        at, hops = start, 0
        while hops < 64:
            node = self.f.nodes[at[0]]
            if at[0] == owner:
                return True
            if node.kind == 'H' and hops:
                return False
            if node.kind == 'S':
                table = self.tables.get(at[0], [])
                at = at[0], table[lid] if lid < len(table) else 255
            if self.c.state(at) != 'Active' or at not in self.f.peer:
                return False
            at, hops = self.f.peer[at], hops + 1
        return False

    def shares(self, end: End) -> bool:
        if not self.owners:
            for e in self.active:
                for lid in self.range(e):
                    self.owners.setdefault(lid, set()).add(e[0])
        return any(self.owners.get(lid, set()) - {end[0]} for lid in self.range(end))

    def alias(self, end: End) -> bool:
        """Planes of a port have one LID: the first that is Active counts."""
        node = self.f.nodes[end[0]]
        return node.kind == 'H' and any(p < end[1] and node.guids[p] == node.guids[end[1]] and (end[0], p) in self.active for p in node.guids)

    def lid(self, end: End) -> int:
        """The LID of an end port; that of the first plane counts."""
        node = self.f.nodes[end[0]]
        same = [p for p in node.guids if node.guids[p] == node.guids[end[1]]]
        return self.c.lids[end[0], min(same)]

    def range(self, end: End) -> range:
        count = 1 << self.c.lmc[end[0]]
        lid = self.lid(end)
        return range(lid // count * count, lid // count * count + count) if 0 < lid < 0xc000 else range(0)

    def identities(self) -> None:
        c = self.c
        owners: dict[int, set[End]] = {}
        for end in self.active:
            lid, count = self.lid(end), 1 << c.lmc[end[0]]
            if self.alias(end):
                continue
            if not 0 < lid < 0xc000 or lid % count:
                self.add('lid', [end], 'critical', end)
            for each in self.range(end):
                owners.setdefault(each, set()).add(end)
        for ends in owners.values():
            if len(ends) > 1:
                self.add('lid', ends, 'critical')
        lmcs = {c.lmc[e[0]] for e in self.active if e[1] > 0 and 0 < self.lid(e) < 0xc000}
        if len(lmcs) > 1:
            self.add('lid', 'LMC', 'info')

    def names(self) -> None:
        c = self.c
        for name, n in Counter(c.names[g] for g in self.read).items():
            if n > 1 and not name.startswith(AGGREGATION):
                self.add('name', name, 'info')
        versions: dict[str, set] = {}
        for guid, (psid, version) in c.firmware.items():
            if guid in self.read and guid not in c.mute_gsi and self.reached(guid):
                versions.setdefault(psid, set()).add(version)
        for psid, several in versions.items():
            if len(several) > 1:
                self.add('firmware', psid, 'info')

    def routes(self) -> None:
        c = self.c
        owners: dict[int, set[int]] = {}
        # a port that is not Active may have a LID, to which packets do not arrive
        linked = [e for e in self.ends if self.f.nodes[e[0]].kind == 'H' and e not in self.active and e[0] in self.read and c.up(e)
                  and e in self.f.peer and list(self.f.nodes[e[0]].guids.values()).count(self.f.nodes[e[0]].guids[e[1]]) == 1]
        targets = self.active + linked + [(g, 0) for g in self.read if self.f.nodes[g].kind == 'S' and (g, 0) not in self.active]
        for end in targets:
            for lid in self.range(end):
                owners.setdefault(lid, set()).add(end[0])
        starts = [g for g in self.read if self.f.nodes[g].kind == 'S' and any(
            c.up((g, p)) and self.f.nodes[self.f.peer[g, p][0]].kind == 'H' and not self.f.nodes[self.f.peer[g, p][0]].aggregation
            for p in range(1, self.f.nodes[g].ports + 1) if (g, p) in self.f.peer)]
        for end in targets:
            # packets to a LID that two ports have arrive at one of them, which is a problem by itself
            if self.alias(end) or self.shares(end):
                continue
            for lid in self.range(end):
                fates: dict[int, bool] = {}
                if not all([self.arrives(start, lid, owners[lid], fates) for start in starts]):
                    self.add('route', [end], 'critical', end)

    def arrives(self, at: int, lid: int, owners: set[int], fates: dict[int, bool]) -> bool:
        """Follows packets from a switch to a LID. fates: those of the switches that they have passed."""
        passed = []
        while at not in fates:
            # a loop ends here
            fates[at] = False
            passed.append(at)
            node = self.f.nodes[at]
            if at in owners or (node.kind == 'S' and at not in self.read):
                # the tables of a silent switch are unknown
                fates[at] = True
            elif node.kind == 'S':
                table = self.tables.get(at, [])
                port = table[lid] if lid < len(table) else 255
                # links that are not Active discard packets; of those to silent nodes, the other end is unknown
                if self.c.up((at, port)) and (self.c.state((at, port)) == 'Active' or self.f.peer[at, port][0] not in self.read):
                    at = self.f.peer[at, port][0]
        for each in passed:
            fates[each] = fates[at]
        return fates[at]

    def partitions(self) -> None:
        c = self.c
        for end, (inbound, outbound) in c.enforce.items():
            peer = self.f.peer[end]
            if not (inbound or outbound) or not {end, peer} <= self.ends or not {end[0], peer[0]} <= self.read or not c.up(end):
                continue
            keys = {k & 0x7fff for k in c.pkeys[peer]}
            if 0x7fff not in keys:
                self.add('pkey', (end, peer), 'critical', end)
            elif len(keys) > 1 or inbound != outbound:
                self.add('pkey', (end, peer), 'warning', end)

    def errors(self) -> None:
        c = self.c
        over = set()
        for end, counters in c.counters.items():
            # a port whose counters cannot be read has no problem, but is not judged
            if end not in self.ends or not c.up(end) or end[0] in c.mute_gsi or not self.reached(end[0]):
                continue
            # a device counts all its planes together, and reports them for the first one
            if self.alias(end):
                continue
            if any(value > LIMITS[name] for name, value in counters.items()):
                over.add(end)
        for end in over:
            # a link is one problem, with the end that has counters first
            peer = self.f.peer.get(end)
            if peer is None or not {end[0], peer[0]} <= self.read or not c.up(end):
                self.add('counters', [end], 'warning', end)
            else:
                self.add('counters', (end, peer), 'warning', min(over & {end, peer}))

    def answers(self, guid: int) -> bool:
        """Returns True if a node answers requests for registers."""
        return (guid in self.read and guid not in self.c.mute_gsi and not self.f.nodes[guid].aggregation
                and self.reached(guid))

    def registers(self) -> None:
        c = self.c
        # a port of a channel adapter that is down has no address
        known = [e for e in self.ends if self.answers(e[0]) and (c.up(e) or self.f.nodes[e[0]].kind == 'S')]
        for guid in c.hot_chips:
            if self.answers(guid):
                self.add('temp', f'0x{guid:016x}', 'warning')
        for end in known:
            if end in c.hot:
                self.add('temp', [end], 'warning', end)
            if end in c.alarms:
                self.add('module', [end], c.alarms[end], end)
            peer = self.f.peer.get(end)
            if not c.up(end) or peer is None:
                continue
            both = peer[0] in self.read
            if end in c.noisy:
                self.add('ber', (end, peer) if both else [end], 'info' if c.active(end)[1] == 'XDR' else 'warning', end)
            # simulated devices have a code for each speed from EDR on
            codes = {max(SPEEDS.index(c.active(e)[1]), SPEEDS.index('FDR')) for e in (end, peer)}
            if (end in c.fec or len(codes) > 1) and both and self.answers(peer[0]) and all(
                    self.f.nodes[g].kind == 'S' or p == 1 for g, p in (end, peer)):
                self.add('fec', (end, peer), 'warning')
