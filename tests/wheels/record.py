#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record.py STRINGS <ANSWERS: answers of ask-torch, each with its string, as
tests/data keeps them: settings only where they changed since the line before.
What crashed torch is left out."""
import json
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    texts = file.read().split("\0")[:-1]


def signed(value):
    """As 64 bits with a sign, which is what readers of JSON take."""
    big = isinstance(value, int) and value >= 1 << 63
    return value - (1 << 64) if big else value


last = None
for text, line in zip(texts, sys.stdin, strict=True):
    answer = json.loads(line)
    if "status" in answer:
        continue
    settings = answer.pop("settings", None)
    if settings:
        settings = {key: signed(value) for key, value in settings.items()}
    if settings == last:
        settings = None
    elif settings is not None:
        last = settings
    # How Python shows exceptions of the C++ library was not seen.
    if answer.get("type") in ("invalid_argument", "out_of_range"):
        del answer["type"]
    out = {"conf": text} | answer
    if settings is not None:
        out["settings"] = settings
    print(json.dumps(out, ensure_ascii=False, separators=(",", ":")))
