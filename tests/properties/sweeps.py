# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of madsweep: what a sweep, a part of the subnet, and the subnet administrator show."""
from __future__ import annotations

import re

import expr
from case import KEY, WORD
from properties import a_property, chance, check_port, check_ports, expected_whole, flat, port_of
from run import Result, Run
from truth import Port, Truth

# ---- a sweep -------------------------------------------------------------------------------------------------

@a_property
def sweep_is_true(run: Run) -> None:
    """Values of a sweep are true or null; "complete" and the status follow."""
    truth = run.truth
    strict = chance(run, 'sweep').random() < 0.5
    result = run.sweep('--keep-going', *(['--strict'] if strict else []))
    whole = result.summary['complete']
    check_ports(result, truth, result.kind('port'), truth.ports(truth.dist), whole)
    check_summary(run, result, truth.dist, whole)
    shared = truth.sharers(truth.dist)
    allowed = {1} if not truth.attached else {5} if whole and shared else {0} if whole else {0, 3, 5}
    if truth.attached and truth.reliable and strict and not whole and not shared:
        allowed = {3}
    result.check(result.status in allowed, f'status {result.status}, expected {sorted(allowed)}; complete: {whole}')


def check_summary(run: Run, result: Result, nodes, whole: bool) -> None:
    truth, summary = run.truth, result.summary
    if truth.reliable and truth.attached:
        result.equal(whole, expected_whole(run, nodes), 'complete')
        result.equal(summary['silent'], len(truth.silent(set(nodes))), 'silent ports')
        result.equal(summary['duplicates'], len({n for n, _ in truth.sharers(nodes)}), 'nodes with a LID that is shared')
    if whole and not truth.flapping:
        kinds = [truth.nodes[n]['type'] for n in nodes]
        result.equal([summary[k] for k in ('nodes', 'cas', 'switches', 'routers')],
                     [len(kinds), kinds.count('ca'), kinds.count('switch'), kinds.count('router')], 'nodes')
        result.equal(summary['ports'], len(truth.ports(nodes)), 'ports')
    elif whole:
        result.check(len(truth.steady.dist) <= summary['nodes'] <= len(nodes), f'{summary["nodes"]} nodes')
    gaps = summary['missing'] or any(summary[k] for k in ('silent', 'refused', 'partial', 'duplicates'))
    result.equal(not gaps, whole, 'no gap is counted; complete')


# ---- a part of the subnet -------------------------------------------------------------------------------------

def within(dist: dict[int, int], hops: int) -> set[int]:
    return {n for n, d in dist.items() if d <= hops}


def check_scope(run: Run, result: Result, dist: dict[int, int], hops: int) -> None:
    """The lines are the ports of the nodes that are near enough, with both ends of each link. A port of a channel
    adapter that leads to a switch further away may be shown."""
    truth, whole = run.truth, result.summary['complete']
    near = within(dist, hops)
    expected = {(n, p) for n in near for p in truth.entered(n, near)}
    check_ports(result, truth, result.kind('port'), expected, whole and result.status == 0,
                {(n, p) for n in near for p in truth.entered(n)})


@a_property
def hops_are_links(run: Run) -> None:
    """--hops N shows the nodes within N links, each link with both ends."""
    truth = run.truth
    hops = chance(run, 'hops').randrange(1, max(truth.dist.values()) + 2)
    result = run.sweep('--keep-going', '--strict', '--hops', str(hops))
    if truth.attached and truth.flapping:
        # how near a node is changes: those within as many links at any time
        check_ports(result, truth, result.kind('port'), truth.ports(within(truth.dist, hops)), False, truth.ports(truth.dist))
    elif truth.attached:
        check_scope(run, result, truth.dist, hops)
        whole = result.summary['complete']
        silent = truth.silent(within(truth.dist, hops))
        if truth.reliable and not truth.sharers(truth.dist):
            result.equal(whole and result.status == 0, not silent, 'complete, status 0')
        elif truth.sharers(within(truth.dist, hops), within(truth.dist, hops)):
            result.check(result.status != 0, 'status 0, but a LID is shared')


@a_property
def from_is_a_node(run: Run) -> None:
    """--from NODE --hops N shows the nodes within N links of a node."""
    truth, r = run.truth, chance(run, 'from')
    node = r.choice(sorted(truth.dist))
    hops = r.randrange(1, 4)
    starts = [p for p in truth.entered(node) if p]
    if not starts or not truth.attached or truth.sharers(truth.dist):
        return
    start = starts[0]
    words = [f'0x{truth.nodes[node]["guid"]:016x}']
    if not truth.is_switch(node):
        start = r.choice(starts)
        words = [f'0x{truth.port_guid(node, start):016x}', str(truth.lid(node, start))]
    else:
        words.append(str(truth.lid(node, 0)))
    # a LID that is not unicast is invalid
    word = r.choice([w for w in words if w != 'None'])
    if sum(word.isdigit() and int(word) in truth.lids(*end) for end in {truth.end_port(*p) for p in truth.ports(truth.dist)}) > 1:
        # it is refused: links need not be up
        return
    result = run.sweep('--keep-going', '--from', word, '--hops', str(hops))
    if truth.flapping or (result.status in (3, 6) and not (result.status == 6 and truth.reliable)):
        return
    check_scope(run, result, truth.distances((node, start)), hops)


@a_property
def sa_is_what_the_manager_knew(run: Run) -> None:
    """--via sa shows the subnet as the subnet manager saw it: before links went down."""
    case, truth = run.case, run.truth
    if (case['down'] or case['gone'] or case['flaps'] or case['info'] or truth.at not in truth.managed
            or truth.at not in truth.up):
        return
    before = Truth(case | {'mute': []})
    result = run.sweep('--via', 'sa')
    if not truth.reliable or case['mute']:
        whole = result.status == 0 and result.summary['complete']
    else:
        whole = True
        result.equal((result.status, result.summary['complete']), (0, True), 'status, complete')
    seen = []
    for line in result.kind('port'):
        at = port_of(result, before, line)
        got, expected = flat(line['port']), before.record(*at)
        for key in got.keys() | expected.keys():
            value, right = got.get(key), expected.get(key)
            # the SA does not know FDR10
            if key.endswith(('speed', 'gbps', 'speed_enabled', 'speed_best')) and 'FDR10' in speeds_near(before, at):
                continue
            result.check(value == right or (value is None and not whole),
                         f'node {at[0]} port {at[1]}: {key}: expected {right!r}, got {value!r}')
        seen.append(at)
    expected = before.ports(before.dist)
    result.check(len(seen) == len(set(seen)) and not set(seen) - expected, f'strange ports: {set(seen) - expected}')
    result.check(not whole or set(seen) == expected, f'missing ports: {sorted(expected - set(seen))}')


def speeds_near(truth: Truth, at: Port) -> set[str]:
    speeds = {truth.record(*at)[k] for k in ('speed', 'speed_enabled', 'speed_best')}
    return speeds


# ---- expressions -----------------------------------------------------------------------------------------------

@a_property
def filter_is_three_valued(run: Run) -> None:
    """--filter EXPR shows the ports for which the expression is true."""
    truth = run.truth
    if not truth.attached:
        return
    scope = sorted(truth.ports(truth.dist))
    records = {at: truth.record(*at) for at in scope}
    expression = expr.make(chance(run, 'filter'), list(records.values()))
    result = run.sweep('--keep-going', '--filter', str(expression))
    shown = [port_of(result, truth, line) for line in result.kind('port')]
    right = {at for at in scope if expression.holds(records[at])}
    if truth.reliable:
        result.equal(sorted(shown), sorted(right), f'{expression}: ports')
        result.equal(result.status, 5 if truth.sharers(truth.dist) else 0, 'status')
    elif result.summary['complete'] and not truth.flapping:
        result.equal(sorted(shown), sorted(right), f'{expression}: ports of a complete sweep')


@a_property
def assert_is_three_valued(run: Run) -> None:
    """--assert EXPR is 6 if the expression is false for a port, or was not asserted of any; unread values never
    pass."""
    truth, r = run.truth, chance(run, 'assert')
    if not truth.attached or truth.flapping:
        return
    scope = sorted(truth.ports(truth.dist))
    records = {at: truth.record(*at) for at in scope}
    select, expression = expr.make(r, list(records.values()), 1), expr.make(r, list(records.values()))
    result = run.sweep('--keep-going', '--select', str(select), '--assert', str(expression))
    chosen = [records[at] for at in scope if select.holds(records[at])]
    values = [expression.holds(record) for record in chosen]
    summary, whole = result.summary, result.summary['complete']
    fails = False in values or not any(v is not None for v in values)
    if truth.reliable or whole:
        result.equal([summary['shown'], summary['skipped'], summary['failed']],
                     [len(chosen), values.count(None), values.count(False)], f'{select}; {expression}: shown, skipped, failed')
        if truth.sharers(truth.dist):
            right = {5}
        else:
            right = {6 if fails else 0} if whole else {3, 6}
        result.check(result.status in right,
                     f'{select}; {expression}: status {result.status}, complete {whole}, values {values[:20]}')
    else:
        result.check(result.status != 0, f'status 0, but the sweep is not complete')


# ---- topology files -------------------------------------------------------------------------------------------

LINK = re.compile(r'\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([SHR])-([0-9a-f]{16})"\[(\d+)\]\s*(?:\(([0-9a-f]+)\))?\s*#\s*(.*)')
NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([SHR])-([0-9a-f]{16})"\s*#\s*"(.*)"(?: (base|enhanced) port 0 lid (\d+) lmc (\d+))?\s*$')


@a_property
def topology_is_the_subnet(run: Run) -> None:
    """--topology prints the nodes, links, LIDs and rates of the subnet, or says that it is not complete."""
    truth, number = run.truth, run.truth.number
    if not truth.attached:
        return
    result = run.command('madsweep', '--topology', '--keep-going')
    whole = result.status == 0 and ': complete' in result.err and not truth.flapping
    links, nodes, at = {}, {}, None
    for line in result.out.decode().splitlines():
        if match := NODE.match(line):
            at = number.get(int(match[4], 16))
            result.check(at is not None and at not in nodes, f'a node that does not exist, or twice: {line}')
            node = truth.nodes[at]
            nodes[at] = match
            result.equal((match[1], int(match[2])), (WORD[node['type']], node['ports']), line)
            # of a node that was not read completely, they are empty or 0
            result.check(match[5] == printable(node['name']) or (not match[5] and not whole), f'{line}: description')
            right = match[6] and [str(x) for x in ('enhanced' if node['enhanced'] else 'base', truth.lid(at, 0) or 0, node['lmc'] if truth.lid(at, 0) else 0)]
            result.check(not right or list(match.groups()[5:]) == right or not whole, f'{line}: expected {right}')
        elif match := LINK.match(line):
            links[at, int(match[1])] = match
            check_link_line(result, truth, at, match, whole)
    if whole:
        result.equal(sorted(nodes), sorted(truth.dist), 'nodes')
        expected = {p for p in truth.ports(truth.dist) if p in truth.up}
        result.equal(sorted(links), sorted(expected), 'ends of links')
    if truth.reliable and truth.sharers(truth.dist):
        result.check(result.status == 5, f'status {result.status}, but a LID is shared')
    elif truth.reliable and not truth.silent(set(truth.dist)):
        result.check(whole, f'status {result.status}, expected a complete topology: {result.err}')


def printable(name: str) -> str:
    """The file is read by other programs: a comment names descriptions that are changed."""
    return ''.join(' ' if c < ' ' or c == '\x7f' else c for c in name)


def check_link_line(result: Result, truth: Truth, n: int, match: re.Match, whole: bool) -> None:
    p, line = int(match[1]), match[0]
    result.check((n, p) in truth.up, f'node {n} has no link at port {p}: {line}')
    b, pb, width, speed = truth.link[n, p]
    result.equal((truth.number.get(int(match[4], 16)), int(match[5])), (b, pb), f'node {n} port {p}: peer')
    guid, peer = truth.port_guid(n, p), truth.port_guid(b, pb)
    result.equal(match[2] and int(match[2], 16), guid, f'{line}: GUID')
    result.equal(match[6] and int(match[6], 16), peer, f'{line}: GUID of the peer')
    lids = [int(x) for x in re.findall(r'\blid (\d+)', match[7].replace(f'"{truth.nodes[b]["name"]}"', ''))]
    said = [(b, pb)] if truth.is_switch(n) else [(n, p), (b, pb)]
    expected = [truth.lid(*port) for port in said]
    result.check(len(lids) == len(expected) and all(
        a == (b or 0) or (a == 0 and not (whole and truth.is_alone(*port))) for a, b, port in zip(lids, expected, said)),
                 f'{line}: expected the LIDs {expected}')
    rate = match[7].rsplit(' ', 1)[1]
    result.check(rate == f'{width}{speed}' or (rate in (f'{width}???', '?????') and not whole), f'{line}: expected {width}{speed}')


@a_property
def keys_open_nodes(run: Run) -> None:
    """With their M_Key, nodes that are silent without it are swept as if they had none."""
    if not run.truth.locked or not run.truth.attached:
        return
    truth = Truth(run.case | {'info': [i for i in run.case['info'] if not i[2].startswith(('Mkey', 'Protect'))]})
    result = run.sweep('--keep-going', '-y', str(KEY))
    whole = result.summary['complete']
    check_ports(result, truth, result.kind('port'), truth.ports(truth.dist), whole)
    if truth.reliable:
        result.equal(whole, not truth.silent(set(truth.dist)), 'complete')


@a_property
def sa_counts_links_too(run: Run) -> None:
    """--via sa --hops N shows the nodes within N links, and more ports of channel adapters than directed routes find."""
    case, truth = run.case, run.truth
    if (case['down'] or case['gone'] or case['info'] or case['mute'] or not truth.reliable
            or truth.at not in truth.managed or truth.at not in truth.up):
        return
    hops = chance(run, 'sa hops').randrange(1, max(truth.dist.values()) + 2)
    result = run.sweep('--via', 'sa', '--hops', str(hops))
    result.equal((result.status, result.summary['complete']), (0, True), 'status, complete')
    seen = {port_of(result, truth, line): flat(line['port']) for line in result.kind('port')}
    near = within(truth.dist, hops)
    result.equal(sorted(seen), sorted({(n, p) for n in near for p in truth.entered(n)}), f'ports within {hops} links')
    for at, port in seen.items():
        peer = truth.link[at][:2] if at in truth.up else None
        got = port.get('peer.node.guid') and (truth.number[int(port['peer.node.guid'], 16)], port['peer.number'])
        result.equal(got, peer, f'node {at[0]} port {at[1]}: peer')


@a_property
def names_start_somewhere(run: Run) -> None:
    """--from NAME begins at the node that alone has the name, at its first port with a link; a name that several nodes
    have is refused."""
    truth, r = run.truth, chance(run, 'names')
    if not truth.attached or not truth.reliable or truth.mute or truth.sharers(truth.dist):
        return
    n = r.choice(sorted(truth.dist))
    name = truth.nodes[n]['name']
    if not expr.PLAIN.match(name) or name.strip() != name or re.fullmatch(r'(0x)?[0-9a-fA-F,]+', name):
        return
    result = run.sweep('--keep-going', '--from', name, '--hops', '1')
    same = [m for m in truth.dist if truth.nodes[m]['name'] == name]
    if len(same) > 1:
        result.check(result.status != 0, f'{len(same)} nodes are named {name!r}, status 0')
        return
    ports = [p for p in truth.entered(n) if p and (n, p) in truth.up]
    start = truth.at if n == truth.at[0] else (n, ports[0] if ports else 1)
    result.equal(result.status, 0, f'status ({result.err.strip()[-200:]})')
    check_scope(run, result, truth.distances(start), 1)
