#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report: names of files, frames, phases and settings, and JSON of any kind,
# are text in the page and nothing else.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
allocctl tune --merge /dev/null >/dev/null 2>"$tmp/err" || :
! grep -q 'made without jansson' "$tmp/err" || skip 'no jansson'
bad='<img src=x onerror=alert(1)>"'"'"'&amp;'
mkdir "$tmp/in"

python3 - "$tmp/in" "$bad" <<'END' || fail 'making them'
import json, lzma, pickle, sys
folder, bad = sys.argv[1:]
with lzma.open("tests/data/windows-gnn.frames.pickle.xz") as file:
    snapshot = pickle.load(file)
evil = ["</script><script>alert(1)</script>", "<!--<script>", bad, "]]>",
        "\u202eabc\u2028", "\x1b[31m", "</svg></title><svg onload=alert(1)>",
        "'\"><b>", "&lt;b&gt;", "\ud7ff\U0001f600"]
seen = {}
for trace in snapshot["device_traces"]:
    for event in trace:
        for frame in event.get("frames", ()):
            key = frame["name"], frame["filename"]
            n = seen.setdefault(key, len(seen))
            frame["name"] = evil[n % len(evil)] + str(n)
            frame["filename"] = evil[(n + 3) % len(evil)]
for i, note in enumerate(snapshot["external_annotations"]):
    note["name"] = evil[i // 2 % len(evil)]
with open("%s/%s.pickle" % (folder, bad), "wb") as file:
    pickle.dump(snapshot, file)
END

check() {	# check PAGE
	python3 tests/tools/report-page.py safe "$1" >"$tmp/said" 2>&1 ||
		fail "$1: $(tail -n 1 "$tmp/said")"
}

allocctl report --no-tune "$tmp/in/$bad.pickle" -o "$tmp/a.html" || fail 'of the recording'
check "$tmp/a.html"
python3 - "$tmp/a.html" "$tmp/in/$bad.pickle" <<'END' || fail 'names got lost'
import json, pickle, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
with open(sys.argv[2], "rb") as file:
    snapshot = pickle.load(file)
view = data["views"][0]
assert view["file"] == sys.argv[2]
names = {f["name"] for e in snapshot["device_traces"][view["device"]]
         if e["action"] == "alloc" for f in e.get("frames", ())}
assert {f[0] for f in view["frames"]} == names
assert {p[2] for p in view["phases"]} <= {
    a["name"] for a in snapshot["external_annotations"]}
END
for plot in timeline map holes settings holders; do
	[ $plot = settings ] && quick='' || quick=--no-tune
	# shellcheck disable=SC2086 # no word or one
	allocctl report $quick --force --format svg --plot $plot -o "$tmp/a.svg" \
		"$tmp/in/$bad.pickle" || fail "$plot"
	python3 - "$tmp/a.svg" <<-'END' || fail "$plot as SVG"
	import sys, xml.dom.minidom
	def walk(node):
	    assert node.nodeName in ("svg", "style", "title", "desc", "g", "rect",
	                             "circle", "line", "path", "text", "tspan",
	                             "#text"), node.nodeName
	    for name, value in (node.attributes.items() if node.attributes else ()):
	        assert not name.startswith("on") and "href" not in name
	    for child in node.childNodes:
	        walk(child)
	walk(xml.dom.minidom.parse(sys.argv[1]).documentElement)
	END
done
allocctl report --no-tune --term "$tmp/in/$bad.pickle" >"$tmp/term" || fail --term
! LC_ALL=C grep -q "$(printf '\033')" "$tmp/term" || fail 'escapes in the terminal'

# JSON in which every word is hostile, or of another kind than it should be.
allocctl triage tests/data/remedy-gnn.12.oom.pickle.xz --format json \
	>"$tmp/triage" || fail triage
allocctl tune tests/data/remedy-gnn.12.oom.pickle.xz --format json \
	>"$tmp/tune" || fail tune
for how in text kinds; do
	for kind in triage tune; do
		python3 - "$how" "$bad" "$tmp/$kind" "$tmp/$kind.json" <<-'END' || fail "$how"
		import json, sys
		how, bad, source, target = sys.argv[1:]
		odd = [None, -1, 1e308, [], {}, "x", True, 2 ** 62]
		count = 0
		def other(value):
		    global count
		    count += 1
		    if isinstance(value, dict) and (how == "text" or count % 5):
		        return {k: other(v) for k, v in value.items()}
		    if isinstance(value, list) and (how == "text" or count % 5):
		        return [other(v) for v in value]
		    if how == "kinds":
		        return odd[count % len(odd)] if count % 3 else value
		    return bad if isinstance(value, str) else value
		value = json.load(open(source))
		schema = value.pop("schema")
		with open(target, "w") as file:
		    json.dump(dict(schema=schema, **other(value)), file)
		END
	done
	allocctl report --force "$tmp/triage.json" "$tmp/tune.json" \
		-o "$tmp/b.html" || fail "JSON of odd $how"
	check "$tmp/b.html"
done

# Blocks of more than 2^64 bytes in all: the most that 64 bits can say.
python3 - "$tmp/vast.pickle" <<'END' || fail 'making it'
import pickle, sys
def event(action, addr, size):
    return {"action": action, "addr": addr, "size": size, "stream": 0,
            "time_us": 1, "frames": []}
trace = [event("segment_alloc", i << 30, 2 << 20) for i in range(6)] + [
    event("alloc", i << 30, 1 << 62) for i in range(6)] + [
    event("free_completed", i << 30, 1 << 62) for i in range(3)]
with open(sys.argv[1], "wb") as file:
    pickle.dump({"segments": [], "device_traces": [trace],
                 "allocator_settings": {}, "external_annotations": []}, file)
END
allocctl report --no-tune --force "$tmp/vast.pickle" -o "$tmp/b.html" \
	2>"$tmp/err" || fail "vast: $(cat "$tmp/err")"
check "$tmp/b.html"
# Four of these fill 64 bits: before event 10; at the end there are three.
grep -qF 'At most 17179869184.00 GiB are live, before event 10, and 12.00 MiB ' \
	"$tmp/b.html" || fail 'the peak of vast blocks'
allocctl report --no-tune --term --plot timeline "$tmp/vast.pickle" \
	2>/dev/null >"$tmp/term" || fail 'vast --term'
grep -qF 'peak 17179869184.00 GiB live before event 10' "$tmp/term" ||
	fail 'the peak of vast blocks in the terminal'
