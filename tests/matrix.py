#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""matrix.py blocked PID
matrix.py slept PID
matrix.py HOW[,HOW...] COMMAND...
Checks if a command's wait ends. HOW is a signal (INT, TERM, HUP), which the command gets once it is blocked, or
"deadline": then --deadline is added after COMMAND's first word. Standard streams are the caller's; errors are reported
on standard error, with status 1. "blocked" returns once the process sleeps in a system call and stays there.
"slept" waits until the process has ended, and prints for how many ms it slept since "slept" began.
A separate program, because a loop in bash under bats costs more processor time than all the commands together.

Limits are for the time that a process sleeps: the time for computing, and for waiting for a processor, depends on the machine.
"""
import os
import select
import signal
import subprocess
import sys
import time

DEADLINE = 150
SLEEP_MAX = 1000
# Until then, a process that does not end may only be slow.
PATIENCE = 120
STOPPING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def fail(text):
    sys.exit('# ' + text)


def blocked(pid):
    """None once the process is blocked, else why it is not."""
    last, same = None, 0
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
                name, _, rest = file.read().rpartition(')')
        except OSError:
            return 'it has ended'
        rest = rest.split()
        # state, and the time that it has used
        now = rest[0], rest[11], rest[12]
        if now[0] == 'Z':
            return 'it has ended'
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


class Sleep:
    """For how long a process sleeps from now on: its life without its time on a processor and its waits for one."""

    def __init__(self, pid):
        self.pid = pid
        self.began = self.now()
        self.ms = 0
        self.sampled = self.waited('self')

    @staticmethod
    def times(pid):
        """Of its time on a processor, and waiting for one, in ns."""
        with open(f'/proc/{pid}/schedstat', encoding='ascii') as file:
            return [int(word) for word in file.read().split()[:2]]

    def waited(self, pid):
        return self.times(pid)[1]

    def now(self):
        return time.monotonic_ns() - sum(self.times(self.pid))

    def sample(self):
        """While it waits for a processor, this wait is not among its times yet. If it has ended, this program may have
        noticed that late, because it waited itself."""
        try:
            with open(f'/proc/{self.pid}/stat', encoding='utf-8', errors='replace') as file:
                state = file.read().rpartition(')')[2].split()[0]
            now, waited = self.now(), self.waited('self')
        except OSError:
            return
        if state == 'Z':
            self.ms = max(self.ms, (now - (waited - self.sampled) - self.began) // 1000000)
        elif state != 'R':
            self.ms = (now - self.began) // 1000000
        self.sampled = waited


def until_end(pid, sleep):
    """Returns True if the process has ended. It is not waited for, so that its times can still be read, unless its parent does."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    end = time.monotonic() + PATIENCE
    over = []
    while not over and time.monotonic() < end:
        over = poll.poll(20)
        sleep.sample()
    os.close(fd)
    return bool(over)


def at_deadline(command):
    """A process that has ended, its Sleep, and how long that may be. A deadline that passed before the process was blocked says
    nothing: another one gets twice the time."""
    ms = DEADLINE
    while True:
        process = subprocess.Popen([command[0], '--deadline', str(ms)] + command[1:], preexec_fn=default_signals)
        sleep = Sleep(process.pid)
        early = blocked(process.pid)
        sleep.sample()
        if not until_end(process.pid, sleep):
            process.kill()
        if not early or ms > 10000:
            return process, sleep, ms + SLEEP_MAX
        process.wait()
        ms *= 2


def at_signal(number, command, what):
    process = subprocess.Popen(command, preexec_fn=default_signals)
    why = blocked(process.pid)
    if why:
        process.kill()
        fail(f'{what}: {why}, status {process.wait()}')
    sleep = Sleep(process.pid)
    process.send_signal(number)
    if not until_end(process.pid, sleep):
        process.kill()
    return process, sleep, SLEEP_MAX


def one(how, command):
    what = f'{how}: {" ".join(command)}'
    if how == 'deadline':
        want = 3
        process, sleep, limit = at_deadline(command)
    else:
        number = signal.Signals['SIG' + how]
        want = 128 + number
        process, sleep, limit = at_signal(number, command, what)
    status = process.wait()
    status = status if status >= 0 else 128 - status
    if status != want:
        fail(f'{what}: status {status}, not {want}')
    if sleep.ms > limit:
        fail(f'{what}: slept for {sleep.ms} ms')


if len(sys.argv) < 3:
    sys.exit(__doc__)
if sys.argv[1] == 'blocked':
    reason = blocked(int(sys.argv[2]))
    if reason:
        fail(reason)
elif sys.argv[1] == 'slept':
    try:
        slept = Sleep(int(sys.argv[2]))
    except OSError:
        print(0)
        sys.exit()
    if not until_end(int(sys.argv[2]), slept):
        fail('it does not end')
    print(slept.ms)
else:
    for each in sys.argv[1].split(','):
        one(each, sys.argv[2:])
