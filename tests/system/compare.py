#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py read BLOCK VARIABLE: of what read-script prints, the last that is
set must be what a program's block has; what it cannot tell it must say.
compare.py live BLOCK: what allocctl env said of the same program.
compare.py origin BLOCK VARIABLE FILE:LINE: where it said that it comes from."""
import json
import os
import sys


def variables(path):
    with open(path, "rb") as file:
        pairs = file.read().split(b"\0")
    found = {}
    for pair in pairs:
        name, equals, value = pair.decode("utf-8", "surrogateescape").partition("=")
        if equals:
            found.setdefault(name, value)
    return found


# Kinds that say: another place, which the text does not have, decides.
ELSEWHERE = {"may_be_overridden", "depends_on_policy", "stale_server"}


def read(path, variable):
    # A program that did not start saw nothing.
    truth = variables(path).get(variable) if os.path.exists(path) else None
    lines = [json.loads(line) for line in sys.stdin]
    said = {d["kind"] for line in lines for d in line["diagnostics"]}
    places = [line for line in lines if line.get("variable") == variable]
    # What is set in a place that ends is not what the program saw.
    arrived = [p for p in places if p["fate"] != "lost"]
    last = arrived[-1] if arrived else None
    value = last["value"] if last and last["fate"] == "arrives" else None
    if last and last["fate"] == "unknown" or value != truth and said & ELSEWHERE:
        print(f"not told: {truth!r}: {sorted(said)}")
        return bool(said)
    if value == truth:
        print(f"right: {truth!r}")
        return True
    print(f"wrong: {value!r} where the program has {truth!r}")
    return False


def live(path):
    if not os.path.exists(path):
        return True
    with open(path + ".json", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    if not text:
        with open(path + ".err", encoding="utf-8") as file:
            print(file.read())
        return False
    said = json.loads(text)
    assert said["schema"] == "allocctl.env/1", said["schema"]
    shown = {v["name"]: v["initial"] for v in said["variables"]}
    block = variables(path)
    for name in ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"):
        if shown.get(name) != block.get(name):
            print(f"allocctl env: {name} {shown.get(name)!r}, not {block.get(name)!r}")
            return False
    return True


def origin(path, variable, wanted):
    with open(path + ".json", encoding="utf-8", errors="surrogateescape") as file:
        origins = json.load(file)["origins"]
    sources = [f"{o['file']}:{o['line']}" for o in origins
               if o["variable"] == variable and o["source"]]
    if sources == [wanted]:
        return True
    print(f"allocctl env: from {sources}, not {wanted}: {origins}")
    return False


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    command = {"read": read, "live": live, "origin": origin}[what]
    sys.exit(not command(*arguments))
