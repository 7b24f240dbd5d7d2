# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Expressions of --filter, --assert and --select: made at random, and evaluated with three values (True, False and
None for unknown) by the rules of madkit-expressions(7), without any code of madkit."""
from __future__ import annotations

import random
import re

from case import SPEEDS, WIDTHS, shown

STATES = ['Down', 'Initialize', 'Armed', 'Active']
ORDERS = {'state': STATES, 'width': WIDTHS, 'width_best': WIDTHS, 'width_enabled': WIDTHS,
          'speed': SPEEDS, 'speed_best': SPEEDS, 'speed_enabled': SPEEDS}
NUMBERS = ['number', 'lid', 'gbps', 'mtu', 'peer.lid', 'peer.number', 'node.device_id']
GUIDS = ['node.guid', 'peer.node.guid', 'guid', 'peer.guid', 'node.system_guid']
TEXTS = ['node.name', 'peer.node.name']
PAIRS = [('width', 'width_best'), ('width', 'width_enabled'), ('speed', 'speed_best'), ('lid', 'peer.lid'),
         ('number', 'peer.number'), ('node.guid', 'peer.node.guid'), ('node.name', 'peer.node.name'), ('gbps', 'mtu')]
COMPARE = {'==': lambda a, b: a == b, '!=': lambda a, b: a != b, '<': lambda a, b: a < b, '<=': lambda a, b: a <= b,
           '>': lambda a, b: a > b, '>=': lambda a, b: a >= b}
# what a regular expression and a quoted word can hold without an escape
PLAIN = re.compile(r'[A-Za-z0-9 ;:#%/,_-]+\Z')


class Test:
    def __init__(self, field: str, op: str, value, other: bool = False):
        self.field, self.op, self.value, self.other = field, op, value, other

    def __str__(self) -> str:
        value = self.value
        if not self.other and isinstance(value, str):
            value = f'"{value}"'
        return f'{self.field} {self.op} {value}'

    def holds(self, record: dict) -> bool | None:
        left = record.get(self.field)
        right = record.get(self.value) if self.other else self.value
        if left is None or right is None:
            return None
        if self.op in ('=~', '!~'):
            return bool(re.search(right, shown(left))) == (self.op == '=~')
        if self.field in ORDERS:
            order = ORDERS[self.field]
            left, right = order.index(left), order.index(right)
        return COMPARE[self.op](left, right)


class Both:
    def __init__(self, op: str, parts: list):
        self.op, self.parts = op, parts

    def __str__(self) -> str:
        return '(' + f' {self.op} '.join(map(str, self.parts)) + ')'

    def holds(self, record: dict) -> bool | None:
        values = [part.holds(record) for part in self.parts]
        decisive = self.op == '||'
        if decisive in values:
            return decisive
        return None if None in values else not decisive


class Not:
    def __init__(self, part):
        self.part = part

    def __str__(self) -> str:
        return f'!({self.part})'

    def holds(self, record: dict) -> bool | None:
        value = self.part.holds(record)
        return None if value is None else not value


def make(r: random.Random, records: list[dict], depth: int = 2, counters: list[str] = ()):
    """A random expression; its values are mostly some that occur in the records."""
    if depth and r.random() < 0.6:
        if r.random() < 0.3:
            return Not(make(r, records, depth - 1, counters))
        return Both(r.choice(['&&', '||']), [make(r, records, depth - 1, counters) for _ in range(r.choice([2, 2, 3]))])
    kind = r.choice(['order', 'number', 'guid', 'text', 'pair', 'type'] + ['counter'] * (3 if counters else 0))
    any_op, same = r.choice(list(COMPARE)), r.choice(['==', '!='])
    if kind == 'pair':
        left, right = r.choice(PAIRS)
        ordered = left in ORDERS or left in NUMBERS
        return Test(left, any_op if ordered else same, right, True)
    if kind == 'type':
        return Test('node.type', same, r.choice(['CA', 'Switch', 'Router']))
    if kind == 'counter':
        return Test(r.choice(counters), any_op, r.choice([0, 0, 1, 5, 255, 1005]))
    field = r.choice({'order': list(ORDERS), 'number': NUMBERS, 'guid': GUIDS, 'text': TEXTS}[kind])
    seen = sorted({x[field] for x in records if x.get(field) is not None}, key=str)
    if kind == 'order':
        return Test(field, any_op, r.choice(seen) if seen and r.random() < 0.8 else r.choice(ORDERS[field]))
    if kind == 'number':
        return Test(field, any_op, r.choice(seen) if seen else r.randrange(100))
    if kind == 'guid':
        return Test(field, same, r.choice(seen) if seen else '0x0000000000000001')
    plain = [x for x in seen if PLAIN.match(x)]
    if not plain:
        return Test('number', any_op, r.randrange(10))
    word = r.choice(plain)
    if r.random() < 0.5:
        return Test(field, same, word)
    start = r.randrange(len(word))
    return Test(field, r.choice(['=~', '!~']), r.choice(['', '^']) + word[start:start + 3])
