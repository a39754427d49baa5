#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory against the number of events, from 10^3 to 10^7 of them; GROWTH=8: to 10^8 (20 GB of disk).

Recordings are those of long-recording.py: varlen_gpt again and again. A step that would take longer than
BENCH_SECONDS (120) by the one before it is left out, and the table says so.
"""
import math
import os
import subprocess
import sys
import tempfile

import measure

SOURCE = "varlen_gpt.default", "big_random.default"
MOST = int(os.environ.get("GROWTH", "7"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "120"))
WHOLE = 80000   # events, below them it is the beginning of a turn, another program
LINEAR = 1.1    # exponents up to it are called linear


class Subject:
    """What is measured; its points (events, seconds, bytes), until it is left out. prepare makes its file of a recording."""

    def __init__(self, name, command, repeats=True, prepare=None):
        self.name, self.command, self.repeats, self.prepare = name, command, repeats, prepare
        self.points, self.left_out = [], ""

    def measure(self, path, events):
        if self.left_out:
            return
        expected = self.points[-1][1] * events / self.points[-1][0] if self.points else 0
        if expected > SECONDS:
            self.left_out = f"from {events:.0e} events on: {expected:.0f} s expected, BENCH_SECONDS is {SECONDS:.0f}"
            return
        if self.prepare:
            self.prepare(path)
        runs = [measure.Run(self.command(path), status=(0, 1, 3)) for _ in range(3 if expected < 5 and self.repeats else 1)]
        runs.sort(key=lambda run: run.seconds)
        self.points.append((events, runs[len(runs) // 2].seconds, max(run.peak for run in runs)))

    def exponent(self):
        """Of the seconds, over recordings that are whole turns, by least squares; None: fewer than two."""
        points = [(math.log(n), math.log(s)) for n, s, _ in self.points if n >= WHOLE]
        if len(points) < 2:
            return None
        middle = [sum(p[i] for p in points) / len(points) for i in (0, 1)]
        return sum((x - middle[0]) * (y - middle[1]) for x, y in points) / sum((x - middle[0]) ** 2 for x, _ in points)

    def bytes_an_event(self):
        """Between the two longest recordings; None: fewer than two."""
        if len(self.points) < 2:
            return None
        (n, _, a), (m, _, b) = self.points[-2:]
        return (b - a) / (m - n)

    def row(self):
        power, memory = self.exponent(), self.bytes_an_event()
        verdict = "too short to tell" if power is None else "linear" if power <= LINEAR else "worse than linear"
        times = [f"{s:.2f} s, {b / measure.MIB:,.0f} MiB" for _, s, b in self.points]
        return [self.name, *times, *["-"] * (MOST - 2 - len(times)), "-" if power is None else f"{power:.2f}", verdict,
                "-" if memory is None else f"{memory:.0f}"]


def allocctl(*arguments):
    return lambda path: [measure.program("allocctl"), arguments[0], path, *arguments[1:]]


def probe_file(path):
    return path[:-len("pickle")] + "cpr"


def subjects(results, folder):
    found = [Subject("reader (bench-reader)", lambda path: [measure.program("bench-reader"), path, "1"]),
             Subject("replay (`allocctl replay`)", allocctl("replay")),
             Subject("replay --verify", allocctl("replay", "--verify")),
             Subject("convert to CSV", allocctl("convert", os.path.join(folder, "out.csv"), "--force")),
             Subject("tune --jobs 2", allocctl("tune", "--limit", "none", "--jobs", "2"), repeats=False),
             Subject("probe's file (`allocctl replay X.cpr`)", lambda path: [measure.program("allocctl"), "replay", probe_file(path)],
                     prepare=lambda path: measure.Run([measure.program("probe-of"), path, probe_file(path)]))]
    if subprocess.run([measure.program("allocctl"), "report", "--help"], capture_output=True, check=False).returncode:
        results.skip("report", "this allocctl has no such command")
    else:
        found.append(Subject("report", allocctl("report", "--no-tune", "-o", os.path.join(folder, "report.html"), "--force")))
    return found


def recording(source, events, folder):
    """A recording of about so many events: how many, and its path."""
    path = os.path.join(folder, f"{events}.pickle")
    out = subprocess.run([sys.executable, os.path.join(measure.HERE, "long-recording.py"), source, str(events), path],
                         check=True, capture_output=True, text=True).stdout
    return int(out), path


def run(results):
    most = 4 if results.quick else MOST
    source = next(filter(None, map(measure.trace, SOURCE)))
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        measured = subjects(results, folder)
        for power in range(3, most + 1):
            events, path = recording(source, 10 ** power, folder)
            for subject in measured:
                subject.measure(path, events)
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
    results.table("growth", ["seconds of processors and peak memory", *(f"10^{power}" for power in range(3, MOST + 1)),
                             "exponent of time", "growth", "bytes an event"],
                  [subject.row() for subject in measured])
    for subject in measured:
        if subject.left_out:
            results.skip(subject.name, subject.left_out)
    reader, power = measured[0].bytes_an_event(), measured[0].exponent()
    results.figure(**{"growth.reader_bytes": reader, **({"growth.reader_power": power} if power else {})})
    results.note("Bytes an event: between the two longest recordings. Memory counts the program itself and, for those that map "
                 "the recording's file, no page of it twice.")


measure.main("growth", run, __doc__)
