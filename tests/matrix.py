#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""matrix.py blocked PID
matrix.py HOW[,HOW...] COMMAND...
Whether a command's wait ends. HOW is a signal (INT, TERM, HUP), which the command gets once it is blocked, or
"deadline": then --deadline is added after COMMAND's first word. Standard streams are the caller's; what is wrong
is said on standard error, with status 1. "blocked" returns once the process sleeps in a system call and stays there.
A program of its own, because a loop in bash under bats costs more processor time than all the commands together.
Environment: MATRIX_SLACK, ms that a start may take longer here.
"""
import os
import select
import signal
import subprocess
import sys
import time

DEADLINE = 150
SIGNAL_MAX = 1000
DEADLINE_MAX = DEADLINE + 1000 + int(os.environ.get('MATRIX_SLACK', 1000))
STOPPING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def fail(text):
    sys.exit('# ' + text)


def blocked(pid):
    """None once the process is blocked, else why it is not."""
    last, same = None, 0
    for _ in range(2000):
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
                name, _, rest = file.read().rpartition(')')
        except OSError:
            return 'it has ended'
        rest = rest.split()
        # state, and the time that it has used
        now = rest[0], rest[11], rest[12]
        if now[0] == 'S' and now == last and name.partition('(')[2].startswith('mad'):
            same += 1
            if same == 4:
                return None
        else:
            same = 0
        last = now
        time.sleep(.005)
    return 'it does not block'


def default_signals():
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL)


def ended(process, seconds):
    fd = os.pidfd_open(process.pid)
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if not poll.poll(seconds * 1000):
        process.kill()
    os.close(fd)
    status = process.wait()
    return status if status >= 0 else 128 - status


def one(how, command):
    what = f'{how}: {" ".join(command)}'
    start = time.monotonic()
    if how == 'deadline':
        want, limit = 3, DEADLINE_MAX
        process = subprocess.Popen([command[0], '--deadline', str(DEADLINE)] + command[1:], preexec_fn=default_signals)
    else:
        number = signal.Signals['SIG' + how]
        want, limit = 128 + number, SIGNAL_MAX
        process = subprocess.Popen(command, preexec_fn=default_signals)
        why = blocked(process.pid)
        if why:
            process.kill()
            fail(f'{what}: {why}, status {process.wait()}')
        start = time.monotonic()
        process.send_signal(number)
    status = ended(process, 20)
    took = round((time.monotonic() - start) * 1000)
    if status != want:
        fail(f'{what}: status {status}, not {want}')
    if took > limit:
        fail(f'{what}: took {took} ms')


if len(sys.argv) < 3:
    sys.exit(__doc__)
if sys.argv[1] == 'blocked':
    reason = blocked(int(sys.argv[2]))
    if reason:
        fail(reason)
else:
    for each in sys.argv[1].split(','):
        one(each, sys.argv[2:])
