# SPDX-License-Identifier: Apache-2.0
"""What the scripts that measure share: programs run, medians, the machine, and results as files.

A script calls main(SUBJECT, function, SECONDS): the function fills a Results, which is written to SUBJECT.json in the
folder of results. --quick does the least that shows that the script works; its figures are worth nothing.
"""
import argparse
import datetime
import json
import lzma
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OUTPUT = os.path.abspath(os.environ.get("O", os.path.join(ROOT, "build/release")))
SHARED = os.environ.get("SHARED", "")
GIB, MIB = 1 << 30, 1 << 20


def program(name):
    """Path of a program that make has built."""
    return os.path.join(OUTPUT, "bin", name)


def trace(name):
    """Path of a recording of the large set, or of the one in tests/data; None: there is neither."""
    for folder in (os.path.join(SHARED, "traces"), os.path.join(ROOT, "tests/data")):
        path = os.path.join(folder, name + ".pickle.xz")
        if os.path.exists(path):
            return path
    return None


class Run:
    """A program that was run: seconds on processors, seconds that passed, peak of resident bytes, what it printed.

    The peak is that of this process where the program needs less: the kernel counts what ran before exec().
    """

    def __init__(self, command, status=(0,), **options):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)
        self.out = process.stdout.read().decode()
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
        self.passed = time.monotonic() - begin
        self.seconds, self.peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        if process.returncode not in status:
            raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")


def output(command):
    """The first line that a command prints, or why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip().split("\n")[0]
    except OSError as error:
        return error.strerror


def unpacked(path, folder):
    """A recording without its compression, with its companion, in a folder."""
    out = os.path.join(folder, os.path.basename(path)[:-len(".xz")])
    with lzma.open(path) as packed, open(out, "wb") as file:
        shutil.copyfileobj(packed, file)
    companion = path[:-len(".pickle.xz")] + ".json"
    if os.path.exists(companion):
        shutil.copy(companion, out[:-len(".pickle")] + ".json")
    return out


def spread(values, form="{:.2f}"):
    """Median, and lowest to highest where they differ in print."""
    low, middle, high = (form.format(f(values)) for f in (min, statistics.median, max))
    return middle if low == high else f"{middle} ({low} to {high})"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(": ")[1].strip()
    return platform.machine()


def machine():
    return {"processor": processor(), "cores": os.cpu_count(), "kernel": f"{platform.system()} {platform.release().split('-')[0]}",
            "compiler": output([*os.environ.get("CC", "cc").split(), "--version"]),
            "python": platform.python_version(),
            "allocctl": output([program("allocctl"), "--version"])}


class Results:
    def __init__(self, subject, folder, quick=False):
        self.subject, self.quick, self.folder = subject, quick, folder
        self.tables, self.figures, self.skipped, self.notes = {}, {}, [], []

    def table(self, name, columns, rows):
        self.tables[name] = {"columns": columns, "rows": [[str(cell) for cell in row] for row in rows]}

    def figure(self, **figures):
        """Numbers that README and docs may quote."""
        self.figures.update(figures)

    def skip(self, what, why):
        self.skipped.append(f"{what}: {why}")

    def note(self, text):
        """What has to be known of the figures: seeds, numbers of repetitions."""
        self.notes.append(text)

    def write(self, script, on, seconds):
        """As SUBJECT.json: what made them, the machine that they were taken on, and how long that took."""
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, self.subject + ".json"), "w", encoding="utf-8") as file:
            json.dump({"subject": self.subject, "script": script, "quick": self.quick,
                       "date": datetime.date.today().isoformat(), "machine": on, "seconds": round(seconds),
                       "notes": self.notes, "skipped": self.skipped, "figures": self.figures, "tables": self.tables},
                      file, indent=1, ensure_ascii=False)
            file.write("\n")


def main(subject, function, about):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="see that it works; the figures are worth nothing")
    parser.add_argument("--results", default=os.path.join(HERE, "results"), help="folder of the results")
    options = parser.parse_args()
    results, begin = Results(subject, options.results, options.quick), time.monotonic()
    function(results)
    seconds = time.monotonic() - begin
    results.write(os.path.relpath(os.path.abspath(sys.argv[0]), ROOT), machine(), seconds)
    print(f"{subject}: {seconds:.0f} s")
    for line in results.skipped:
        print(f"SKIP {subject}: {line}")
