#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py STRINGS TORCH OURS TIME: answers of ask-torch and of
parse-settings to the same strings; prints the first differences."""
import json
import sys

UNDEFINED = "Error parsing CachingAllocator settings, expected ,"


def same_value(key, torch, ours):
    if key == "pinned_reserve_segment_size_mb":
        return min(torch, (1 << 44) - 1) << 20 == \
            ours["pinned_reserve_segment_size"]
    return ours[key] == torch


def difference(torch, ours):
    """What differs, or None."""
    if "status" in torch:
        # 2.0 to 2.9 read past their tokens where a list lacks its bracket.
        return None if ours["error"] == UNDEFINED else "torch crashed"
    if torch["error"] != ours["error"]:
        return "error"
    if torch.get("aborts_import", False) != ours["aborts_import"]:
        return "aborts_import"
    for key, value in torch.get("settings", {}).items():
        if not same_value(key, value, ours["settings"]):
            return key
    return None


def main(strings, torch, ours):
    with open(strings, encoding="utf-8", newline="") as file:
        texts = file.read().split("\0")[:-1]
    with open(torch, encoding="utf-8") as t, open(ours, encoding="utf-8") as o:
        answers = [(json.loads(x), json.loads(y))
                   for x, y in zip(t, o, strict=True)]
    different = 0
    for text, (x, y) in zip(texts, answers, strict=True):
        what = difference(x, y)
        if not what:
            continue
        different += 1
        if different < 4:
            print(f"{what}: {ascii(text)}\n torch {x.get('error', x)}\n  ours {y['error']}")
    print(f"{len(texts)} strings, {different} different")
    return different or not texts


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
