# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of single requests: what madsend and madpoll show of a node is true, or they say that it is not known."""
from __future__ import annotations

import json

from properties import a_property, chance
from requests import can_move
from run import Result, Run
from truth import Port, Truth

NODE_TYPES = {'ca': 1, 'switch': 2, 'router': 3}


def route_to(truth: Truth, node: int) -> list[int] | None:
    """The ports of a shortest directed route to a node."""
    paths, todo = {truth.at[0]: []}, [truth.at[0]]
    while todo:
        n = todo.pop(0)
        if n == node:
            return paths[n]
        for p in range(1, truth.nodes[n]['ports'] + 1) if truth.is_switch(n) else [truth.at[1]] if n == truth.at[0] else []:
            peer = truth.link[n, p][0] if (n, p) in truth.up else None
            if peer is not None and peer not in paths and not (n in truth.mute):
                paths[peer] = paths[n] + [p]
                todo.append(peer)
    return None


def node_info(truth: Truth, n: int) -> dict:
    node = truth.nodes[n]
    return {'NodeType': NODE_TYPES[node['type']], 'NumPorts': node['ports'], 'Guid': f'0x{node["guid"]:016x}',
            'SystemGuid': f'0x{node["system"]:016x}', 'DevId': node['device'], 'VendorId': node['vendor']}


def requests_for(run: Run) -> list[tuple[dict, dict]]:
    """Lines of a batch, each with the data that is true."""
    truth, r, found = run.truth, chance(run, 'batch'), []

    def add(line: dict, right: dict) -> None:
        found.append((line, right))

    for n in r.sample(sorted(truth.dist), min(len(truth.dist), 4)):
        route = route_to(truth, n)
        path = {'path': ','.join(map(str, [0] + route))}
        add({'header': {'method': 'Get', 'attribute': 'NodeInfo'}, 'remote': path}, node_info(truth, n))
        add({'header': {'method': 'Get', 'attribute': 'NodeDescription'}, 'remote': path},
            {'NodeDescription': truth.nodes[n]['name']})
        port = r.randrange(0 if truth.is_switch(n) else 1, truth.nodes[n]['ports'] + 1)
        if truth.is_switch(n) and (n, port) not in truth.flapping:
            add({'header': {'method': 'Get', 'attribute': 'PortInfo', 'modifier': port}, 'remote': path},
                {'LinkState_name': truth.state(n, port)})
        lid = truth.lid(n, port)
        if (n, port) not in truth.flapping and lid and truth.is_alone(n, port) and truth.state(n, port) == 'Active':
            # a port of a channel adapter is asked at its own LID
            right = {'PortSelect': port} | dict.fromkeys(['SymbolErrorCounter', 'PortRcvErrors'], 0)
            right |= {k: v for k, v in truth.counters(n, port).items() if k in right}
            add({'header': {'method': 'Get', 'attribute': 'PortCounters'}, 'remote': {'lid': lid}, 'data': {'PortSelect': port}},
                right if not can_move(run) else {'PortSelect': port})
    return found


@a_property
def batch_is_true(run: Run) -> None:
    """Each line of a batch has one result: a response with true values, or a line that reports its absence."""
    truth = run.truth
    if not truth.attached:
        return
    wanted = requests_for(run)
    text = ''.join(json.dumps(line | {'tag': i}) + '\n' for i, (line, _) in enumerate(wanted))
    result = run.command('madsend', '--batch', '-', '-j', text=text)
    answered = {}
    for line in result.lines:
        result.check(line['tag'] not in answered, f'line {line["tag"]} has two results')
        answered[line['tag']] = line
        right = wanted[line['tag']][1]
        if line['kind'] == 'response' and not line['status']['mad']:
            for key, value in right.items():
                result.equal(line['data'].get(key), value, f'{wanted[line["tag"]][0]}: {key}')
        else:
            result.check(result.status != 0, f'status 0, but line {line["tag"]} is of kind {line["kind"]}')
    result.equal(sorted(answered), list(range(len(wanted))), 'lines with a result')
    if truth.reliable_gmp and truth.at in truth.managed and not run.case['mute'] and not truth.locked \
            and not run.case['down'] and not run.case['gone']:
        result.equal(result.status, 0, f'status ({result.err.strip()[-200:]})')


@a_property
def blocks_are_those_asked_for(run: Run) -> None:
    """-m all Get of a table shows each block once, with the entries that were received."""
    truth, r = run.truth, chance(run, 'blocks')
    switches = [n for n in sorted(truth.dist) if truth.is_switch(n)]
    if not switches or not truth.attached:
        return
    n = r.choice(switches)
    route = ','.join(map(str, [0] + route_to(truth, n)))
    result = run.command('madsend', '-j', '-D', route, '-m', 'all', 'Get', 'LinearForwardingTable', capture=True)
    tables: dict[int, bytes] = {}
    for mad in result.capture:
        if mad.method == 0x81 and mad.attribute == 0x19 and not mad.status:
            tables[mad.modifier] = mad.data
    seen = []
    for line in result.lines:
        if line['kind'] == 'response' and not line['status']['mad'] and line['data'] and 'Port' in line['data']:
            block = line['header']['modifier']
            seen.append(block)
            result.equal(line['data']['Port'], list(tables.get(block, b'')), f'node {n}, block {block}')
    result.check(len(seen) == len(set(seen)), f'a block is shown twice: {seen}')
    if result.status == 0:
        result.equal(seen, list(range(len(seen))), 'blocks')
        # the table is read as far as the switch uses it: to the highest LID that it knows
        known = [lid for (m, p) in truth.managed if (truth.is_switch(m) and p == 0) or not truth.is_switch(m)
                 for lid in truth.original(m, p)]
        if (n, 0) in truth.managed and known and truth.reliable:
            result.check(len(seen) * 64 > max(known), f'{len(seen)} blocks do not reach LID {max(known)}')
    elif truth.reliable and n not in truth.mute:
        result.check(result.status in (6,) or (n, 0) not in truth.managed, f'status {result.status}: {result.err.strip()[-200:]}')


@a_property
def until_waits_for_what_is_true(run: Run) -> None:
    """madpoll --until ends with 0 if the expression is true, and otherwise says that it is not."""
    truth, r = run.truth, chance(run, 'until')
    n = r.choice(sorted(truth.dist))
    route = route_to(truth, n)
    if not truth.attached or route is None:
        return
    key, value = r.choice(list(node_info(truth, n).items()))
    same = r.random() < 0.5
    expression = f'{key} {"==" if same else "!="} {value}'
    result = run.command('madpoll', '-D', ','.join(map(str, [0] + route)), 'Get', 'NodeInfo', '--until', expression,
                         '-i', '100', '--deadline', '1000')
    if truth.reliable:
        result.equal(result.status, 0 if same else 6, f'{expression}: status')
    else:
        result.check(result.status != (6 if same else 0), f'{expression}: status {result.status}')
