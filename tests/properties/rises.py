#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Audits madcheck --for: counters of random ports of random fabrics grow at random rates, for a random time. The
problems of the rules rises and flapping (madcheck(1)) are computed from the rates, and must be reported with their
severity, ends and figures, once, and nothing else.

rises.py [--cases N] [--seed N]   prints TAP, a test for each case
rises.py --self-test              figures that are changed are noticed
"""
from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SPEEDS = {'QDR': 32, 'FDR': 4 * 14.0625 * 64 / 66, 'EDR': 100, 'HDR': 200, 'NDR': 400}
# the counters with a limit by default, in the order of a report, and those without
LIMITED = ['SymbolErrorCounter', 'LinkErrorRecoveryCounter', 'LocalLinkIntegrityErrors', 'PortRcvErrors',
           'ExcessiveBufferOverrunErrors', 'PortXmitDiscards']
FREE = ['PortRcvRemotePhysicalErrors', 'PortRcvSwitchRelayErrors', 'PortXmitConstraintErrors',
        'PortRcvConstraintErrors', 'VL15Dropped', 'PortXmitWait']
DOWNED = 'LinkDownedCounter'


def find_programs() -> None:
    if os.environ.get('MADKIT_PROGRAMS'):
        return
    build = os.path.realpath(os.environ.get('MADKIT_BUILD', os.path.join(HERE, '../../build')))
    os.environ['PATH'] = ':'.join([f'{build}/.libs', f'{build}/src/.libs', f'{build}/src', build, os.environ['PATH']])
    os.environ['LD_LIBRARY_PATH'] = ':'.join([f'{build}/lib/.libs', f'{build}/.libs',
                                              os.environ.get('LD_LIBRARY_PATH', '')])


class Case:
    def __init__(self, seed: int):
        r = self.random = random.Random(seed)
        self.leaves, self.hosts, self.spines = r.randint(1, 5), r.randint(1, 5), r.randint(1, 3)
        self.seconds = r.choice([1, 5, 60, 60, 600, 720, 1800, 7500, 10800, 86400, 200000])
        # each link: its two ends, and if both are switches
        self.links = [((f'leaf{i}', j), (f'h{i}-{j}', 1), False)
                      for i in range(1, self.leaves + 1) for j in range(1, self.hosts + 1)]
        self.links += [((f'leaf{i}', self.hosts + s), (f'spine{s}', i), True)
                       for i in range(1, self.leaves + 1) for s in range(1, self.spines + 1)]
        self.speed = {link: r.choice(list(SPEEDS)) if r.random() < 0.3 else 'HDR' for link in self.links}
        self.rises: dict[tuple[str, int], dict[str, int]] = {}
        for link in self.links:
            for end in link[:2]:
                if r.random() < 0.35 and sum(map(len, self.rises.values())) < 60:
                    self.rises[end] = self.grow()

    def grow(self) -> dict[str, int]:
        r = self.random
        counters = r.sample(LIMITED + FREE + [DOWNED] * (r.random() < 0.3), r.randint(1, 3))
        # around the limits: of a few errors, and of one a second
        return {name: max(1, r.choice([1, 2, 3, 4, 6, self.seconds - 1, self.seconds, self.seconds + 1,
                                       r.randint(1, 3 * self.seconds + 5)]))
                for name in counters}

    def topology(self) -> str:
        """The fabric as a file, in which each link has its speed."""
        text = subprocess.run(['madsim', '--generate', f'fat-tree:{self.leaves},{self.hosts},{self.spines}'],
                              stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True).stdout
        speeds = {end: speed for (a, b, _), speed in self.speed.items() for end in (a, b)}
        lines, node = [], ''
        for line in text.splitlines():
            if line.startswith(('Switch', 'Ca')):
                node = line.split('# "')[1].split('"')[0].split(' ')[0]
            port = re.match(r'\[(\d+)\]', line)
            if port:
                line = line.replace('4xHDR', '4x' + speeds[(node, int(port[1]))])
            lines.append(line)
        return '\n'.join(lines) + '\n'

    def device(self, path: str) -> str:
        words = [f'sim:{path}']
        for (node, port), counters in self.rises.items():
            # half an error more than the whole ones: the first reading has none of it
            words += [f'control=errors {node} {port} {name}={(rise + 0.5) / self.seconds:.6f}'
                      for name, rise in counters.items()]
        return ','.join(words)

    # ---- the promise ----

    def gbps(self, link) -> float:
        return SPEEDS[self.speed[link]]

    def limit(self, link, name: str) -> float | None:
        t = self.seconds
        if name == 'SymbolErrorCounter':
            # PDR: 1e-14 over 12 minutes, 1e-15 over 125 minutes; a longer time allows more
            rate = self.gbps(link) * 1e9
            return min(rate * max(t, 12 * 60) * 1e-14, rate * max(t, 125 * 60) * 1e-15)
        if name in ('PortRcvErrors', 'PortXmitDiscards'):
            return t
        return 0 if name in LIMITED else None

    def flapping(self, downs: int, switches: bool) -> str:
        hours, days = max(1, self.seconds / 3600), max(1, self.seconds / 86400)
        often = downs >= 3 * hours or (hours > 1 and downs >= 5 * days)
        if switches:
            return 'critical' if often else 'warning'
        return 'warning' if often else 'info'

    def expected(self) -> list[tuple]:
        """Tuples (severity, rule, set of ends, value)."""
        result = []
        for link in self.links:
            ends = link[:2]
            rises = [self.rises.get(end, {}) for end in ends]
            downs = max(r.get(DOWNED, 0) for r in rises)
            if downs:
                result.append((self.flapping(downs, link[2]), 'flapping', frozenset(ends), downs))
                continue
            over = [[n for n in LIMITED if r.get(n, 0) > self.limit(link, n)] for r in rises]
            if over[0] or over[1]:
                firsts = [LIMITED.index(o[0]) if o else 99 for o in over]
                values = {rises[i][over[i][0]] for i in range(2) if over[i] and firsts[i] == min(firsts)}
                result.append(('warning', 'rises', frozenset(ends), values))
            for end, r, o in zip(ends, rises, over):
                others = [n for n in LIMITED + FREE if r.get(n) and n not in o]
                if others:
                    result.append(('info', 'rises', frozenset([end]), r[others[0]]))
        return result


def ends_of(place: str) -> frozenset:
    return frozenset((end.rsplit('/', 1)[0], int(end.rsplit('/', 1)[1])) for end in place.split(' <-> '))


def check(case: Case, path: str, twist: bool = False) -> list[str]:
    """Returns the differences from the promise."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write(case.topology())
    command = ['madcheck', '-j', '--rules', 'rises,flapping', '--for', f'{case.seconds}s', '--device', case.device(path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    problems = [line['problem'] for line in lines if line['kind'] == 'problem']
    if twist and problems:
        problems[0]['value'] = str(int(problems[0]['value']) + 1)
    wrong = []
    left = case.expected()
    for p in problems:
        found = None
        for want in left:
            value = want[3] if isinstance(want[3], set) else {want[3]}
            if (p['severity'], p['rule'], ends_of(p['place'])) == want[:3] and int(p['value']) in value:
                found = want
        if found:
            left.remove(found)
        else:
            wrong.append(f'not promised: {p["severity"]} {p["rule"]} {p["place"]} {p["value"]}')
    wrong += [f'missing: {want}' for want in left]
    status = 6 if any(want[0] != 'info' for want in case.expected()) else 0
    if done.returncode != status:
        wrong.append(f'status {done.returncode}, not {status}: {done.stderr.decode()}')
    if wrong:
        wrong.append(shlex.join(command))
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('--cases', type=int, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--self-test', action='store_true')
    args = parser.parse_args()
    find_programs()
    failed = total = 0
    directory = tempfile.TemporaryDirectory(prefix='rises.')  # pylint: disable=consider-using-with
    path = os.path.join(directory.name, 'fabric.net')
    for seed in range(args.seed, args.seed + args.cases):
        case = Case(seed)
        if args.self_test:
            if not any(case.expected()):
                continue
            wrong = [] if check(case, path, True) else ['a changed figure was not noticed']
        else:
            wrong = check(case, path)
        total += 1
        failed += bool(wrong)
        print(f'{"not " if wrong else ""}ok {total} - seed {seed}: {len(case.links)} links, {case.seconds} s')
        for text in wrong:
            print(f'# {text}')
        if args.self_test and total == 5:
            break
    print(f'1..{total}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
