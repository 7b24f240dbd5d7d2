# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""madcheck: each fault of a case is a problem at its place, once, and nothing else is."""
from __future__ import annotations

import re
from collections import Counter

from case import SPEEDS, WIDTHS, best_of, first_port, up_to
from properties import a_property, chance
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


# ---- ends of links that support, enable or report something else ---------------------------------------------------

def limited(caps: tuple[set[str], set[str]], width: str, speed: str) -> tuple[set[str], set[str]]:
    """Those of the widths and speeds that are not above a width and a speed."""
    return ({w for w in caps[0] if WIDTHS.index(w) <= WIDTHS.index(width)},
            {s for s in caps[1] if SPEEDS.index(s) <= SPEEDS.index(speed)})


def best(a: tuple[set[str], set[str]], b: tuple[set[str], set[str]]) -> tuple[str, str]:
    return best_of(a[0] & b[0], WIDTHS), best_of(a[1] & b[1], SPEEDS)


class Ends:
    """The rates that each port supports, enables and reports as active, by the words of madsim-control(7)."""

    def __init__(self, truth: Truth):
        case = truth.case
        self.supported, self.enabled, self.active = dict(truth.caps), dict(truth.caps), {}
        words = {(n, p): rates for n, p, rates in case['ends']}
        for port, rates in words.items():
            if 'supported' in rates:
                width, speed = rates['supported']
                self.supported[port] = up_to((WIDTHS.index(width), SPEEDS.index(speed)), case['nodes'][port[0]])
                self.enabled[port] = self.supported[port]
            if 'enabled' in rates:
                self.enabled[port] = limited(self.supported[port], *rates['enabled'])
        for a, pa, b, pb, width, speed in case['links']:
            link = (a, pa), (b, pb)
            # a link that was degraded stays so
            top = best(truth.caps[link[0]], truth.caps[link[1]])
            limit = width if width != top[0] else WIDTHS[-1], speed if speed != top[1] else SPEEDS[-1]
            rate = best(limited(self.enabled[link[0]], *limit), limited(self.enabled[link[1]], *limit))
            for port in link:
                self.active[port] = tuple(words.get(port, {}).get('shows', rate))


def expected_ends(truth: Truth) -> dict:
    """Problems of the rules half, slow and misconfigured."""
    found, ends = {}, Ends(truth)
    links = read_links(truth)
    agreeing = [link for link in links if ends.active[link[0]] == ends.active[link[1]]]
    enabled = {link: best(ends.enabled[link[0]], ends.enabled[link[1]]) for link in links}
    rates = Counter((kind(truth, link), ends.active[link[0]]) for link in agreeing)
    enables = Counter((kind(truth, link), enabled[link]) for link in agreeing)

    def usual(counts: Counter, link: tuple[Port, Port]) -> list[tuple[str, str]]:
        n = sum(count for (k, _), count in counts.items() if k == kind(truth, link))
        return [r for (k, r), count in counts.items() if k == kind(truth, link) and 2 * count > n and count >= 3]

    for link in links:
        if link not in agreeing:
            found['half', frozenset(link)] = 'critical'
            continue
        active, top = ends.active[link[0]], best(ends.supported[link[0]], ends.supported[link[1]])
        if (WIDTHS.index(active[0]) < WIDTHS.index(enabled[link][0]) or
                SPEEDS.index(active[1]) < SPEEDS.index(enabled[link][1])):
            known = any(rate(*active) >= rate(*r) for r in usual(rates, link)) and active[0] != '1x'
            found['slow', frozenset(link)] = 'info' if known else 'warning'
        split = active[0] == '2x' and any(best_of(ends.enabled[port][0], WIDTHS) == '2x' for port in link)
        if enabled[link] != (enabled[link][0] if split else top[0], top[1]):
            found['misconfigured', frozenset(link)] = 'info' if enabled[link] in usual(enables, link) else 'warning'
    return found


@a_property
def ends_are_compared(run: Run) -> None:
    """Ends of links that support, enable or report something else are problems once, with the right ends."""
    truth, r = run.truth, chance(run, 'ends')
    if not truth.attached or not truth.case['links']:
        return
    ends = []
    # FDR10 and XDR need further attributes and bits, which a port that only reports such a speed does not have
    speeds = [s for s in SPEEDS if s not in ('FDR10', 'XDR')]
    for link in r.sample(truth.case['links'], min(len(truth.case['links']), r.choice([1, 1, 2, 3, 5]))):
        n, p = r.choice([link[:2], link[2:4]])
        caps = truth.caps[n, p]
        rates = {}
        if r.random() < 0.5:
            rates['supported'] = [r.choice(WIDTHS), r.choice([s for s in SPEEDS if s != 'FDR10'])]
            caps = up_to((WIDTHS.index(rates['supported'][0]), SPEEDS.index(rates['supported'][1])), truth.nodes[n])
        if r.random() < 0.5:
            rates['enabled'] = [r.choice(sorted(caps[0])), r.choice(sorted(caps[1]))]
        if not rates or r.random() < 0.3:
            rates['shows'] = [r.choice(WIDTHS), r.choice(speeds)]
        ends.append([n, p, rates])
    nothing = {key: [] for key in ('down', 'gone', 'flaps', 'joined', 'mute', 'slow', 'counters', 'info', 'faults')}
    changed = run.changed(ends=ends, vl15='', **nothing)
    result = changed.command('madcheck', '-j', '--rules', 'half,slow,misconfigured')
    got = {}
    for line in result.kind('problem'):
        problem = line['problem']
        at = problem['rule'], place(truth, problem['key'])
        result.check(at not in got, f'{problem["key"]} is reported twice')
        got[at] = problem['severity']
    right = expected_ends(changed.truth)
    result.equal(shown(got), shown(right), 'problems')
    result.equal(result.status, 6 if any(severity != 'info' for severity in right.values()) else 0, 'status')
