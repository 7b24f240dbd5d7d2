#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Damages dumps of MADs at random and reads them with madrecv -r.

    dump_damage.py MADRECV [RUNS [SEED]]

The dumps are made by the programs themselves. Whatever is damaged, each MAD that is shown is one of those that were
dumped, and the exit status is 5 unless all of them are shown. Not tried, because nothing shows it: another digit among
the bytes, exchanged lines without offsets, lines next to "*" that are missing, and another offset after "*".
"""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = [
    "xxd F", "xxd -g 1 F", "xxd -g 4 F", "xxd -c 8 F", "xxd -c 32 F", "xxd -a F", "xxd -d F",
    "xxd -p F", "xxd -p -c 16 F",
    "hexdump F", "hexdump -v F", "hexdump -x F", "hexdump -C F", "hexdump -C -v F",
    "od -t x1 F", "od -A x -t x1 F", "od -A d -v -t x1 F", "od -A n -v -t x1 F", "od -t x1z F", "od -A x -t x1z F",
    "od -x F", "od -A x -x F", "od -A d -v -x F",
    "MADRECV -r F -f hex",
    # tcpdump -x and -X, tshark -x, and libibmad
    "xxd F | sed 's/^0000/\\t0x/; s/: /:  /; s/  [^ ]*$//; s/   .*//' | cut -c 1-49",
    "xxd F | sed 's/^0000/\\t0x/; s/: /:  /'",
    "xxd -g 1 F | sed 's/^0000//; s/: /  /; s/  \\([^ ]*\\)$/   \\1/'",
    "xxd F | cut -c 11-49",
]
PREFIXES = [
    "", "", "", "[    9.%06d] ", "<6>[  123.%06d] mlx5_core 0000:03:00.0: ", "[Fri Nov 20 22:10:11 2026] ",
    "Nov 20 22:10:11 node1 kernel: ", "2026-11-20T22:10:11+0100 node1 kernel: ",
    "2026-11-20T22:10:11.%06d+01:00 node1 smpquery[4711]: ", "Nov 20 22:10:11 %06d [7F3A2B40] 0x01 -> ",
]
OFFSET = re.compile(r"(?:\s*0x)?[0-9a-f]{4,}(?=:|  ?|$)")


def make_mad(rnd):
    mad = bytearray(256)
    mad[:4] = rnd.choice([b"\1\1\1\1", b"\1\x81\1\x81", b"\1\4\1\1", b"\1\7\2\x81"])
    mad[8:16] = rnd.randbytes(8)
    mad[17] = 0x11 if mad[1] & 0x7f == 1 else 0x12
    style = rnd.randrange(3)
    for i in range(24, 256):
        mad[i] = rnd.randrange(256) if style == 0 or (style == 1 and rnd.randrange(40) == 0) else 0
    return bytes(mad)


def split(line, offsets):
    """Where the bytes of the line begin and end."""
    begin = OFFSET.match(line).end() if offsets and OFFSET.match(line) else 0
    end = re.compile(r"[: ]*[0-9a-f]+(?: {1,4}[0-9a-f]+)*").match(line, begin)
    return begin, end.end() if end else begin


def damage(rnd, lines, offsets):
    """Damages one line of the list. Returns a description of the damage, or None."""
    at = rnd.randrange(len(lines))
    star = "*" in lines[max(0, at - 1):at + 2]
    begin, end = split(lines[at], offsets)
    what = rnd.choice(["missing", "twice", "exchanged", "digit", "group", "cut", "offset", "inserted"])
    if what == "missing" and not star:
        del lines[at]
    elif what == "twice":
        lines.insert(at, lines[at])
    elif what == "exchanged" and offsets and at + 1 < len(lines) and lines[at] != lines[at + 1]:
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    elif what == "digit" and end > begin + 4:
        i = rnd.randrange(begin + 1, end)
        lines[at] = lines[at][:i] + lines[at][i + 1:]
    elif what == "group" and end > begin + 4:
        groups = list(re.finditer(r"\s*[0-9a-f]{2,4}", lines[at][begin:end]))
        group = rnd.choice(groups)
        lines[at] = lines[at][:begin + group.start()] + lines[at][begin + group.end():]
    elif what == "cut" and end > begin + 4:
        lines[at] = lines[at][:rnd.randrange(begin, end - 1)]
    elif what == "offset" and offsets and not star and OFFSET.match(lines[at]):
        digits = [i for i in range(OFFSET.match(lines[at]).end()) if lines[at][i] in "0123456789abcdef"]
        i = rnd.choice(digits)
        lines[at] = lines[at][:i] + rnd.choice("01234567") + lines[at][i + 1:]
    elif what == "inserted":
        lines.insert(at, rnd.choice(["a message", "", "# x", "01 02 03", "dead beef", "0000: 01"]))
    else:
        return None
    return f"{what}, line {at + 1}"


def one(madrecv, folder, number):
    rnd = random.Random(number)
    mads = [make_mad(rnd) for _ in range(rnd.randrange(1, 3))]
    tool, prefix = rnd.choice(TOOLS), rnd.choice(PREFIXES)
    path = os.path.join(folder, str(number))
    with open(path, "wb") as file:
        file.write(b"".join(mads))
    command = tool.replace("F", path).replace("MADRECV", madrecv)
    lines = subprocess.run(command, shell=True, check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
    offsets = "-p" not in tool and "-A n" not in tool and "11-49" not in tool
    what = damage(rnd, lines, offsets) if rnd.randrange(8) else "nothing"
    if not what:
        return None
    with open(path, "w", encoding="ascii") as file:
        if rnd.randrange(3) == 0:
            file.write("a message\n")
        for i, line in enumerate(lines):
            file.write((prefix % i if "%" in prefix else prefix) + line + "\n")
    run = subprocess.run([madrecv, "-r", path, "-f", "raw"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         check=False)
    shown = [run.stdout[i:i + 256] for i in range(0, len(run.stdout), 256)]
    wrong = [mad for mad in shown if mad not in mads]
    good = run.returncode == 0 and shown == mads if what == "nothing" else \
        run.returncode == 5 or (run.returncode == 0 and shown == mads)
    if good and not wrong:
        os.unlink(path)
        return what.split(",")[0]
    return (f"dump {number} ({tool}, prefix '{prefix}'): {what}: status {run.returncode}, {len(mads)} MADs,"
            f" {len(shown)} shown, {len(wrong)} of them wrong\n{run.stderr.decode()}{open(path).read()}")


def main():
    madrecv = shutil.which(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 250
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    count = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda n: one(madrecv, folder, n), range(seed, seed + runs)):
            if result and " " in result:
                sys.exit(result)
            count[result] = count.get(result, 0) + 1
    print(", ".join(f"{what}: {n}" for what, n in sorted(count.items(), key=str) if what))


if __name__ == "__main__":
    main()
