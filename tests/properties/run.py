# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the commands on the fabric of a case, in the process and in virtual time."""
from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from typing import Callable

import case as cases
import wire
from truth import Truth

LIMIT = 120  # seconds, against a command that does not end


class Failure(Exception):
    """The result that a property expected, and the actual one."""

    def __init__(self, message: str, command: list[str] | None = None):
        super().__init__(message)
        self.command = command


@dataclass
class Result:
    command: list[str]
    status: int
    out: bytes
    err: str
    capture: list[wire.Mad] = field(default_factory=list)

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.decode().splitlines()]

    def kind(self, kind: str) -> list[dict]:
        return [line for line in self.lines if line['kind'] == kind]

    @property
    def summary(self) -> dict:
        found = self.kind('summary')
        self.check(len(found) == 1, f'expected one summary, got {len(found)}')
        return found[0]['data']

    def check(self, holds: bool, message: str) -> None:
        if not holds:
            raise Failure(message, self.command)

    def equal(self, got, expected, what: str) -> None:
        self.check(got == expected, f'{what}: expected {expected!r}, got {got!r}')


class Run:
    def __init__(self, case: dict, directory: str):
        self.case, self.truth = case, Truth(case)
        self.directory = directory
        self.net = os.path.join(directory, 'case.net')
        with open(self.net, 'w', encoding='utf-8') as file:
            file.write(cases.topology(case))
        self.kept: dict[tuple, Result] = {}
        # of the self-test: changes a result before a property sees it
        self.twist: Callable[[Result], None] = lambda result: None

    def command(self, name: str, *words: str, capture: bool = False, text: str | bytes | None = None,
                device: bool = True) -> Result:
        key = (name, words, capture, text, device)
        if key not in self.kept:
            self.kept[key] = self._command(name, words, capture, text, device)
        return self.kept[key]

    def _command(self, name, words, capture, text, device) -> Result:
        argv = [name, *words]
        if device:
            argv += ['--device', cases.device(self.case, self.net)]
        pcap = os.path.join(self.directory, 'case.pcap')
        if capture:
            argv += ['-w', pcap]
        if isinstance(text, str):
            text = text.encode()
        try:
            done = subprocess.run(argv, input=text, stdin=subprocess.DEVNULL if text is None else None,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f'did not end within {LIMIT} s', argv) from None
        result = Result(argv, done.returncode, done.stdout, done.stderr.decode(errors='replace'))
        result.check(0 <= done.returncode <= 6, f'status {done.returncode}: {result.err.strip()[-400:]}')
        if capture and os.path.exists(pcap):
            result.capture = wire.read(pcap)
            os.unlink(pcap)
        self.twist(result)
        return result

    def changed(self, **changes) -> Run:
        """The same fabric with something changed: for additional commands."""
        run = Run(self.case | changes, self.directory)
        run.twist = self.twist
        return run

    def sweep(self, *words: str, capture: bool = False) -> Result:
        return self.command('madsweep', '-j', *words, capture=capture)
