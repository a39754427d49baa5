#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names in a recording are names: none becomes markup, script or an attribute,
# or turns the text around it.
. tests/support.sh
. tests/report/support.sh

# The same through the command: frames, phases and the file's own name.
cat >"$tmp/hostile.py" <<'PYTHON'
import itertools
import lzma
import pickle

from names import HOSTILE
from support import TMP

with lzma.open("tests/data/windows-gnn.frames.pickle.xz") as file:
    snapshot = pickle.load(file)
names = itertools.cycle(HOSTILE)
for event in itertools.chain(*snapshot["device_traces"]):
    for frame in event.get("frames", []):
        frame["name"], frame["filename"] = next(names), next(names)
for note in snapshot["external_annotations"]:
    note["name"] = next(names)
with open(TMP + "/<img src=x onerror=alert(1)>\" onload=\"alert(1).pickle",
          "wb") as file:
    pickle.dump(snapshot, file)
PYTHON

cat >"$tmp/names.py" <<'PYTHON'
HOSTILE = ["</script><script>document.title = 'hit'</script>",
           "<img src=x onerror=\"document.title = 'hit'\">",
           "\" onmouseover=\"document.title = 'hit'\" x=\"",
           "' autofocus onfocus='document.title = 1'", "<!--", "]]>",
           "javascript:document.title = 'hit'", "a\u202egnp.exe\u2066\u200b",
           "\0\x01\x1b[31m", "x" * 10000, "${document.title = 'hit'}", "&lt;b&gt;"]
PYTHON

cat >"$tmp/test.py" <<'PYTHON'
from names import HOSTILE
from support import *

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
        for _ in range(8 if way == "site" else 1):
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

    # What C writes: nothing but elements and attributes of its own.
    path = os.path.join(TMP, "command.html")
    b.open(path)
    title = b.value("document.title")
    touch(b)
    same("title", b.value("document.title"), title)
    quiet(b, path)
    same("foreign elements", b.value(
        "[...document.querySelectorAll('img, iframe, object, embed, link, base,"
        "a[href^=javascript], form, [src], [autofocus]')].length"), 0)
    same("handlers", b.value(
        "[...document.querySelectorAll('*')].filter(e => [...e.attributes]"
        ".some(a => a.name.startsWith('on'))).length"), 0)
    same("scripts", b.value("document.scripts.length"), 2)
    true("names are there", "<img src=x" in b.text("h1"))
    true("frames are there", "</script><script>" in b.text("body"))
    true("no character turns text", not set("\u202e\u2066\u200b\x01\x1b") &
         set(b.value("document.body.innerText")))
    b.window(400)
    b.frames()
    true("fits 400 pixels", b.value(
        "document.documentElement.scrollWidth") <= 400)
PYTHON
run "$tmp/hostile.py"
allocctl report --no-tune "$tmp"/*.pickle -o "$tmp/command.html" ||
	fail 'report of hostile names'
run "$tmp/test.py"
