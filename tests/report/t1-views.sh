#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page in a browser: what it says of golden recordings, by keys and pointer.
. tests/support.sh
. tests/report/support.sh

cat >"$tmp/test.py" <<'PYTHON'
from support import *

recording = model.golden()
with browser.Browser() as b:
    def fresh(part, path=written("golden.html", [recording.view()])):
        b.open(path)
        part(b, recording)
        quiet(b, path)
    for part in (at_each_event, each_map, moves_in_map, pointing, colours,
                 zooming, hovering, time_axis, buttons, drawn):
        fresh(part)
    fresh(lambda b, _: table(b))
    # More classes than a legend has entries: streams, two too many.
    e = model.Event
    many = model.Recording(
        [], [e(model.SEGMENT_ALLOC, model.BASE, 16 * MIB)] +
        [e(model.ALLOC, model.BASE + i * MIB, MIB, i) for i in range(16)],
        streams=["0x%x" % i for i in range(16)])
    b.open(written("many.html", [many.view()]))
    b.value("[...document.querySelectorAll('#map button')]"
            ".find(b => b.textContent === 'end').click()")
    b.frames()
    same("legend", b.texts("#map .legend li")[14:], ["2 classes more", "free"])
    # One moment may have several names.
    both = model.Recording([], [e(model.SEGMENT_ALLOC, model.BASE, 2 * MIB),
                                e(model.ALLOC, model.BASE, MIB),
                                e(model.OOM, 0, 8 * MIB)])
    b.open(written("both.html", [both.view()]))
    b.frames()
    same("names", b.text("#map .summary"), summary(both, 2, "peak, OOM 1"))
PYTHON
run "$tmp/test.py"
