#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The flame graph by keys: what is told are the frames of the snapshot, with
# the bytes of all blocks below them.
. tests/support.sh
. tests/report/support.sh

allocctl report --no-tune --at 8298 --device 0 tests/data/two.pickle.xz \
	-o "$tmp/two.html" || fail report
allocctl report --no-tune tests/data/two.pickle.xz -o "$tmp/cut.html" ||
	fail 'report of narrow frames'

cat >"$tmp/test.py" <<'PYTHON'
import lzma
import pickle

from support import *

FLAME, LINE = "#holders svg", "#holders .readout"


class Frame:
    def __init__(self):
        self.bytes, self.calls = 0, {}


def held():
    """Who holds memory at the end, the outermost caller first."""
    with lzma.open("tests/data/two.pickle.xz") as file:
        snapshot = pickle.load(file)
    root = Frame()
    for segment in snapshot["segments"]:
        for block in segment["blocks"] if not segment["device"] else []:
            if block["state"] == "inactive":
                continue
            at = root
            at.bytes += block["size"]
            for f in reversed(block.get("frames", [])):
                name = "%s (%s:%d)" % (f["name"], f["filename"], f["line"])
                at = at.calls.setdefault(name, Frame())
                at.bytes += block["size"]
    return root


def told(b, name, frame, whole, level):
    wanted = "%s: %s, %.1f %%; level %d of " % (
        name, size_text(frame.bytes), 100 * frame.bytes / whole, level)
    text = b.text(LINE)
    true("%r begins with %r" % (text, wanted), text.startswith(wanted))
    same("marked", b.texts("#holders .focused title"),
         [text.split("; level ")[0]])
    same("seen", shown(b, LINE), True)


root = held()
with browser.Browser() as b:
    path = os.path.join(TMP, "two.html")
    b.open(path)
    same("spoken", b.attribute(LINE, "aria-live"), "polite")
    same("at first", b.text(LINE),
         "Point at a frame, or move to one with the keys.")
    b.focus(FLAME)
    b.key("ArrowDown")
    told(b, "all", root, root.bytes, 1)
    # Down the largest, to its end, and up again.
    way, at = [], root
    while at.calls:
        name, at = max(at.calls.items(), key=lambda item: item[1].bytes)
        way.append((name, at))
        b.key("ArrowDown")
        told(b, name, at, root.bytes, len(way) + 1)
    b.key("ArrowDown")
    told(b, *way[-1], root.bytes, len(way) + 1)
    for level in range(len(way) - 1, 0, -1):
        b.key("ArrowUp")
        told(b, *way[level - 1], root.bytes, level + 1)
    b.key("Home")
    told(b, "all", root, root.bytes, 1)
    # Where a frame calls several: beside each other, the largest first.
    at, level = root, 1
    while len(at.calls) == 1:
        at, level = next(iter(at.calls.values())), level + 1
        b.key("ArrowDown")
    beside = sorted(at.calls.items(), key=lambda item: -item[1].bytes)
    true("several", len({f.bytes for _, f in beside[:2]}) == 2)
    b.key("ArrowDown")
    told(b, *beside[0], root.bytes, level + 1)
    b.key("ArrowRight")
    told(b, *beside[1], root.bytes, level + 1)
    b.key("ArrowLeft")
    told(b, *beside[0], root.bytes, level + 1)
    b.key("Escape")
    same("none", b.texts("#holders .focused"), [])
    # The root is drawn from 60 on, below the title.
    b.move(FLAME, 0.5, 65 / b.value("document.querySelector('%s').viewBox"
                                    ".baseVal.height" % FLAME))
    true("pointed at", b.text(LINE).startswith("all: "))
    quiet(b, path)
    # Names end within their frames, also those that were cut.
    b.open(os.path.join(TMP, "cut.html"))
    true("some were cut", any("\u2026" in t for t in b.texts(
        FLAME + " rect + text")))
    same("names that leave their frames", b.value("""
        [...document.querySelectorAll("%s rect + text")].filter(text =>
            text.getBoundingClientRect().right >
            text.previousElementSibling.getBoundingClientRect().right
        ).map(text => text.textContent)""" % FLAME), [])
PYTHON
run "$tmp/test.py"
