# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of requests to many ports: whose counters they show, and what --clear sends."""
from __future__ import annotations

import json

import expr
import wire
from case import connected
from properties import a_property, chance, check_port
from run import Result, Run
from truth import Port

# ---- requests --------------------------------------------------------------------------------------------------

# counters that the simulator moves by itself if there are faults
MOVED = {'SymbolErrorCounter', 'PortRcvErrors', 'LinkDownedCounter', 'PortXmitDiscards', 'VL15Dropped', 'PortRcvSwitchRelayErrors',
         'PortXmitWait'}
NAMED = ['SymbolErrorCounter', 'LinkErrorRecoveryCounter', 'LinkDownedCounter', 'PortRcvErrors',
         'PortRcvRemotePhysicalErrors', 'PortXmitDiscards', 'PortXmitConstraintErrors', 'PortRcvConstraintErrors',
         'LocalLinkIntegrityErrors', 'ExcessiveBufferOverrunErrors', 'PortXmitWait']


def check_counters(run: Run, result: Result, at: Port, data: dict) -> None:
    """The counters are those of this port."""
    expected = run.truth.counters(*at)
    moved = {'LinkDownedCounter', 'PortXmitDiscards'} if run.case['down'] or run.case['gone'] else set()
    if run.truth.at not in run.truth.managed:
        # the port is not Active, and drops the requests
        moved |= {'PortXmitDiscards'}
    if not run.truth.reliable_gmp:
        moved |= MOVED
    for name in NAMED:
        right = expected.get(name, 0)
        result.check(data[name] == right or (name in moved and data[name] >= right),
                     f'node {at[0]} port {at[1]}: {name}: expected {right}, got {data[name]}')


@a_property
def counters_are_of_the_port(run: Run) -> None:
    """Get PortCounters shows the counters of the port that it names, for each port in scope or says why not."""
    truth = run.truth
    result = run.sweep('--keep-going', 'Get', 'PortCounters')
    if not truth.attached:
        return
    seen = []
    for line in result.lines:
        if line['kind'] in ('response', 'timeout', 'error') and line['header'] and line['header']['class'] == 'PerfMgt':
            at = check_port(result, truth, line, False)
            seen.append(at)
            if line['kind'] == 'response' and not line['status']['mad']:
                # a response about something else is a line of kind error
                result.equal(line['data'].get('PortSelect'), at[1], 'PortSelect')
                check_counters(run, result, at, line['data'])
    result.check(len(seen) == len(set(seen)), 'a port has two lines')
    summary = result.summary
    if summary['complete'] and truth.reliable_gmp:
        expected = truth.ports(truth.dist)
        active = {p for p in expected if truth.is_switch(p[0]) or truth.state(*p) == 'Active'}
        result.equal(sorted(seen), sorted(active if truth.at in truth.managed else seen), 'ports with a line')
        if truth.at in truth.managed and not run.case['mute'] and not run.case['down'] and not run.case['gone']:
            result.equal((result.status, summary['requests']['answered']), (0, len(active)), 'status, answered')


def record_of(run: Run, at: Port) -> dict:
    """The values of an expression in a line with the counters of a port."""
    record = {'port.' + k: v for k, v in run.truth.record(*at).items()}
    return record | dict.fromkeys(NAMED, 0) | run.truth.counters(*at)


def can_move(run: Run) -> bool:
    """Returns True if the simulator may change the counters of errors by itself."""
    case = run.case
    return bool(not run.truth.reliable_gmp or case['down'] or case['gone'] or run.truth.mute or case['mute'] or run.truth.at not in run.truth.managed)


@a_property
def filter_of_counters(run: Run) -> None:
    """Get PortCounters --filter shows the ports for whose counters the expression is true; sums of all ports of a
    switch, which it may ask first, lose none."""
    truth, r = run.truth, chance(run, 'counters')
    if can_move(run) or not truth.attached:
        return
    scope = sorted(truth.ports(truth.dist))
    name = r.choice(['SymbolErrorCounter', 'PortRcvErrors', 'PortXmitWait', 'LinkDownedCounter'])
    if r.random() < 0.5:
        expression = expr.Test(name, r.choice(['>', '>=']), r.choice([0, 1, 3, 255]))
        if r.random() < 0.4:
            expression = expr.Both('||', [expression, expr.Test('PortRcvRemotePhysicalErrors', '>', 0)])
    else:
        expression = expr.Both(r.choice(['&&', '||']), [expr.Test(name, '>', r.choice([0, 5])),
                                                        expr.Test('port.number', r.choice(['<', '!=']), r.randrange(5))])
    result = run.sweep('Get', 'PortCounters', '--filter', str(expression))
    shown = []
    for line in result.kind('response'):
        shown.append(check_port(result, truth, line, False))
        check_counters(run, result, shown[-1], line['data'])
    right = [at for at in scope if expression.holds(record_of(run, at))]
    result.equal(sorted(shown), right, f'{expression}: ports')
    result.equal(result.status, 0, 'status')


# ---- clearing --------------------------------------------------------------------------------------------------

@a_property
def clear_clears_what_is_named(run: Run) -> None:
    """--clear sends a Set to each selected port and to no other, reports which, and resets their counters only."""
    truth, r = run.truth, chance(run, 'clear')
    scope = sorted(truth.ports(truth.dist))
    records = {at: truth.record(*at) for at in scope}
    select = expr.make(r, list(records.values()), 1)
    result = run.command('madsweep', '-j', '--keep-going', '--clear', 'PortCounters', '--select', str(select), '--yes',
                         capture=True)
    chosen = {at for at in scope if select.holds(records[at])}
    sent = set()
    for mad in result.capture:
        if mad.mgmt_class == wire.PERF and mad.method == wire.SET:
            # the port of the command responds to requests to its own LIDs
            own = truth.end_port(*truth.at)
            end = own if mad.dlid in truth.lids(*own) else truth.port_of_lid(mad.dlid)
            if end is None:
                # a LID that PortInfo states and the forwarding tables do not know
                end = next((p for p in sorted(chosen) if mad.dlid in truth.lids(*p)), None)
            result.check(end is not None, f'a Set to LID {mad.dlid}, which no port has')
            at = (end[0], mad.port_select)
            # a link that flaps may have been down when its ports were selected
            result.check(at in chosen | truth.flapping, f'{select}: a Set to node {at[0]} port {at[1]}, which is not selected')
            result.check(truth.is_switch(at[0]) or at == truth.end_port(*end), f'a Set of port {at[1]} to the LID of port {end[1]}')
            sent.add(at)
        else:
            result.check(mad.method != wire.SET or mad.mgmt_class == wire.SUBN_ADM, f'a Set of class {mad.mgmt_class}')
    said = {check_port(result, truth, line, False) for line in result.kind('response') if not line['status']['mad']}
    result.check(said <= sent, f'ports are shown as cleared, but no Set was sent: {sorted(said - sent)}')
    # without its links, the manager may be cut off, and the forwarding tables lead to them
    cut = run.case['down'] or run.case['gone']
    if truth.flapping:
        # nodes behind a link that is down were not selected
        return
    if not truth.reliable_gmp or run.case['mute'] or truth.locked or not truth.attached or truth.at not in truth.managed or (
            cut and result.status):
        result.check(result.status != 0 or not result.summary['complete'] or said == chosen,
                     f'status 0 and complete, but {sorted(chosen - said)} were not cleared')
        return
    able = {at for at in chosen if truth.is_switch(at[0]) or truth.state(*at) == 'Active'}
    result.equal(sorted(said), sorted(able), f'{select}: ports that were cleared')
    result.equal(result.status == 0, bool(able) and able == chosen, 'status 0')
    if able:
        read_back(run, sent)


def read_back(run: Run, cleared: set[Port]) -> None:
    """The same Sets in a fabric of their own, and then all counters: only those of these ports are 0."""
    truth, lines = run.truth, []
    managed = connected(run.case, *truth.at)

    def line(method: str, at: Port, **data) -> None:
        lid = truth.lid(at[0], 0 if truth.is_switch(at[0]) else at[1])
        lines.append(json.dumps({'header': {'method': method, 'attribute': 'PortCounters'}, 'remote': {'lid': lid},
                                 'data': {'PortSelect': at[1]} | data, 'tag': [method, *at]}))

    for at in sorted(cleared):
        line('Set', at, CounterSelect='all', CounterSelect2='all')
    ports = [(n, p) for n, p, *_ in run.case['counters'] if (n, p) in managed and truth.state(n, p) == 'Active' and n in truth.dist]
    for at in sorted(set(ports)):
        line('Get', at)
    result = run.command('madsend', '--batch', '-', '-j', '--window', '1', text='\n'.join(lines) + '\n')
    # a Set that was lost on its way, because the subnet manager changes routes, clears nothing
    done = {tuple(got['tag'][1:]) for got in result.kind('response') if got['tag'][0] == 'Set'}
    for got in result.kind('response'):
        method, *at = got['tag']
        if method == 'Get' and (tuple(at) not in cleared or tuple(at) in done):
            right = {} if tuple(at) in cleared else truth.counters(*at)
            for name in NAMED:
                if name not in MOVED or not (run.case['down'] or run.case['gone']):
                    result.equal(got['data'][name], right.get(name, 0), f'after --clear, node {at[0]} port {at[1]}: {name}')
