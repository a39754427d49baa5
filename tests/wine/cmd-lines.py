#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmd-lines.py read RECORDED COMMAND...: what a child of wine's cmd got from
lines against what read-script, run by COMMAND, tells; unknown is no answer, and
has to say why.  Where wine differs from Windows, "windows" is what is right.

cmd-lines.py run RECORDED FOLDER: run the lines by wine's cmd, with probe.exe
in FOLDER as the child, and compare with what was recorded.

cmd-lines.py random SEED COUNT FOLDER COMMAND...: run batch files made at random
and compare with what read-script tells.  Nothing in them is known to be other
in Windows than in wine."""
import json
import os
import random
import re
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


def compare(cases, command):
    """How many are unknown, how many wrong."""
    wrong = unknown = 0
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
    return unknown, wrong


def read(path, *command):
    cases = load(path)
    unknown, wrong = compare(cases, command)
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
        driver.append("set PYTORCH_CUDA_ALLOC_CONF=")
        driver.append(f"cmd /d /c {name} >nul 2>&1 <nul"
                      if case["kind"] == "cmd" else
                      f"cmd /d <{name} >nul 2>&1")
    with open(os.path.join(folder, "all.bat"), "w", newline="") as file:
        file.write("\r\n".join(driver) + "\r\n")


def reported(path):
    if not os.path.exists(path):
        return False  # wine's cmd fell before it started a child
    with open(path, encoding="latin-1") as file:
        last = file.read().splitlines()[-1]
    return None if last == "unset" else last[1:]


def children(cases, folder):
    """What the last child of each got."""
    write_files(cases, folder)
    subprocess.run(["wine", "cmd", "/d", "/c", "all.bat"], cwd=folder,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    return [reported(os.path.join(folder, f"{number}.out"))
            for number in range(len(cases))]


def run(path, folder):
    cases, different = load(path), 0
    for case, got in zip(cases, children(cases, folder)):
        if got != case["child"]:
            different += 1
            print(f"{case['lines']!r}\n now {got!r}\n recorded {case['child']!r}")
    print(f"{len(cases)} cases, {different} different")
    return different or not cases


WORDS = ["a:1", "b:2,c:3", "%X%", "%V%,d:4", "%Y%", "a^>b", "a=b", "a b",
         "%X:~0,2%", "%X:x=z%", "%X:~1%", "a^^b", "a^&b",
         "'a:1'", "%X%%X%", "a,b;c", "[256:1,512:2]"]
DELAYED = ["!X!", "!V!,e:5", "!Y!", "a!b", "%X%!X!", "a^!b"]
PLAIN = ["a:1", "%X%", "b:2,c:3", '"c:3"', "%V%"]
COMPARED = ["a:1", "x:1", "%X%", '"%X%"', '"%V%"', '"a b"', '"%Y%"']
SIMPLE = ["set V=W", 'set "V=W"', "set V = W", "set V=W ", 'set "V=W" junk',
          "set V=", 'set "V="', 'set V="W"', "set  V=W", "SET v=W", "echo W",
          "PROBE", "call set V=A", "call set V=%%X%%", "if C==C S",
          "if defined V S", "if not defined V S", 'if "%V%"=="W" S', "set V",
          "for %%i in (W) do set V=W%%i", "for %%i in (a:1 b:2) do set V=%%i",
          "(set V=W & set V=A)", "@set V=W", 'cmd /c "set V=A&PROBE"',
          "for /l %%i in (1,1,2) do set V=%%i", "call :sub A", "set X=A",
          "start /b /wait PROBE", "if exist nothing S", "set /a V=1+2",
          "ver>nul", "set V=W>nul", 'set "V=W">nul']
LINES = ["S", "S", "S", "S & S", "S && S", "PROBE || S", "(@@S@@S@@)", "S&S",
         "if C==a:1 (@@S@@) else (@@S@@)", "PROBE & set V=W", "setlocal",
         'if /i "%X%"=="X:1" (S) else S', "set V=W&set V=W", "endlocal",
         "setlocal enabledelayedexpansion", ":: W", "rem S", "goto L@@S@@:L",
         "for %%k in (a:1 b:2) do (@@S@@set V=%%k@@)", "shift",
         "echo W | PROBE", "rem W", "S@@PROBE@@goto :eof", "S@@PROBE@@exit /b"]
END = "@@PROBE@@goto :eof@@:sub@@set V=%~1@@set V=W@@PROBE@@exit /b"


def made(generator):
    """A batch file around simple commands, with words in them."""
    lines = [generator.choice(LINES) for _ in range(generator.randint(2, 5))]
    text = "@@".join(["@echo off", "set X=x:1", "set Y=", *lines]) + END
    for _ in range(4):
        text = re.sub(r"\bS\b", lambda _: generator.choice(SIMPLE), text)
    words = WORDS + DELAYED if "delayed" in text else WORDS
    text = re.sub(r"\bS\b", "ver>nul", text)
    text = re.sub(r"\bW\b", lambda _: generator.choice(words), text)
    text = re.sub(r"\bA\b", lambda _: generator.choice(PLAIN), text)
    text = re.sub(r"\bC\b", lambda _: generator.choice(COMPARED), text)
    text = text.replace("SET v", "SET pytorch_cuda_alloc_conf")
    return re.sub(r"\bV\b", "PYTORCH_CUDA_ALLOC_CONF",
                  text.replace("@@", "\n"))


def at_random(seed, count, folder, *command):
    generator = random.Random(int(seed))
    cases = [{"kind": "cmd", "lines": made(generator)}
             for _ in range(int(count))]
    for case, child in zip(cases, children(cases, folder)):
        case["child"] = child
    stood = [case for case in cases if case["child"] is not False]
    unknown, wrong = compare(stood, command)
    return (wrong or unknown > len(stood) // 3 or
            len(stood) < len(cases) * 9 // 10)


if __name__ == "__main__":
    what = {"read": read, "run": run, "random": at_random}[sys.argv[1]]
    sys.exit(bool(what(*sys.argv[2:])))
