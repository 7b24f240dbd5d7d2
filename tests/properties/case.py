# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A case: a fabric and its faults as data, made at random from a seed, written as JSON, as a topology
file and as the words of a device specification.

A case is a dictionary that JSON can hold:

    seed      of the faults, and of what the properties choose
    nodes     type (switch, ca, router), guid, system, vendor, device, name, ports; a switch has guid0, lid,
              lmc and enhanced; others have ends: a list of [guid, lid, lmc], one for each port
    links     [node, port, node, port, width, speed]
    down      [node, port]: the cable is unplugged
    flaps     [node, port, milliseconds]: the link goes down and up while a command runs; of no other fault
    joined    [node, port]: a member of the broadcast group of IPoIB
    gone      nodes that are powered off
    mute      nodes whose agents drop every MAD: [node, which], which is "", "smi" or "gsi"
    slow      [node, milliseconds]
    counters  [node, port, name, value]
    errors    [node, port, name, rate per second]; only properties add them
    ends      [node, port, {word: [width, speed]}]: what ends of links support, enable and report as active: the words
              supported, enabled and shows of madsim-control(7); only properties add them
    info      [node, port, FIELD=VALUE]: the word info of madsim-control(7)
    faults    rules of madsim-control(7); a word node=#N names the node with this index
    vl15      "" or the value of the option
    at        [node, port] of the command; sm: the node of the subnet manager, or null
"""
from __future__ import annotations

import copy
import random
import re

WIDTHS = ['1x', '2x', '4x', '8x', '12x']
SPEEDS = ['SDR', 'DDR', 'QDR', 'FDR10', 'FDR', 'EDR', 'HDR', 'NDR', 'XDR']
MELLANOX = 0x2c9
KEY = 0x8000000000000007  # the M_Key of all nodes that have one
LETTER = {'switch': 'S', 'ca': 'H', 'router': 'R'}
WORD = {'switch': 'Switch', 'ca': 'Ca', 'router': 'Rt'}
ERRORS = ['SymbolErrorCounter', 'LinkErrorRecoveryCounter', 'LinkDownedCounter', 'PortRcvErrors',
          'PortRcvRemotePhysicalErrors', 'PortXmitDiscards', 'PortXmitConstraintErrors',
          'PortRcvConstraintErrors', 'LocalLinkIntegrityErrors', 'ExcessiveBufferOverrunErrors']
NARROW = {'LinkErrorRecoveryCounter': 255, 'LinkDownedCounter': 255, 'PortXmitConstraintErrors': 255,
          'PortRcvConstraintErrors': 255, 'LocalLinkIntegrityErrors': 15, 'ExcessiveBufferOverrunErrors': 15}
NAMES = ['leaf1', 'leaf1 rack1', 'leaf10', 'node1 HCA-1', 'node1 HCA-2', 'a "quoted" name', "it's", 'Straße 7',
         '名前', 'x' * 64, 'MF0;core1:MQM8700/U1', 'a,b', 'tab\there', 'lid 5', '# hash', '\\back\\slash',
         '50%', '$HOME', 'ü' * 32, 'a  b', 'false', '4x', '17', 'Down', 'null', 'x == 1', '--', '']

# responses about something else: another port, block or attribute
LIES = ['attribute=PortInfo as-port=1', 'attribute=PortInfo as-port=2', 'attribute=PortCounters as-port=1',
        'attribute=PortCounters as-port=3', 'attribute=LinearForwardingTable as-modifier=1',
        'attribute=NodeInfo as=NodeDescription', 'attribute=NodeDescription as=NodeInfo', 'attribute=PortInfo as=NodeInfo',
        'attribute=SwitchInfo as=NodeInfo', 'attribute=MLNXExtendedPortInfo as-port=1',
        'attribute=P_KeyTable as-modifier=1', 'attribute=PortCounters as=PortCountersExtended']


def kind_of(case: dict, node: int, width: str, speed: str, xdr: dict) -> str:
    """The kind of a port, by its link: ports of a kind support the best of the links of their node that are of it."""
    if width == '2x' and speed in ('HDR', 'NDR', 'XDR') and case['nodes'][node]['type'] == 'switch':
        return 'split'
    return 'plane' if (width, speed) == ('1x', 'XDR') and xdr[model_of(case, node)] == 0 else 'plain'


def model_of(case: dict, i: int) -> tuple | int:
    node = case['nodes'][i]
    return (node['vendor'], node['device']) if node['vendor'] else i


def up_to(best: tuple[int, int], node: dict) -> tuple[set[str], set[str]]:
    """The widths and speeds of a port with this best width and speed."""
    if best[0] < 0:
        # the default of a topology file: 1x and 4x, at SDR
        return {'1x', '4x'}, {'SDR'}
    width = WIDTHS[best[0]]
    widths = {'1x', width} | ({'4x'} if width in ('8x', '12x') else set())
    if width != '1x' and best[1] >= SPEEDS.index('HDR'):
        widths.add('2x')
    speeds = set(SPEEDS[:best[1] + 1])
    if node['vendor'] != MELLANOX:
        speeds.discard('FDR10')
    return widths, speeds


def port_caps(case: dict) -> dict[tuple[int, int], tuple[set[str], set[str]]]:
    """Widths and speeds that each port supports and enables, by the rule of madkit-sim(7): the best of the links of its
    node of its kind. If a link is at 1x or SDR, the best of all nodes of its vendor and device counts."""
    rates, xdr, best, models, result = {}, {}, {}, {}, {}

    def add(where: dict, key: tuple, width: str, speed: str) -> None:
        old = where.get(key, (-1, -1))
        where[key] = max(old[0], WIDTHS.index(width)), max(old[1], SPEEDS.index(speed))

    for a, pa, b, pb, width, speed in case['links']:
        rates[a, pa] = rates[b, pb] = (width, speed)
        for n in (a, b):
            if speed == 'XDR':
                xdr[model_of(case, n)] = max(xdr.get(model_of(case, n), 0), WIDTHS.index(width))
    for (n, _), (width, speed) in rates.items():
        kind = kind_of(case, n, width, speed, xdr)
        add(best, (n, kind), width, speed)
        add(models, (model_of(case, n), kind), width, speed)
        add(best, (n, 'any'), width, speed)
    for i, node in enumerate(case['nodes']):
        for p in range(node['ports'] + 1):
            width, speed = rates.get((i, p), ('', ''))
            kind = kind_of(case, i, width, speed, xdr)
            own = best.get((i, kind)) or best.get((i, 'any'), (-1, -1))
            if kind == 'plain' and (width == '1x' or speed == 'SDR'):
                own = tuple(max(pair) for pair in zip(own, models[model_of(case, i), 'plain']))
            result[i, p] = up_to(own, node)
    return result


def best_of(names: set[str], order: list[str]) -> str:
    return max(names, key=order.index)


# ---- making one at random ------------------------------------------------------------------------------

EMPTY = {'down': [], 'gone': [], 'flaps': [], 'joined': [], 'mute': [], 'slow': [], 'counters': [], 'info': [], 'faults': [], 'vl15': '', 'sm': None}


class Maker:
    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.case = {'seed': seed, 'nodes': [], 'links': [], 'at': [0, 1]} | copy.deepcopy(EMPTY)
        self.guids: set[int] = set()
        self.low = self.r.random() < 0.2
        self.base = self.r.randrange(1, 1 << 32)
        self.lids: dict[int, set[int]] = {}
        self.subnet: list[int] = []
        self.top = self.r.choice([64, 64, 300, 300, 5000, 0xbfff if self.r.random() < 0.2 else 1000])

    def guid(self) -> int:
        while True:
            if self.low:
                guid = self.r.randrange(1, 1 << 32) << 32 | self.base + self.r.randrange(3)
            else:
                guid = self.r.choice([self.r.randrange(1, 1 << 64), 0x100000 + self.r.randrange(1 << 12)])
            if guid not in self.guids and guid < 1 << 64:
                self.guids.add(guid)
                return guid

    def lid(self, subnet: int, lmc: int) -> int:
        used = self.lids.setdefault(subnet, set())
        while True:
            lid = self.r.randrange(1, self.top) >> lmc << lmc
            new = set(range(lid, lid + (1 << lmc)))
            if lid and lid + (1 << lmc) <= 0xc000 and not new & used:
                used |= new
                return lid
            self.top = min(self.top + 10, 0xc000)

    def lmc(self) -> int:
        return self.r.choice([0, 0, 0, 0, 1, 2, 7 if self.r.random() < 0.1 else 0])

    def node(self, kind: str, ports: int, subnets: list[int]) -> int:
        r, lmc = self.r, self.lmc()
        node = {'type': kind, 'guid': self.guid(), 'system': r.choice([0, self.guid()]), 'name': r.choice(NAMES),
                'vendor': r.choice([0, MELLANOX, MELLANOX, 0x66a]), 'device': r.choice([0xd2f0, 0xd2f0, 0x1017]),
                'ports': ports}
        if r.random() < 0.6:
            node['name'] = f'{kind}{len(self.case["nodes"])} {r.choice(["rack1", "HCA-1", "mlx5_0"])}'
        if kind == 'switch':
            node['enhanced'] = r.random() < 0.5
            if not node['enhanced']:
                lmc = 0
            node |= {'guid0': self.guid() if r.random() < 0.3 else node['guid'], 'lmc': lmc,
                     'lid': self.lid(subnets[0], lmc)}
        else:
            node['ends'] = [[self.guid(), self.lid(subnets[p], lmc), lmc] for p in range(ports)]
        self.case['nodes'].append(node)
        self.subnet.append(subnets[0])
        return len(self.case['nodes']) - 1

    def free(self, node: int) -> list[int]:
        used = {(n, p) for a, pa, b, pb, *_ in self.case['links'] for n, p in ((a, pa), (b, pb))}
        return [p for p in range(1, self.case['nodes'][node]['ports'] + 1) if (node, p) not in used]

    def link(self, a: int, b: int, pa: int = 0, pb: int = 0) -> bool:
        free_a = self.free(a)
        pa = pa or (self.r.choice(free_a) if free_a else 0)
        free_b = [p for p in self.free(b) if a != b or p != pa]
        pb = pb or (self.r.choice(free_b) if free_b else 0)
        if not pa or not pb:
            return False
        self.case['links'].append([a, pa, b, pb, '4x', 'EDR'])
        return True

    def fabric(self) -> None:
        r = self.r
        subnets = 2 if r.random() < 0.25 else 1
        switches: list[list[int]] = []
        big = r.random() < 0.03
        for s in range(subnets):
            count = r.choice([1, 2, 3, 4, 6]) if s == 0 else r.choice([1, 2])
            own = [self.node('switch', 254 if big and not i and not s else r.choice([4, 6, 8, 8, 12, 36 if r.random() < 0.1 else 8]), [s])
                   for i in range(count)]
            for i in range(1, len(own)):
                self.link(own[i], r.choice(own[:i]))
            for _ in range(r.choice([0, 1, 2, 4])):
                self.link(r.choice(own), r.choice(own))
            switches.append(own)
        hosts = r.choice([1, 2, 3, 5, 8])
        for i in range(hosts + (subnets > 1)):
            s = i % subnets
            ports = r.choice([1, 1, 1, 2, 2, 3])
            where = [s] + [r.randrange(subnets) for _ in range(ports - 1)]
            kind = 'router' if r.random() < 0.1 and i > 1 else 'ca'
            n = self.node(kind, ports, where)
            for p in range(1, ports + 1):
                if p == 1 or r.random() < 0.8:
                    self.link(n, r.choice(switches[where[p - 1]]), pa=p)
        if r.random() < 0.1:
            a = self.node('ca', 1, [9])
            b = self.node('ca', 1, [9])
            self.link(a, b)

    def rates(self) -> None:
        r, case = self.r, self.case
        usual = (r.choice(WIDTHS), r.choice(SPEEDS))
        for link in case['links']:
            link[4], link[5] = usual if r.random() < 0.6 else (r.choice(WIDTHS), r.choice(SPEEDS))
        for _ in range(30):
            have, bad = port_caps(case), False
            for link in case['links']:
                a, b = have[link[0], link[1]], have[link[2], link[3]]
                widths, speeds = a[0] & b[0], a[1] & b[1]
                if link[4] not in widths or link[5] not in speeds:
                    bad = True
                    link[4], link[5] = best_of(widths, WIDTHS), best_of(speeds, SPEEDS)
            if not bad:
                return
        for link in case['links']:
            link[4:] = '4x', 'EDR'

    def counters(self) -> None:
        r, value = self.r, 0
        for i, node in enumerate(self.case['nodes']):
            first = 0 if node['type'] == 'switch' else 1
            ports = list(range(first, node['ports'] + 1))
            for p in r.sample(ports, min(len(ports), 6)):
                value += 1
                name = r.choice(ERRORS)
                self.case['counters'].append([i, p, name, min(value, NARROW.get(name, 65535))])
                if value % 2:
                    self.case['counters'].append([i, p, 'PortXmitWait', 1000 + value])
        r.shuffle(self.case['counters'])
        # a device specification takes 64 control words
        del self.case['counters'][36:]

    def end_ports(self) -> list[tuple[int, int]]:
        return [(n, p) for n, node in enumerate(self.case['nodes'])
                for p in ([0] if node['type'] == 'switch' else range(1, node['ports'] + 1))]

    def identity(self) -> None:
        """LIDs that are shared or not unicast, M_Keys and limited partitions: at most one of these."""
        r, case = self.r, self.case
        ends = [e for e in self.end_ports() if e[0] not in (case['at'][0], case['sm'])]
        kind = r.random()
        if not ends or kind > 0.25:
            return
        n, p = r.choice(ends)
        if kind < 0.06:
            other, q = r.choice(self.end_ports())
            lids = lids_of(case, other, q)
            if (other, q) != (n, p):
                case['info'].append([n, p, f'Lid={r.choice(lids)}'])
        elif kind < 0.12:
            case['info'].append([n, p, f'Lid={r.choice([0, 0xc000, 0xc001, 0xfffe, 0xffff])}'])
        elif kind < 0.19:
            for n in {n for n, _ in r.sample(ends, min(len(ends), r.choice([1, 1, 2])))}:
                bits = r.choice([0, 1, 2, 2, 3])
                case['info'] += [[m, p, f'{x}'] for m, p in self.end_ports() if m == n
                                 for x in (f'Mkey={KEY}', f'ProtectBits={bits}')]
        else:
            for n, p in r.sample(self.end_ports(), min(len(self.end_ports()), r.choice([1, 2, 4]))):
                case['info'].append([n, p, f'PKey[0]={r.choice([0x7fff, 0x7fff, 0x8001])}'])

    def members(self) -> None:
        """Ports of the manager's subnet that join a multicast group, which has 10 Gb/s."""
        r, case = self.r, self.case
        if case['sm'] is None or r.random() < 0.4:
            return
        slow = {('1x', 'SDR'), ('1x', 'DDR'), ('2x', 'SDR')}
        rates = {(n, p): (width, speed) for a, pa, b, pb, width, speed in case['links'] for n, p in ((a, pa), (b, pb))}
        near = connected(case, case['sm'], first_port(case, case['sm']))
        ends = [[n, p] for n, p in near
                if rates.get((n, p), ('1x', 'SDR')) not in slow and case['nodes'][n]['type'] != 'switch']
        ends += [[n, 0] for n, p in near
                 if p == 0 and any(m == n and rate not in slow for (m, _), rate in rates.items())]
        ends.sort()
        case['joined'] = sorted(r.sample(ends, min(len(ends), r.choice([1, 2, 2, 3, 4]))))

    def flaps(self) -> None:
        """Links of which nothing else is said: a sweep sees them up, or down, or both."""
        r, case = self.r, self.case
        if r.random() < 0.88 or any(setting.startswith('Lid=') for _, _, setting in case['info']):
            return
        for link in r.sample(case['links'], min(len(case['links']), r.choice([1, 1, 2]))):
            if case['at'] not in (link[:2], link[2:4]) and not any(d in (link[:2], link[2:4]) for d in case['down']):
                case['flaps'].append(link[:2] + [r.choice([0.02, 0.05, 0.1, 0.2, 0.5, 3, 50, 700])])

    def faults(self) -> None:
        r, case = self.r, self.case
        count = len(case['nodes'])
        at, sm = case['at'][0], case['sm']
        others = [n for n in range(count) if n not in (at, sm)]
        if any(setting.startswith('Lid=') for _, _, setting in case['info']):
            # a subnet manager that sweeps would set it again
            return
        if r.random() < 0.4:
            for link in r.sample(case['links'], min(len(case['links']), r.choice([1, 1, 2]))):
                if at not in (link[0], link[2]):
                    case['down'].append(link[:2])
        if others and r.random() < 0.15:
            case['gone'].append(r.choice(others))
        if r.random() < 0.5:
            return
        kinds = r.sample(['mute', 'slow', 'drop', 'drop', 'delay', 'reorder', 'duplicate', 'corrupt', 'vl15', 'window',
                          'answer', 'answer'],
                         r.choice([1, 1, 1, 2]))
        for kind in kinds:
            node = f' node=#{r.randrange(count)}' if r.random() < 0.5 else ''
            if kind == 'mute' and others:
                case['mute'] += [[n, r.choice(['', 'smi', 'gsi'])] for n in r.sample(others, r.choice([1, 1, min(2, len(others))]))]
            elif kind == 'slow' and others:
                case['slow'].append([r.choice(others), r.choice([1, 3, 10, 40, 300, 1500])])
            elif kind in ('drop', 'corrupt'):
                what = r.choice(['rate=1%', 'rate=5%', 'rate=20%', f'nth={r.randrange(1, 30)}'])
                only = r.choice(['', '', ' method=GetResp', ' attribute=PortInfo', ' attribute=NodeInfo',
                                 ' attribute=NodeDescription', ' attribute=MLNXExtendedPortInfo',
                                 ' attribute=SwitchInfo', ' attribute=LinearForwardingTable',
                                 ' class=PerfMgt'])
                case['faults'].append(f'{kind}{node}{only} {what}')
            elif kind in ('delay', 'reorder', 'duplicate'):
                ms = r.choice(['0.01', '0.5', '5', '200', '1200'])
                case['faults'].append(f'{kind}{node} rate={r.choice(["2%", "10%", "50%"])} delay={ms}')
            elif kind == 'window' and others:
                case['faults'].append(f'drop node=#{r.choice(others)} nth={r.randrange(1, 20)}+{r.randrange(1, 12)}')
            elif kind == 'answer':
                what = r.choice(['rate=10%', 'rate=50%', f'nth={r.randrange(1, 6)}'])
                case['faults'].append(f'answer{node} {r.choice(LIES)} {what}')
            elif kind == 'vl15':
                case['vl15'] = r.choice(['8,50', '4,50', '1,100', '2,1000'])


def connected(case: dict, node: int, port: int) -> set[tuple[int, int]]:
    """The ports that cables and switches join to a port, whatever is unplugged, muted or powered off."""
    far = {}
    for a, pa, b, pb, *_ in case['links']:
        far[a, pa], far[b, pb] = (b, pb), (a, pa)
    seen, todo = set(), [(node, port)]
    while todo:
        n, p = todo.pop()
        switch = case['nodes'][n]['type'] == 'switch'
        for q in range(case['nodes'][n]['ports'] + 1) if switch else [p]:
            if (n, q) not in seen:
                seen.add((n, q))
                if (n, q) in far:
                    todo.append(far[n, q])
    return seen


def lids_of(case: dict, node: int, port: int) -> range:
    """The LIDs that the topology file states for an end port."""
    lid, lmc = (case['nodes'][node]['lid'], case['nodes'][node]['lmc']) if not port else case['nodes'][node]['ends'][port - 1][1:]
    return range(lid, lid + (1 << lmc))


def first_port(case: dict, node: int) -> int:
    """The port of a subnet manager: the first one with a cable."""
    return min((p for a, pa, b, pb, *_ in case['links'] for n, p in ((a, pa), (b, pb)) if n == node), default=1)


def make(seed: int) -> dict:
    m = Maker(seed)
    m.fabric()
    case, r = m.case, m.r
    linked = [[n, p] for a, pa, b, pb, *_ in case['links'] for n, p in ((a, pa), (b, pb))
              if case['nodes'][n]['type'] == 'ca']
    case['at'] = r.choice(linked) if linked else [0, 0]
    near = connected(case, *case['at'])
    sms = sorted({n for n, _ in linked if (n, first_port(case, n)) in near})
    case['sm'] = r.choice(sms) if sms and r.random() < 0.95 else None
    m.rates()
    m.counters()
    m.identity()
    m.faults()
    m.members()
    m.flaps()
    return case


def shown(text: str) -> str:
    """A text as a terminal may have it: control characters are escaped."""
    return re.sub(r'[\x00-\x1f\x7f]', lambda m: f'\\x{ord(m[0]):02x}', text)


# ---- as madkit reads it ------------------------------------------------------------------------------------

def name_of(case: dict, n: int) -> str:
    node = case['nodes'][n]
    return f'{LETTER[node["type"]]}-{node["guid"]:016x}'


def topology(case: dict) -> str:
    """A file in the format of ibnetdiscover(8)."""
    far: dict[tuple[int, int], tuple] = {}
    for a, pa, b, pb, width, speed in case['links']:
        far[a, pa], far[b, pb] = (b, pb, width, speed), (a, pa, width, speed)

    def lid(n: int, p: int) -> int:
        node = case['nodes'][n]
        return node['lid'] if node['type'] == 'switch' else node['ends'][p - 1][1]

    lines = []
    for i, node in enumerate(case['nodes']):
        lines += ['', f'vendid=0x{node["vendor"]:x}', f'devid=0x{node["device"]:x}']
        if node['system']:
            lines.append(f'sysimgguid=0x{node["system"]:x}')
        head = f'{WORD[node["type"]]} {node["ports"]} "{name_of(case, i)}" # "{node["name"]}"'
        if node['type'] == 'switch':
            lines.append(f'switchguid=0x{node["guid"]:x}({node["guid0"]:x})')
            head += f' {"enhanced" if node["enhanced"] else "base"} port 0 lid {node["lid"]} lmc {node["lmc"]}'
        else:
            lines.append(f'{"ca" if node["type"] == "ca" else "rt"}guid=0x{node["guid"]:x}')
        lines.append(head)
        for p in range(1, node['ports'] + 1):
            if (i, p) not in far:
                continue
            b, pb, width, speed = far[i, p]
            own = '' if node['type'] == 'switch' else f'({node["ends"][p - 1][0]:x})'
            said = '' if node['type'] == 'switch' else f'lid {node["ends"][p - 1][1]} lmc {node["ends"][p - 1][2]} '
            lines.append(f'[{p}]{own} "{name_of(case, b)}"[{pb}] # {said}"-" lid {lid(b, pb)} {width}{speed}')
    return '\n'.join(lines) + '\n'


def device(case: dict, path: str) -> str:
    """The device specification, for the topology file at path."""
    words = [f'sim:{path}@{name_of(case, case["at"][0])}:{case["at"][1]}', f'seed={case["seed"]}',
             'sm=' + ('none' if case['sm'] is None else name_of(case, case['sm']))]
    if case['vl15']:
        words.append('vl15=' + case['vl15'])
    # before anything that the subnet manager would answer
    for n, p in case['joined']:
        words.append(f'control=join {name_of(case, n)} {p}')
    for n, p in case['down']:
        words.append(f'control=link {name_of(case, n)} {p} down')
    for n in case['gone']:
        words.append(f'control=node {name_of(case, n)} gone')
    for n, p, name, value in case['counters']:
        words.append(f'control=counter {name_of(case, n)} {p} {name}={value}')
    for n, p, name, rate in case.get('errors', []):
        words.append(f'control=errors {name_of(case, n)} {p} {name}={rate}')
    for n, p, rates in case.get('ends', []):
        words.append(f'control=link {name_of(case, n)} {p} ' + ' '.join(f'{k}={w},{s}' for k, (w, s) in rates.items()))
    for n, p, setting in case['info']:
        words.append(f'control=info {name_of(case, n)} {p} {setting}')
    # the last word about an agent holds
    for n, ms in case['slow']:
        words.append(f'control=agent {name_of(case, n)} slow={ms}')
    for n, which in case['mute']:
        words.append(f'control=agent {name_of(case, n)} mute {which}'.rstrip())
    for rule in case['faults']:
        words.append('control=fault ' + ' '.join(
            f'node={name_of(case, int(w[6:]))}' if w.startswith('node=#') else w for w in rule.split()))
    for n, p, ms in case['flaps']:
        words.append(f'control=link {name_of(case, n)} {p} flap={ms}')
    return ','.join(words)


def variants(case: dict):
    """Cases with one element less, the largest elements first."""
    for key in 'faults', 'flaps', 'mute', 'slow', 'gone', 'down', 'info', 'joined', 'vl15':
        if key == 'vl15' and case[key]:
            yield case | {'vl15': ''}
            continue
        for i in range(len(case[key]) if key != 'vl15' else 0):
            yield case | {key: case[key][:i] + case[key][i + 1:]}
    for i in range(len(case['nodes']) - 1, -1, -1):
        smaller = without_node(case, i)
        if smaller:
            yield smaller
    for size in len(case['counters']), len(case['counters']) // 2, 1:
        for i in range(0, len(case['counters']), size or 1):
            yield case | {'counters': case['counters'][:i] + case['counters'][i + size:]}
    for i in range(len(case['links'])):
        link = case['links'][i]
        if case['at'] not in (link[:2], link[2:4]):
            gone = (link[:2], link[2:4])
            yield case | {'links': case['links'][:i] + case['links'][i + 1:],
                          'down': [d for d in case['down'] if d not in gone],
                          'flaps': [f for f in case['flaps'] if f[:2] not in gone]}
    for i, node in enumerate(case['nodes']):
        used = [p for a, pa, b, pb, *_ in case['links'] for n, p in ((a, pa), (b, pb)) if n == i]
        used += [p for n, p, *_ in case['counters'] + case['info'] + case['joined'] if n == i] + [1]
        for change in ({'ports': max(used)} if node['ports'] > max(used) else None,
                       {'name': f'n{i}'} if node['name'] != f'n{i}' else None):
            if change:
                smaller = copy.deepcopy(case)
                smaller['nodes'][i] |= change
                if 'ends' in node:
                    smaller['nodes'][i]['ends'] = node['ends'][:smaller['nodes'][i]['ports']]
                yield smaller
    for i, link in enumerate(case['links']):
        if link[4:] != ['4x', 'EDR']:
            yield case | {'links': case['links'][:i] + [link[:4] + ['4x', 'EDR']] + case['links'][i + 1:]}


def is_valid(case: dict) -> bool:
    """Returns True if the port of the command has a cable: a topology file does not have the GUIDs of other ports."""
    return case['nodes'][case['at'][0]]['type'] == 'switch' or any(case['at'] in (x[:2], x[2:4]) for x in case['links'])


def without_node(case: dict, gone: int) -> dict | None:
    """The case without a node and all that is said of it; None: it is needed."""
    if gone in (case['at'][0], case['sm']) or len(case['nodes']) == 1:
        return None

    def new(n: int) -> int:
        return n - (n > gone)

    smaller = {k: copy.deepcopy(case[k]) for k in ('seed', 'vl15')}
    smaller['nodes'] = case['nodes'][:gone] + case['nodes'][gone + 1:]
    smaller['links'] = [[new(a), pa, new(b), pb, *x] for a, pa, b, pb, *x in case['links'] if gone not in (a, b)]
    ends = [[n, p] for a, pa, b, pb, *_ in smaller['links'] for n, p in ((a, pa), (b, pb))]
    for key in 'down', 'flaps', 'joined', 'mute', 'slow', 'counters', 'info':
        smaller[key] = [[new(n), *x] for n, *x in case[key] if n != gone]
    smaller['down'] = [d for d in smaller['down'] if d in ends]
    smaller['flaps'] = [f for f in smaller['flaps'] if f[:2] in ends]
    smaller['gone'] = [new(n) for n in case['gone'] if n != gone]
    smaller['at'] = [new(case['at'][0]), case['at'][1]]
    smaller['sm'] = None if case['sm'] is None else new(case['sm'])
    smaller['faults'] = []
    for rule in case['faults']:
        words = [f'node=#{new(int(w[6:]))}' if w.startswith('node=#') else w for w in rule.split()]
        if f'node=#{gone}' not in rule.split():
            smaller['faults'].append(' '.join(words))
    return smaller
