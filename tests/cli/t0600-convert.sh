#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# convert: formats by name and by --to, and what CPython reads of them.
. tests/support.sh
data=tests/data

for form in pickle csv perfetto; do
	allocctl convert --to $form $data/two.pickle.xz - >"$tmp/$form" ||
		fail "--to $form"
done
for name in a.pickle:pickle a.pkl:pickle a.csv:csv a.trace.json:perfetto; do
	allocctl convert $data/two.pickle.xz "$tmp/${name%:*}" || fail "$name"
	cmp -s "$tmp/${name%:*}" "$tmp/${name#*:}" || fail "$name differs"
done
# The name does not matter beside --to, nor where the input comes from.
allocctl convert --to csv - "$tmp/a.txt" <$data/two.pickle.xz
cmp -s "$tmp/a.txt" "$tmp/csv" || fail 'from standard input'
# What is written is read like any recording.
allocctl convert "$tmp/a.pickle" "$tmp/again.pickle"
cmp -s "$tmp/a.pickle" "$tmp/again.pickle" || fail 'a second time'

# From the pickle: events of both devices, and the frames of one.
equal 'lines of the CSV' "$(wc -l <"$tmp/csv")" $((1 + 8298 + 8301))
equal 'its end' "$(tail -n 1 "$tmp/csv" | tr -d '\r')" \
	'1,8300,1795974476161260,alloc,139760343449600,23068672,0,,,"<module> (two.py:18)"'
allocctl convert --to csv $data/streams.cap.pickle.xz - |
	grep -q '^0,[0-9]*,[0-9]*,oom,,13868032,583419840,[0-9]*,,' ||
	fail 'oom in the CSV'
allocctl convert --to perfetto $data/streams.cap.pickle.xz - |
	grep -q '{"name":"oom","ph":"i","ts":[0-9]*,"pid":1,"tid":1,"s":"p","args":{"size":13868032,' ||
	fail 'oom among the instants'

# The readable part of what is cut off.
head -c 300000 "$tmp/a.pickle" >"$tmp/cut.pickle"
allocctl convert "$tmp/cut.pickle" "$tmp/cut.csv" 2>"$tmp/err" &&
	fail 'a cut file without --partial'
[ ! -e "$tmp/cut.csv" ] || fail 'output of what cannot be read'
allocctl convert --partial "$tmp/cut.pickle" "$tmp/cut.csv" 2>"$tmp/err"
grep -q truncated "$tmp/err" || fail 'no warning of the cut'
head -n 3000 "$tmp/csv" >"$tmp/head"
head -n 3000 "$tmp/cut.csv" | cmp -s - "$tmp/head" || fail 'CSV of the cut file'

command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/convert.py "$O/bin/allocctl" $data/two.pickle.xz \
	$data/windows-gnn.frames.pickle.xz $data/graphs.default.pickle.xz \
	$data/big_random.expandable.pickle.xz $data/streams.cap.pickle.xz \
	$data/oom_fraction.pickle.xz >"$tmp/out" || fail "$(cat "$tmp/out")"
# Old schemas: nothing is there that was not.
python3 - "$O/bin/allocctl" <<'END' || fail 'snapshot of torch 2.0'
import pickle, subprocess, sys
for name in "legacy-p4", "segments-p4":
    path = "tests/data/pickles/%s.pickle" % name
    with open(path, "rb") as f:
        want = pickle.load(f)
    if isinstance(want, list):
        want = {"segments": want, "device_traces": [[], []]}
    got = pickle.loads(subprocess.run(
        [sys.argv[1], "convert", "--to", "pickle", path, "-"],
        check=True, stdout=-1, stderr=-1).stdout)
    for segment in want["segments"]:
        blocks = [b for b in segment["blocks"] if b["state"] != "inactive"]
        segment["active_size"] = sum(b["size"] for b in blocks)
        segment["allocated_size"] = sum(
            b["size"] for b in blocks if b["state"] == "active_allocated")
    want["segments"].sort(key=lambda s: (s["device"], s["address"]))
    want["device_traces"] = [
        [e for e in trace if e["action"] != "workspace_snapshot"]
        for trace in want["device_traces"]]
    assert got == want, (got, want)
END
