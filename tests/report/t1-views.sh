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
PYTHON
run "$tmp/test.py"
