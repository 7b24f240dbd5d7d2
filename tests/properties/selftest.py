# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Breaks each property once: what a command printed is changed, as a fault of the command would, and the property
has to fail."""
from __future__ import annotations

import json
import os
import re
import tempfile
from typing import Callable

import case as cases
from properties import PROPERTIES
from run import Failure, Result, Run

SEEDS = range(1, 120)


def on_lines(change: Callable[[list[dict]], None], command: str = 'madsweep') -> Callable[[Result], None]:
    """A change of the lines of JSON."""
    def twist(result: Result) -> None:
        if os.path.basename(result.command[0]) == command and result.out.startswith(b'{'):
            lines = result.lines
            change(lines)
            result.out = ''.join(json.dumps(line) + '\n' for line in lines).encode()
    return twist


def on_text(old: str, new: str, word: str) -> Callable[[Result], None]:
    """A change of the text of a command line that has a word."""
    def twist(result: Result) -> None:
        if word in result.command:
            result.out = result.out.replace(old.encode(), new.encode())
    return twist


def first(kind: str, change: Callable[[dict], None], command: str = 'madsweep'):
    """A change of the first line of a kind."""
    def lines(lines: list[dict]) -> None:
        for line in lines:
            if line['kind'] == kind:
                change(line)
                return
    return on_lines(lines, command)


def without(kind: str, command: str = 'madsweep'):
    def lines(lines: list[dict]) -> None:
        for i, line in enumerate(lines):
            if line['kind'] == kind:
                del lines[i]
                return
    return on_lines(lines, command)


def twice(kind: str, command: str = 'madsweep'):
    def lines(lines: list[dict]) -> None:
        for i, line in enumerate(lines):
            if line['kind'] == kind:
                lines.insert(i, line)
                return
    return on_lines(lines, command)


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(line: dict) -> None:
        for key in path:
            line = line[key] or {}
        line[last] = value(line.get(last)) if callable(value) else value
    return change


def status(value: int):
    def twist(result: Result) -> None:
        result.status = value
    return twist


def swap_counters(lines: list[dict]) -> None:
    """The counters of one port under the name of another."""
    found = [line for line in lines if line['kind'] == 'response' and line['data'] and line['data'].get('SymbolErrorCounter')]
    others = [line for line in lines if line['kind'] == 'response' and line['data'] and line not in found]
    if found and others:
        select = found[0]['data']['PortSelect'], others[0]['data']['PortSelect']
        found[0]['data'], others[0]['data'] = others[0]['data'], found[0]['data']
        found[0]['data']['PortSelect'], others[0]['data']['PortSelect'] = select


def another_set(result: Result) -> None:
    """A Set that was sent to another port."""
    for mad in result.capture:
        if mad.mgmt_class == 4 and mad.method == 2:
            mad.raw = mad.raw[:65] + bytes([mad.raw[65] % 8 + 1]) + mad.raw[66:]


def flip(result: Result) -> None:
    """A bit of each MAD that was received."""
    for mad in result.capture:
        mad.raw = mad.raw[:100] + bytes([mad.raw[100] ^ 1]) + mad.raw[101:]


def tables(result: Result) -> None:
    """Forwarding tables that lead by another port."""
    for mad in result.capture:
        if mad.attribute == 0x19:
            mad.raw = mad.raw[:64] + bytes(p % 4 + 1 for p in mad.raw[64:128]) + mad.raw[128:]


def masks(result: Result) -> None:
    """Multicast forwarding tables with another port."""
    for mad in result.capture:
        if mad.attribute == 0x1b:
            mad.raw = mad.raw[:64] + bytes(b << 1 & 0xff for b in mad.raw[64:128]) + mad.raw[128:]


BREAKS: list[tuple[str, str, Callable[[Result], None]]] = [
    ('sweep_is_true', 'a width', first('port', put('port', 'width', '1x'))),
    ('sweep_is_true', 'the LID of a peer', first('port', put('port', 'peer', 'lid', 4711))),
    ('sweep_is_true', 'a port is missing', without('port')),
    ('sweep_is_true', 'a port is shown twice', twice('port')),
    ('sweep_is_true', 'complete', first('summary', put('data', 'complete', lambda v: not v))),
    ('sweep_is_true', 'the status', status(6)),
    ('sweep_is_true', 'the number of nodes', first('summary', put('data', 'nodes', lambda v: v + 1))),
    ('sweep_is_true', 'a value is null', first('port', put('port', 'state', None))),
    ('hops_are_links', 'a node is missing', without('port')),
    ('hops_are_links', 'a link without its other end', first('port', put('port', 'peer', None))),
    ('from_is_a_node', 'a node is missing', without('port')),
    ('sa_is_what_the_manager_knew', 'a state', first('port', put('port', 'state', 'Armed'))),
    ('sa_is_what_the_manager_knew', 'a port is missing', without('port')),
    ('tree_is_the_group', 'a port is missing', without('port')),
    ('tree_is_the_group', 'no member', first('port', put('hop', 'notes', []))),
    ('tree_is_the_group', 'one member too many', on_lines(
        lambda lines: [line['hop'].update(notes=['member']) for line in lines if line['kind'] == 'port'])),
    ('tree_is_the_group', 'the status', status(6)),
    ('tree_is_the_group', 'a port that is in no table', masks),
    ('filter_is_three_valued', 'a port is missing', without('port')),
    ('assert_is_three_valued', 'the status', status(0)),
    ('assert_is_three_valued', 'the number of failures', first('summary', put('data', 'failed', lambda v: v + 1))),
    ('keys_open_nodes', 'a port is missing', without('port')),
    ('topology_is_the_subnet', 'a speed', on_text('EDR', 'FDR', '--topology')),
    ('topology_is_the_subnet', 'a peer', on_text('[1](', '[2](', '--topology')),
    ('counters_are_of_the_port', 'counters of another port', on_lines(swap_counters)),
    ('counters_are_of_the_port', 'another port', first('response', put('data', 'PortSelect', lambda v: v + 1))),
    ('filter_of_counters', 'a port is missing', without('response')),
    ('clear_clears_what_is_named', 'a Set to another port', another_set),
    ('clear_clears_what_is_named', 'a port is not said', without('response')),
    ('clear_clears_what_is_named', 'another counter is 0', on_lines(
        lambda lines: [line['data'].update(SymbolErrorCounter=0, PortXmitWait=0, PortRcvErrors=0)
                       for line in lines if line['kind'] == 'response'], 'madsend')),
    ('batch_is_true', 'a GUID', on_lines(lambda lines: lines[0]['data'].update(Guid='0x1'), 'madsend')),
    ('batch_is_true', 'a result is missing', on_lines(lambda lines: lines.pop(), 'madsend')),
    ('batch_is_true', 'two results', on_lines(lambda lines: lines.append(lines[0]), 'madsend')),
    ('blocks_are_those_asked_for', 'an entry', on_lines(lambda lines: put('data', 'Port', 3, 200)(lines[0]), 'madsend')),
    ('blocks_are_those_asked_for', 'a block is missing', on_lines(lambda lines: lines.pop(0), 'madsend')),
    ('until_waits_for_what_is_true', 'the status', status(0)),
    ('node_records_are_true', 'a LID', on_lines(lambda lines: put('data', 'LID', 4711)(lines[0]), 'madsend')),
    ('link_records_are_cables', 'a link is missing', on_lines(lambda lines: lines.pop(), 'madsend')),
    ('attributes_are_of_the_node', 'a line is missing', without('response')),
    ('attributes_are_of_the_node', 'a GUID', first('response', put('data', 'Guid', '0x1'))),
    ('differences_are_exact', 'a difference', on_lines(lambda lines: [
        counter.update(delta=counter['delta'] + 3) for line in lines for counter in line['data']['counters'].values()], 'madpoll')),
    ('sweep_differences_are_exact', 'a difference', first('event', put('data', 'counters', 'PortXmitData', 'delta', 3))),
    ('sweep_differences_are_exact', 'a rate', first('event', put('data', 'counters', 'PortRcvPkts', 'rate', lambda v: v + 1))),
    ('sweep_differences_are_exact', 'a port is missing', without('event')),
    ('sweep_differences_are_exact', 'a round is shown twice', twice('event')),
    ('since_compares_with_the_file', 'a difference', first('event', lambda line: [
        counter.update(delta=9) for counter in line['data']['counters'].values()])),
    ('since_compares_with_the_file', 'a change', on_lines(lambda lines: [
        line['data'].update(change=None) for line in lines if line['kind'] == 'event'])),
    ('since_compares_with_the_file', 'a port is missing', without('event')),
    ('garbled_packets_do_no_harm', 'the schema', first('summary', put('schema', 'madkit/2'))),
    ('route_is_what_the_tables_say', 'other tables', tables),
    ('route_is_what_the_tables_say', 'a hop is missing', without('port')),
    ('routes_agree', 'a hop is missing with --both', lambda result: '--both' in result.command and without('port')(result)),
    ('routes_agree', 'a hop is missing with --via sa', lambda result: 'sa' in result.command and without('port')(result)),
    ('packets_pass_the_route', 'the outcome', first('summary', put('data', 'routes', 0, 'outcome', 'arrives'))),
    ('packets_pass_the_route', 'the P_Key', first('summary', put('data', 'routes', 0, 'pkey', 5))),
    ('packets_pass_the_route', 'the MTU', first('summary', put('data', 'routes', 0, 'mtu', 128))),
    ('packets_pass_the_route', 'the VLs', first('summary', put('data', 'routes', 0, 'vls', [14]))),
    ('counters_along_a_route', 'counters of another port', on_lines(swap_counters)),
    ('counters_along_a_route', 'a port is missing', without('response')),
    ('sa_counts_links_too', 'a port is missing', without('port')),
    ('sa_counts_links_too', 'a link without its other end', first('port', put('port', 'peer', None))),
    ('names_start_somewhere', 'a port is missing', without('port')),
    ('table_says_what_json_says', 'a state', on_text('Active', 'Armed ', 'table')),
    ('text_says_what_json_says', 'a state', on_lines(lambda lines: [line['port'].update(state='Armed') for line in lines
                                                                    if line['port']])),
    ('text_says_what_json_says', 'a LID', first('port', put('port', 'lid', 4711))),
    ('lines_encode_back', 'a bit', flip),
    ('problems_are_the_faults', 'a problem is missing', without('problem', 'madcheck')),
    ('problems_are_the_faults', 'a problem is shown twice', twice('problem', 'madcheck')),
    ('problems_are_the_faults', 'a severity', first('problem', put('problem', 'severity', 'none'), 'madcheck')),
    ('problems_are_the_faults', 'another port', first('problem', put('problem', 'key', lambda v: re.sub(r'/(\d+)', '/0', v)), 'madcheck')),
    ('problems_are_the_faults', 'the status', status(4)),
    ('ends_are_compared', 'a problem is missing', without('problem', 'madcheck')),
    ('ends_are_compared', 'a severity', first('problem', put('problem', 'severity', 'none'), 'madcheck')),
    ('ends_are_compared', 'another port', first('problem', put('problem', 'key', lambda v: re.sub(r'/(\d+)', '/0', v)), 'madcheck')),
]


def sees(name: str, twist: Callable[[Result], None], directory: str) -> bool:
    """Returns True if a property that holds for a case fails for the same case with the change."""
    for seed in SEEDS:
        case = cases.make(seed)
        try:
            PROPERTIES[name](Run(case, directory))
        except Failure:
            continue
        run = Run(case, directory)
        run.twist = twist
        try:
            PROPERTIES[name](run)
        except Failure:
            return True
    return False


def self_test() -> int:
    print('TAP version 13')
    bad = 0
    with tempfile.TemporaryDirectory(prefix='properties.') as directory:
        for i, (name, what, twist) in enumerate(BREAKS, 1):
            seen = sees(name, twist, directory)
            bad += not seen
            print(f'{"ok" if seen else "not ok"} {i} - {name} fails if this is changed: {what}', flush=True)
    missing = sorted(PROPERTIES.keys() - {name for name, *_ in BREAKS})
    print(f'{"not ok" if missing else "ok"} {len(BREAKS) + 1} - each property is broken once' +
          (f': not {", ".join(missing)}' if missing else ''))
    print(f'1..{len(BREAKS) + 1}')
    return 1 if bad or missing else 0
