#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Output of the commands, to check changes that must not affect it.

frozen.py compare BUILD [BUILD2]   run the commands of the file "commands" with a build, and compare the exit status, standard
                                   output, standard error, and files that were written with those of BUILD2, or with the stored
                                   ones. Prints the differences; ends with 1 if there are any
frozen.py store BUILD              store them, in the file "results.xz"

Options: --jobs N, --grep REGEX (only commands that match), --lines N (of each difference, default 20)

A simulated fabric in virtual time gives the same bytes each time. Parts that depend on the time, the machine or the process
are removed: wall-clock times, the name of the host, process IDs, names of temporary directories.
"""
from __future__ import annotations

import argparse
import difflib
import json
import lzma
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
STORE = os.path.join(HERE, 'results.xz')
LIMIT = 60
# in a simulated fabric, the first hour of 2026 stays; elsewhere, the time is that of the machine
CHANGES = [(re.compile(rb'"host":"[^"]*"'), b'"host":"HOST"'),
           (re.compile(rb'"time":"20(?!26-01-01T00)[^"]*"'), b'"time":"TIME"'),
           (re.compile(rb'"epoch":[0-9.]+'), b'"epoch":EPOCH'),
           (re.compile(rb'/tmp/[A-Za-z0-9._/-]*'), b'/tmp/NAME')]


def commands(pattern: str) -> list[str]:
    with open(os.path.join(HERE, 'commands'), encoding='utf-8') as text:
        return [line for line in text.read().splitlines() if re.search(pattern, line)]


def environment(build: str) -> dict[str, str]:
    path = ':'.join(f'{build}/{d}' for d in ('src/.libs', '.libs', 'src', '.'))
    return {'PATH': path + ':/usr/bin:/bin', 'LD_LIBRARY_PATH': f'{build}/lib/.libs', 'SRC': SOURCE, 'HOME': '/', 'LC_ALL': 'C.UTF-8',
            'TZ': 'UTC', 'TMPDIR': '/tmp'}


def run(job: tuple[str, str]) -> dict[str, str]:
    """The result of a command: status, and each stream and file as text."""
    build, command = job
    with tempfile.TemporaryDirectory(prefix='frozen.') as directory:
        for name in os.listdir(os.path.join(HERE, 'files')):
            shutil.copy(os.path.join(HERE, 'files', name), directory)
        before = set(os.listdir(directory))
        try:
            done = subprocess.run(['bash', '-c', command], cwd=directory, env=environment(build), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return {'status': f'did not end within {LIMIT} s'}
        found = {'status': str(done.returncode), 'out': readable(done.stdout, build), 'err': readable(done.stderr, build)}
        for name in sorted(set(os.listdir(directory)) - before):
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                with open(path, 'rb') as file:
                    found['file ' + name] = readable(file.read(), build)
        return found


def readable(data: bytes, build: str) -> str:
    data = data.replace(build.encode(), b'BUILD').replace(SOURCE.encode(), b'SOURCE')
    for pattern, text in CHANGES:
        data = pattern.sub(text, data)
    try:
        return data.decode()
    except UnicodeDecodeError:
        # bytes: sixteen a line, so that a difference is small
        return '\n'.join(data[i:i + 16].hex(' ') for i in range(0, len(data), 16))


def run_all(build: str, listed: list[str], jobs: int):
    build = os.path.realpath(build)
    with multiprocessing.Pool(jobs) as pool:
        yield from zip(listed, pool.imap(run, [(build, command) for command in listed], chunksize=8))


def stored(listed: list[str]):
    with lzma.open(STORE, 'rt', encoding='utf-8') as text:
        results = dict(json.loads(line) for line in text)
    for command in listed:
        yield command, results.get(command, {})


def show(command: str, was: dict[str, str], is_now: dict[str, str], lines: int) -> None:
    print(f'== {command}')
    for key in sorted(was.keys() | is_now.keys()):
        if was.get(key) != is_now.get(key):
            changes = difflib.unified_diff(was.get(key, '').splitlines(), is_now.get(key, '').splitlines(), key, key, 'before', 'now',
                                           n=1, lineterm='')
            print('\n'.join(line[:400] for line in list(changes)[:lines]))


def compare(args) -> int:
    listed, different = commands(args.grep), 0
    before = run_all(args.builds[1], listed, args.jobs) if len(args.builds) > 1 else stored(listed)
    for (command, is_now), (_, was) in zip(run_all(args.builds[0], listed, args.jobs), before):
        if was != is_now:
            different += 1
            show(command, was, is_now, args.lines)
    print(f'{len(listed)} commands, {different} differ')
    return 1 if different else 0


def store(args) -> int:
    with lzma.open(STORE, 'wt', encoding='utf-8') as text:
        for command, found in run_all(args.builds[0], commands(''), args.jobs):
            text.write(json.dumps([command, found], ensure_ascii=False) + '\n')
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description='what the commands print, before and after a change')
    parser.add_argument('what', choices=['compare', 'store'])
    parser.add_argument('builds', nargs='+', metavar='BUILD')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--grep', default='')
    parser.add_argument('--lines', type=int, default=20)
    args = parser.parse_args()
    return compare(args) if args.what == 'compare' else store(args)


if __name__ == '__main__':
    sys.exit(main())
