#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages without the log (points and moments), with two views, with a broken log.
. tests/support.sh
. tests/report/support.sh

cat >"$tmp/test.py" <<'PYTHON'
from support import *

recording = model.golden()
curve, events = recording.curve, len(recording.events)
POINTS = recording.view(complete=False)["points"]
PARTS = (POINTS["count"], POINTS["columns"], events)


def press(b, label, number=0):
    b.value("[...document.querySelectorAll('#timeline figure[data-view=\"%d\"]"
            " button')].find(b => b.textContent === %r).click()" % (
                number, label))
    b.frames()


def points(b):
    """Without the log: points of seven events, maps at some moments."""
    path = written("points.html", [recording.view(complete=False)])
    b.open(path)
    b.focus(TIMELINE)
    b.key("Home")
    for at in range(1, len(curve), 7):
        part = curve[at:at + 7]
        low = [min(v) for v in zip(*part)]
        high = [max(v) for v in zip(*part)]
        ends = [(size_text(a), size_text(z)) for a, z in zip(low, high)]
        text = [a if a == z else "%s to %s" % (a, z) for a, z in ends]
        same("point %d" % at, value(b), "event %d of %d, live %s, reserved %s" %
             (at + len(part) - 1, events, *text))
        b.key("ArrowRight")
    for at, label in [(recording.peak(), "peak")] + [
            (at, "OOM %d" % (i + 1)) for i, at in enumerate(recording.ooms())]:
        press(b, label)
        heap = recording.heap(at)
        true("map at " + label, heap.summary() in b.text("#map .summary"))
        b.focus(MAP)
        pieces = heap.pieces()
        for i, (addr, size, state, _, _) in enumerate(pieces):
            b.key("ArrowRight" if i else "Home")
            true("piece", b.text("#map .spoken").startswith(
                "piece %d of %d: state %s; address 0x%x; size %s" % (
                    i + 1, len(pieces), state, addr, size_text(size))))
    # The mark of a moment is in the point that holds it.
    for at, here in ((0, 7), (7, 7), (8, 14), (events, events)):
        same("point of %d" % at, b.value("seriesOfPoints({count: %d, columns: "
             "%r}, %d).eventOf(seriesOfPoints({count: %d, columns: %r}, %d)"
             ".indexOf(%d))" % (*(PARTS * 2), at)), here)
    quiet(b, path)


def limits(b):
    """The command says how high is drawn; the limit is, up to there."""
    view = recording.view()
    for high, says, is_drawn in ((64 * MIB, "limit 64.00 MiB", True),
                                 (28 * MIB, "limit 64.00 MiB, far above", False)):
        path = written("limits.html", [dict(view, high=high)])
        b.open(path)
        b.frames()
        true(says, says in b.texts("#timeline .legend li"))
        same("line of " + says, pixel(b, TIMELINE, "limit") > 0, is_drawn)
        quiet(b, path)


def stray(b):
    """Blocks without segments: what is live is in sight all the same."""
    e = model.Event
    alone = model.Recording([], [e(model.ALLOC, model.BASE, 32 * MIB),
                                 e(model.FREE_COMPLETED, model.BASE)],
                            limit={"kind": "none", "bytes": 2 ** 60})
    path = written("stray.html", [alone.view()])
    b.open(path)
    b.frames()
    width, height = b.value("(c => [c.clientWidth, c.clientHeight])("
                            "document.querySelector(%r))" % TIMELINE)
    got = pixel(b, TIMELINE, "live-bytes") * width * height
    area = (width - 84) / 2 * (height - 26 - 14) / 1.06
    true("live area: %d of %d" % (got, area),
         abs(got - area) < 0.01 * area + width)
    quiet(b, path)


def two(b):
    """Two settings of one program: the same request, whatever its number."""
    e = model.Event
    blocks = [model.BASE + i * MIB for i in range(8)]
    whole = [e(model.SEGMENT_ALLOC, model.BASE, 8 * MIB)]
    each = [[e(model.SEGMENT_MAP, a, MIB), e(model.ALLOC, a, MIB)]
            for a in blocks]
    one = model.Recording([], whole + [e(model.ALLOC, a, MIB) for a in blocks],
                          name="one")
    other = model.Recording([], [x for pair in each for x in pair],
                            name="other")
    path = written("two.html", [one.view(), other.view()])
    b.open(path)
    selector = "#timeline figure[data-view='%d'] canvas.timeline"
    now = lambda i: b.attribute(selector % i, "aria-valuenow")
    for at in range(1, 10):
        b.focus(selector % 0)
        b.key("Home")
        b.key("ArrowRight", times=at)
        b.key("Enter")
        b.frames()
        # After at - 1 requests, and as many events behind the last one.
        there = max(2 * (at - 1), 1)
        same("linked", now(1), str(there))
        same("its map", b.texts("#map .summary")[1].split(": ")[1],
             other.heap(there).summary() + ".")
    b.focus(selector % 0)
    b.key("+")
    b.frames()
    overviews = b.value("[...document.querySelectorAll('.overview')]"
                        ".map(o => o.hidden)")
    same("zoom is linked", overviews, [False, False])
    b.click(".link input")
    press(b, "start")
    same("alone", (now(0), now(1)), ("0", "16"))
    quiet(b, path)


def broken(b):
    """A log that cannot be read leaves the picture, and a word why."""
    view = recording.view()
    for log, why in [(view["log"][:40], "the log"), ("!!!", ""),
                     ("Dw==", "the log has an unknown record"),
                     ("AQU=", "the log frees what it has not allocated"),
                     ("AP////////////8/AQ==", "a number in the log is too large")]:
        path = written("broken.html", [dict(view, log=log)])
        b.open(path)
        true("says why: %s: %s" % (why, b.text("#timeline .note")),
             why in b.text("#timeline .note"))
        same("picture", shown(b, "#timeline svg"), True)
        quiet(b, path)


def still(b):
    """Without script all that C wrote is there to read."""
    path = written("still.html", [recording.view()])
    b.command("Emulation.setScriptExecutionDisabled", value=True)
    b.load(path)
    b.command("Emulation.setScriptExecutionDisabled", value=False)
    for selector in ("#timeline svg", "#map svg", "#settings table"):
        same(selector, shown(b, selector), True)
    same("no controls", b.value("document.querySelector('.toolbar')"), None)


with browser.Browser() as b:
    for part in (points, limits, stray, two, broken, still):
        part(b)
PYTHON
run "$tmp/test.py"
