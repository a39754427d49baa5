#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""recorded.py FILE COMMAND...: give parse-settings, run by COMMAND, every
string of a recording of torch, and compare what torch did with it."""
import json
import lzma
import re
import subprocess
import sys


def read_lines(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return [json.loads(line) for line in file]


def run(command, path, lines):
    time, release = re.search(r"conf-(\w+)-torch-([\d.]+)\.jsonl", path).groups()
    context = {"keep": ["runtime", "cuda", "keep"], "cpu": ["init", "cpu"]}
    command += [release] + context.get(time, [time, "cuda"])
    strings = "".join(line["conf"] + "\0" for line in lines)
    done = subprocess.run(command, input=strings.encode(), check=True,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same_value(key, torch, ours):
    if key == "pinned_reserve_segment_size_mb":
        torch = min(torch % 2**64, (1 << 44) - 1) << 20
        key = "pinned_reserve_segment_size"
    if isinstance(torch, int) and not isinstance(torch, bool):
        return (torch - ours[key]) % 2**64 == 0
    if isinstance(torch, float) or not isinstance(torch, list):
        return torch == ours[key]
    return all((a - b) % 2**64 == 0 for a, b in zip(torch, ours[key], strict=True))


def difference(line, settings, ours):
    """What differs, or None.  Some recordings hold no more than whether the
    import aborts."""
    aborts = line.get("aborts_import", False)
    if aborts != ours["aborts_import"]:
        return "aborts_import"
    if "error" not in line and "aborts_import" in line:
        return None
    if line.get("error") != ours["error"]:
        return "error"
    if line.get("type") and line["type"] != ours["type"]:
        return "type"
    if aborts:
        return None
    for key, value in settings.items():
        if not same_value(key, value, ours["settings"]):
            return key
    return None


def main(path, *command):
    lines = read_lines(path)
    answers = run(list(command), path, lines)
    settings, different = {}, 0
    for line, ours in zip(lines, answers, strict=True):
        # Settings stand in a line where they differ from those before; where
        # verdicts are recorded, with every string that is accepted.
        settings = line.get("settings", {} if "accepted" in line else settings)
        what = difference(line, settings, ours)
        if what:
            different += 1
            print(f"{path}: {what}: {line['conf']!a}\n torch {line}\n  ours {ours}")
    print(f"{path}: {len(lines)} strings, {different} different")
    return different or not lines


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
