#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""exporter.py LID:PORT... [MADSEND-OPTION...]

Prints the PortCounters of ports in the text format of Prometheus. infiniband_up is 0 for a port that does not respond.
PortCounters stop at their maximum: use PortCountersExtended instead if the ports have it.
"""
import re
import sys

from madsend import Madsend


def read_ports(ports, options):
    """Returns a dictionary: for each metric, a list of labels and values."""
    requests = [{"method": "Get", "attribute": "PortCounters", "remote": {"lid": int(lid)},
                 "data": {"PortSelect": int(port)}, "deadline": 5000} for lid, port in ports]
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


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if re.fullmatch("[0-9]+:[0-9]+", word)]
    found = read_ports([word.split(":") for word in words], [word for word in sys.argv[1:] if word not in words])
    for metric, samples in found.items():
        print(f"# TYPE {metric} {'counter' if metric.endswith('_total') else 'gauge'}")
        for sample in samples:
            print(metric + sample[0], sample[1])
