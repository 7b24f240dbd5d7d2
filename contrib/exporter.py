#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""exporter.py LID:PORT... [MADSEND-OPTION...]

Prints the PortCounters of ports in the text format of Prometheus. infiniband_up is 0 for a port that does not respond.
PortCounters stop at their maximum: use PortCountersExtended instead if the ports have it.
"""
import os
import re
import sys

from madsend import Madsend, MadsendError


def read_ports(ports, options):
    """Returns a dictionary: for each metric, a list of labels and values."""
    requests = [{"method": "Get", "attribute": "PortCounters", "remote": {"lid": lid},
                 "data": {"PortSelect": port}, "deadline": 5000} for lid, port in ports]
    metrics = {"infiniband_up": []}
    with Madsend(*options) as fabric:
        for (lid, port), (line,) in zip(ports, fabric.map(requests)):
            labels = f'{{lid="{lid}",port="{port}"}}'
            up = line["kind"] == "response" and not line["status"]["mad"]
            metrics["infiniband_up"].append((labels, int(up)))
            for name, value in line["data"].items() if up else ():
                if "Select" not in name and f"{name}_bytes" not in line["data"]:
                    name = "_".join(re.findall("[A-Z]+[a-z]*[0-9]*|bytes", name)).lower()
                    metrics.setdefault(f"infiniband_{name}_total", []).append((labels, value))
    return metrics


def is_port(word):
    lid, _, port = word.partition(":")
    return re.fullmatch("[0-9]+:[0-9]+", word) and 0 < int(lid) <= 0xffff and int(port) <= 0xff


if __name__ == "__main__":
    words = sys.argv[1:]
    n = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))  # options follow the ports
    if set(words) & {"-h", "--help"}:
        print("usage:", __doc__.strip())
        sys.exit()
    if not n or not all(map(is_port, words[:n])):
        wrong = [word for word in words[:n] if not is_port(word)]
        print(f"exporter.py: {repr(wrong[0]) + ' is not LID:PORT' if wrong else 'LID:PORT is missing'}\n"
              f"usage: {__doc__.splitlines()[0]}", file=sys.stderr)
        sys.exit(2)
    try:
        # a port that is given twice has one sample
        found = read_ports(list(dict.fromkeys(tuple(map(int, word.split(":"))) for word in words[:n])), words[n:])
    except ValueError as error:
        print(f"exporter.py: {error}", file=sys.stderr)
        sys.exit(2)
    except MadsendError as error:
        sys.exit(f"exporter.py: {error}")
    try:
        for metric, samples in found.items():
            print(f"# TYPE {metric} {'counter' if metric.endswith('_total') else 'gauge'}")
            for sample in samples:
                print(metric + sample[0], sample[1])
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes again when it exits
        sys.exit(f"exporter.py: cannot write: {error.strerror}")
