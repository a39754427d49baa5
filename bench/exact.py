#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often the toolkit's answer is what torch did: the comparisons of make check-shared and make check, counted.

Each source is a program of the tests that prints its counts; one that prints none, or tells of a wrong answer, fails
here as it fails there.
"""
import json
import os
import re
import subprocess
import sys

import measure

ROOT = measure.ROOT
STRINGS = "tests/data/conf-init-torch-2.11.jsonl"
TRIAGE = re.compile(r"^(both|message|snapshot): (\d+) (right|coarse|open|wrong)$")
REMEDY = re.compile(r"^(whole run|past|peak)\b.*: (\d+) right, (\d+) open, 0 wrong$")
COUNTED = re.compile(r"^(\d+) recordings, (\d+) problems$")
RECORDINGS = {"replay": "recordings replayed, event by event",
              "setters": "recordings in which the setting changes, replayed when told when"}
REMEDIES = {"whole run": "does the whole run fit under another setting and limit",
            "past": "does the request that failed succeed under another setting",
            "peak": "peak of the whole run under another setting, to the byte"}


def lines(command):
    environment = {**os.environ, "O": measure.OUTPUT, "SHARED": measure.SHARED,
                   "PATH": os.path.join(measure.OUTPUT, "bin") + ":" + os.environ["PATH"]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return done.stdout.splitlines()


def counts(pattern, command):
    found = [match for match in map(pattern.match, lines(command)) if match]
    return found or sys.exit(f"{' '.join(command)}: counts nothing")


def strings():
    """Of torch's own parser the verdict, the error's text and the values: (cases, as torch)."""
    with open(os.path.join(ROOT, STRINGS), encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    done = subprocess.run([measure.program("allocctl"), "check", "--json-lines", "--set-at", "init"], text=True, check=False,
                          input="".join(json.dumps(one["conf"]) + "\n" for one in asked), stdout=subprocess.PIPE)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return len(asked), sum(as_torch(one, answer) for one, answer in zip(asked, told, strict=True))


def as_torch(one, answer):
    values = answer["settings"] or {}
    return (answer["accepted"] == one["accepted"] and answer["error"] == one.get("error") and
            all(values[name] == value for name, value in one.get("settings", {}).items()))


def run(results):
    rows, add = [], lambda what, right, less, open_: rows.append([what, right + less + open_, right, less, open_])
    cases, right = strings()
    if cases != right:
        sys.exit(f"{cases - right} strings are not as torch has them")
    add("settings of torch 2.11: verdict, error, values", right, 0, 0)
    results.figure(**{"exact.strings": right})
    triage = {}
    for found in counts(TRIAGE, [sys.executable, "tests/tools/ooms.py", measure.program("allocctl"), "tests/data/ooms"]):
        triage.setdefault(found[1], {})[found[3]] = int(found[2])
    for source, told in triage.items():
        values = [told.get(word, 0) for word in ("right", "coarse", "open")]
        add(f"causes of OOMs that were arranged, from {source}", *values)
        results.figure(**{f"exact.{source}.{word}": n for word, n in zip(("right", "less", "open"), values)},
                       **{f"exact.{source}.all": sum(values)})
    if results.quick or not measure.SHARED:
        results.skip("recordings", "a quick run" if results.quick else "no SHARED")
    else:
        recordings(results, add)
    results.table("exact", ["compared with torch", "cases", "as torch", "less precise", "open"], rows)


def recordings(results, add):
    for name, what in RECORDINGS.items():
        cases, wrong = (int(n) for n in counts(COUNTED, ["sh", f"tests/shared/{name}.sh"])[-1].groups())
        add(what, cases - wrong, 0, 0)
        results.figure(**{f"exact.{name}": cases})
    seen = {}
    for found in counts(REMEDY, ["sh", "tests/shared/remedy.sh"]):
        count = seen.setdefault(found[1], [0, 0])
        count[0] += int(found[2])
        count[1] += int(found[3])
    for name, (right, undecided) in seen.items():
        add(REMEDIES[name], right, 0, undecided)
        results.figure(**{f"exact.{name.split()[0]}": right, f"exact.{name.split()[0]}.all": right + undecided})


measure.main("exact", run, __doc__)
