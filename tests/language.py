#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Prints the signs of prose that has to be read twice, in the texts for users (README, the manual pages, --help, messages)
and for developers (comments, HACKING, ChangeLog, commit subjects).

usage: language.py SOURCE BUILD

Each line of the output is FILE: the words around the sign."""
import glob
import os
import re
import subprocess
import sys

SIGNS = re.compile(
    r"\b(told|tells?|stands?(?! for)|whose|whoever|nobody|what is|what it|what was|what are|of its own|is none|for ever|is to be|"
    r"are to be|makes? up|made up|holds? to|goes by|but for|takes? apart|an answer|the answers?|(?<!there )(?<!, )is no(?! longer))\b",
    re.IGNORECASE,
)

# Comments avoid the same words, except "answer", a noun of the code, and "whose"; and openings without a subject.
COMMENT_SIGNS = re.compile(
    r"\b(?:told|tells?|stands?(?! for)|whoever|nobody|what is|what it|what was|what are|of its own|(?<![Tt]here )is none|for ever|"
    r"made up|goes by|but for|takes? apart|(?<![Tt]here )(?<!, )is no(?! longer))\b|^(?:What|Whether|Whose|Who|Whom)\b",
)
# Words around a sign in texts that are right.
EXCEPTIONS = (
    "tell of an index where",  # subjects of commits that are part of the history
    "say in ChangeLog and madsweep(1) what is new",
)
FOLDERS = "lib", "src", "sim", "tests", "fuzz", "bench", "man", "contrib"
FIRST_COMMIT = "before-house"  # subjects before this tag are not checked
C_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|//[^\n]*', re.S)


def c_comments(text):
    for match in C_TOKENS.finditer(text):
        if match.group()[0] == "/":
            yield re.sub(r"^\s*\*(?!/)", " ", match.group()[2:].removesuffix("*/"), flags=re.M).strip(" *-\n\t")


def hash_comments(text):
    """Comments of shell, Python, awk and make: lines that begin with #, consecutive ones joined."""
    for match in re.finditer(r"(?:^[ \t]*(?:#|dnl\b)(?!!).*\n)+", text, flags=re.M):
        yield re.sub(r"^[ \t]*(?:#+|dnl)", " ", match.group(), flags=re.M).strip(" -\n\t")


def python_comments(text):
    yield from hash_comments(text)
    for match in re.finditer(r'"""(.*?)"""', text, flags=re.S):
        yield match.group(1)


def comments(source):
    for folder in *FOLDERS, "":
        for name in sorted(glob.glob(f"{source}/{folder}/**/*" if folder else f"{source}/*", recursive=True)):
            base = os.path.basename(name)
            if base.endswith((".c", ".h")):
                find = c_comments
            elif base.endswith(".py"):
                find = python_comments
            elif base.endswith((".sh", ".bash", ".bats", ".awk", ".am")) or base in ("configure.ac", "runtests"):
                find = hash_comments
            else:
                continue
            if not folder and base in ("config.h", "aclocal.m4") or base in ("constants.h", "language.py"):
                continue  # generated; the list of signs itself
            with open(name, encoding="utf-8") as file:
                for text in find(re.sub(r"^.*SPDX-License-Identifier: .*\n", "", file.read(), flags=re.M)):
                    yield name, text


def subjects(source):
    """Subjects of the commits since FIRST_COMMIT, in a checkout."""
    if os.path.exists(source + "/.git"):
        log = subprocess.run(["git", "-C", source, "log", "--format=%s", FIRST_COMMIT + "..HEAD"],
                             capture_output=True, text=True, check=False)
        for subject in log.stdout.splitlines():
            yield source + "/commit", subject.split(": ", 1)[-1]


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
        yield SIGNS, f"{source}/{name}", re.sub(r"^    .*$", "", text, flags=re.M)
    for name, text in list(pages(build)) + list(literals(source)):
        yield SIGNS, name, text
    for name in "HACKING", "ChangeLog":
        if os.path.exists(f"{source}/{name}"):
            yield COMMENT_SIGNS, f"{source}/{name}", open(f"{source}/{name}", encoding="utf-8").read()
    for name, text in list(comments(source)) + list(subjects(source)):
        yield COMMENT_SIGNS, name, text


source, build = sys.argv[1:]
found = 0
for signs, name, text in texts(source, build):
    text = re.sub(r"\s+", " ", text)
    for match in signs.finditer(text):
        around = text[max(0, match.start() - 50):match.end() + 50]
        if not any(words in around for words in EXCEPTIONS):
            found += 1
            print(f"{name.removeprefix(source + '/')}: {around}")
sys.exit(found > 0)
