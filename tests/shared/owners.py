# SPDX-License-Identifier: Apache-2.0
"""owners.py DUMP_OWNERS STEP DIR...: compare the survey of the recordings in each DIR, the owners of the first puzzle, and
those that are tried after it, with the model."""
import collections
import glob
import subprocess
import sys

import heap_owners
from heap_model import Recording

SAMPLE = 5                              # events whose spans are compared
SPANS_MAX = 150                         # the model is slow: where there are more, the first owners are enough
OF_INTEREST = "segment_free", "segment_unmap", "oom"


def survey_of_model(recording):
    """What the tool prints, as sets of lines; None if the events do not fit together."""
    try:
        survey = heap_owners.Survey(recording)
    except heap_owners.Lost:
        return None, None
    lines = {f"span {span}" for span in survey.spans}
    lines |= {f"known {span} {a} {b}" for span, (a, b) in survey.known.items()}
    lines |= {"rule " + text for text in map(rule, survey.rules) if text}
    lines |= {f"likely {at} {text}" for at, group in survey.likely.items() for text in map(rule, group) if text}
    return survey, lines


def rule(entry):
    """A rule about one span that says nothing is left out."""
    a, b, what = entry
    return "" if a == b and what != heap_owners.NOT_DEFAULT else f"{a} {b} {what.replace(' ', '_')}"


def involved(survey, event):
    at = min((i for i in survey.involved if i >= event), default=None)
    span, given, left = (None, [], []) if at is None else survey.involved[at]
    words = ["involved", event, "-" if span is None else span, ":", *dict.fromkeys(given), ":", *left]
    return " ".join(map(str, words))


def label(span, owner):
    """An owner that is gone by the end is named as the library does."""
    return span, owner[0] % (1 << 64), owner[1]


def tried_owners(survey):
    """Lines for the owners of the first puzzle, and for all that are tried; see print_run() of the tool."""
    lines, runs = set(), 0

    def run(found):
        nonlocal runs
        labels, mixed = [label(*pair) for pair in sorted(found.items())], 0
        if not runs:
            lines.update("owner %d %d %d" % line for line in labels)
        for value in (value for line in labels for value in line):
            mixed = (mixed ^ value) * 0x100000001b3 % (1 << 64)
        lines.add(f"run {runs} {mixed:016x}")
        runs += 1
        reached = (mixed >> 32) % len(survey.events)
        return next((i for i in range(reached, len(survey.events)) if survey.events[i]["action"] in OF_INTEREST),
                    len(survey.events) - 1)

    survey.involved = {at: (span, list(dict.fromkeys(given)), left)
                       for at, (span, given, left) in survey.involved.items()}
    if len(survey.spans) <= SPANS_MAX:
        heap_owners.owners(survey, run)
        return lines
    puzzle = next(heap_owners.puzzles(survey), None)
    if puzzle:
        run(puzzle.solve({}))
    return {line for line in lines if line.startswith("owner ")}


def compare(tool, path, total):
    recording = Recording(path)
    survey, expected = survey_of_model(recording)
    count = len(recording.events)
    events = [str(count * k // SAMPLE) for k in range(SAMPLE)] if survey else []
    lines = subprocess.run([tool, path, *events], check=True, capture_output=True, text=True).stdout.splitlines()
    if not survey:
        total["lost"] += 1
        return [] if lines == ["lost"] else ["not lost"]
    if len(survey.spans) > SPANS_MAX:
        lines = [line for line in lines if not line.startswith("run ")]
    expected |= {involved(survey, int(event)) for event in events} | tried_owners(survey)
    total["recordings"] += 1
    for line in expected:
        total[line.split()[0]] += 1
    return [f"{sign} {line}" for sign, some in (("missing", expected - set(lines)), ("extra", set(lines) - expected))
            for line in sorted(some)]


def main():
    tool, step, *dirs = sys.argv[1:]
    total, failed = collections.Counter(), 0
    paths = sorted(path for folder in dirs for path in glob.glob(f"{folder}/*.pickle*"))
    for path in paths[::int(step)]:
        wrong = compare(tool, path, total)
        failed += bool(wrong)
        for text in wrong[:5]:
            print(f"{path}: {text}")
    print(", ".join(f"{count} {what}" for what, count in sorted(total.items())))
    sys.exit(failed > 0)


main()
