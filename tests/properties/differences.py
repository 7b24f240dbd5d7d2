# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of madsweep --delta and --since: differences against the counters in the MADs of a capture, which are
decoded here by their positions in the IBA."""
from __future__ import annotations

import json
import os

import wire
from properties import a_property, chance, port_of
from requests import can_move
from run import Result, Run
from truth import Port

EXTENDED = 0x1d
SHORT = ('PortXmitData PortRcvData PortXmitPkts PortRcvPkts PortUnicastXmitPkts PortUnicastRcvPkts PortMulticastXmitPkts '
         'PortMulticastRcvPkts').split()
ERRORS = ('SymbolErrorCounter LinkErrorRecoveryCounter LinkDownedCounter PortRcvErrors PortRcvRemotePhysicalErrors '
          'PortRcvSwitchRelayErrors PortXmitDiscards PortXmitConstraintErrors PortRcvConstraintErrors '
          'LocalLinkIntegrityErrors ExcessiveBufferOverrunErrors VL15Dropped').split()
# name: bytes from the beginning of the attribute, and octets
FIELDS = {EXTENDED: {name: (8 + 8 * i, 8) for i, name in enumerate(SHORT + ERRORS + ['PortXmitWait', 'QP1Dropped'])},
          wire.PORT_COUNTERS: {'SymbolErrorCounter': (4, 2), 'LinkErrorRecoveryCounter': (6, 1), 'LinkDownedCounter': (7, 1),
                               'PortRcvErrors': (8, 2), 'PortXmitDiscards': (14, 2), 'VL15Dropped': (22, 2),
                               'PortXmitData': (24, 4), 'PortRcvData': (28, 4), 'PortXmitPkts': (32, 4),
                               'PortRcvPkts': (36, 4), 'PortXmitWait': (40, 4)}}
IDS = {'PortCountersExtended': EXTENDED, 'PortCounters': wire.PORT_COUNTERS}
MOVING = ['SymbolErrorCounter', 'PortRcvErrors', 'LinkErrorRecoveryCounter', 'PortXmitDiscards']

Values = dict[str, tuple[int, int]]  # of one reading: value and greatest value


def values_of(mad: wire.Mad) -> Values:
    data = mad.raw[64:]
    return {name: (int.from_bytes(data[at:at + n], 'big'), 256 ** n - 1) for name, (at, n) in FIELDS[mad.attribute].items()}


def readings(run: Run, result: Result) -> dict[tuple[Port, int], list[Values]]:
    """The counters in the responses of a capture, in their order, by port and attribute."""
    found: dict[tuple[Port, int], list[Values]] = {}
    for mad in result.capture:
        if mad.mgmt_class != wire.PERF or mad.method != wire.GET_RESP or mad.attribute not in FIELDS or mad.status:
            continue
        own = run.truth.end_port(*run.truth.at)
        end = own if mad.slid in run.truth.lids(*own) else run.truth.port_of_lid(mad.slid)
        result.check(end is not None, f'a response from LID {mad.slid}, which no port has')
        found.setdefault(((end[0], mad.port_select), mad.attribute), []).append(values_of(mad))
    return found


def check_counter(result: Result, what: str, counter: dict, was: tuple[int, int], now: tuple[int, int], reset: bool,
                  interval: int) -> None:
    full = now[1]
    known = not reset and was[0] != full
    result.equal((counter['value'], counter['delta'], counter['saturated'], counter['reset']),
                 (now[0], now[0] - was[0] if known else None, now[0] == full, reset), what)
    rated = not reset and now[0] != full
    result.equal(counter['rate'] is not None, rated, f'{what}: rate is known')
    if rated:
        right = (now[0] - was[0]) * 1e6 / interval
        result.check(abs(counter['rate'] - right) <= 0.001 + right * 2e-6, f'{what}: rate {counter["rate"]}, not {right}')


def check_line(result: Result, line: dict, was: Values, now: Values, what: str) -> None:
    """A line has the difference of two readings of its attribute."""
    data = line['data']
    reset = any(now[name][0] < was[name][0] for name in now)
    result.equal(data['change'], 'reset' if reset else None, f'{what}: change')
    for name, counter in data['counters'].items():
        if name in now:
            check_counter(result, f'{what}: {name}', counter, was[name], now[name], reset, data['interval_us'])


def make_moving(run: Run) -> tuple[Run, dict[tuple[Port, str], int]]:
    """The same fabric with counters of some ports that move."""
    r, truth = chance(run, 'moving'), run.truth
    rates = {(at, r.choice(MOVING)): r.choice([1, 3, 40, 1000])
             for at in sorted(truth.ports(truth.dist)) if truth.state(*at) == 'Active' and r.random() < 0.5}
    return run.changed(errors=[[*at, name, rate] for (at, name), rate in rates.items()]), rates


def is_quiet(run: Run) -> bool:
    return run.truth.attached and not can_move(run) and not run.truth.sharers(run.truth.dist)


@a_property
def sweep_differences_are_exact(run: Run) -> None:
    """madsweep --delta shows how the counters in the MADs that it received differ, of every port and in each round."""
    r = chance(run, 'rounds')
    if not is_quiet(run):
        return
    moving, rates = make_moving(run)
    attribute, rounds, ms = r.choice(sorted(IDS)), r.randrange(1, 4), r.choice([1, 20, 1000, 60000])
    result = moving.sweep('--keep-going', 'Get', attribute, '--delta', '-n', str(rounds), '-i', str(ms), capture=True)
    result.equal(result.status, 0, f'status ({result.err.strip()[-200:]})')
    read, seen = readings(run, result), {}
    for line in result.kind('event'):
        at, data = port_of(result, run.truth, line), line['data']
        k = seen.setdefault(at, 0)
        seen[at] += 1
        found = read[at, IDS[data['attribute']]]
        result.equal(len(found), rounds + 1, f'{at}: readings')
        what = f'node {at[0]} port {at[1]}, round {k + 1}'
        check_line(result, line, found[k], found[k + 1], what)
        result.check(abs(data['interval_us'] - 1000 * ms) < 1e5, f'{what}: {data["interval_us"]} us, not {ms} ms')
        for name in MOVING:
            right, counter = rates.get((at, name), 0) * data['interval_us'] / 1e6, data['counters'][name]
            if counter['delta'] is not None and not counter['saturated']:
                result.check(abs(counter['delta'] - right) <= 1, f'{what}: {name}: {counter["delta"]}, not {right}')
    result.check(all(n == rounds for n in seen.values()), f'rounds by port: {seen}')
    result.equal(seen.keys(), {at for at, _ in read}, 'ports')


def make_baseline(run: Run, lines: list[dict]) -> tuple[str, dict[Port, dict], bool]:
    """Writes a baseline from the lines of a run: 100 s older, with other counters, and without some ports, which its
    summary does not count either, or which a filter left out. Returns the path, what the file says of each port: its
    counters, or None if it did not respond, and whether it has a line of each port that was read."""
    r, kept, old = chance(run, 'baseline'), {}, []
    counted = r.random() < 0.5
    for line in lines:
        line['epoch'] -= 100
        if line['kind'] == 'response':
            at, what = (int(line['port']['node']['guid'], 16), line['port']['number']), r.random()
            if what < 0.15:
                continue
            kept[at] = line['data']
            for name in FIELDS[EXTENDED]:
                less = r.choice([0, 0, 0, 1, 7])
                if line['data'][name] >= less and what < 0.9:
                    line['data'][name] -= less
            if what >= 0.9:
                line['data']['SymbolErrorCounter'] += 5
            for key in [k for k in line['data'] if k.endswith('_bytes')]:
                del line['data'][key]
        elif line['kind'] == 'summary' and counted:
            line['data']['requests']['answered'] = len(kept)
        old.append(line)
    path = os.path.join(run.directory, 'old.json')
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(line) + '\n' for line in old)
    return path, kept, counted or len(kept) == sum(line['kind'] == 'response' for line in lines)


@a_property
def since_compares_with_the_file(run: Run) -> None:
    """madsweep --since shows how the counters differ from those of a file, and which ports the file does not have."""
    truth = run.truth
    if not is_quiet(run):
        return
    first = run.sweep('--keep-going', 'Get', 'PortCountersExtended')
    path, kept, whole = make_baseline(run, first.lines)
    result = run.sweep('--keep-going', 'Get', 'PortCountersExtended', '--since', path, capture=True)
    if not kept:
        result.equal(result.status, 5, 'status without readings')
        return
    read = readings(run, result)
    peers = {(line['port']['peer']['node']['guid'], line['port']['peer']['number']): line['port']
             for line in first.kind('response') if line['port']['peer']
             and (int(line['port']['node']['guid'], 16), line['port']['number']) in kept}
    result.equal(result.status, 0, f'status ({result.err.strip()[-200:]})')
    for line in result.kind('event'):
        at, port = port_of(result, truth, line), line['port']
        before = kept.get((int(port['node']['guid'], 16), port['number']))
        what = f'node {at[0]} port {at[1]}'
        if before:
            was = {name: (before[name], 256 ** 8 - 1) for name in FIELDS[EXTENDED]}
            check_line(result, line, was, read[at, EXTENDED][0], what)
            result.check(abs(line['data']['interval_us'] - 1e8) < 1e6, f'{what}: {line["data"]["interval_us"]} us')
            continue
        peer = port['peer']
        result.check(not peer or (peer['node']['guid'], peer['number']) not in peers, f'{what}: it was there')
        result.equal((line['data']['change'], line['data']['counters']), ('added' if whole else None, {}),
                     f'{what}: change, counters')
    result.equal(len(result.kind('event')), len(first.kind('response')), 'ports')
