#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report: of more events than a page has one by one there are points that keep
# extremes, and maps of moments.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

# 2,000,005 events; a request in the middle of them is the only large request.
python3 - "$tmp/long.pickle" <<'END' || fail 'making it'
import pickle, sys
MiB = 1 << 20
def event(action, addr, size):
    return {"action": action, "addr": addr, "size": size, "stream": 0,
            "time_us": 1, "frames": []}
base = 0x7f0000000000
def cycle(size):
    return [event("alloc", base, size), event("free_requested", base, size),
            event("free_completed", base, size)]
small, large = cycle(2 * MiB), cycle(19 * MiB)
half = small * 333334
trace = [event("segment_alloc", base, 20 * MiB)] + half + large + half[:-3]
trace.append(event("alloc", base, 3 * MiB))
blocks = [{"address": base, "size": 3 * MiB, "requested_size": 3 * MiB,
           "state": "active_allocated", "frames": []},
          {"address": base + 3 * MiB, "size": 17 * MiB, "requested_size": 0,
           "state": "inactive", "frames": []}]
segment = {"device": 0, "address": base, "total_size": 20 * MiB, "stream": 0,
           "segment_type": "large", "segment_pool_id": (0, 0),
           "is_expandable": False, "frames": [], "blocks": blocks}
with open(sys.argv[1], "wb") as file:
    pickle.dump({"segments": [segment], "device_traces": [trace],
                 "allocator_settings": {}, "external_annotations": []}, file)
END
allocctl report "$tmp/long.pickle" -o "$tmp/long.html" || fail 'the page'
[ "$(wc -c <"$tmp/long.html")" -lt 2000000 ] || fail 'the page has 2 MB or more'
python3 tests/tools/report-page.py safe "$tmp/long.html" || fail 'the page'
python3 - "$tmp/long.html" <<'END' || fail 'points or moments'
import base64, json, re, struct, sys
text = open(sys.argv[1], encoding="utf-8").read()
view = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))["views"][0]
MiB = 1 << 20
assert not view["complete"] and view["log"] is None
assert view["events"] > 2000000, view["events"]
points = view["points"]
rows = list(struct.iter_unpack("<5d", base64.b64decode(points["columns"])))
assert len(rows) == points["count"] <= 8192
each = points["events_per_point"]
assert [r[0] for r in rows] == [
    min((i + 1) * each, view["events"]) for i in range(len(rows))]
assert max(r[2] for r in rows) == 19 * MiB
assert sum(r[2] == 19 * MiB for r in rows) <= 2
assert all(r[1] <= r[2] and r[3] <= r[4] <= 20 * MiB for r in rows)
assert min(r[1] for r in rows) == 0
labels = {m["label"]: m["event"] for m in view["moments"]}
assert labels["end"] == view["events"] and "peak" in labels, labels
peak = labels["peak"]
assert view["peak"] == {"event": peak, "live": 19 * MiB,
                        "reserved": 20 * MiB}, view["peak"]
assert next(r for r in rows if r[0] >= peak)[2] == 19 * MiB, peak
END

# 100,000 callers of one function: each is sought for among all the others.
python3 - "$tmp/callers.pickle" <<'END' || fail 'making it'
import pickle, sys
base = 0x7f0000000000
root = {"name": "main", "filename": "train.py", "line": 1}
trace = [{"action": "segment_alloc", "addr": base, "size": 1 << 30,
          "stream": 0, "time_us": 1, "frames": []}] + [
    {"action": "alloc", "addr": base + i * 512, "size": 512, "stream": 0,
     "time_us": 1, "frames": [{"name": "f", "filename": "train.py",
                               "line": i + 2}, root]}
    for i in range(100000)]
with open(sys.argv[1], "wb") as file:
    pickle.dump({"segments": [], "device_traces": [trace],
                 "allocator_settings": {}, "external_annotations": []}, file)
END
timeout 20 allocctl report --no-tune --term --plot holders \
	"$tmp/callers.pickle" >"$tmp/term" 2>/dev/null || fail 'many callers'
grep -q '^48.83 MiB in 100,001 frames' "$tmp/term" ||
	fail "many callers: $(cat "$tmp/term")"

# 200,000 segments that all stay.
python3 - "$tmp/stay.pickle" <<'EOF' || fail 'making it'
import pickle, sys
size = 2 << 20
def event(action, addr):
    return {"action": action, "addr": addr, "size": size, "stream": 0,
            "time_us": 1, "frames": []}
def segment(addr):
    return {"device": 0, "address": addr, "total_size": size, "stream": 0,
            "segment_type": "large", "segment_pool_id": (0, 0),
            "is_expandable": False, "frames": [],
            "blocks": [{"address": addr, "size": size, "frames": [],
                        "requested_size": size, "state": "active_allocated"}]}
addrs = [i << 22 for i in range(1, 200001)]
with open(sys.argv[1], "wb") as file:
    pickle.dump({"segments": [segment(a) for a in addrs],
                 "device_traces": [[event(action, a) for a in addrs
                                    for action in ("segment_alloc", "alloc")]],
                 "allocator_settings": {}, "external_annotations": []}, file)
EOF
timeout 20 allocctl report --no-tune --force "$tmp/stay.pickle" \
	-o "$tmp/stay.html" 2>"$tmp/err" || fail "segments that stay: $?"
