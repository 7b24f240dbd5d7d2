#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Audits madcheck: healthy fabrics with one to five faults at random places. The problems that madcheck(1) promises for
these faults are computed from the faults, and must be reported with their severity and ends, once, and nothing else.

audit.py [--cases N] [--seed N] [--jobs N] [--fabric NAME]   prints TAP, a test for each fabric
audit.py --case SEED                                         one case, with its commands
audit.py --large                                             several faults at once in a served fabric of 5,040 hosts
audit.py --self-test                                         a problem that is missing, doubled or moved is noticed

The fabrics are larger than those of suite.py, and the truth is computed without truth.py. In four of ten
cases, the subnet manager hears of no change, so that forwarding tables and links stay as they are.
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from audit_fabrics import FABRICS, LARGE  # noqa: E402
from audit_faults import Case  # noqa: E402
from audit_truth import Truth  # noqa: E402


class Served:
    """The fabric of a case, served by madsim. The words of the case change it."""

    def __init__(self, c: Case, net: str, directory: str):
        self.c, self.socket = c, os.path.join(directory, 's')
        self.device = f'sim:unix:{self.socket}@{c.own[0]:#x}'
        self.server = subprocess.Popen(  # pylint: disable=consider-using-with
            ['madsim', net, '--socket', self.socket, '--banner', '--sweep', '0', '--sm', f'{c.manager[0]:#x}'],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.server.stderr.readline()
        self.control('fault', 'drop', 'method=Trap')

    def control(self, *words: str) -> None:
        done = run(['madsim', '--control', self.socket, *words])
        if done.returncode:
            raise ValueError(f'{words}: {done.stderr.decode()}')

    def change(self) -> None:
        # before other faults, which may be in the way
        for (switch, lid), port in self.c.entries.items():
            own = self.c.f.nodes[switch].lids[0]
            done = run(['madsend', '--device', self.device, '-L', str(own), '-m', str(lid // 64), '--merge', 'Set',
                        'LinearForwardingTable', f'Port[{lid % 64}]={port}'])
            if done.returncode:
                raise ValueError(f'Set LinearForwardingTable: {done.stderr.decode()}')
        for words in self.c.early + self.c.late:
            self.control(*words.split())

    def end(self) -> None:
        self.server.terminate()
        self.server.wait()
        self.server.stderr.close()


def run(words: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)


def ends_of(key: str) -> frozenset | str:
    """The ends in the key of a problem, or the words that identify it."""
    words = key.split(':', 1)[1] if ':' in key else ''
    ends = re.findall(r'0x([0-9a-f]{16})/(\d+)', words)
    return words if words and not ends else frozenset((int(g, 16), int(p)) for g, p in ends)


def device_of(c: Case, net: str, late: bool = True) -> str:
    words = [f'sim:{net}@{c.own[0]:#x}']
    words.append(f'sm={c.manager[0]:#x}' if c.managed else 'sm=none')
    if c.stale:
        words.append('fault=drop method=Trap')
    words += [f'control={w}' for w in c.early]
    if c.managed and not c.stale:
        # the manager processes the changes before this word
        words.append(f'control=join {c.own[0]:#x} 1')
    return ','.join(words + [f'control={w}' for w in c.late if late])


def tables_of(device: str) -> dict[int, list[int]]:
    """The forwarding tables, as switches report them."""
    tables: dict[int, list[int]] = {}
    done = run(['madsweep', '-q', '-j', '--keep-going', '--device', device, '-m', 'all', 'Get', 'LinearForwardingTable'])
    for line in map(json.loads, done.stdout.decode().splitlines()):
        if line['kind'] == 'response' and line['data']:
            table = tables.setdefault(int(line['port']['node']['guid'], 16), [])
            start = 64 * line['header']['modifier']
            table.extend([255] * (start + 64 - len(table)))
            table[start:start + 64] = line['data']['Port']
    if done.returncode not in (0, 3):
        raise ValueError(f'madsweep: status {done.returncode}: {done.stderr.decode()[-300:]}')
    return tables


def differences(truth: Truth, done: subprocess.CompletedProcess) -> list[str]:
    """All that madcheck should have reported and has not, or the other way round."""
    wrong, got = [], {}
    try:
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    except ValueError as error:
        return [f'not JSON: {error}']
    for line in lines:
        if line['kind'] != 'problem':
            continue
        problem = line['problem']
        at = problem['rule'], ends_of(problem['key'])
        if at in got:
            wrong.append(f'twice: {problem["key"]}')
        port = line['port']
        got[at] = problem['severity'], port and (int(port['node']['guid'], 16), port['number'])
    for at, (severity, first) in truth.found.items():
        # a key names two of several ports
        seen = at if at in got else next((g for g in got if g[0] == at[0] == 'lid' and isinstance(at[1], frozenset)
                                          and isinstance(g[1], frozenset) and len(g[1]) == 2 and g[1] < at[1]), None)
        if seen is None:
            wrong.append(f'missing: {severity} {at[0]} {shown(truth, at[1])}')
            continue
        found = got.pop(seen)
        if found[0] != severity:
            wrong.append(f'{at[0]} {shown(truth, at[1])} is {found[0]}, not {severity}')
        if first and found[1] != first:
            wrong.append(f'{at[0]}: first is {shown(truth, {found[1]})}, not {shown(truth, {first})}')
    wrong += [f'unexpected: {severity} {rule} {shown(truth, ends)}' for (rule, ends), (severity, _) in got.items()]
    counts = Counter(severity for severity, _ in truth.found.values())
    nodes = [truth.f.nodes[g] for g in truth.read]
    down = sum(1 for n in nodes if n.kind == 'S' for p in range(1, n.ports + 1) if not truth.c.up((n.guid, p)))
    expected = {'critical': counts['critical'], 'warnings': counts['warning'], 'infos': counts['info'], 'nodes': len(nodes),
                'switches': sum(n.kind == 'S' for n in nodes), 'hosts': sum(n.kind == 'H' and not n.aggregation for n in nodes),
                'links': len(truth.links), 'down': down,
                'verdict': 'CRITICAL' if counts['critical'] else 'WARNING' if counts['warning'] else 'OK'}
    summary = lines[-1]['data'] if lines and lines[-1]['kind'] == 'summary' else {}
    bad = counts['critical'] + counts['warning']
    if not bad and summary.get('complete') is False:
        expected['verdict'] = 'UNKNOWN'
    wrong += [f'{key}: {summary.get(key)}, not {value}' for key, value in expected.items() if summary.get(key) != value]
    if summary.get('complete') and not truth.complete:
        wrong.append('complete, although something was not judged')
    status = 6 if bad else 0 if summary.get('complete') else 3
    if done.returncode != status:
        wrong.append(f'status {done.returncode}, not {status}: {done.stderr.decode().strip()[-200:]}')
    return wrong


def shown(truth: Truth, ends) -> str:
    if isinstance(ends, str):
        return ends
    return ', '.join(f'{truth.c.names.get(e[0], e[0])}/{e[1]}' if e else '-' for e in sorted(ends, key=str))


def check(job: tuple[int, str, int]) -> tuple[int, str, list[str], str]:
    """Runs a case. Returns the seed, the fabric, the differences and the words of the case."""
    seed, name, faults = job
    case = Case(seed, name, faults)
    # a device has at most 64 words of control
    for other in range(seed + 1000000, seed + 1000100):
        if case.entries or name in LARGE or len(case.early + case.late) <= 60:
            break
        case = Case(other, name, faults)
    words = ['madcheck', '-j', '--all', '--keep-going', '--rules', ','.join(case.rules), '--device']
    with tempfile.TemporaryDirectory(prefix='audit.') as directory:
        net = os.path.join(directory, 'net')
        with open(net, 'w', encoding='utf-8') as file:
            file.write(case.text)
        if not case.entries and case.name not in LARGE:
            device = device_of(case, net)
            # before nodes become silent
            truth = Truth(case, tables_of(device_of(case, net, late=False)))
            done = run(words + [device])
            wrong = differences(truth, done) + other_formats(done, words[2:] + [device])
            return seed, case.name, wrong, f'{", ".join(case.done)}: {shlex.join(words + [device])}'
        served = Served(case, net, directory)
        try:
            # the tables before they change
            tables = tables_of(served.device)
            served.change()
            done = run(words + [served.device])
            wrong = differences(Truth(case, tables), done)
        finally:
            served.end()
        return seed, case.name, wrong, f'{", ".join(case.done)}: {case.entries} {case.early} {case.late} {case.rules}'


def other_formats(done: subprocess.CompletedProcess, words: list[str]) -> list[str]:
    """Differences between JSON, text and the line for Nagios."""
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    problems = Counter(line['problem']['severity'] for line in lines if line['kind'] == 'problem')
    text = run(['madcheck'] + words)
    shown = Counter(line.split()[0] for line in text.stdout.decode().splitlines()[1:] if line.startswith(('critical ', 'warning ')))
    wrong = [f'text shows {shown[s]} of {problems[s]} {s}' for s in ('critical', 'warning') if shown[s] != problems[s]]
    if text.returncode != done.returncode:
        wrong.append(f'text: status {text.returncode}, not {done.returncode}')
    nagios = run(['madcheck', '--nagios'] + [w for w in words if w != '--all'])
    expected = 2 if problems['critical'] else 1 if problems['warning'] else {0: 0, 3: 3}.get(done.returncode)
    first = nagios.stdout.decode().split('\n')[0]
    if nagios.returncode != expected:
        wrong.append(f'--nagios: status {nagios.returncode}, not {expected}')
    for label, value in ('critical', problems['critical']), ('warning', problems['warning']):
        if not re.search(rf"'{label}s?'={value};", first):
            wrong.append(f'--nagios: {label} is not {value}: {first}')
    return wrong


# ---- running -------------------------------------------------------------------------------------------------------

def find_programs() -> None:
    from suite import find_programs as find
    find()


def audit(seeds: range, name: str, faults: int, jobs: int) -> int:
    started, count, failed = time.monotonic(), Counter(), Counter()
    print('TAP version 13')
    with multiprocessing.Pool(jobs) as pool:
        for seed, fabric, wrong, what in pool.imap_unordered(check, [(s, name, faults) for s in seeds], chunksize=2):
            count[fabric] += 1
            if wrong:
                failed[fabric] += 1
                print(f'# seed {seed}, {fabric}, {what}')
                for line in wrong[:12]:
                    print(f'#   {line}')
                sys.stdout.flush()
    for i, fabric in enumerate(count, 1):
        print(f'{"not ok" if failed[fabric] else "ok"} {i} - {fabric}: {count[fabric]} cases' + (f', {failed[fabric]} fail' if failed[fabric] else ''))
    print(f'1..{len(count)}\n# seeds {seeds.start} to {seeds.stop - 1}, {time.monotonic() - started:.0f} s')
    return 1 if failed else 0


def twists() -> list[tuple[str, callable]]:
    """Changes of the lines of madcheck that differences() must notice."""
    def lines(change):
        def twist(out: list[dict]) -> None:
            change([line for line in out if line['kind'] == 'problem'], out)
        return twist

    def put(key: str, value: str):
        return lines(lambda problems, out: problems[0]['problem'].update({key: value}))
    return [('a problem is missing', lines(lambda problems, out: out.remove(problems[0]))),
            ('a problem is shown twice', lines(lambda problems, out: out.insert(0, problems[0]))),
            ('another severity', put('severity', 'info')), ('another rule', put('rule', 'guid')),
            ('another port', put('key', 'slow:0x0000000000000001/1:0x0000000000000002/1')),
            ('another number of links', lambda out: out[-1]['data'].update(links=7)),
            ('another verdict', lambda out: out[-1]['data'].update(verdict='OK')),
            ('a status', None)]


def self_test() -> int:
    print('TAP version 13')
    case = Case(1, 'torus', 5)
    bad = 0
    with tempfile.TemporaryDirectory(prefix='audit.') as directory:
        net = os.path.join(directory, 'net')
        with open(net, 'w', encoding='utf-8') as file:
            file.write(case.text)
        device = device_of(case, net)
        truth = Truth(case, tables_of(device_of(case, net, late=False)))
        done = run(['madcheck', '-j', '--all', '--keep-going', '--rules', ','.join(case.rules), '--device', device])
        for i, (name, twist) in enumerate(twists(), 1):
            out = [json.loads(line) for line in done.stdout.decode().splitlines()]
            status = done.returncode
            if twist:
                twist(out)
            else:
                status = 0
            text = '\n'.join(map(json.dumps, out)).encode()
            noticed = differences(truth, subprocess.CompletedProcess([], status, text, b''))
            bad += not noticed
            print(f'{"ok" if noticed else "not ok"} {i} - {name}')
    print(f'1..{len(twists())}')
    return 1 if bad or differences(truth, done) else 0


def large(seed: int) -> int:
    started = time.monotonic()
    _, name, wrong, what = check((seed, list(LARGE)[0], 14))
    print(f'TAP version 13\n# seed {seed}: {what[:1500]}', *(f'# {line}' for line in wrong[:20]), sep='\n')
    print(f'{"not ok" if wrong else "ok"} 1 - {name}, 14 faults\n1..1\n# {time.monotonic() - started:.0f} s')
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description='madcheck on healthy fabrics with faults at random places')
    parser.add_argument('--cases', type=int, default=70)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--fabric', choices=list(FABRICS | LARGE), default='')
    parser.add_argument('--faults', type=int, default=0)
    parser.add_argument('--case', type=int)
    parser.add_argument('--large', action='store_true')
    parser.add_argument('--self-test', action='store_true')
    args = parser.parse_args()
    find_programs()
    if args.self_test:
        return self_test()
    if args.large:
        return large(args.seed)
    if args.case is not None:
        seed, fabric, wrong, what = check((args.case, args.fabric, args.faults))
        print(f'seed {seed}, {fabric}\n{what}', *wrong, sep='\n')
        return 1 if wrong else 0
    return audit(range(args.seed, args.seed + args.cases), args.fabric, args.faults, args.jobs)


if __name__ == '__main__':
    sys.exit(main())
