#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replay: snapshots whose mappings have damaged sizes are read, or refused, in
# a time that their length bounds.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

python3 - "$tmp" <<'END' || fail 'making them'
import copy, lzma, pickle, sys
with lzma.open("tests/data/recapture.expandable.pickle.xz") as file:
    snapshot = pickle.load(file)
def of(trace, action):
    return [e for e in trace if e["action"] == action]
def write(name, action, size, number=None):
    damaged = copy.deepcopy(snapshot)
    trace = max(damaged["device_traces"], key=len)
    assert of(trace, "segment_unmap")
    events = of(trace, action)
    for event in events if number is None else [events[number]]:
        event["size"] = size
    with open("%s/%s.pickle" % (sys.argv[1], name), "wb") as file:
        pickle.dump(damaged, file)
write("one-map", "segment_map", 1 << 48, 3)
write("one-unmap", "segment_unmap", 1 << 48, 3)
write("odd", "segment_map", (1 << 52) + 512, 3)
write("all", "segment_map", 1 << 48)
write("many", "segment_map", 1 << 42)
write("unmaps", "segment_unmap", 1 << 42)
END

check() {	# check NAME STATUS: within ten seconds
	status=0
	timeout 10 allocctl replay --verify "$tmp/$1.pickle" >"$tmp/out" \
		2>"$tmp/err" || status=$?
	equal "status of $1" "$status" "$2"
}

for name in one-map one-unmap odd all; do
	check $name 0
	grep -q '^self-check *exact' "$tmp/out" || fail "$name: not exact"
done
for name in many unmaps; do
	check $name 3
	equal "message of $name" "$(cat "$tmp/err")" "allocctl: cannot read \
'$tmp/$name.pickle': more pools or mapped memory than are supported"
done
