#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Validates the lines of standard input against the JSON Schema that is installed, prints the errors in them, and
then the number of lines. Keys that the schema does not have are errors here, so that a new key is added to it."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)


def close(part):
    """Allows no other keys in each object that lists its keys; headers of classes have more."""
    if "properties" in part:
        part["additionalProperties"] = False
        for key, value in part["properties"].items():
            if key != "header":
                close(value)


close(schema)
for value in schema["$defs"].values():
    close(value)
validator = jsonschema.Draft202012Validator(schema)

lines = errors = 0
for line in sys.stdin:
    lines += 1
    for error in validator.iter_errors(json.loads(line)):
        errors += 1
        print(f"line {lines}: {'.'.join(map(str, error.path))}: {error.message[:200]}")
print(lines)
sys.exit(errors > 0)
