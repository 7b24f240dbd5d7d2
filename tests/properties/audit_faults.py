# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Faults for audit.py: each changes the state of a case, and has words that make the same change in madsim."""
from __future__ import annotations

import os
import random
from collections import Counter

from audit_fabrics import FABRICS, HERE, LARGE, MELLANOX, SPEEDS, WIDTHS, End, Node

# the default limits of ibcheckerrs: counters above them are problems
LIMITS = {'SymbolErrorCounter': 10, 'LinkErrorRecoveryCounter': 10, 'LinkDownedCounter': 10, 'PortRcvErrors': 10,
          'PortRcvRemotePhysicalErrors': 100, 'PortRcvSwitchRelayErrors': 100, 'PortXmitDiscards': 100,
          'PortXmitConstraintErrors': 100, 'PortRcvConstraintErrors': 100, 'LocalLinkIntegrityErrors': 10,
          'ExcessiveBufferOverrunErrors': 10, 'VL15Dropped': 100}
NARROW = {'LinkErrorRecoveryCounter': 255, 'LinkDownedCounter': 255, 'PortXmitConstraintErrors': 255,
          'PortRcvConstraintErrors': 255, 'LocalLinkIntegrityErrors': 15, 'ExcessiveBufferOverrunErrors': 15}
MTU = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}


def rank(rate: tuple[str, str]) -> tuple[int, int]:
    return WIDTHS.index(rate[0]), SPEEDS.index(rate[1])


def common(a: tuple[set, set], b: tuple[set, set]) -> tuple[str, str]:
    return max(a[0] & b[0], key=WIDTHS.index), max(a[1] & b[1], key=SPEEDS.index)


class Case:
    """A fabric whose state the faults change, with the words that make the same change in madsim."""

    def __init__(self, seed: int, name: str = '', faults: int = 0):
        r = self.r = random.Random(seed)
        self.seed = seed
        self.name = name or list(FABRICS)[seed % len(FABRICS)]
        self.f = f = (FABRICS | LARGE)[self.name](r)
        self.hosts = [n for n in f.nodes.values() if n.kind == 'H' and not n.aggregation]
        self.switches = [n for n in f.nodes.values() if n.kind == 'S']
        self.own: End = (self.hosts[0].guid, 1)
        self.manager: End = (self.hosts[-1].guid, 1)
        # a subnet manager that hears of no change
        self.stale = r.random() < 0.4 or self.name in LARGE
        self.managed = True
        # words before and after the subnet manager has processed the changes
        self.early: list[str] = []
        self.late: list[str] = []
        best = f.capable()
        self.supported = {end: self.up_to(best[end], end) for end in f.rate}
        self.enabled = dict(self.supported)
        self.shows: dict[End, tuple[str, str]] = {}
        self.limit: dict[End, tuple[str, str]] = {}  # of a degraded link, at both ends
        self.down: set[End] = set()
        self.initialize: set[End] = set()
        self.gone: set[int] = set()
        self.mute: set[int] = set()
        self.mute_gsi: set[int] = set()
        self.lids = {(n.guid, p): lid for n in f.nodes.values() for p, lid in n.lids.items()}
        self.lmc: Counter = Counter()
        self.sm_lid: dict[End, int] = {}
        self.mtu = {end: 5 for end in f.rate}
        self.cap = {end: 5 for end in f.rate}
        self.firmware: dict[int, tuple[str, str]] = {}
        self.names = {n.guid: n.name for n in f.nodes.values()}
        self.enforce: dict[End, tuple[int, int]] = {}
        self.pkeys: dict[End, list[int]] = {}
        self.counters: dict[End, dict[str, int]] = {}
        # what registers of ports show
        self.hot: set[End] = set()
        self.hot_chips: set[int] = set()
        self.alarms: dict[End, str] = {}
        self.noisy: set[End] = set()
        self.fec: set[End] = set()
        # entries of forwarding tables that change: these need a fabric that is served
        self.entries: dict[tuple[int, int], int] = {}
        standard = ['silent', 'sm', 'guid', 'lid', 'half', 'init', 'slow', 'misconfigured', 'mtu', 'name', 'firmware']
        others = ['route', 'pkey', 'module', 'temp', 'ber', 'fec', 'counters']
        self.rules = r.choice([standard + others] * 3 + [standard, r.sample(standard + others, r.randint(1, 9))])
        self.touched: set = {self.own[0]}
        self.done: list[str] = []
        kinds = list(FAULTS)
        for _ in range(200):
            if len(self.done) >= (faults or r.choice([1, 1, 2, 3, 4, 5])):
                break
            kind = r.choice(kinds)
            if FAULTS[kind](self):
                self.done.append(kind)
        self.text = f.text()
        # equal names cannot be in words: nodes are named by their GUIDs
        for guid, new in self.names.items():
            if new != f.nodes[guid].name:
                self.text = self.text.replace(f'"{f.nodes[guid].name}"', f'"{new}"')
        if self.name == 'mixed.dump' and not any(self.names[g] != n.name for g, n in f.nodes.items()):
            with open(os.path.join(HERE, '../data/topologies/mixed.dump'), encoding='utf-8') as file:
                self.text = file.read()

    # ---- states ----------------------------------------------------------------------------------------------------

    def up_to(self, best: tuple[str, str], end: End) -> tuple[set, set]:
        width, speed = best
        widths = {'1x', width} | ({'2x'} if width != '1x' and SPEEDS.index(speed) >= SPEEDS.index('HDR') else set())
        speeds = set(SPEEDS[:SPEEDS.index(speed) + 1])
        if self.f.nodes[end[0]].vendor != MELLANOX:
            speeds.discard('FDR10')
        return widths, speeds

    def limited(self, end: End, rate: tuple[str, str]) -> tuple[set, set]:
        w, s = rank(rate)
        return ({x for x in self.enabled[end][0] if WIDTHS.index(x) <= w}, {x for x in self.enabled[end][1] if SPEEDS.index(x) <= s})

    def trained(self, end: End) -> tuple[str, str]:
        """The rate that both ends of a link have."""
        limit = self.limit.get(end, (WIDTHS[-1], SPEEDS[-1]))
        return common(self.limited(end, limit), self.limited(self.f.peer[end], limit))

    def active(self, end: End) -> tuple[str, str]:
        return self.shows.get(end, self.trained(end))

    def up(self, end: End) -> bool:
        return end in self.f.peer and end not in self.down and not {end[0], self.f.peer[end][0]} & self.gone

    def state(self, end: End) -> str:
        if self.f.nodes[end[0]].kind == 'S' and end[1] == 0:
            return 'Active'
        if not self.up(end):
            return 'Down'
        return 'Active' if self.managed and end not in self.initialize else 'Initialize'

    def is_one_subnet(self) -> bool:
        """Returns True if links lead from the first host to the subnet manager."""
        seen, todo = {self.own[0]}, [self.own[0]]
        while todo:
            guid = todo.pop()
            for port in range(1, self.f.nodes[guid].ports + 1):
                peer = self.f.peer[guid, port][0] if self.up((guid, port)) else guid
                if peer not in seen:
                    seen.add(peer)
                    if self.f.nodes[peer].kind == 'S':
                        todo.append(peer)
        return self.manager[0] in seen

    # ---- choices ---------------------------------------------------------------------------------------------------

    def take(self, *things) -> bool:
        """Claims nodes or ends: each is in one fault at most, so that the words of two faults do not meet."""
        if any(t in self.touched for t in things):
            return False
        self.touched |= set(things)
        return True

    def host(self) -> Node | None:
        node = self.r.choice(self.hosts)
        return node if node.guid != self.manager[0] and self.take(node.guid) else None

    def cable(self, free: bool = True) -> tuple[End, End] | None:
        """Both ends of a link that no other fault is about."""
        end = self.r.choice(sorted(self.f.peer))
        peer = self.f.peer[end]
        if self.own in (end, peer) or any(self.f.nodes[e[0]].aggregation for e in (end, peer)) and free:
            return None
        return (end, peer) if self.take(end, peer) else None

    def word(self, late: bool, *words) -> None:
        (self.late if late else self.early).append(' '.join(f'{w:#x}' if isinstance(w, int) and w > 0xffff else str(w) for w in words))

    def retrain(self, end: End) -> None:
        if self.stale:
            self.initialize |= {end, self.f.peer[end]}


def kind_of(c: Case, link: tuple[End, End]) -> tuple:
    return tuple(sorted((c.f.nodes[g].vendor, c.f.nodes[g].device, c.f.nodes[g].kind) for g, _ in link))


def fault_width(c: Case) -> bool:
    link = c.cable()
    if not link or c.trained(link[0])[0] == '1x':
        return False
    rate = c.trained(link[0])
    width = c.r.choice(sorted(w for w in c.supported[link[0]][0] & c.supported[link[1]][0] if WIDTHS.index(w) < WIDTHS.index(rate[0])))
    c.word(False, 'link', *link[0], f'width={width}')
    c.limit[link[0]] = c.limit[link[1]] = width, SPEEDS[-1]
    c.retrain(link[0])
    return True


def fault_speed(c: Case) -> bool:
    link = c.cable()
    if not link:
        return False
    rate = c.trained(link[0])
    speed = c.r.choice(sorted(s for s in c.supported[link[0]][1] & c.supported[link[1]][1] if SPEEDS.index(s) < SPEEDS.index(rate[1])))
    c.word(False, 'link', *link[0], f'speed={speed}')
    c.limit[link[0]] = c.limit[link[1]] = WIDTHS[-1], speed
    c.retrain(link[0])
    return True


def fault_shows(c: Case) -> bool:
    link = c.cable(free=False)
    if not link:
        return False
    rate, other = c.trained(link[0]), c.trained(link[0])
    while other == rate:
        # FDR10 and XDR need attributes that a port that only reports them may not have
        other = c.r.choice(['1x', '4x']), c.r.choice([s for s in SPEEDS if s not in ('FDR10', 'XDR')])
    c.word(True, 'link', *link[0], f'shows={other[0]},{other[1]}')
    c.shows[link[0]] = other
    return True


def fault_enabled(c: Case) -> bool:
    link = c.cable()
    if not link:
        return False
    end = link[0]
    rate = c.r.choice(sorted(c.supported[end][0])), c.r.choice(sorted(c.supported[end][1] - {'FDR10'}))
    before = c.trained(end)
    c.enabled[end] = c.limited(end, rate)
    c.word(False, 'link', *end, f'enabled={rate[0]},{rate[1]}')
    if c.trained(end) != before:
        c.retrain(end)
    return True


def harmless_supported(c: Case) -> bool:
    """A port that supports less, as a split or an older device does."""
    link = c.cable()
    if not link:
        return False
    end = link[0]
    best = c.f.capable()[end]
    rate = c.r.choice(sorted(c.supported[end][0])), c.r.choice(sorted(c.supported[end][1] - {'FDR10'}))
    if rank(rate)[0] > rank(best)[0] or rank(rate)[1] > rank(best)[1]:
        return False
    before = c.trained(end)
    c.supported[end] = c.enabled[end] = c.up_to(rate, end)
    c.word(False, 'link', *end, f'supported={rate[0]},{rate[1]}')
    if c.trained(end) != before:
        c.retrain(end)
    return True


def fault_mtu_one(c: Case) -> bool:
    link = c.cable(free=False)
    if not link:
        return False
    c.mtu[link[0]] = c.r.randint(1, 4)
    c.word(True, 'info', *link[0], f'NeighborMTU={c.mtu[link[0]]}')
    return True


def fault_mtu_both(c: Case) -> bool:
    link = c.cable(free=False)
    if not link:
        return False
    c.mtu[link[0]] = c.mtu[link[1]] = c.r.randint(1, 4)
    for end in link:
        c.word(True, 'info', *end, f'NeighborMTU={c.mtu[end]}')
    return True


def harmless_mtu(c: Case) -> bool:
    """Both ends support less: nothing is wrong."""
    link = c.cable()
    if not link or c.stale:
        return False
    mtu = c.r.randint(1, 4)
    for end in link:
        c.mtu[end] = c.cap[end] = mtu
    c.word(False, 'link', *link[0], f'mtu={MTU[mtu]}')
    return True


def fault_lid_none(c: Case) -> bool:
    node = c.host()
    if not node or len(set(node.guids.values())) < len(node.guids):
        return False
    end = node.guid, c.r.choice(sorted(node.lids))
    c.lids[end] = c.r.choice([0, 0, 0xc000, 0xffff])
    c.word(True, 'info', *end, f'Lid={c.lids[end]}')
    return True


def fault_lid_twice(c: Case) -> bool:
    node = c.host()
    other = c.r.choice(c.r.choice([c.hosts, c.switches]))
    if not node or other is node or len(set(node.guids.values())) < len(node.guids) or other.guid == c.own[0] or not c.take(other.guid):
        return False
    end = node.guid, c.r.choice(sorted(node.lids))
    c.lids[end] = other.lids[min(other.lids)]
    c.word(True, 'info', *end, f'Lid={c.lids[end]}')
    return True


def fault_lid_odd(c: Case) -> bool:
    node = c.host()
    if not node or len(node.lids) > 1:
        return False
    c.lids[node.guid, 1], c.lmc[node.guid] = 9001 + 8 * c.r.randrange(100), c.r.randint(1, 3)
    c.word(True, 'info', node.guid, 1, f'Lid={c.lids[node.guid, 1]}', f'LMC={c.lmc[node.guid]}')
    return True


def fault_lmc(c: Case) -> bool:
    """Another LMC; the forwarding tables do not have the new LIDs."""
    node = c.host()
    if not node or len(node.lids) > 1:
        return False
    c.lids[node.guid, 1], c.lmc[node.guid] = 8192 + 8 * c.r.randrange(100), c.r.randint(0, 3)
    if c.lids[node.guid, 1] in [lid for end, lid in c.lids.items() if end != (node.guid, 1)]:
        return False
    c.word(True, 'info', node.guid, 1, f'Lid={c.lids[node.guid, 1]}', f'LMC={c.lmc[node.guid]}')
    return True


def fault_sm_lid(c: Case) -> bool:
    node = c.r.choice(c.hosts + c.switches)
    if node.guid == c.manager[0] or not c.take(node.guid):
        return False
    for port in node.lids:
        c.sm_lid[node.guid, port] = 7777
        c.word(True, 'info', node.guid, port, 'MasterSMLID=7777')
    return True


def fault_manager_moved(c: Case) -> bool:
    """The manager's port has another LID than all ports know."""
    if len(c.f.nodes) > 120 or c.name == 'planes' or c.r.random() < 0.7 or not c.take(c.manager[0]):
        return False
    c.lids[c.manager] = 6000
    c.word(True, 'info', *c.manager, 'Lid=6000')
    return True


def fault_no_manager(c: Case) -> bool:
    if c.r.random() < 0.8 or c.done or len(c.f.nodes) > 300:
        return False
    c.managed = False
    return True


def fault_mute(c: Case) -> bool:
    node = c.r.choice(c.r.choice([c.hosts, c.hosts, c.switches]))
    if not c.take(node.guid):
        return False
    c.word(True, 'agent', node.guid, 'mute', c.r.choice(['smi', '']))
    c.mute.add(node.guid)
    return True


def fault_key(c: Case) -> bool:
    """A node with an unknown M_Key: bit 1 of ProtectBits hides it."""
    node = c.r.choice(c.hosts + c.switches)
    if not c.take(node.guid):
        return False
    bits = c.r.randint(0, 3)
    for port in node.lids:
        c.word(True, 'info', node.guid, port, f'Mkey={c.r.randint(1, 1 << 40)}', f'ProtectBits={bits}')
    if bits >= 2:
        c.mute.add(node.guid)
    return True


def fault_firmware(c: Case) -> bool:
    nodes = [n for n in c.r.sample(c.hosts, min(len(c.hosts), 6)) if n.vendor == MELLANOX]
    if len(nodes) < 2 or not c.take('firmware'):
        return False
    for node in nodes:
        c.firmware[node.guid] = c.r.choice(['MT_1', 'MT_2']), f'28.{c.r.choice([40, 40, 41])}.1000'
        c.word(False, 'node', node.guid, f'psid={c.firmware[node.guid][0]}', f'firmware={c.firmware[node.guid][1]}')
    return True


def fault_names(c: Case) -> bool:
    nodes = c.r.sample(c.switches, min(len(c.switches), c.r.choice([2, 2, 3])))
    if len(nodes) < 2 or not c.take('names'):
        return False
    name = c.r.choice(['twin', 'MF0;switch-a1b2c3:MQM9700/U1', nodes[0].name])
    for node in nodes:
        c.names[node.guid] = name
    return True


def fault_pkey(c: Case) -> bool:
    node = c.host()
    if not node or node.vendor != MELLANOX and c.name == 'mixed.dump':
        return False
    end = node.guid, c.r.choice(sorted(node.lids))
    if len(set(node.guids.values())) < len(node.guids) or not c.take(end, c.f.peer[end]):
        return False
    # a switch that drops packets sends trap 259, and the subnet manager repairs the table
    lacks = [[0x8001], [0x8001, 0x8002]] if c.stale else []
    c.pkeys[end] = c.r.choice([[0xffff], [0x7fff], [0xffff, 0x8001], [0x7fff, 5]] + lacks)
    c.enforce[c.f.peer[end]] = c.r.choice([(1, 1), (1, 1), (1, 0), (0, 1), (0, 0)])
    inbound, outbound = c.enforce[c.f.peer[end]]
    c.word(True, 'info', *end, *(f'PKey[{i}]={key}' for i, key in enumerate(c.pkeys[end])))
    if inbound or outbound:
        c.word(True, 'info', *c.f.peer[end], f'PartEnforceInb={inbound}', f'PartEnforceOutb={outbound}')
    return True


def fault_counter(c: Case) -> bool:
    """One to three counters at or above their limits, at one end of a link or at both."""
    link = c.cable(free=False)
    if not link:
        return False
    for end in link[:c.r.randint(1, 2)]:
        for name in c.r.sample(sorted(LIMITS), c.r.randint(1, 3)):
            value = min(LIMITS[name] + c.r.choice([-1, 0, 1, 5, 60000]), NARROW.get(name, 65535))
            c.counters.setdefault(end, {})[name] = value
            c.word(True, 'counter', *end, f'{name}={value}')
    return True


def gauge(c: Case) -> tuple[End, End] | None:
    """A link of which the first end has registers: of a device with several ports, only the first has."""
    link = c.cable()
    return link if link and (c.f.nodes[link[0][0]].kind == 'S' or link[0][1] == 1) else None


def fault_hot(c: Case) -> bool:
    link = gauge(c)
    if not link:
        return False
    c.hot.add(link[0])
    c.word(True, 'temperature', *link[0], c.r.choice(['95', '100.5']))
    return True


def fault_hot_chip(c: Case) -> bool:
    node = c.r.choice(c.hosts + c.switches)
    if not c.take(('chip', node.guid)):
        return False
    c.hot_chips.add(node.guid)
    c.word(True, 'temperature', node.guid, c.r.choice(['106', '120.5']))
    return True


def fault_alarm(c: Case) -> bool:
    """An alarm of a module, or a diagnosis that is not one of a module."""
    link = gauge(c)
    if not link:
        return False
    number, severity = c.r.choice([(1025, 'warning'), (1029, 'warning'), (1030, 'critical'), (1031, 'critical'), (1033, 'info'), (1024, ''), (15, '')])
    if severity:
        c.alarms[link[0]] = severity
    c.word(True, 'module', *link[0], f'diagnosis={number}')
    return True


def fault_noise(c: Case) -> bool:
    """A bit error rate above or below its limit, before or after correction."""
    link = gauge(c)
    if not link:
        return False
    words, bad = c.r.choice([('symbol=2e-14 effective=2e-14', True), ('raw=2e-2', True), ('symbol=1e-14 effective=1e-14', False), ('raw=9e-13', False)])
    if bad:
        c.noisy.add(link[0])
    c.word(True, 'ber', *link[0], *words.split())
    return True


def fault_fec(c: Case) -> bool:
    link = gauge(c)
    if not link:
        return False
    c.fec.add(link[0])
    c.word(True, 'fec', *link[0], 14)
    return True


def harmless_wait(c: Case) -> bool:
    link = c.cable(free=False)
    if link:
        c.word(True, 'counter', *link[0], f'PortXmitWait={c.r.randrange(1 << 32)}')
    return bool(link)


def fault_down(c: Case) -> bool:
    """A link may be down; routes that still use it are problems."""
    link = c.cable()
    if not link or c.manager in link:
        return False
    c.down |= set(link)
    if not c.stale and not c.is_one_subnet():
        # the word join needs a manager
        c.down -= set(link)
        return False
    c.word(False, 'link', *link[0], 'down')
    return True


def fault_again(c: Case) -> bool:
    """A link that was down, of which the subnet manager may not have heard."""
    link = c.cable(free=False)
    if not link or c.manager in link:
        return False
    c.word(False, 'link', *link[0], 'down')
    c.word(False, 'link', *link[0], 'up')
    c.retrain(link[0])
    return True


def harmless_gone(c: Case) -> bool:
    node = c.host()
    if not node:
        return False
    c.word(False, 'node', node.guid, 'gone')
    c.gone.add(node.guid)
    return True


def harmless_mute(c: Case) -> bool:
    node = c.host()
    if not node:
        return False
    c.word(True, 'agent', node.guid, 'mute', 'gsi')
    c.mute_gsi.add(node.guid)
    return True


def fault_table(c: Case) -> bool:
    """An entry of a forwarding table that leads nowhere, to another node, or back."""
    if not c.stale or 'route' not in c.rules or (c.r.random() < 0.6 and c.name not in LARGE):
        return False
    node, switch = c.r.choice(c.hosts), c.r.choice(c.switches)
    lid = node.lids[min(node.lids)]
    if node.guid == c.own[0] or not c.take(('entry', switch.guid, lid)):
        return False
    c.entries[switch.guid, lid] = c.r.choice([255, 254, 0] + list(range(1, switch.ports + 1)))
    return True


def fault_fleet(c: Case) -> bool:
    """Most links between two types of device are alike: information, except for those that stick out."""
    if c.stale or c.r.random() < 0.5:
        return False
    free = [(a, b) for a, b in c.f.peer.items() if a < b and not {a, b} & c.touched and c.own not in (a, b)
            and not any(c.f.nodes[e[0]].aggregation for e in (a, b))]
    kinds = Counter(kind_of(c, link) for link in free)
    kinds = {k: n for k, n in kinds.items() if 3 <= n <= 40}
    if not kinds:
        return False
    kind = c.r.choice(sorted(kinds))
    links = [link for link in free if kind_of(c, link) == kind]
    links = links[:c.r.choice([len(links), len(links) // 2, len(links) // 2 + 1, 2])]
    how = c.r.choice(['speed', 'enabled', 'mtu'])
    for a, b in links:
        c.touched |= {a, b}
        lower = SPEEDS[SPEEDS.index(c.trained(a)[1]) - 1]
        if how == 'mtu':
            c.mtu[a] = c.mtu[b] = 4
            for end in (a, b):
                c.word(True, 'info', *end, 'NeighborMTU=4')
        elif how == 'speed':
            c.limit[a] = c.limit[b] = WIDTHS[-1], lower
            c.word(False, 'link', *a, f'speed={lower}')
        else:
            width = c.f.capable()[a][0]
            c.enabled[a] = c.limited(a, (width, lower))
            c.word(False, 'link', *a, f'enabled={width},{lower}')
    return True


FAULTS = {name[6:] if name.startswith('fault_') else name: function for name, function in sorted(globals().items())
          if name.startswith(('fault_', 'harmless_'))}
