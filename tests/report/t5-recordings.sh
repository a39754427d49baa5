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

allocctl report tests/data/streams.cap_gc_split.pickle.xz \
	-o "$tmp/tuned.html" || fail 'report with settings'

cat >"$tmp/test.py" <<'PYTHON'
import lzma
import pickle

from support import *

STATES = {"active_allocated": "live", "inactive": "free"}
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
    return model.Recording([], events), frames, at_end(
        snapshot, snapshot["device_traces"].index(trace))


def at_end(snapshot, device):
    """What the snapshot says lies where, as it is read."""
    found = []
    for segment in sorted(snapshot["segments"], key=lambda s: s["address"]):
        addr = segment["address"]
        for block in segment["blocks"] if segment["device"] == device else []:
            state = STATES.get(block["state"], "pending")
            text = "state %s; address 0x%x; size %s" % (
                state, addr, size_text(block["size"]))
            if state != "free":
                text += "; request %s; unused %s;" % tuple(map(size_text, (
                    block["requested_size"],
                    block["size"] - block["requested_size"])))
            found.append(text)
            addr += block["size"]
    return found


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


def press(b, label):
    b.value("[...document.querySelectorAll('#timeline button')]"
            ".find(b => b.textContent === %r).click()" % label)
    b.frames()
    b.focus(MAP)


def maps(b, recording, frames):
    """No event says how large a block is: requests are compared."""
    ooms = recording.ooms()
    for label, at in [("peak", recording.peak())] + [
            ("OOM %d" % (i + 1), at) for i, at in enumerate(ooms)]:
        press(b, label)
        heap = recording.heap(at)
        true("%d blocks of %r" % (len(heap.blocks), b.text("#map .summary")),
             model.plural(len(heap.blocks), "block") in b.text("#map .summary")
             or " pending in " in b.text("#map .summary"))
        blocks = sorted(heap.blocks.items())
        b.key("Home")
        while blocks:
            text = b.text("#map .spoken")
            number, count = text.split(": ")[0].split(" of ")
            if int(number[6:].replace(",", "")) > 40 or number[6:] == count:
                break
            b.key("ArrowRight")
            if "state free" in text:
                continue
            addr, (event, place, waits) = blocks.pop(0)
            for wanted in ("state " + ("pending" if waits else "live"),
                           "address 0x%x;" % addr,
                           "request %s;" % size_text(event.size)):
                true("%r is no %r" % (text, wanted), wanted in text)
            if frames[place]:
                first = frames[place][0]
                true("%r has no %r" % (text, first), "%s:%s" % (
                    first["filename"], first["line"]) in text)


def end(b, pieces):
    """At the end the snapshot says what lies where."""
    press(b, "end")
    for i, wanted in enumerate(pieces[:150]):
        b.key("ArrowRight" if i else "Home")
        text = b.text("#map .spoken")
        true("%r is no %r" % (text, wanted), wanted in text and
             text.startswith("piece %s of %s:" % (
                 count_text(i + 1), count_text(len(pieces)))))


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
        recording, frames, pieces = read(name)
        path = os.path.join(TMP, name + ".html")
        drawn_by_script(b, path)
        moments(b, recording)
        maps(b, recording, frames)
        end(b, pieces)
        quiet(b, path)
        for width in (400, 1280):
            b.window(width)
            b.frames()
            true("%s fits %d pixels" % (name, width), b.value(
                "document.documentElement.scrollWidth") <= width)

    # Names of settings are long: the table breaks them and is seen whole.
    path = os.path.join(TMP, "tuned.html")
    drawn_by_script(b, path)
    scrolled = b.value("[...document.querySelectorAll('#settings > .scroll')]"
                       ".map(e => [e.scrollWidth, e.clientWidth])")
    true("tables fit: %r" % scrolled, all(a <= b for a, b in scrolled))
    rows = b.value("[...document.querySelectorAll('#settings > .scroll tr')]"
                   ".map(r => r.clientHeight)")
    true("rows of few lines: %r" % rows, all(h < 75 for h in rows))

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
