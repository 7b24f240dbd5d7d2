# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of tables: records of the subnet administrator, attributes of every node and port, and differences of
counters."""
from __future__ import annotations

import expr
from case import connected
from commands import NODE_TYPES, node_info
from properties import a_property, chance, check_port
from requests import can_move
from run import Run
from truth import Truth


def is_managed(run: Run) -> bool:
    """Returns True if the subnet manager knows the subnet as the case has it, and nothing is lost on the way to it."""
    case, truth = run.case, run.truth
    return bool(truth.reliable and not case['down'] and not case['gone'] and not case['info'] and not case['mute']
                and truth.at in truth.managed and truth.at in truth.up)


def node_records(truth: Truth) -> list[dict]:
    """NodeRecord of each end port that the subnet manager has reached."""
    found = []
    for n, p in sorted(connected(truth.case, *truth.at)):
        if truth.is_switch(n) != (p == 0) or (p and (n, p) not in truth.up):
            continue
        info = {f'NodeInfo.{k}': v for k, v in node_info(truth, n).items()}
        found.append({'LID': truth.lid(n, p), 'NodeDescription': truth.nodes[n]['name'],
                      'NodeInfo.PortGuid': f'0x{truth.port_guid(n, p):016x}'} | info)
    return found


def flat_data(data: dict) -> dict:
    result = {}
    for key, value in data.items():
        if isinstance(value, dict):
            result |= {f'{key}.{k}': v for k, v in value.items()}
        else:
            result[key] = value
    return result


@a_property
def node_records_are_true(run: Run) -> None:
    """GetTable NodeRecord has a record for each end port, once; --filter shows those for which it is true."""
    truth, r = run.truth, chance(run, 'records')
    if not is_managed(run):
        return
    right = node_records(truth)
    result = run.command('madsend', '-j', 'GetTable', 'NodeRecord')
    result.equal(result.status, 0, 'status')
    got = [flat_data(line['data']) for line in result.lines]
    key = 'NodeInfo.PortGuid'
    result.equal(sorted(g[key] for g in got), sorted(x[key] for x in right), 'port GUIDs')
    by_guid = {x[key]: x for x in right}
    for record in got:
        for name, value in by_guid[record[key]].items():
            result.equal(record[name], value, f'{record[key]}: {name}')
    result.equal([(line['record'], line['records']) for line in result.lines], [(i, len(right)) for i in range(len(right))], 'numbers')
    field, values = r.choice([('LID', [x['LID'] for x in right]), ('NodeInfo.NumPorts', [1, 2, 8]),
                              ('NodeInfo.NodeType', list(NODE_TYPES.values()))])
    op = r.choice(['==', '!='] if field.endswith('Type') else list(expr.COMPARE))
    test = expr.Test(field, op, r.choice(values))
    result = run.command('madsend', '-j', 'GetTable', 'NodeRecord', '--filter', str(test))
    shown = [line['data']['NodeInfo']['PortGuid'] for line in result.lines if line['data']]
    chosen = [x[key] for x in right if test.holds(x)]
    result.equal(sorted(shown), sorted(chosen), f'{test}: port GUIDs')
    result.equal(result.status, 0 if chosen else 6, f'{test}: status')


@a_property
def link_records_are_cables(run: Run) -> None:
    """GetTable LinkRecord has both directions of each cable, and no other."""
    truth = run.truth
    if not is_managed(run):
        return
    result = run.command('madsend', '-j', 'GetTable', 'LinkRecord')
    ports = connected(run.case, *truth.at)
    right = sorted((truth.lid(n, p), p, truth.lid(*truth.link[n, p][:2]), truth.link[n, p][1]) for n, p in ports & truth.up)
    got = sorted(tuple(line['data'][k] for k in ('FromLID', 'FromPort', 'ToLID', 'ToPort')) for line in result.lines if line['data'])
    result.equal(got, right, 'links')


@a_property
def attributes_are_of_the_node(run: Run) -> None:
    """madsweep Get NodeInfo and PortInfo show what the node has that is named, and each node or port once."""
    truth = run.truth
    attribute = chance(run, 'attribute').choice(['NodeInfo', 'NodeDescription', 'PortInfo'])
    result = run.sweep('--keep-going', 'Get', attribute)
    if not truth.attached:
        return
    seen = []
    for line in result.lines:
        if not line['header'] or line['header']['attribute'] != attribute or line['kind'] not in ('response', 'timeout'):
            continue
        n, p = check_port(result, truth, line, False)
        if line['kind'] == 'timeout' and line['attempts'] is None:
            # a node that the sweep has not found
            continue
        seen.append((n, p) if attribute == 'PortInfo' else n)
        if line['kind'] == 'timeout' or line['status']['mad'] or result.status == 5:
            continue
        right = {'NodeInfo': node_info(truth, n), 'NodeDescription': {'NodeDescription': truth.nodes[n]['name']},
                 'PortInfo': {} if (n, p) in truth.flapping else {'LinkState_name': truth.state(n, p)}}[attribute]
        for name, value in right.items():
            result.equal(line['data'][name], value, f'node {n} port {p}: {name}')
    if truth.reliable and result.summary['complete'] and not truth.mute:
        right = sorted(truth.ports(truth.dist)) if attribute == 'PortInfo' else sorted(truth.dist)
        result.equal(sorted(seen), right, 'nodes or ports')


@a_property
def differences_are_exact(run: Run) -> None:
    """madpoll --delta shows the difference of a counter that moves at a known rate, in virtual time."""
    truth, r = run.truth, chance(run, 'delta')
    ports = [(n, p) for n, p in sorted(truth.ports(truth.dist)) if truth.state(n, p) == 'Active' and truth.lid(n, p)]
    if can_move(run) or not ports or not is_managed(run):
        return
    n, p = r.choice(ports)
    rate, name = r.choice([1, 3, 10, 250]), r.choice(['SymbolErrorCounter', 'PortRcvRemotePhysicalErrors'])
    before = truth.counters(n, p).get(name, 0)
    moving = run.changed(errors=[[n, p, name, rate]])
    result = moving.command('madpoll', '-j', '-L', str(truth.lid(n, p)), 'Get', 'PortCounters', f'PortSelect={p}', '--delta',
                            '-i', '1000', '-n', '3')
    result.equal(result.status, 0, f'status ({result.err.strip()[-200:]})')
    total = before
    for line in result.kind('event'):
        counter, span = line['data']['counters'][name], line['data']['interval_us'] / 1e6
        result.check(abs(counter['delta'] - rate * span) <= 1, f'{name}: {counter["delta"]} in {span} s at {rate}/s')
        result.check(abs(counter['rate'] - counter['delta'] / span) < 0.01, f'{name}: rate {counter["rate"]}')
        total += counter['delta']
        result.check(0 <= counter['value'] - total <= rate, f'{name}: value {counter["value"]}, sum of differences {total}')
    result.equal(len(result.kind('event')), 3, 'rounds')


@a_property
def garbled_packets_do_no_harm(run: Run) -> None:
    """If bits of MADs are flipped, commands still end, with a status of madsweep(1) and lines that are JSON."""
    r = chance(run, 'garble')
    rule = f'garble {r.choice(["", "method=GetResp "])}rate={r.choice(["5%", "30%"])}'
    garbled = run.changed(faults=run.case['faults'] + [rule])
    words = r.choice([['Get', 'PortCounters'], [], ['--hops', '2'], ['--topology'], ['--via', 'sa'], ['-f', 'table']])
    result = garbled.command('madsweep', *(words if words[:1] in (['--topology'], ['-f']) else ['-j', *words]))
    if '-j' in result.command:
        result.check(all(line['schema'] == 'madkit/1' for line in result.lines), 'a line without a schema')
