#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of real recordings: what a browser reads out is what Python's own
# pickle module finds in the snapshot.
. tests/support.sh
. tests/report/support.sh

for name in big_random.oom big_random.expandable streams.cap_gc_split \
	mempools.default two; do
	allocctl report --no-tune tests/data/$name.pickle.xz \
		-o "$tmp/$name.html" || fail "report of $name"
done
allocctl report --no-tune tests/data/big_random.oom.pickle.xz \
	--setting expandable_segments:True -o "$tmp/beside.html" ||
	fail 'report of two settings'

cat >"$tmp/test.py" <<'PYTHON'
import lzma
import pickle

from support import *

KEPT = {name: i for i, name in enumerate(model.NAMES)}


def read(name):
    """A snapshot that began with an empty heap, by this module alone."""
    with lzma.open("tests/data/%s.pickle.xz" % name) as file:
        snapshot = pickle.load(file)
    trace = max(snapshot["device_traces"], key=len)
    events, frames = [], []
    for e in trace:
        action = KEPT[e["action"]]
        events.append(model.Event(
            action, e.get("device_free") if action == model.OOM else e["addr"],
            e["size"], e["stream"], 0, 0, e["time_us"]))
        frames.append(e.get("frames", []))
    return model.Recording([], events), frames


def page_text(name):
    with open(os.path.join(TMP, name + ".html"), encoding="utf-8") as file:
        return file.read()


def own(text):
    """The parts of what a moment reads that names and times are not in."""
    return text.split(", live ")[1]


def moments(b, recording):
    """Some events from the begin on, and the end."""
    curve, events = recording.curve, len(recording.events)
    b.focus(TIMELINE)
    b.key("Home")
    same("start", own(value(b)), own(moment_text(recording, curve, 0)))
    for _ in range(30):
        b.key("ArrowRight", times=3)
        at = int(b.attribute(TIMELINE, "aria-valuenow"))
        same("event %d" % at, value(b), moment_text(recording, curve, at))
    b.key("End")
    same("end", value(b), moment_text(recording, curve, events))


def maps(b, recording, frames):
    ooms = recording.ooms()
    for label, at in [("peak", recording.peak())] + [
            ("OOM %d" % (i + 1), at) for i, at in enumerate(ooms)]:
        b.value("[...document.querySelectorAll('#timeline button')]"
                ".find(b => b.textContent === %r).click()" % label)
        b.frames()
        heap = recording.heap(at)
        pieces = heap.pieces()
        # Pools and streams may divide mapped memory that touches.
        for part in heap.summary().split(", of ")[0].split(", "):
            true("%s of %r" % (part, b.text("#map .summary")),
                 part in b.text("#map .summary"))
        b.focus(MAP)
        for i in range(0, min(len(pieces), 40)):
            b.key("ArrowRight" if i else "Home")
            addr, size, state, block, _ = pieces[i]
            text = b.text("#map .spoken")
            wanted = "state %s; address 0x%x; size %s" % (
                state, addr, size_text(size))
            true("%r is no %r" % (text, wanted), wanted in text)
            if block and frames[block[1]]:
                first = frames[block[1]][0]
                true("%r has no %r" % (text, first), "%s:%s" % (
                    first["filename"], first["line"]) in text)


def drawn_by_script(b, path):
    b.open(path)
    quiet(b, path)
    for selector in (TIMELINE, MAP):
        same(selector, shown(b, selector), True)
    same("script", page_text(os.path.basename(path)[:-5]).count(
        asset("page-script.js")), 1)


with browser.Browser() as b:
    for name in ("big_random.oom", "big_random.expandable",
                 "streams.cap_gc_split", "mempools.default", "two"):
        recording, frames = read(name)
        path = os.path.join(TMP, name + ".html")
        drawn_by_script(b, path)
        moments(b, recording)
        maps(b, recording, frames)
        quiet(b, path)
        for width in (400, 1280):
            b.window(width)
            b.frames()
            true("%s fits %d pixels" % (name, width), b.value(
                "document.documentElement.scrollWidth") <= width)

    # Two settings: the same program, so live bytes are alike until a request
    # fails under one of them, at 87 of 100.
    path = os.path.join(TMP, "beside.html")
    drawn_by_script(b, path)
    for share in range(15, 80, 5):
        b.click(TIMELINE, share / 100)
        b.frames()
        first, second = b.value(
            "[...document.querySelectorAll('canvas.timeline')]"
            ".map(c => c.getAttribute('aria-valuetext'))")
        same("live bytes", own(first).split(",")[0], own(second).split(",")[0])
    quiet(b, path)
PYTHON
run "$tmp/test.py"
