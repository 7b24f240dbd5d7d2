# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Sends InfiniBand MADs from Python 3.9 or later, through one madsend that runs as a coprocess.

    with Madsend("-C", "mlx5_0") as fabric:
        for line in fabric.request("GetTable", "NodeRecord"):
            print(line["data"]["NodeDescription"])
        futures = [fabric.submit("Get", "NodeInfo", {"lid": lid}, deadline=500) for lid in range(1, 9)]
        print([future.result()[0]["kind"] for future in futures])

A result is a list of lines as madsend -j prints them, decoded: one line, or a line for each record of a table. If there
is no response, the result is one line of kind "timeout". A local failure, such as an unknown attribute, is one line of
kind "error". ["status"]["mad"] is the MAD status. madkit-batch(7) describes requests, madkit-json(7) the lines.
"""
import collections
import contextlib
import errno
import json
import re
import subprocess
import threading
from concurrent.futures import Future


class MadsendError(Exception):
    """madsend has ended or its device is gone. A request that has no result may have been sent."""


class Request(Future):
    """The result of a request."""

    def __init__(self, fabric):
        super().__init__()
        self.set_running_or_notify_cancel()
        self.line, self.lines, self._fabric = None, [], fabric

    def cancel(self):
        """Has madsend cancel the request. False if it has ended; True if madsend has been asked.

        The result is a line then, as of Madsend.cancel(), and cancelled() is False: the request may have been sent.
        """
        if self.done():
            return False
        with contextlib.suppress(MadsendError):  # then each request ends with that exception
            self._fabric.cancel(self)
        return True


_REFUSED = ("--assert", "--batch", "--describe", "--dry-run", "--fields", "--filter", "--format", "--help", "--pretty",
            "--version")
_LETTERS_WITH_VALUE = "CDGLPYimnstwyz"


def _check_options(options):
    for option in options:
        name = option.partition("=")[0].replace("_", "-")
        letters = re.sub(f"[{_LETTERS_WITH_VALUE}].*", "", option[1:], flags=re.S)
        if option[:2] == "--":  # it may be abbreviated
            refused = any(other.startswith(name) for other in _REFUSED)
        else:
            refused = option[:1] == "-" and set(letters) & set("Vfhp")
        if refused:
            raise ValueError(f"option {option}: Madsend needs the complete output of madsend -j")


class Madsend:
    """One madsend. Threads may share it. A separate thread reads the output at once, so madsend is never blocked."""

    def __init__(self, *options, limit=1000):
        """Starts madsend with OPTIONS (device, timeout, keys) and waits until the port is open.

        OPTIONS that change the output or the mode, such as --fields and --dry-run, raise a ValueError.

        If LIMIT requests are outstanding, submit() waits. madsend can park 1024 requests without a response, and reads
        1024 more ahead. Then it may not read the next lines, cancellations included, until some requests have ended.
        """
        _check_options(options)
        self._limit = limit
        self._room = threading.Semaphore(limit)
        self._lock = threading.Lock()  # of standard input, _line and _closed
        self._line = 0  # number of lines written
        self._closed = None  # why requests are not accepted any more
        self._requests = {}  # Futures by line number; without a lock, because a writer that is blocked holds it
        self._message = ""  # the last line on standard error
        self._summary = None
        self._ready = threading.Event()
        try:
            self._process = subprocess.Popen(
                ["madsend", "--batch", "-", "-j", "-q", "--banner", "--summary", *options],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # both have whole lines
        except OSError as error:
            raise MadsendError(f"cannot run madsend: {error.strerror}") from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ready.wait()
        if self._closed:
            raise MadsendError(self._closed)

    def submit(self, method, attribute, remote=None, data=None, *, timeout=None, retries=None, deadline=None, **header):
        """Sends a request. Returns a Future of its result.

        Times are in milliseconds. DEADLINE begins when madsend has room for the request.
        REMOTE, DATA and HEADER are members of a batch line: {"lid": 4}, {"PortSelect": 1}, modifier=1. If METHOD has no
        response, the result is the request. A callback of the Future must not call submit() or cancel().
        """
        future = Request(self)
        future.add_done_callback(lambda _: self._room.release())
        self._room.acquire()
        try:
            self._write({"header": {"method": method, "attribute": attribute, **header}, "remote": remote or {},
                         "data": data or {}, "timeout": timeout, "retries": retries, "deadline": deadline}, future)
        except BaseException:
            if future.line is None:  # it was not sent
                self._room.release()
            raise
        return future

    def request(self, *args, **kwargs):
        """Like submit(), but waits for the result and returns it."""
        return self.submit(*args, **kwargs).result()

    def map(self, requests):
        """Yields the result of each request, in order. REQUESTS are dictionaries of the arguments of submit().

        Many requests are outstanding at once. At most LIMIT results are held, however slowly the caller takes them.
        """
        futures = collections.deque()
        for request in requests:
            if len(futures) == self._limit:
                yield futures.popleft().result()
            futures.append(self.submit(**request))
        while futures:
            yield futures.popleft().result()

    def cancel(self, future):
        """Cancels a request. Unless it has ended before, its result is a line of kind "error" with status.send 125."""
        if not future.done():
            self._write({"cancel": future.line})

    def close(self):
        """Waits until all requests have ended and ends madsend. Returns the counts of its summary, None if killed."""
        with self._lock, contextlib.suppress(OSError):
            self._closed = self._closed or "closed"
            self._process.stdin.close()
        self._reader.join()
        return self._summary

    def __enter__(self):
        return self

    def __exit__(self, exception, *_):
        if exception:
            self._process.terminate()
        self.close()

    def _write(self, line, future=None):
        with self._lock:
            if self._closed:
                raise MadsendError(self._closed)
            number = self._line + 1
            text = json.dumps({"tag": number, **line} if future else line, allow_nan=False)
            self._line = number
            if future:
                future.line = number
                self._requests[number] = future
            with contextlib.suppress(BrokenPipeError):  # _read() reports why
                self._process.stdin.write(text.encode() + b"\n")
                self._process.stdin.flush()

    def _read(self):
        try:
            for text in self._process.stdout:
                if text.startswith(b"{") and text.endswith(b"}\n"):
                    self._take(json.loads(text))
                elif text.startswith(b"madsend: ready on "):
                    self._ready.set()
                elif not text.startswith(b"{"):  # a line that was cut: madsend was killed
                    self._message = ": " + text.decode(errors="replace").strip()
        except BaseException:
            self._process.kill()
            raise
        finally:
            self._process.stdout.close()
            status = self._process.wait()
            end = f"ended with status {status}" if status >= 0 else f"was killed by signal {-status}"
            if status == 3 and not self._message:  # -q suppresses the message
                self._message = ": the deadline has passed"
            reason = f"madsend {end}{self._message}"
            with self._lock, contextlib.suppress(OSError):
                self._closed = self._closed or reason
                self._process.stdin.close()
            for future in self._requests.values():
                future.set_exception(MadsendError(reason))
            self._requests.clear()
            self._ready.set()

    def _take(self, line):
        number = line["tag"] or (line["data"] or {}).get("line")  # a line that cannot be parsed may have no tag
        if line["kind"] == "summary":
            self._summary = line["data"]
        elif number in self._requests:  # not in it: the request had ended before it was cancelled
            future = self._requests[number]
            future.lines.append(line)
            if line["record"] + 1 < line["records"]:
                return
            del self._requests[number]
            if line["kind"] == "error" and line["status"]["send"] in (errno.EIO, errno.ENODEV):
                future.set_exception(MadsendError(f"the device failed: {line['status']['text']}"))
            else:
                future.set_result(future.lines)
