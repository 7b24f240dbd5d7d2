#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes the list of commands whose output is frozen: commands.py BUILD > commands

Each line is one command for bash, which needs no server and no clock: simulated fabrics are inside it, in virtual time. The
list was made once, and is not made again: what it has from tables of tests and from --help, it keeps."""
from __future__ import annotations

import os
import random
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
COMMANDS = ['madpoll', 'madrecv', 'madreg', 'madsend', 'madsim', 'madsweep']
FORMS = {'madsend': ['--batch=lines', '--describe'], 'madrecv': ['--subscribe=64', '--snoop', '--read=mads'],
         'madpoll': ['--until=kind', '--delta'], 'madreg': ['--list'],
         'madsim': ['--control=socket', '--generate=fat-tree:1,1,0'], 'madsweep': ['--clear=PortCounters', '--topology']}
VALUES = {'CLASS': 'PerfMgt', 'PATH': '0,1', 'GID': 'fe80::1', 'VL15': 'typical', 'HAVE,..': 'roce', 'FMT': 'text', 'HOW': 'none',
          'AS': 'echo', 'M,..': 'Get', 'RULE': 'fat-tree:1,1,0', 'EXPR': 'kind == "event"', 'A,B.C': 'kind', '': ''}
# with a clock, or another process
UNSTEADY = re.compile(r'--deadline[= ][15]$|madsim .* -- |--snoop')


def output(*words: str) -> str:
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout


def options() -> list[str]:
    """The rows of options.table: the command alone, and with the option."""
    found, base = [], ''
    with open(f'{TESTS}/sim/options.table', encoding='utf-8') as table:
        for line in table.read().splitlines():
            if line.startswith('== '):
                base = line.split(' ', 3)[3]
            elif line and not base.startswith('@'):
                found.append(re.sub(r' % ', ' ', base))
                found.append(base.replace(' % ', f' {line} ') if ' % ' in base else f'{base} {line}')
    return found


def refused() -> list[str]:
    """Each option of each command in each form of each command, most of which refuse it."""
    found, known = [], {}
    for command in COMMANDS:
        for match in re.finditer(r'^  (?:-.,|   ) (--[A-Za-z0-9-]+) ?(\S*) ', output(command, '--help'), re.M):
            known.setdefault(match[1], match[2])
    for command in COMMANDS:
        for form in [''] + FORMS[command]:
            for option, argument in known.items():
                value = VALUES.get(argument, '1')
                # some would wait for ever
                found.append(shlex.join(['timeout', '-s', 'KILL', '5', command] + ([form] if form else []) +
                                        [option + ('=' + value if value else '')]))
    with open(f'{TESTS}/sim/options.bats', encoding='utf-8') as text:
        body = text.read()
        for line in re.findall(r'^\t\t--[a-z-]+ (mad.*)$', body, re.I | re.M):
            found.append(line)
    return found


def described() -> list[str]:
    found = [f'{command} {word}' for command in COMMANDS for word in ('--help', '--version', '', '--nosuch')]
    attributes = re.findall(r'^\s*(\S+)\s+0x[0-9a-f]{4}', output('madsend', '--describe'), re.M)
    found += ['madsend --describe'] + [f'madsend --describe {name}' for name in sorted(set(attributes))]
    return found


def tasks() -> list[str]:
    net = 'sim:$SRC/tests/data/topologies/small.net@node1'
    with open(f'{TESTS}/sim/tasks.table', encoding='utf-8') as table:
        return [f'MADKIT_DEVICE={net}; ' + re.sub(r'^\$ \d+ ', '', line) for line in table.read().splitlines()
                if line.startswith('$ ') and 'madsim' not in line]


def read() -> list[str]:
    """What is stored of other programs, in every form of output."""
    found = []
    for name in sorted(os.listdir(f'{TESTS}/data/golden')):
        if name.endswith('.hex'):
            found += [f'madrecv -r $SRC/tests/data/golden/{name} {words}' for words in
                      ('', '-j', '-jp', '-f table', '-f hex', '-v', '--fields header.attribute,status.mad', '-w capture')]
    for name in sorted(os.listdir(f'{TESTS}/data/dumps')):
        found += [f'madrecv -r $SRC/tests/data/dumps/{name} {words}' for words in ('', '-j')]
    return found


def fabric(r: random.Random) -> str:
    """A random fat tree with faults, as a device specification."""
    leaves, hosts, spines = r.choice([1, 2, 2, 3, 4]), r.choice([1, 2, 3, 4]), r.choice([1, 1, 2, 3])
    if leaves == 1:
        spines = r.choice([0, 1])

    def host() -> str:
        return f'h{r.randrange(1, leaves + 1)}-{r.randrange(1, hosts + 1)}'

    def switch() -> str:
        return f'leaf{r.randrange(1, leaves + 1)}'

    words = [f'sim:fat-tree:{leaves},{hosts},{spines}@h1-1', f'seed={r.randrange(1, 1000)}']
    if r.random() < 0.1:
        words.append('sm=none')
    if r.random() < 0.1:
        words.append(f'vl15={r.choice(["8,50", "1,100", "2,1000"])}')
    for _ in range(r.choice([0, 0, 1, 2])):
        what = r.choice(['drop rate=5%', 'drop rate=30%', 'drop attribute=PortInfo rate=20%', 'delay rate=20% delay=200',
                         'duplicate rate=30%', 'reorder rate=30% delay=0.5', 'corrupt rate=3%', 'drop nth=7+3',
                         'answer attribute=PortInfo as-port=2 rate=20%', 'answer attribute=NodeInfo as=NodeDescription nth=3',
                         'drop class=PerfMgt rate=30%'])
        words.append('control=fault ' + what)
    for _ in range(r.choice([0, 1, 1, 2, 3])):
        words.append('control=' + r.choice([
            f'link {host()} 1 down', f'agent {host()} mute', f'agent {switch()} slow=40', f'agent {switch()} mute gsi',
            f'counter {switch()} 1 SymbolErrorCounter={r.randrange(1, 65536)}', f'counter {host()} 1 PortXmitWait=7',
            f'counter {switch()} 2 LinkDownedCounter=255', f'errors {switch()} 1 PortRcvErrors=3', f'node {host()} gone',
            f'info {host()} 1 Lid=3', f'info {host()} 1 Mkey=7 ProtectBits=2', f'info {host()} 1 PKey[0]=0x7fff',
            f'link {host()} 1 width=1x', f'link {host()} 1 speed=SDR', f'join {host()} 1', f'link {host()} 1 flap=0.3']))
    return ','.join(words)


def at_random(count: int) -> list[str]:
    found = []
    for seed in range(count):
        r = random.Random(seed)
        form = r.choice(['', '-j', '-j', '-jp', '-f table', '-v', '-q', '-w capture', '-j -w capture', '-d'])
        select = r.choice(["--select 'node.type == Switch'", "--filter 'state == Active'", "--assert 'width == 4x'", '--strict',
                           '--keep-going', '--hops 2', '--sort name', '--via sa', '--from leaf1 --hops 1', '-t 50 --retries 1'])
        command = r.choice([
            f'madsweep {select} {form}', f'madsweep {select} {form}', f'madsweep Get PortCounters {form}',
            f"madsweep Get PortCounters --filter 'SymbolErrorCounter > 0' {form}", f'madsweep Get PortInfo {form}',
            f'madsweep -m all Get P_KeyTable {form}', 'madsweep --topology --keep-going', f'madsweep --route h1-1,leaf1 {form}',
            f'madsweep --route h1-1,h1-1 --both {form}', f'madsweep --mlid 0xc000 {form}',
            f'madsweep --clear PortCounters --yes {form}', f'madsend -D 0,1 Get NodeInfo {form}', f'madsend Get PortInfo {form}',
            f'madsend -D 0,1 -m 1-2 Get PortInfo {form}', f'madsend GetTable NodeRecord {form}',
            f'madsend GetTable PathRecord {form}', f'madsend -L 2 Get PortCounters PortSelect=1 {form}',
            f"madsend --name 'h1-1 HCA-1' Get NodeDescription {form}", f'madsend -D 0,1 -m all Get LinearForwardingTable {form}',
            f'madsend -L 2 Get PortCounters PortSelect=1 -n 3 -i 10 {form}', f'madsend --batch lines {form}',
            f'madsend -D 0,1,1 --locate Get NodeInfo {form}', f"madsend GetTable NodeRecord --filter 'LID > 2' {form}",
            f'madpoll -L 2 Get PortCounters PortSelect=1 --delta -i 100 -n 2 {form}',
            f"madpoll -D 0 Get PortInfo --until 'LinkState == Active' -i 100 --deadline 2000 {form}",
            f"madsend -L 2 Get PortCounters PortSelect=1 --assert 'SymbolErrorCounter == 0' {form}",
            f'madsend -L 2 Set PortCounters PortSelect=1 CounterSelect=all {form}', f'madreg --class PerfMgt {form}'])
        found.append(f'MADKIT_DEVICE={shlex.quote(fabric(r))} {command}')
    return found


def main() -> None:
    seen = set()
    lists = [described(), ['export MADKIT_DEVICE=sim:fat-tree:2,2,1; ' + c for c in options() + refused()], tasks(), read(),
             at_random(500)]
    for line in (line.rstrip() for found in lists for line in found):
        if line not in seen and '\n' not in line and not UNSTEADY.search(line):
            seen.add(line)
            print(line)


if __name__ == '__main__':
    os.environ['PATH'] = ':'.join([f'{os.path.realpath(sys.argv[1])}/{d}' for d in ('src/.libs', '.libs', 'src', '.')] +
                                  [os.environ['PATH']])
    os.environ['LD_LIBRARY_PATH'] = os.path.realpath(sys.argv[1]) + '/lib/.libs'
    main()
