# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of --route and --mlid: the packet uses cables that exist, follows the forwarding tables that were read, and
arrives where it is addressed to; a tree of a multicast group has cables between switches, no loop, and its members."""
from __future__ import annotations

import wire
from properties import a_property, chance, check_port, port_of
from requests import can_move, check_counters
from run import Result, Run
from truth import Port, Truth

NO_PORT = 255


def node_at(truth: Truth, path: tuple[int, ...]) -> int | None:
    """The node at the end of a directed route."""
    n, arrived = truth.at[0], truth.at[1]
    for i, p in enumerate(path):
        if (n, p) not in truth.up or (i and not truth.is_switch(n)) or (not i and not truth.is_switch(n) and p != truth.at[1]):
            return None
        n, arrived = truth.link[n, p][:2]
    return n


def tables_of(result: Result, truth: Truth) -> dict[int, dict[int, int]]:
    """The entries of linear forwarding tables in the responses of a capture, by node and LID."""
    tables: dict[int, dict[int, int]] = {}
    for mad in result.capture:
        if mad.mgmt_class == wire.SMP_DIRECT and mad.method == wire.GET_RESP and mad.attribute == wire.LFT and not mad.status:
            node = node_at(truth, mad.path)
            result.check(node is not None, f'a response from the end of the route {mad.path}, where no node is')
            entries = {mad.modifier * 64 + i: port for i, port in enumerate(mad.data)}
            tables.setdefault(node, {}).update(entries)
    return tables


def ends(truth: Truth, managed: bool = True) -> list[Port]:
    """Ports that can be at the end of a route: with a LID, and Active."""
    found = [(n, 0) for n in truth.dist if truth.is_switch(n)]
    found += [(n, p) for n in truth.dist for p in truth.entered(n) if not truth.is_switch(n)]
    return sorted(found)


def namesakes(truth: Truth, word: str, own: int) -> list[int]:
    """The other nodes that a word names: by their names, or by the first word of these."""
    return [n for n in truth.dist if n != own and word in (truth.nodes[n]['name'], truth.nodes[n]['name'].split(' ')[0])]


def walk(truth: Truth, tables: dict[int, dict[int, int]], start: Port, lid: int) -> tuple[list[tuple[Port, str]], str]:
    """The ports that a packet to a LID leaves and enters, by the tables, and how it ends."""
    steps, at, seen = [], start, set()
    while True:
        n = at[0]
        own = (n, 0) if truth.is_switch(n) else at
        if lid in truth.lids(*own):
            return steps, 'arrived'
        if n in seen:
            return steps, 'loop'
        seen.add(n)
        if truth.is_switch(n):
            out = tables.get(n, {}).get(lid)
            if out is None:
                return steps, 'unread'
            if out == NO_PORT:
                return steps, 'no route'
            at = (n, out)
        elif at != start or len(steps):
            return steps, 'stray'
        if at not in truth.up:
            return steps, 'down'
        steps.append((at, 'egress'))
        at = truth.link[at][:2]
        steps.append((at, 'ingress'))


FULL = 0x8000
VLS = {1: 1, 2: 2, 3: 4, 4: 8, 5: 15}  # by OperationalVLs


def keys_of(truth: Truth, port: Port) -> list[int]:
    """The first P_Keys of a port, of which the others are 0."""
    fields = truth.info.get(port, {})
    return [fields.get(f'PKey[{i}]', 0 if i else 0xffff) for i in range(4)]


def matches(table: list[int], pkey: int) -> bool:
    """An end port accepts a P_Key (IBA 10.9.3)."""
    return any(key & 0x7fff and (key ^ pkey) & 0x7fff == 0 and (key | pkey) & FULL for key in table)


@a_property
def route_is_what_the_tables_say(run: Run) -> None:
    """--route LID,LID is the route of a packet by the tables that the switches responded with."""
    truth, r = run.truth, chance(run, 'route')
    if not truth.attached:
        return
    if truth.flapping or any('Lid' in fields for fields in truth.info.values()):
        return
    found = ends(truth)
    start, end = r.choice(found), r.choice(found)
    if start == end and truth.is_switch(start[0]):
        # a switch need not have an entry for its own LID
        return
    lid = r.choice(truth.lids(*end))
    words = [str(truth.lid(*start)), str(lid)]
    result = run.command('madsweep', '-j', '--keep-going', '--route', ','.join(words), capture=True)
    named = [(word, *at) for word, at in zip(words, (start, end)) if namesakes(truth, word, at[0])]
    if named:
        # a LID that is also a name is refused, before anything is shown
        if truth.reliable and all(truth.is_alone(*at) for _, *at in named):
            result.equal((result.status, result.lines), (2, []), f'status and lines: {named[0][0]} is also a name')
            result.check(f"'{named[0][0]}'" in result.err, f'the message does not have the word {named[0][0]}')
        return
    lines = [line for line in result.kind('port') if line.get('hop')]
    got = []
    for line in lines:
        at = check_port(result, truth, line, False)
        got.append((at, line['hop']['direction']))
        result.equal(line['hop']['lid'], lid, 'destination LID')
    notes = lines[-1]['hop']['notes'] if lines else []
    if result.status in (3, 5, 6) and not truth.reliable:
        return
    right, how = walk(truth, tables_of(result, truth), start, lid)
    if how == 'unread':
        result.check(result.status != 0, 'status 0, but a table on the way was not read')
        return
    for a, b in zip(got, got[1:]):
        if a[1] == 'egress':
            result.equal(b, (truth.link.get(a[0], (None, None))[:2], 'ingress'), f'after {a}')
    arrived = 'arrived' in notes
    managed = all(truth.state(*p) == 'Active' for p, _ in right)
    result.equal(arrived, how == 'arrived' and managed, f'arrived (by the tables: {how}, notes {notes})')
    if arrived:
        result.equal([g for g in got if g[1] == 'egress'], [x for x in right if x[1] == 'egress'], 'ports that the packet leaves')
        passes = any(matches(keys_of(truth, end), key) for key in keys_of(truth, start))
        result.check(truth.reliable is False or result.status == (0 if passes else 6),
                     f'status {result.status}, but the packet arrives, and the P_Keys of the ends match: {passes}')
    else:
        result.check(result.status in (3, 6), f'status {result.status}, but the packet does not arrive ({how})')


def hops(result: Result, truth: Truth, back: bool) -> list[tuple[Port, str]]:
    return [(check_port(result, truth, line, False), line['hop']['direction']) for line in result.kind('port')
            if line.get('hop') and line['hop']['back'] == back]


@a_property
def routes_agree(run: Run) -> None:
    """The route by SMPs, the one by the records of the SA, and the way there of --both are the same; the way back is
    the route in the other direction."""
    truth, r = run.truth, chance(run, 'routes')
    case = run.case
    if not truth.reliable or case['down'] or case['gone'] or case['info'] or case['mute'] or truth.at not in truth.managed:
        return
    found = ends(truth)
    start, end = r.choice(found), r.choice(found)
    if start[0] == end[0]:
        return
    a, b = str(truth.lid(*start)), str(truth.lid(*end))
    there, back = run.sweep('--route', f'{a},{b}'), run.sweep('--route', f'{b},{a}')
    both, by_sa = run.sweep('--route', f'{a},{b}', '--both'), run.sweep('--via', 'sa', '--route', f'{a},{b}')
    for result in there, back, both, by_sa:
        result.equal(result.status, 0, f'status ({result.err.strip()[-200:]})')
    right = hops(there, truth, False)
    both.equal(hops(both, truth, False), right, 'the way there of --both')
    both.equal(hops(both, truth, True), hops(back, truth, False), 'the way back of --both')
    # FDR10 is QDR to the SA
    got = [(port_of(by_sa, truth, line), line['hop']['direction']) for line in by_sa.kind('port') if line.get('hop')]
    by_sa.equal(got, right, 'the route by the records of the SA')
    if right:
        there.equal((right[0][0], right[-1][0]), (start if not truth.is_switch(start[0]) else right[0][0],
                                                  end if not truth.is_switch(end[0]) else right[-1][0]), 'ends')


def obstacles(r, truth: Truth, start: Port, end: Port, steps: list[tuple[Port, str]], sl: int) -> list[list]:
    """Settings that may discard packets on their way there, and not on the way back."""
    keys = [0, 1, 2, 0x7fff, 0x8001, 0x8002, 0xffff]
    found = [[*port, f'PKey[{i}]={r.choice(keys)}'] for port in (start, end) for i in range(4) if r.random() < 0.5]
    for port, way in steps:
        if truth.is_switch(port[0]) and r.random() < 0.2:
            found += [[*port, f'PartEnforce{"Inb" if way == "ingress" else "Outb"}=1']]
            found += [[*port, f'PKey[{i}]={r.choice(keys[1:])}'] for i in range(4)]
        if way == 'egress' and r.random() < 0.15:
            found += [[*port, f'OperVLs={r.choice([1, 2, 3, 4, 5])}'], [*port, f'SLtoVL[{sl}]={r.choice([0, 0, 1, 3, 7, 14, 15])}']]
        if r.random() < 0.2:
            found += [[*port, f'NeighborMTU={r.choice([1, 2, 3, 4, 5])}']]
    return found


def passing_keys(truth: Truth, start: Port, end: Port, steps: list[tuple[Port, str]]) -> list[int]:
    """The P_Keys of the first port with which packets arrive, by the settings."""
    keys = [key for key in keys_of(truth, start) if matches(keys_of(truth, end), key)]
    for port, way in steps:
        table = keys_of(truth, port)
        if way == 'ingress' and truth.info.get(port, {}).get('PartEnforceInb'):
            keys = [key for key in keys if any((own ^ key) & 0x7fff == 0 and (own & FULL or not key & FULL) for own in table)]
        if way == 'egress' and truth.info.get(port, {}).get('PartEnforceOutb'):
            keys = [key for key in keys if any((own ^ key) & 0x7fff == 0 and (own | key) & FULL for own in table)]
    return keys


def check_passage(run: Run, start: Port, end: Port, steps: list[tuple[Port, str]], sl: int) -> None:
    """--route says what the settings of its ports let pass, and so does a packet."""
    truth = run.truth
    result = run.sweep('--route', f'{truth.lid(*start)},{truth.lid(*end)}', '--sl', str(sl))
    route, = result.summary['routes']
    lanes = [(truth.info.get(port, {}).get(f'SLtoVL[{sl}]', sl % 15), VLS[truth.info.get(port, {}).get('OperVLs', 5)])
             for port, way in steps if way == 'egress']
    keys = passing_keys(truth, start, end, steps)
    passes = bool(keys) and all(vl < count for vl, count in lanes)
    result.equal((route['outcome'], result.status), ('arrives', 0) if passes else ('does not arrive', 6), 'outcome')
    if keys:
        result.check(route['pkey'] in [key & 0x7fff for key in keys], f'P_Key {route["pkey"]} of {keys}')
    result.equal(route['mtu'], min(128 << truth.info.get(port, {}).get('NeighborMTU', 5) for port, _ in steps), 'MTU')
    result.equal(route['vls'], sorted({vl for vl, _ in lanes}), 'VLs')
    # a third opinion: that of the simulated packets
    sent = [run.command('madsend', '-q', '-L', str(truth.lid(*end)), '-Y', str(i), '--sl', str(sl), '--retries', '0', '-t', '50',
                        '--class', 'PerfMgt', 'Get', 'ClassPortInfo').status for i, key in enumerate(keys_of(truth, start)) if key & 0x7fff]
    result.equal(passes, 0 in sent, f'whether a packet has a response (statuses {sent})')


@a_property
def packets_pass_the_route(run: Run) -> None:
    """--route says that packets arrive if the tables of the ports let them pass, and a packet really does."""
    truth, r, case = run.truth, chance(run, 'passage'), run.case
    if not truth.reliable or case['down'] or case['gone'] or case['info'] or case['mute'] or truth.at not in truth.managed:
        return
    start = (truth.at[0], 0) if truth.is_switch(truth.at[0]) else truth.at
    found = [end for end in ends(truth) if end[0] != start[0]]
    if not found:
        return
    end, sl = r.choice(found), r.choice([0, 0, r.randrange(16)])
    steps = hops(run.sweep('--route', f'{truth.lid(*start)},{truth.lid(*end)}'), truth, False)
    for _ in range(4):
        # a device specification has at most 64 times control=
        changed = run.changed(info=obstacles(r, truth, start, end, steps, sl)[:60], counters=[], joined=[])
        check_passage(changed, start, end, steps, sl)


@a_property
def counters_along_a_route(run: Run) -> None:
    """--route A,B Get PortCounters shows the counters of the ports of the route, in its order."""
    truth, r = run.truth, chance(run, 'along')
    if can_move(run) or not truth.attached:
        return
    found = ends(truth)
    start, end = r.choice(found), r.choice(found)
    if start[0] == end[0]:
        return
    words = ['--route', f'{truth.lid(*start)},{truth.lid(*end)}']
    right = hops(run.sweep(*words), truth, False)
    result = run.sweep(*words, 'Get', 'PortCounters')
    got = []
    for line in result.kind('response'):
        got.append((check_port(result, truth, line, False), line['hop']['direction']))
        check_counters(run, result, got[-1][0], line['data'])
    result.equal(got, right, 'ports of the route')
    result.equal(result.status, 0, 'status')


# ---- multicast -------------------------------------------------------------------------------------------------

BROADCAST = 0xc000  # the MLID of the group that the members join


def masks_of(result: Result, truth: Truth) -> set[Port]:
    """The ports that the MulticastForwardingTables in the responses of a capture have for the group."""
    found = set()
    for mad in result.capture:
        if mad.mgmt_class == wire.SMP_DIRECT and mad.method == wire.GET_RESP and mad.attribute == wire.MFT and not mad.status:
            node = node_at(truth, mad.path)
            result.check(node is not None, f'a response from the end of the route {mad.path}, where no node is')
            if mad.modifier & 0x1ff == (BROADCAST - 0xc000) // 32:
                position, mask = mad.modifier >> 28, int.from_bytes(mad.data[:2], 'big')
                found |= {(node, position * 16 + bit) for bit in range(16) if mask >> bit & 1}
    return found


def leaves(truth: Truth) -> set[Port]:
    """The ports of switches by which the members are reached: port 0 is a member itself."""
    return {(n, 0) if truth.is_switch(n) else truth.link[n, p][:2] for n, p in truth.case['joined']}


def check_tree(result: Result, truth: Truth, tree: set[Port]) -> None:
    """It is one tree of cables between switches, with the members, and nothing beyond them."""
    members = leaves(truth)
    result.check(members <= tree, f'members are missing: {sorted(members - tree)}')
    cables = {tuple(sorted([at, truth.link[at][:2]])) for at in tree - members if at in truth.link}
    ends = {end for cable in cables for end in cable}
    result.equal(sorted(ends), sorted(tree - members), 'both ends of cables between switches')
    switches, reached = {n for n, _ in tree}, set()
    result.check(all(truth.is_switch(n) for n in switches), 'not a switch')
    todo = [min(switches)]
    while todo:
        n = todo.pop()
        reached.add(n)
        todo += [b for a, pa in tree - members if a == n for b in [truth.link[a, pa][0]] if b not in reached]
    result.equal(sorted(reached), sorted(switches), 'switches that are connected')
    result.equal(len(cables), len(switches) - 1, 'cables of a tree')
    for n in switches:
        result.check(any(m == n for m, _ in members) or sum(m == n for m, _ in tree) > 1, f'switch {n} leads nowhere')


@a_property
def tree_is_the_group(run: Run) -> None:
    """--mlid shows the ports that the switches responded with; they are one tree that has the members, or the command says
    that the tree has a fault, or is not known."""
    truth, case = run.truth, run.case
    if not truth.attached:
        return
    result = run.command('madsweep', '-j', '--keep-going', '--mlid', str(BROADCAST), capture=True)
    notes: dict[Port, list[str]] = {}
    for line in result.kind('port'):
        if line.get('hop'):
            at = check_port(result, truth, line, False)
            result.check(at not in notes, f'port {at} is shown twice')
            result.equal((line['hop']['lid'], line['hop']['number'], line['hop']['back']), (BROADCAST, None, False), 'hop')
            notes[at] = line['hop']['notes']
    tables = masks_of(result, truth)
    # a switch whose table was not read is named by its port 0
    listed = {at for at, words in notes.items() if not {'silent', 'refused'} & set(words)}
    if truth.honest:
        result.check(listed <= tables, f'ports that are in no table: {sorted(listed - tables)}')
    result.check(result.status != 0 or all(words in ([], ['member']) for words in notes.values()), f'status 0, but {notes}')
    moves = case['down'] or case['gone'] or case['flaps'] or any(not i[2].startswith('PKey') for i in case['info'])
    if moves:
        # the manager programs other trees meanwhile
        return
    if result.status == 0:
        result.equal(sorted(notes), sorted(tables), 'ports')
        result.equal({at for at, words in notes.items() if words == ['member']}, leaves(truth), 'members')
        check_tree(result, truth, set(notes))
    elif truth.reliable and not truth.mute and truth.at in truth.managed and any(
            truth.is_switch(n) for n, _ in leaves(truth)):
        result.check(False, f'status {result.status}: {result.err.strip()[-300:]}')
    elif truth.reliable and not truth.mute:
        result.equal((result.status, sorted(notes)), (6, []), 'status and ports without a member')
    else:
        result.check(result.status in (3, 5, 6), f'status {result.status}')
