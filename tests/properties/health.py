# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""madcheck: each fault of a case is a problem at its place, once, and nothing else is."""
from __future__ import annotations

import re
from collections import Counter

from case import SPEEDS, WIDTHS, best_of, first_port
from properties import a_property
from run import Run
from truth import LANE, Port, Truth

# in place of a port: the whole node
NODE = -1


def rate(width: str, speed: str) -> float:
    return int(width[:-1]) * LANE[speed]


def read_links(truth: Truth) -> list[tuple[Port, Port]]:
    """The links of which a sweep reads both ends."""
    seen = truth.ports(truth.dist)
    return [((a, pa), (b, pb)) for a, pa, b, pb, *_ in truth.case['links']
            if (a, pa) in truth.up and {(a, pa), (b, pb)} <= seen and a in truth.dist and b in truth.dist
            and a not in truth.mute and b not in truth.mute]


def kind(truth: Truth, link: tuple[Port, Port]) -> tuple:
    """The two types of device that a link joins."""
    return tuple(sorted((truth.nodes[n]['vendor'], truth.nodes[n]['device'], truth.nodes[n]['type']) for n, _ in link))


def expected_links(truth: Truth) -> dict:
    """Problems of links: those below the best of both ends, and those that no manager has activated."""
    found, links = {}, read_links(truth)
    rates = {link: truth.link[link[0]][2:4] for link in links}
    counts = Counter((kind(truth, link), rates[link]) for link in links)
    for link in links:
        all_of_kind = sum(n for (k, _), n in counts.items() if k == kind(truth, link))
        usual = max((r for (k, r), n in counts.items() if k == kind(truth, link) and 2 * n > all_of_kind and n >= 3),
                    key=lambda r: counts[kind(truth, link), r], default=None)
        (wa, sa), (wb, sb) = (truth.caps[end] for end in link)
        best = best_of(wa & wb, WIDTHS), best_of(sa & sb, SPEEDS)
        width, speed = rates[link]
        if (width, speed) != best:
            known = usual and rate(width, speed) >= rate(*usual) and width != '1x'
            found['slow', frozenset(link)] = 'info' if known else 'warning'
        if truth.state(*link[0]) != 'Active':
            found['init', frozenset(link)] = 'warning'
    return found


def expected_identities(truth: Truth) -> dict:
    """Problems of LIDs and names, among the end ports and nodes that a sweep reads."""
    found, seen = {}, [n for n in truth.dist if n not in truth.mute]
    ends = {truth.end_port(n, p) for n, p in truth.ports(seen)} | {(n, 0) for n in seen if truth.is_switch(n)}
    active = {(n, p) for n, p in ends if any(truth.state(n, q) == 'Active' and (n, q) in truth.up
                                             for q in (range(1, truth.nodes[n]['ports'] + 1) if p == 0 else [p]))}
    shared = truth.sharers(seen, truth.dist)
    owners: dict[int, set] = {}
    for n, p in active:
        lid, bits = truth.lid(n, p), len(truth.lids(n, p)) - 1
        if lid is None or lid & bits:
            found['lid', frozenset([(n, p)])] = 'critical'
        elif (n, p) in shared:
            owners.setdefault(lid, set()).add((n, p))
    for ports in owners.values():
        found['lid', frozenset(ports)] = 'critical'
    lmcs = {len(truth.lids(n, p)) for n, p in active if not truth.is_switch(n) and truth.lid(n, p) is not None}
    if len(lmcs) > 1:
        found['lid', 'LMC'] = 'info'
    names = Counter(truth.nodes[n]['name'] for n in seen)
    for name, n in names.items():
        if n > 1 and name:
            # control characters are escaped
            found['name', name.replace('\t', '\\x09')] = 'info'
    return found


def expected(truth: Truth) -> dict:
    """All problems that a checker has to find: severity by rule and place."""
    found = expected_links(truth) | expected_identities(truth)
    for port in truth.silent(set(truth.dist)):
        found['silent', frozenset([port])] = 'critical'
    sm = truth.case['sm']
    # the manager is a program behind one port of its node
    if sm is None or sm in truth.mute or (sm, first_port(truth.case, sm)) not in truth.ports(truth.dist) | {(sm, 0)} or sm not in truth.dist:
        found['sm', frozenset()] = 'critical'
    return found


def place(truth: Truth, key: str) -> frozenset | str:
    """The ends in the key of a problem, "slow:0x1/2:0x3/4", or the words that identify it."""
    words = key.split(':', 1)[1] if ':' in key else ''
    ends = re.findall(r'(0x[0-9a-f]{16})(?:/(\d+))?', words)
    if words and not ends:
        return words
    return frozenset((truth.number[int(guid, 16)], int(port) if port else NODE) for guid, port in ends)


def shown(problems: dict) -> list[str]:
    return sorted(f'{rule} {at if isinstance(at, str) else sorted(at)} {severity}' for (rule, at), severity in problems.items())


@a_property
def problems_are_the_faults(run: Run) -> None:
    """madcheck finds each fault of the fabric once, with the right ends, and nothing else."""
    truth = run.truth
    if not truth.attached or not truth.reliable or not truth.reliable_gmp:
        return
    result = run.command('madcheck', '-j', '--keep-going')
    got = {}
    for line in result.kind('problem'):
        problem = line['problem']
        at = problem['rule'], place(truth, problem['key'])
        result.check(at not in got, f'{problem["key"]} is reported twice')
        got[at] = problem['severity']
    right = expected(truth)
    # a key names two of several ports
    for at, severity in list(right.items()):
        if isinstance(at[1], frozenset) and len(at[1]) > 2:
            for found in [g for g in got if g[0] == at[0] and isinstance(g[1], frozenset) and g[1] < at[1]]:
                result.equal(got.pop(found), severity, f'severity of {found}')
                right.pop(at, None)
    result.equal(shown(got), shown(right), 'problems')
    bad = any(severity != 'info' for severity in right.values())
    result.equal(result.status, 6 if bad else 0, 'status')
