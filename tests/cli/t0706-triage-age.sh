#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The age of what is in use, against a walk through the pickle's own events.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

for recording in gnn.oom card remedy-gnn.12.oom; do
	file=tests/data/$recording.pickle.xz
	allocctl triage --format json "$file" | python3 -c '
import json, lzma, pickle, sys
said = json.load(sys.stdin)["ooms"][0]["facts"]["live_by_age"]
events = [e for e in pickle.load(lzma.open(sys.argv[1]))["device_traces"][0]
	  if e["action"] not in ("snapshot", "annotate")]
end = max(i for i, e in enumerate(events) if e["action"] == "oom")
live = {}
for i, e in enumerate(events[:end]):
	if e["action"] == "alloc":
		live[e["addr"]] = i, -(-e["size"] // 512) * 512
	elif e["action"] == "free_completed":
		del live[e["addr"]]
ages = dict.fromkeys(said, 0)
for i, size in live.values():
	passed = (end - i) / end
	ages["last_hundredth" if passed <= .01 else "last_tenth" if passed <= .1
	     else "last_half" if passed <= .5 else "first_half"] += size
assert sum(ages.values()) > 2 ** 30, ages
sys.exit(f"{sys.argv[1]}: {said}, walked: {ages}" if said != ages else 0)
' "$file" || fail "$recording"
done
