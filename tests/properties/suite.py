#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the properties (properties.py) on stored and on random cases, and prints TAP, a test for each property.

suite.py [--cases N] [--seed N] [--jobs N] [--seconds N] [--property NAME] [--store DIR] [--no-shrink]
suite.py --case FILE [--property NAME]     one case: a stored file, or a seed
suite.py --self-test                       break each property and see it fail
suite.py --show SEED|FILE                  print the topology file and the device specification

The stored cases in cases/ are run first: each failed once. A case that fails is made smaller by deleting elements as long
as the same property fails, and is stored in DIR (default: cases/); the report has the command to run again.

What a topology file cannot express is not in a case: equal node or port GUIDs, and GUIDs of 0; nor are several devices
of one host. tests/sim has these.
"""
from __future__ import annotations

import argparse
import glob
import json
import multiprocessing
import os
import shlex
import shutil
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import case as cases  # noqa: E402
import commands  # noqa: E402,F401
import differences  # noqa: E402,F401
import formats  # noqa: E402,F401
import health  # noqa: E402,F401
import requests  # noqa: E402,F401
import routes  # noqa: E402,F401
import sweeps  # noqa: E402,F401
import tables  # noqa: E402,F401
from properties import PROPERTIES  # noqa: E402
from run import Failure, Run  # noqa: E402

SHRINK_TRIES = 1500
SHRINK_SECONDS = 20  # for each case that fails


def find_programs() -> None:
    """The programs of a build, as tests/programs.sh finds them."""
    if os.environ.get('MADKIT_PROGRAMS'):
        return
    build = os.path.realpath(os.environ.get('MADKIT_BUILD', os.path.join(HERE, '../../build')))
    paths = [f'{build}/.libs', f'{build}/src/.libs', f'{build}/src', build]
    os.environ['PATH'] = ':'.join(paths + [os.environ['PATH']])
    os.environ['LD_LIBRARY_PATH'] = ':'.join(
        [f'{build}/lib/.libs', f'{build}/.libs'] + os.environ.get('LD_LIBRARY_PATH', '').split(':')).rstrip(':')


def temporary() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix='properties.')


def failure_of(run: Run, name: str) -> Failure | None:
    """Returns the failure of a property. If it raises another exception, the output has not the form that it expects."""
    try:
        PROPERTIES[name](run)
    except Failure as failure:
        return failure
    except Exception as error:  # pylint: disable=broad-except
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(f'raised {error!r} in {os.path.basename(last.filename)}:{last.lineno}')
    return None


def shrink(case: dict, name: str, directory: str, until: float, raised: bool) -> dict:
    """The smallest case that deleting elements leads to, while the same property fails."""
    tries, again = 0, True
    while again and tries < SHRINK_TRIES and time.monotonic() < until:
        again = False
        for smaller in cases.variants(case):
            tries += 1
            failure = failure_of(Run(smaller, directory), name) if cases.is_valid(smaller) else None
            if failure and is_raised(failure) == raised and not is_refused(smaller, directory):
                case, again = smaller, True
                break
            if tries >= SHRINK_TRIES or time.monotonic() >= until:
                break
    return case


def is_raised(failure: Failure) -> bool:
    return str(failure).startswith('raised ')


def is_refused(case: dict, directory: str) -> bool:
    """Returns True if deleting an element has made a fabric that cannot be simulated."""
    result = Run(case, directory).command('madsend', '-D', '0', 'Get', 'NodeInfo', '-f', 'raw')
    return result.status in (1, 2, 5)


def check_case(job: tuple) -> list[tuple]:
    """All properties on one case. Returns what failed: case, name, message, command, the smallest case."""
    what, case, names, options = job
    found = []
    with temporary() as directory, temporary() as other:
        run = Run(case, directory)
        for name in names:
            failure, small = failure_of(run, name), case
            if failure and options['shrink']:
                small = shrink(case, name, other, time.monotonic() + SHRINK_SECONDS, is_raised(failure))
                failure = failure_of(Run(small, other), name) or failure
            if failure:
                found.append((what, name, str(failure), failure.command, small))
    return found


# ---- the report ------------------------------------------------------------------------------------------------

class Report:
    def __init__(self, store: str):
        self.store, self.failures, self.count = store, {}, 0

    def add(self, what, name: str, message: str, command: list[str] | None, case: dict) -> None:
        self.failures.setdefault(name, []).append(what)
        if len(self.failures[name]) > 3:
            return
        path = os.path.join(self.store, f'{name}-{case["seed"]}.json')
        os.makedirs(self.store, exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'property': name, 'case': case}, file, indent=1, ensure_ascii=False)
            file.write('\n')
        net = os.path.splitext(path)[0] + '.net'
        with open(net, 'w', encoding='utf-8') as file:
            file.write(cases.topology(case))
        text = ' '.join(message.split('\n'))
        print(f'# {name} fails: {what}\n#   {text}\n#   {os.path.relpath(__file__)} --case {shlex.quote(path)}')
        if command:
            shown = [w.replace('sim:' + w[4:].split('/case.net')[0] + '/case.net', 'sim:' + net) if w.startswith('sim:') else w
                     for w in command]
            print('#   ' + shlex.join(shown), flush=True)

    def line(self, holds: bool, text: str) -> None:
        self.count += 1
        print(f'{"ok" if holds else "not ok"} {self.count} - {text}', flush=True)


def stored() -> list[tuple[str, dict]]:
    """The cases that failed once."""
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, 'cases', '*.json'))):
        found.append((os.path.relpath(path, HERE), load(path)[0]))
    return found


def load(word: str) -> tuple[dict, str | None]:
    if word.isdigit():
        return cases.make(int(word)), None
    with open(word, encoding='utf-8') as text:
        data = json.load(text)
    # a stored case may lack later additions
    return cases.EMPTY | data['case'], data['property']


def random_jobs(args, names, options, end: float):
    for seed in range(args.seed, args.seed + args.cases):
        if time.monotonic() > end:
            return
        yield f'seed {seed}', cases.make(seed), names, options


def run_all(args, names: list[str]) -> int:
    report, started, ran = Report(args.store), time.monotonic(), 0
    end = started + args.seconds if args.seconds else float('inf')
    options = {'shrink': not args.no_shrink}
    listed = [(what, case, names, options) for what, case in stored()]
    print('TAP version 13')
    with multiprocessing.Pool(args.jobs) as pool:
        for jobs in listed, random_jobs(args, names, options, end):
            for failures in pool.imap_unordered(check_case, jobs, chunksize=4):
                ran += 1
                for failure in failures:
                    report.add(*failure)
    for name in names:
        bad = report.failures.get(name, [])
        report.line(not bad, f'{name}: {ran} cases' + (f', {len(bad)} fail' if bad else ''))
    print(f'1..{report.count}\n# {ran} cases, {len(names)} properties, {time.monotonic() - started:.0f} s')
    return 1 if report.failures else 0


def run_one(args, names: list[str]) -> int:
    case, name = load(args.case)
    if args.property:
        name = args.property
    failures = check_case((args.case, case, [name] if name else names, {'shrink': False}))
    for what, name, message, command, _ in failures:
        print(f'{name}: {message}' + (f'\n  {shlex.join(command)}' if command else ''))
    print(f'{len(failures)} fail')
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description='properties of the commands on random fabrics')
    parser.add_argument('--cases', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--seconds', type=float, help='start no further case after this time')
    parser.add_argument('--property', choices=PROPERTIES)
    parser.add_argument('--store', default=os.path.join(HERE, 'cases'))
    parser.add_argument('--no-shrink', action='store_true')
    parser.add_argument('--case')
    parser.add_argument('--show')
    parser.add_argument('--self-test', action='store_true')
    args = parser.parse_args()
    find_programs()
    if not shutil.which('madsweep'):
        print('Bail out! madsweep is not built')
        return 1
    names = [args.property] if args.property else list(PROPERTIES)
    if args.show:
        case, _ = load(args.show)
        print(cases.topology(case) + '\n# ' + cases.device(case, 'FILE'))
        return 0
    if args.self_test:
        from selftest import self_test
        return self_test()
    return run_one(args, names) if args.case else run_all(args, names)


if __name__ == '__main__':
    sys.exit(main())
