#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Recables random fabrics, and compares the differences that madcheck --plan reports with those that follow from the two
lists of links by madkit-plan(7), found by trying everything, and with ibnetdiscover --diff. The plan is JSON of madsweep, a topology file, and CSV by GUID
and by name.

recable.py [--cases N] [--seed N] [--jobs N]   prints TAP
recable.py --case SEED                         one case, with its changes
recable.py --self-test                         a difference that is missing, doubled or moved is noticed
"""
from __future__ import annotations

import argparse
import copy
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile

PROBE = 'probe'
Port = tuple[int, int]
Links = set[frozenset]


class Fabric:
    """Nodes by GUID: type, name, ports. Links between ports, with their rates."""

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[str, str, int]] = {}
        self.rates: dict[frozenset, str] = {}
        self.next = 0x100

    def add(self, kind: str, name: str, ports: int) -> int:
        self.next += 0x10
        self.nodes[self.next] = (kind, name, ports)
        return self.next

    def named(self, name: str) -> int:
        return next(g for g, node in self.nodes.items() if node[1] == name)

    def peer(self, port: Port) -> Port | None:
        return next((q for link in self.rates if port in link for q in link if q != port), None)

    def free(self, guid: int) -> list[int]:
        return [p for p in range(1, self.nodes[guid][2] + 1) if self.peer((guid, p)) is None]

    def text(self) -> str:
        out = []
        # the first host is that of the sweep
        for guid, (kind, name, ports) in sorted(self.nodes.items(), key=lambda n: n[1][1] != PROBE):
            letter = {'Switch': 'S', 'Ca': 'H'}[kind]
            key = {'Switch': 'switchguid', 'Ca': 'caguid'}[kind]
            own = f'({guid:x})' if kind == 'Switch' else ''
            end = ' base port 0 lid 0 lmc 0' if kind == 'Switch' else ''
            out.append(f'vendid=0x2c9\ndevid=0xd2f0\nsysimgguid={guid:#x}\n{key}={guid:#x}{own}\n'
                       f'{kind} {ports} "{letter}-{guid:016x}" # "{name}"{end}')
            for p in range(1, ports + 1):
                if not (q := self.peer((guid, p))):
                    continue
                peer = self.nodes[q[0]]
                mine = f'({guid + p:x})' if kind == 'Ca' else ''
                theirs = f'({q[0] + q[1]:x})' if peer[0] == 'Ca' else ''
                lid = '' if kind == 'Switch' else 'lid 0 lmc 0 '
                out.append(f'[{p}]{mine} "{"S" if peer[0] == "Switch" else "H"}-{q[0]:016x}"[{q[1]}]{theirs} # {lid}"{peer[1]}" '
                           f'lid 0 {self.rates[frozenset([(guid, p), q])]}')
            out.append('')
        return '\n'.join(out) + '\n'


def fabric(r: random.Random) -> Fabric:
    f, leaves, spines = Fabric(), r.randint(2, 4), r.randint(2, 3)
    hosts, parallel = r.randint(3, 6), r.choice([1, 2, 2])
    tops = [f.add('Switch', f'spine{i + 1}', leaves * parallel + 2) for i in range(spines)]
    downs = [f.add('Switch', f'leaf{i + 1}', hosts + spines * parallel + 4) for i in range(leaves)]
    for i, leaf in enumerate(downs):
        for j, top in enumerate(tops):
            for k in range(parallel):
                f.rates[frozenset([(leaf, hosts + j * parallel + k + 1), (top, i * parallel + k + 1)])] = '4xHDR'
        for h in range(hosts):
            ports = 2 if r.random() < 0.2 and i + 1 < leaves else 1
            host = f.add('Ca', f'h{i + 1}-{h + 1}', ports)
            f.rates[frozenset([(leaf, h + 1), (host, 1)])] = '4xHDR'
            if ports == 2:
                f.rates[frozenset([(downs[i + 1], f.nodes[downs[i + 1]][2] - r.randint(0, 1)), (host, 2)])] = '4xHDR'
        # ports of two hosts may be equal
        ends = [p for link in f.rates for p in link]
        for link in [x for x in f.rates if any(ends.count(p) > 1 for p in x)][1:]:
            f.rates.pop(link, None)
    probe = f.add('Ca', PROBE, 1)
    f.rates[frozenset([(downs[0], f.nodes[downs[0]][2] - 2), (probe, 1)])] = '4xHDR'
    return f


# ---- changes -------------------------------------------------------------------------------------------------------

def cables(f: Fabric, switches: bool | None = None) -> list[frozenset]:
    probe = f.named(PROBE)
    return sorted((x for x in f.rates if all(g != probe for g, _ in x) and
                   (switches is None or all(f.nodes[g][0] == 'Switch' for g, _ in x) == switches)), key=sorted)


def hosts(f: Fabric) -> list[int]:
    return [g for g, node in f.nodes.items() if node[0] == 'Ca' and node[1] != PROBE]


def exchange(f: Fabric, one: frozenset, two: frozenset, r: random.Random) -> None:
    (a, b), (c, d) = sorted(one), r.sample(sorted(two), 2)
    rate = f.rates.pop(one)
    f.rates.pop(two)
    f.rates[frozenset([a, d])] = f.rates[frozenset([c, b])] = rate


def swap(f: Fabric, r: random.Random) -> None:
    one, two = r.sample(cables(f, True), 2)
    if not {g for g, _ in one} & {g for g, _ in two}:
        return
    # a switch is never linked to itself
    old = copy.deepcopy(f.rates)
    exchange(f, one, two, r)
    if any(len({g for g, _ in x}) < 2 for x in f.rates):
        f.rates = old


def parallel_swap(f: Fabric, r: random.Random) -> None:
    groups: dict[frozenset, list] = {}
    for x in cables(f, True):
        groups.setdefault(frozenset(g for g, _ in x), []).append(x)
    many = [x for x in groups.values() if len(x) > 1]
    if not many:
        return
    one, two = r.sample(r.choice(many), 2)
    first = {g: p for g, p in one}
    other = {g: p for g, p in two}
    (g, h), rate = sorted(first), f.rates.pop(one)
    f.rates.pop(two)
    f.rates[frozenset([(g, first[g]), (h, other[h])])] = f.rates[frozenset([(g, other[g]), (h, first[h])])] = rate


def move(f: Fabric, r: random.Random) -> None:
    host = r.choice(hosts(f))
    mine = [x for x in f.rates if any(g == host for g, _ in x)]
    for x in mine:
        free = [(g, p) for g, node in f.nodes.items() if node[0] == 'Switch' for p in f.free(g)]
        rate, own = f.rates.pop(x), next(p for p in x if p[0] == host)
        f.rates[frozenset([own, r.choice(free)])] = rate


def move_end(f: Fabric, r: random.Random) -> None:
    x = r.choice(cables(f, True))
    keep, leave = r.sample(sorted(x), 2)
    free = [(g, p) for g, node in f.nodes.items() if node[0] == 'Switch' and g != keep[0] for p in f.free(g)]
    rate = f.rates.pop(x)
    f.rates[frozenset([keep, r.choice([*free, leave])])] = rate


def unplug(f: Fabric, r: random.Random) -> None:
    f.rates.pop(r.choice(cables(f)))


def plug(f: Fabric, r: random.Random) -> None:
    free = [(g, p) for g, node in f.nodes.items() if node[0] == 'Switch' for p in f.free(g)]
    a = r.choice(free)
    if ends := [p for p in free if p[0] != a[0]]:
        f.rates[frozenset([a, r.choice(ends)])] = '4xHDR'


def replace(f: Fabric, r: random.Random) -> None:
    old = r.choice([g for g in f.nodes if f.nodes[g][1] != PROBE])
    kind, name, ports = f.nodes.pop(old)
    new = f.add(kind, name if r.random() < 0.7 else name + 'b', ports)
    f.rates = {frozenset((new if g == old else g, p) for g, p in x): rate for x, rate in f.rates.items()}


def rename(f: Fabric, r: random.Random) -> None:
    guid = r.choice([g for g in f.nodes if f.nodes[g][1] != PROBE])
    kind, name, ports = f.nodes[guid]
    f.nodes[guid] = kind, name + 'x', ports


def rate(f: Fabric, r: random.Random) -> None:
    f.rates[r.choice(cables(f))] = r.choice(['4xEDR', '1xHDR', '2xHDR'])


def new_node(f: Fabric, r: random.Random) -> None:
    free = [(g, p) for g, node in f.nodes.items() if node[0] == 'Switch' for p in f.free(g)]
    if free:
        f.rates[frozenset([r.choice(free), (f.add('Ca', f'new{f.next:x}', 1), 1)])] = '4xHDR'


def remove_node(f: Fabric, r: random.Random) -> None:
    guid = r.choice(hosts(f) if r.random() < 0.7 else [g for g, n in f.nodes.items() if n[1].startswith('spine')])
    f.nodes.pop(guid)
    f.rates = {x: rate for x, rate in f.rates.items() if all(g != guid for g, _ in x)}


CHANGES = [swap, parallel_swap, move, move_end, unplug, plug, replace, rename, rate, new_node, remove_node]


# ---- truth ---------------------------------------------------------------------------------------------------------

def seen(f: Fabric, silent: int | None) -> tuple[set[int], set[Port]]:
    """The nodes that a sweep from the probe finds, and the ports whose other end it does not know."""
    found, todo, unknown = {f.named(PROBE)}, [f.named(PROBE)], set()
    while todo:
        guid = todo.pop()
        # only switches forward
        for p in range(1, f.nodes[guid][2] + 1):
            if not (q := f.peer((guid, p))):
                continue
            if q[0] == silent:
                unknown.add((guid, p))
            elif q[0] not in found:
                found.add(q[0])
                if f.nodes[q[0]][0] == 'Switch':
                    todo.append(q[0])
    # a CA is asked only through the port by which it was reached
    unknown |= {(g, p) for g in found if f.nodes[g][0] == 'Ca' for p in range(1, f.nodes[g][2] + 1)
                if (q := f.peer((g, p))) and q[0] not in found}
    return found, unknown


class Truth:
    """Differences of two fabrics. same maps the identities of the first to those of the second."""

    def __init__(self, before: Fabric, after: Fabric, silent: int | None, by_name: bool, rates: bool, names: bool, linked: bool):
        found, self.unknown = seen(after, silent)
        self.b, self.a, self.linked = before, after, linked
        self.bl: Links = set(before.rates)
        self.al: Links = {x for x in after.rates if all(g in found for g, _ in x)}
        # a port of a CA through which it was not reached is known by its link only
        planned = {g for x in self.bl for g, _ in x} if linked else set(before.nodes)
        if by_name:
            self.same = {g: after.named(n[1]) for g, n in before.nodes.items()
                         if g in planned and any(m[1] == n[1] and h in found for h, m in after.nodes.items())}
        else:
            self.same = {g: g for g in planned if g in found}
        self.gone = planned - set(self.same)
        self.new = found - set(self.same.values())
        self.out: list[tuple] = []
        self.recabled: list[tuple[Port, Port, Port]] = []
        self.replaced()
        self.hide()
        self.mapped: dict[frozenset, frozenset] = {
            x: frozenset((self.same[g], p) for g, p in x) for x in self.bl if all(g in self.same for g, _ in x)}
        for x in [x for x, y in self.mapped.items() if y in self.al]:
            y = self.mapped[x]
            self.bl.discard(x)
            self.al.discard(y)
            if rates and before.rates[x] != after.rates[y]:
                self.out.append(('rate', y))
        if names:
            self.out += [('renamed', frozenset([(h, -1)])) for g, h in self.same.items()
                         if g == h and before.nodes[g][1] != after.nodes[h][1]]
        self.moved()
        self.swapped()

    def kind(self, g: int) -> str:
        return self.a.nodes[g][0] if g in self.a.nodes else self.b.nodes[g][0]

    def replaced(self) -> None:
        for kind, least in (('Switch', 2), ('Ca', 1)):
            votes: dict[tuple[int, int], set] = {}
            for g in self.gone:
                for n in self.new:
                    both = {(x, y) for x in self.bl for y in self.al for p in x for q in y
                            if g in {h for h, _ in x} and n in {h for h, _ in y} and p[0] != g and q[0] != n
                            and p[0] in self.same and (self.same[p[0]], p[1]) == q}
                    # CSV has no types
                    links = sum(any(h == g for h, _ in x) for x in self.b.rates)
                    alike = 2 * len(both) >= links if self.linked else self.b.nodes[g][0] == kind
                    if both and alike and self.a.nodes[n][0] == kind:
                        votes[g, n] = both
            for (g, n), both in sorted(votes.items()):
                others = [len(v) for (h, m), v in votes.items() if (h == g) != (m == n)]
                if len(both) < least or any(v >= len(both) for v in others):
                    continue
                self.out.append(('replaced', frozenset([(g, -1), (n, -1)])))
                self.gone.discard(g)
                self.new.discard(n)
                self.same[g] = n
                for x, y in both:
                    self.bl.discard(x)
                    self.al.discard(y)

    def hide(self) -> None:
        """Nodes that were behind ports that are unknown now."""
        self.hidden: set[int] = set()
        more = True
        while more:
            more = False
            for x in self.b.rates:
                for (g, _), (h, q) in (sorted(x), sorted(x)[::-1]):
                    behind = (h in self.same and (self.same[h], q) in self.unknown) or h in self.hidden
                    if g in self.gone and behind:
                        self.gone.discard(g)
                        self.hidden.add(g)
                        more = True

    def moved(self) -> None:
        taken = {h for kind, ends in self.out if kind == 'replaced' for h, _ in ends}
        for kind in ('Ca', 'Switch'):
            for g, h in sorted(self.same.items(), key=lambda n: self.order(n[0])):
                if self.kind(h) != kind or g in taken:
                    continue
                was = [x for x in self.b.rates if any(n == g for n, _ in x)]
                now = [y for y in self.a.rates if any(n == h for n, _ in y)]
                places = [next((self.same.get(n), p) for n, p in x if n != g) for x in was]
                if (not was or not now or any(x not in self.bl for x in was) or any(y not in self.al for y in now)
                        or any(q in places for y in now for q in y) or any(self.is_unknown(x) for x in was)):
                    continue
                self.bl -= set(was)
                self.al -= set(now)
                self.out.append(('moved', frozenset([(h, -1)])))

    def order(self, g: int) -> int:
        return list(self.b.nodes).index(g)

    def swapped(self) -> None:
        for x in sorted(self.bl, key=sorted):
            for z in sorted(self.bl, key=sorted):
                if x == z or x not in self.bl or z not in self.bl or x not in self.mapped or z not in self.mapped:
                    continue
                (p, q), (s, t) = sorted(self.mapped[x]), sorted(self.mapped[z])
                for u, v in ((s, t), (t, s)):
                    crossed = {frozenset([p, v]), frozenset([u, q])}
                    if crossed <= self.al:
                        self.bl -= {x, z}
                        self.al -= crossed
                        same = {g for g, _ in self.mapped[x]} == {g for g, _ in self.mapped[z]}
                        self.out.append(('swapped', frozenset([x, z]), same))
                        break

    def later(self, port: Port) -> Port | None:
        return (self.same[port[0]], port[1]) if port[0] in self.same else None

    def is_unknown(self, x: frozenset) -> bool:
        """Whether neither end of an earlier link is known now."""
        ends = [self.later(p) for p in x]
        return all(p is None or p in self.unknown for p in ends)

    def most_recabled(self) -> int:
        """The most earlier links that can each have another later link at one of their ports."""
        choices = {x: [y for y in self.al if any(self.later(p) in y for p in x)] for x in self.bl}
        owner: dict[frozenset, frozenset] = {}

        def find(x: frozenset, tried: set) -> bool:
            for y in choices[x]:
                if y not in tried:
                    tried.add(y)
                    if y not in owner or find(owner[y], tried):
                        owner[y] = x
                        return True
            return False
        return sum(find(x, set()) for x in self.bl)

    def rest(self) -> list[tuple]:
        """The nodes and links that are left."""
        out = [('node-gone', g) for g in self.gone] + [('node-new', n) for n in self.new]
        for x in self.bl:
            if any(g in self.gone for g, _ in x) or self.is_unknown(x):
                continue
            out.append(('link-gone', x))
        for y in self.al:
            if not any(g in self.new for g, _ in y):
                out.append(('link-new', y))
        return out


def ends_of(key: str, names: dict[str, int]) -> frozenset:
    """The ends in a key: GUIDs or, of nodes that are known by these only, names."""
    ends = set()
    for end in key.split(':')[1:]:
        node, _, port = end.partition('/')
        ends.add((int(node, 16) if node.startswith('0x') else names[node.lower()], int(port) if port else -1))
    return frozenset(ends)


def differ(t: Truth, lines: list[dict]) -> list[str]:
    """What is wrong with the differences that were reported."""
    labels = {node[1].lower(): g for fab in (t.a, t.b) for g, node in fab.nodes.items()}
    wrong, got = [], [(d['what'], ends_of(d['key'], labels), d) for d in lines]

    def port(place: str) -> Port:
        name, _, number = place.rpartition('/')
        return labels.get(name.lower(), int(name, 16) if name.startswith('0x') else -1), int(number)

    def back(p: Port) -> Port:
        return next((g for g, h in t.same.items() if h == p[0]), p[0]), p[1]

    most, recabled = t.most_recabled(), 0
    for what, ends, d in got:
        if what != 'recabled':
            continue
        recabled += 1
        p = port(d['place'])
        p = (t.same.get(p[0], p[0]), p[1])
        x = next((x for x in t.bl if back(p) in x), None)
        y = next((y for y in t.al if p in y), None)
        if not x or not y:
            wrong.append(f'not recabled: {d["text"]} at {d["place"]}')
            continue
        t.bl.discard(x)
        t.al.discard(y)
    if recabled != most:
        wrong.append(f'{recabled} of {most} recabled')
    swapped = [(x[1], x[2]) for x in t.out if x[0] == 'swapped']
    for what, ends, d in got:
        if what == 'swapped':
            pair = next((s for s in swapped if {back(e) for e in ends} <= {p for x in s[0] for p in x} and
                         all(len(x & {back(e) for e in ends}) == 1 for x in s[0])), None)
            if not pair or (d['severity'] == 'info') != pair[1]:
                wrong.append(f'swapped {d["key"]} {d["severity"]}')
            else:
                swapped.remove(pair)
    wrong += [f'no swapped {x}' for x in swapped]
    mine = {(x[0], frozenset(x[1])) for x in t.out if x[0] != 'swapped'}
    for what, about in t.rest():
        mine.add((what, about if isinstance(about, frozenset) else frozenset([(about, -1)])))
    # a node that a plan has by its name is identified by the GUID that it has now
    theirs = {(what, frozenset(e if e[0] in t.b.nodes else back(e) for e in ends) if what == 'link-gone' else ends)
              for what, ends, _ in got if what not in ('recabled', 'swapped')}
    wrong += [f'missing: {what} {sorted(ends)}' for what, ends in mine - theirs]
    wrong += [f'too many: {what} {sorted(ends)}' for what, ends in theirs - mine]
    return wrong


# ---- cases ---------------------------------------------------------------------------------------------------------

def run(*words: str, status: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    if done.returncode not in status:
        raise ValueError(f'{" ".join(words)}: status {done.returncode}: {done.stderr.decode()}')
    return done.stdout.decode()


def csv(f: Fabric, r: random.Random, name: bool) -> str:
    rows = []
    for x in f.rates:
        (g, p), (h, q) = r.sample(sorted(x), 2)
        rows.append(','.join([f.nodes[g][1].upper() if name else f'{g:#x}', f'Port {p}', f.nodes[h][1] if name else f'{h:#x}', str(q)]))
    r.shuffle(rows)
    return '\n'.join(['#StartDevice,StartPort,EndDevice,EndPort', *rows]) + '\n'


def diags(old: str, now: str, directory: str) -> set[int]:
    """The nodes in the output of ibnetdiscover --diff."""
    cache = os.path.join(directory, 'cache')
    run('madsim', old, '--', 'ibnetdiscover', '--cache', cache)
    out = run('madsim', now, '--', 'ibnetdiscover', '--diff', cache)
    return {int(g, 16) for g in re.findall(r'"[SH]-([0-9a-f]{16})"', out)}


def differ_from_diags(lines: list[dict], nodes: set[int]) -> list[str]:
    """ibnetdiscover compares nodes, and peers by port GUID: not rates, names and numbers of ports of switches."""
    seen_by = [d for d in lines if d['what'] not in ('rate', 'renamed', 'swapped', 'recabled')]
    wrong = [f'ibnetdiscover: not {d["key"]}' for d in seen_by if not {g for g, _ in ends_of(d['key'], {})} & nodes]
    if nodes and not [d for d in lines if d['what'] not in ('rate', 'renamed')]:
        wrong.append(f'ibnetdiscover: {sorted(nodes)}')
    return wrong


def make(seed: int) -> tuple[Fabric, Fabric, int | None, list[str]]:
    r = random.Random(seed)
    before = fabric(r)
    after, silent, done = copy.deepcopy(before), None, []
    for _ in range(r.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        change = r.choice(CHANGES)
        try:
            change(after, r)
            done.append(change.__name__)
        except (ValueError, IndexError):
            pass
    if r.random() < 0.2:
        silent = r.choice([g for g, n in after.nodes.items() if n[1] not in (PROBE, 'leaf1')])
        done.append(f'silent {after.nodes[silent][1]}')
    return before, after, silent, done


def check(seed: int, twist=None) -> tuple[int, list[str], list[str]]:
    before, after, silent, changes = make(seed)
    r, wrong = random.Random(seed), []
    with tempfile.TemporaryDirectory() as directory:
        def file(name: str, text: str) -> str:
            path = os.path.join(directory, name)
            with open(path, 'w', encoding='utf-8') as out:
                out.write(text)
            return path
        old, now = file('before.net', before.text()), file('after.net', after.text())
        device = f'sim:{now}' + (f',fault=drop class=0x81 node={after.nodes[silent][1]}' if silent else '')
        plans = {
            'json': file('plan.json', run('madsweep', '-q', '-j', '--device', f'sim:{old}')),
            'topology': old,
            'guids': file('guids.csv', csv(before, r, False)),
            'names': file('names.csv', csv(before, r, True)),
        }
        for kind, plan in plans.items():
            whole = kind in ('json', 'topology')
            reached = seen(before, None)[0]
            planned = copy.deepcopy(before)
            if kind == 'json':
                planned.nodes = {g: n for g, n in before.nodes.items() if g in reached}
                planned.rates = {x: v for x, v in before.rates.items() if all(g in reached for g, _ in x)}
            out = run('madcheck', '-q', '-j', '--rules', 'silent', '-t', '20', '--keep-going', '--device', device, '--plan', plan, status=(0, 6))
            lines = [line['difference'] for line in map(json.loads, out.splitlines()) if line['kind'] == 'difference']
            if twist:
                twist(lines)
            truth = Truth(planned, after, silent, kind == 'names', whole, whole, not whole)
            wrong += [f'{kind}: {text}' for text in differ(truth, lines)]
            if kind == 'json' and not silent and not twist:
                wrong += differ_from_diags(lines, diags(old, now, directory))
            keys = [d['key'] for d in lines]
            wrong += [f'{kind}: twice {key}' for key in set(keys) if keys.count(key) > 1]
    return seed, changes, wrong


def drop_first(lines: list[dict]) -> None:
    del lines[:1]


def other_end(lines: list[dict]) -> None:
    for d in lines[:1]:
        d['key'] = re.sub(r'0x0000000000000(\w\w)', r'0x0000000000001\1', d['key'], count=1)
        d['place'] = d['place'] + '9'


def self_test() -> int:
    """Each twist must be noticed in most cases with differences."""
    failed = 0
    for number, twist in enumerate((drop_first, other_end), 1):
        seen_it = sum(bool(check(seed, twist)[2]) for seed in range(20))
        failed += seen_it < 10
        print(f'{"ok" if seen_it >= 10 else "not ok"} {number} - {twist.__name__} is noticed in {seen_it} of 20 cases')
    print('1..2')
    return failed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--cases', type=int, default=50)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--case', type=int)
    parser.add_argument('--self-test', action='store_true')
    o = parser.parse_args()
    if 'MADKIT_BUILD' in os.environ:
        os.environ['PATH'] = os.environ['MADKIT_BUILD'] + ':' + os.environ['PATH']
    if o.self_test:
        return self_test()
    if o.case is not None:
        _, changes, wrong = check(o.case)
        print(', '.join(changes), *wrong, sep='\n')
        return bool(wrong)
    failed = 0
    with multiprocessing.Pool(o.jobs) as pool:
        for i, (seed, changes, wrong) in enumerate(pool.imap(check, range(o.seed, o.seed + o.cases)), 1):
            print(f'{"not ok" if wrong else "ok"} {i} - recabling {seed}: {", ".join(changes) or "nothing"}')
            for text in wrong:
                print(f'# {text}')
            failed += bool(wrong)
    print(f'1..{o.cases}')
    return bool(failed)


if __name__ == '__main__':
    sys.exit(main())
