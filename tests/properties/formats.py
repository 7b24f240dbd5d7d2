# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Properties of the formats: JSON, table and text say the same, and a line of JSON encodes back to its MAD."""
from __future__ import annotations

import json
import re
import unicodedata

import wire
from case import shown
from properties import a_property, chance, flat
from run import Run

COLUMNS = ['node.name', 'number', 'lid', 'state', 'width', 'speed', 'gbps', 'peer.node.name', 'peer.number', 'mtu']


def part(line: str, begin: int, end: int | None) -> str:
    """The text between two columns of a terminal, where a wide character takes two."""
    spread = ''.join(c + '\0' if unicodedata.east_asian_width(c) in 'WF' else c for c in line)
    return spread[begin:end].replace('\0', '')


def cells(line: str, starts: list[int]) -> list[str]:
    """The columns of a line of a table; columns begin where their names do."""
    return [part(line, a, b).rstrip() for a, b in zip(starts, starts[1:] + [None])]


@a_property
def table_says_what_json_says(run: Run) -> None:
    """-f table has the rows and values of -j, in virtual time from the same responses."""
    r = chance(run, 'table')
    names = r.sample(COLUMNS, r.choice([2, 4, 7]))
    names = [c for c in COLUMNS if c in names]
    lines = run.sweep('--keep-going').kind('port')
    result = run.command('madsweep', '--keep-going', '-f', 'table', '--fields', ','.join(names))
    rows = result.out.decode().splitlines()
    head, rows = rows[0] if rows else '', rows[1:]
    if not lines:
        return
    result.equal(head.split(), names, 'columns')
    starts = [m.start() for m in re.finditer(r'\S+', head)]
    got = [cells(row, starts) for row in rows]
    right = []
    for line in lines:
        port = flat(line['port'])
        right.append([cell(port.get(name)) for name in names])
    result.check(len(got) == len(right), f'{len(got)} rows, {len(right)} lines of JSON')
    # JSON is in the order of the responses
    for row in sorted(got):
        result.check(row in right, f'the row {row} is no line of JSON')
    result.equal(sorted(got), sorted(right), 'rows')


def cell(value) -> str:
    return '-' if value is None else shown(str(value)).rstrip() or '-'


@a_property
def text_says_what_json_says(run: Run) -> None:
    """The lines of text have the nodes, ports, LIDs, states, rates and peers of the lines of JSON."""
    lines = run.sweep('--keep-going').kind('port')
    result = run.command('madsweep', '--keep-going')
    rows = result.out.decode().splitlines()
    if not lines:
        return
    result.equal(rows[0].split(), ['NODE', 'PORT', 'LID', 'STATE', 'LINK', 'PEER', 'PORT', 'NOTE'], 'columns')
    words = list(re.finditer(r'\S+', rows[0]))
    starts, ends = [m.start() for m in words], [m.end() for m in words]
    # numbers end where the names of their columns end
    edges = [(0, starts[1] - 1), (starts[1] - 1, ends[1]), (ends[1], ends[2]), (starts[3], starts[4]), (starts[4], starts[5]),
             (starts[5], starts[6] - 1), (starts[6] - 1, ends[6])]
    got = sorted([part(row, a, b).strip() for a, b in edges] for row in rows[1:])
    right = []
    for line in lines:
        port = flat(line['port'])
        rate = f'{port["width"]} {port["speed"]}' if port['width'] and port['speed'] else None
        state = port['phys'] if port['state'] == 'Down' else port['state']
        right.append([name_cell(port, 'node.'), str(port['number'])] + [
            cell(v).strip() for v in (port['lid'], state, rate, name_cell(port, 'peer.node.'), port.get('peer.number'))])
    right.sort()
    result.check(len(got) == len(right), f'{len(got)} rows, {len(right)} lines of JSON')
    for row, line in zip(got, right):
        # a value that is not known is a question mark
        result.check(all(a == b or (a.startswith('?') and b == '-') or ('?' in a and b == '-') for a, b in zip(row, line)),
                     f'the row {row} is {line} in JSON')


def name_cell(port: dict, prefix: str) -> str:
    """The name of a node; its GUID if it has none."""
    name = port.get(prefix + 'name')
    return shown(name).strip() if name and name.strip() else port.get(prefix + 'guid') or '-'


ATTRIBUTES = ['PortCounters', 'PortCountersExtended', 'PortInfo', 'NodeInfo', 'NodeDescription', 'ClassPortInfo',
              'SwitchInfo', 'PortRcvErrorDetails']


@a_property
def lines_encode_back(run: Run) -> None:
    """A line of JSON encodes back to the MAD that was received: the bytes in the capture."""
    attribute = chance(run, 'encode').choice(ATTRIBUTES)
    result = run.command('madsweep', '-j', '-K', '--keep-going', 'Get', attribute, capture=True)
    received = {}
    for mad in result.capture:
        if mad.method == wire.GET_RESP:
            received.setdefault((mad.tid, mad.attribute), []).append(mad.raw)
    lines = [line for line in result.lines if line['kind'] == 'response' and line['header']]
    if not lines:
        return
    text = ''.join(json.dumps(line, ensure_ascii=False) + '\n' for line in lines)
    back = run.command('madsend', '--batch', '-', '--dry-run', '-f', 'raw', text=text, device=False)
    back.equal(back.status, 0, f'status ({back.err.strip()[-300:]})')
    back.equal(len(back.out), 256 * len(lines), 'bytes of MADs')
    mads = {back.out[i:i + 256] for i in range(0, len(back.out), 256)}
    for line in lines:
        key = int(line['header']['tid'], 16), line['header']['attribute_id']
        result.check(key in received, f'no response with the TID {key[0]:#x} was received')
        result.check(any(raw in mads for raw in received[key]), f'{attribute} with the TID {key[0]:#x} does not encode back: '
                     f'{json.dumps(line["data"])[:300]}')
