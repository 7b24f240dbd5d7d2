# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The properties: functions of a run that fail with a message (Failure). What is random in them follows from the
seed of the case, so that a case fails always or never."""
from __future__ import annotations

import random
from typing import Callable

from run import Failure, Result, Run
from truth import Port, Truth

PROPERTIES: dict[str, Callable[[Run], None]] = {}


def a_property(function: Callable[[Run], None]) -> Callable[[Run], None]:
    PROPERTIES[function.__name__] = function
    return function


def chance(run: Run, what: str) -> random.Random:
    return random.Random(f'{run.case["seed"]} {what}')


# ---- lines against the truth ---------------------------------------------------------------------------------

def flat(port: dict) -> dict:
    """An object "port" with dotted keys."""
    result = {}
    for key, value in port.items():
        if key in ('label', 'plane'):
            continue
        if isinstance(value, dict):
            result |= {f'{key}.{k}': v for k, v in flat(value).items()}
        elif key != 'peer':
            result[key] = value
    return result


def port_of(result: Result, truth: Truth, line: dict) -> Port:
    """The node and port that a line is about, by its GUID and number."""
    port = line['port']
    node = truth.number.get(int(port['node']['guid'], 16))
    result.check(node is not None, f'no node has the GUID {port["node"]["guid"]}')
    result.check(port['number'] <= truth.nodes[node]['ports'], f'node {node} has no port {port["number"]}')
    return node, port['number']


def check_port(result: Result, truth: Truth, line: dict, whole: bool) -> Port:
    """Each value of a line is true or null; null only if something is not known (whole: everything is)."""
    at = port_of(result, truth, line)
    got, expected = flat(line['port']), truth.values(*at)
    for key in sorted(got.keys() | expected.keys()):
        value, right = got.get(key), expected.get(key, {None})
        if value not in right and (whole or value is not None):
            result.check(False, f'node {at[0]} port {at[1]}: {key}: expected {sorted(map(repr, right))}, got {value!r}')
    return at


def check_ports(result: Result, truth: Truth, lines: list[dict], expected: set[Port], whole: bool,
                possible: set[Port] = frozenset()) -> None:
    """The lines are about these ports, each once, and perhaps the possible ones; if not whole, some may be missing."""
    seen = [check_port(result, truth, line, whole) for line in lines]
    result.check(len(seen) == len(set(seen)), f'a port is shown twice: {sorted(p for p in seen if seen.count(p) > 1)}')
    missing, strange = expected - set(seen), set(seen) - expected - possible
    result.check(not strange, f'ports are shown that are not in scope: {sorted(strange)}')
    if truth.flapping:
        # what a link that is down leads to is not there
        missing &= truth.steady.ports(truth.steady.dist)
    result.check(not (whole and missing), f'ports are missing, and nothing says so: {sorted(missing)}')


def expected_whole(run: Run, nodes) -> bool:
    """Returns True if a sweep of these nodes can be complete."""
    return run.truth.reliable and not run.truth.silent(set(nodes)) and not run.truth.sharers(nodes)
