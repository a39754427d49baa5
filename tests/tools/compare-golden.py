#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare-golden.py KIND OLD NEW: does a new answer have the facts of an old
one?  Keys may be new, and texts other ones."""
import json
import sys

FACTS = {
    "report": ["verdict", "grade", "signature", "ooms", "ended",
               "recordings.0.pid", "recordings.0.host", "recordings.0.exe",
               "recordings.0.began", "recordings.0.front", "recordings.0.lost",
               "recordings.0.ooms", "recordings.0.retries",
               "triage.ooms.0.verdict", "triage.ooms.0.grade",
               "triage.ooms.0.ledger.requested", "triage.ooms.0.ledger.total",
               "triage.ooms.0.facts.request"],
    "info": ["recording.pid", "recording.driver", "recording.allocator",
             "recording.lost", "calls", "failed_calls", "episodes", "records",
             "holdings", "file_size", "setting", "driver_version", "devices"],
    "tune": ["recorded.limit", "recorded.events", "self_check.placements_right",
             "peak_live", "settings.0.setting", "settings.0.minimum_memory"],
    "replay": ["recorded.limit", "recorded.limit_range", "recorded.events",
               "recorded.requests", "recorded.ooms", "self_check.exact",
               "self_check.placements_right", "peak_live"],
}


def find(answer, path):
    for key in path.split("."):
        answer = answer[int(key) if key.isdigit() else key]
    return answer


def has(old, new):
    if isinstance(old, dict):
        return all(k in new and has(v, new[k]) for k, v in old.items())
    if isinstance(old, list):
        return len(old) == len(new) and all(map(has, old, new))
    return old == new


kind, *paths = sys.argv[1:]
old, new = (json.load(open(path, encoding="utf-8")) for path in paths)
schema = [a["schema"].split("/")[0] for a in (old, new)]
wrong = [] if schema[0] == schema[1] else [f"schema {schema}"]
wrong += [f"{path}: {find(new, path)} where it was {find(old, path)}"
          for path in FACTS[kind] if not has(find(old, path), find(new, path))]
print(f"{paths[0]}:", "; ".join(wrong) or f"{len(FACTS[kind])} facts")
sys.exit(bool(wrong))
