#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Prints the signs of prose that has to be read twice, in the texts for users: README, the manual pages, --help, messages.

usage: language.py SOURCE BUILD

Each line of the output is FILE: the words around the sign."""
import glob
import re
import sys

SIGNS = re.compile(
    r"\b(told|tells?|stands?(?! for)|whose|whoever|nobody|what is|what it|what was|what are|of its own|is none|for ever|is to be|"
    r"are to be|makes? up|made up|holds? to|goes by|but for|takes? apart|an answer|the answers?|(?<!there )(?<!, )is no(?! longer))\b",
    re.IGNORECASE,
)

def pages(build):
    for name in sorted(glob.glob(build + "/man/*.[137]")):
        text = open(name, encoding="utf-8").read()
        text = re.sub(r"^\.EX\n.*?^\.EE\n", "", text, flags=re.M | re.S)
        text = re.sub(r"\\f[BIRP]|\\&", "", text)
        text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
        text = re.sub(r"^\.(BR|RB|IR|RI|BI|IB|B|I) ", "", text, flags=re.M)
        yield name, text


def literals(source):
    """String literals of several words, adjacent ones joined."""
    for name in sorted(glob.glob(source + "/src/**/*.c", recursive=True) + glob.glob(source + "/lib/**/*.c", recursive=True) +
                       glob.glob(source + "/sim/**/*.c", recursive=True)):
        text = open(name, encoding="utf-8").read()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', text):
            joined = re.sub(r'"\s*(?:PRI\w+)?\s*"', "", match.group())[1:-1].replace("\\n", " ")
            if joined.count(" ") > 1:
                yield name, joined


def texts(source, build):
    for name in "README", "quickstart":
        text = open(f"{source}/{name}", encoding="utf-8").read()
        yield f"{source}/{name}", re.sub(r"^    .*$", "", text, flags=re.M)
    yield from pages(build)
    yield from literals(source)


source, build = sys.argv[1:]
found = 0
for name, text in texts(source, build):
    text = re.sub(r"\s+", " ", text)
    for match in SIGNS.finditer(text):
        around = text[max(0, match.start() - 50):match.end() + 50]
        found += 1
        print(f"{name.removeprefix(source + '/')}: {around}")
sys.exit(found > 0)
