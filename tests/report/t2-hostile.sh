#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names in a recording are names: none becomes markup, script or an attribute,
# or turns the text around it.
. tests/support.sh
. tests/report/support.sh

cat >"$tmp/test.py" <<'PYTHON'
from support import *

HOSTILE = ["</script><script>document.title = 'hit'</script>",
           "<img src=x onerror=\"document.title = 'hit'\">",
           "\" onmouseover=\"document.title = 'hit'\" x=\"",
           "' autofocus onfocus='document.title = 1'", "<!--", "]]>",
           "javascript:document.title = 'hit'", "a\u202egnp.exe\u2066\u200b",
           "\0\x01\x1b[31m", "x" * 10000, "${document.title = 'hit'}", "&lt;b&gt;"]

ELEMENTS = "[...document.querySelectorAll('*')].map(e => e.tagName + " \
    "[...e.attributes].map(a => a.name).join())"


def named(names):
    """The golden recording with these for all that has a name."""
    made = model.golden()
    pick = lambda i: names[i % len(names)]
    made.names.update(
        name=pick(0), file=pick(1), streams=[pick(2), pick(3)],
        frames=[[pick(4 + i), pick(7 + i), i] for i in range(3)],
        phases=[[a, b, pick(i)] for i, (a, b, _)
                in enumerate(made.names["phases"])])
    return made


def touch(b):
    """All that writes names is used; returns the elements then."""
    found = []
    for way in ("stream", "pool", "age", "size", "site"):
        b.value("(s => { s.value = '%s'; s.dispatchEvent(new Event('change'));"
                "})(document.querySelector('#map select'))" % way)
        b.focus(MAP)
        b.key("Home")
        for _ in range(8):
            b.key("ArrowRight")
            b.frames()
            found += b.value(ELEMENTS)
    b.move(TIMELINE)
    b.move(MAP, 0.5, 0.3)
    return found + b.value(ELEMENTS)


with browser.Browser() as b:
    plain = named(["plain"])
    path = written("plain.html", [plain.view()])
    b.open(path)
    wanted = touch(b)
    for turn in range(len(HOSTILE)):
        recording = named(HOSTILE[turn:] + HOSTILE[:turn])
        path = written("hostile.html", [recording.view()])
        b.open(path)
        title = b.value("document.title")
        same("elements", touch(b), wanted)
        same("title", b.value("document.title"), title)
        quiet(b, path)
        texts = "".join(b.texts("#map .live, #timeline .live"))
        true("what turns text is shown by number",
             not set("\u202e\u2066\u200b\0\x01\x1b") & set(texts))
        true("long names are cut", "x" * 200 not in texts)
        b.window(400)
        b.frames()
        true("fits 400 pixels", b.value(
            "document.documentElement.scrollWidth") <= 400)
        b.window(1280)
PYTHON
run "$tmp/test.py"
