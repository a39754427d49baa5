#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmd-lines.py read RECORDED COMMAND...: what a child of wine's cmd got from
lines against what read-script, run by COMMAND, tells; unknown is no answer, and
has to say why.  Where wine differs from Windows, "windows" is what is right.

cmd-lines.py run RECORDED FOLDER: run the lines by wine's cmd, with probe.exe
in FOLDER as the child, and compare with what was recorded."""
import json
import os
import subprocess
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def with_child(case, child):
    """PROBE stands for the child; without it, it is started last."""
    text = case["lines"]
    return (text if "PROBE" in text else text + "\nPROBE").replace(
        "PROBE", child) + "\n"


def told(found):
    """(known, value, explained) of the last place that is not lost."""
    for place in reversed(found):
        if place.get("fate", "lost") != "lost":
            return (place["fate"] != "unknown", place["value"],
                    bool(place["diagnostics"]))
    return True, None, True


def read(path, *command):
    cases, wrong, unknown = load(path), 0, 0
    for case in cases:
        text = with_child(case, "python x.py")
        done = subprocess.run([*command, case["kind"]], input=text.encode(),
                              check=True, stdout=subprocess.PIPE)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        known, value, explained = told(found)
        child = case.get("windows", case["child"])
        if not known and explained:
            unknown += 1
        elif not known or value != child:
            wrong += 1
            print(f"{text!r}\n child {child!r}\n  ours {found}")
    print(f"{len(cases)} cases, {unknown} unknown, {wrong} wrong")
    return wrong or unknown > len(cases) // 8 or len(cases) < 150


def write_files(cases, folder):
    """One file for each case, and one that runs them all."""
    driver = ["@echo off"]
    for number, case in enumerate(cases):
        name = f"{number}.bat" if case["kind"] == "cmd" else f"{number}.in"
        text = with_child(case, f"probe.exe {number}.out")
        text = text.replace("\r", "").replace("\n", "\r\n")
        with open(os.path.join(folder, name), "w", newline="") as file:
            file.write(text)
        driver.append(f"cmd /d /c {name} >nul 2>&1 <nul"
                      if case["kind"] == "cmd" else
                      f"cmd /d <{name} >nul 2>&1")
    with open(os.path.join(folder, "all.bat"), "w", newline="") as file:
        file.write("\r\n".join(driver) + "\r\n")


def reported(path):
    with open(path, encoding="latin-1") as file:
        last = file.read().splitlines()[-1]
    return None if last == "unset" else last[1:]


def run(path, folder):
    cases, different = load(path), 0
    write_files(cases, folder)
    subprocess.run(["wine", "cmd", "/d", "/c", "all.bat"], cwd=folder,
                   stdout=subprocess.DEVNULL, check=False)
    for number, case in enumerate(cases):
        got = reported(os.path.join(folder, f"{number}.out"))
        if got != case["child"]:
            different += 1
            print(f"{case['lines']!r}\n now {got!r}\n recorded {case['child']!r}")
    print(f"{len(cases)} cases, {different} different")
    return different or not cases


if __name__ == "__main__":
    what = {"read": read, "run": run}[sys.argv[1]]
    sys.exit(bool(what(*sys.argv[2:])))
