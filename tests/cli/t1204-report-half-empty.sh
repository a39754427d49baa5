#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report and triage: where every segment is half empty, each request passes
# over what all others have; that takes some seconds for 200,000.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

# Segments of 20 MiB with a request of 8 MiB each, and OOMs that all would fit.
python3 - "$tmp/half.pickle" <<'END' || fail 'making it'
import pickle, sys
MiB = 1 << 20
base = 0x7f0000000000
def event(action, addr, size):
    return {"action": action, "addr": addr, "size": size, "stream": 0,
            "time_us": 1, "frames": []}
trace, segments = [], []
for addr in range(base, base + 200000 * 20 * MiB, 20 * MiB):
    trace += [event("segment_alloc", addr, 20 * MiB),
              event("alloc", addr, 8 * MiB)]
    blocks = [{"address": addr, "size": 8 * MiB, "requested_size": 8 * MiB,
               "state": "active_allocated", "frames": []},
              {"address": addr + 8 * MiB, "size": 12 * MiB,
               "requested_size": 0, "state": "inactive", "frames": []}]
    segments.append({"device": 0, "address": addr, "total_size": 20 * MiB,
                     "stream": 0, "segment_type": "large",
                     "segment_pool_id": (0, 0), "is_expandable": False,
                     "frames": [], "blocks": blocks})
trace += [dict(event("oom", 0, 8 * MiB), device_free=0)] * 3000
with open(sys.argv[1], "wb") as file:
    pickle.dump({"segments": segments, "device_traces": [trace],
                 "allocator_settings": {}, "external_annotations": []}, file)
END

limit=${SANITIZE:+300}
limit=${limit:-30}

bounded() {	# bounded STATUS COMMAND...: within some processor seconds
	wanted=$1 status=0
	shift
	sh -c 'ulimit -t "$1"; shift; exec "$@"' sh "$limit" "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	equal "$1 $2" "$status: $(head -n 1 "$tmp/err")" "$wanted: "
}

bounded 0 allocctl report --no-tune -o "$tmp/half.html" \
	"$tmp/half.pickle"
bounded 0 allocctl triage "$tmp/half.pickle"
grep -q '8.00 MiB' "$tmp/out" || fail "triage: $(cat "$tmp/out")"
