# SPDX-License-Identifier: Apache-2.0
"""What the page says of golden recordings, compared with the model."""
import sys

import model
from model import MIB, count_text, size_text

TIMELINE, MAP = "#timeline canvas.timeline", "#map canvas.map"


def same(what, got, wanted):
    if got != wanted:
        sys.exit("failed: %s: got %r, wanted %r" % (what, got, wanted))


def true(what, holds):
    if not holds:
        sys.exit("failed: " + what)


def quiet(browser, path):
    """Nothing went wrong, and nothing but the page was asked for."""
    same("complaints", browser.complaints, [])
    same("requests", [u for u in browser.requests if "/" + path.split("/")[-1]
                      not in u], [])


def time_text(us):
    if us < 1000:
        return "%d µs" % us
    return "%.2f ms" % (us / 1e3) if us < 1000000 else "%.3f s" % (us / 1e6)


def moment_text(recording, curve, at):
    """What is read at a moment."""
    events = recording.events
    parts = ["event %s of %s" % (count_text(at), count_text(len(events)))]
    if any(e.time for e in events):
        parts.append(time_text(events[min(at, len(events) - 1)].time -
                               events[0].time))
    parts += ["live " + size_text(curve[at][0]),
              "reserved " + size_text(curve[at][1])]
    if at < len(events):
        event = events[at]
        size = event.size
        if event.action in (model.FREE_REQUESTED, model.FREE_COMPLETED):
            size = recording.heap(at).blocks[event.addr][0].size
        parts.append("then " + model.NAMES[event.action] + (
            " " + size_text(size) if event.action < model.SNAPSHOT else ""))
    return ", ".join(parts)


def piece_text(recording, heap, pieces, i, at):
    addr, size, state, block, segment = pieces[i]
    names = recording.names
    facts = ["state " + state, "address 0x%x" % addr,
             "size " + size_text(size)]
    if block:
        event, number, _ = block
        facts += ["request " + size_text(event.size),
                  "unused " + size_text(size - event.size),
                  "age from before the recording" if number < 0 else
                  "age from event %s, %s ago" % (
                      count_text(number), model.plural(at - number, "event")),
                  "stream " + names["streams"][event.stream]]
    pool = names["pools"][segment[3]]
    facts += ["pool " + ("%d:%d" % tuple(pool) if any(pool) else "default"),
              "segment 0x%x, %s%s" % (
                  segment[0], size_text(segment[1] - segment[0]),
                  ", expandable" if segment[4] else "")]
    stack = names["stacks"][block[0].stack] if block else []
    if stack:
        name, file, line = names["frames"][stack[0]]
        facts.append("%s (%s:%d)" % (name, file, line))
    return "piece %s of %s: " % (count_text(i + 1), count_text(len(pieces))) + \
        "; ".join(facts)


def value(browser):
    return browser.attribute(TIMELINE, "aria-valuetext")


def at_each_event(browser, recording):
    """Keys go through all events; what is said is the model's."""
    curve = recording.curve
    browser.focus(TIMELINE)
    browser.key("Home")
    for at in range(len(curve)):
        same("event %d" % at, value(browser), moment_text(recording, curve, at))
        same("its number", browser.attribute(TIMELINE, "aria-valuenow"), str(at))
        browser.key("ArrowRight")
    browser.key("ArrowLeft", times=3)
    browser.key("End")
    same("End", value(browser), moment_text(recording, curve, len(curve) - 1))


def summary(recording, at, label=""):
    heap, events = recording.heap(at), recording.events
    where = "at the end, after " + model.plural(at, "event") \
        if at == len(events) else "before event " + count_text(at)
    text = "The heap %s%s: %s" % (where, label and " (%s)" % label,
                                  heap.summary())
    if at < len(events) and events[at].action == model.OOM:
        text += ". Then a request for %s fails" % size_text(events[at].size)
    return text + "."


def each_map(browser, recording):
    """Enter shows the heap before each event; keys go through its pieces."""
    labels = {0: "start", recording.peak(): "peak"}
    labels.update((at, "OOM %d" % (i + 1))
                  for i, at in enumerate(recording.ooms()))
    for at in range(len(recording.events) + 1):
        browser.focus(TIMELINE)
        browser.key("Home" if at == 0 else "ArrowRight")
        browser.key("Enter")
        browser.frames()
        same("map before %d" % at, browser.text("#map .summary"),
             summary(recording, at, labels.get(at, "")))
        heap = recording.heap(at)
        pieces = heap.pieces()
        browser.focus(MAP)
        for i in range(len(pieces)):
            browser.key("ArrowRight" if i else "Home")
            same("piece %d before %d" % (i, at), browser.text("#map .spoken"),
                 piece_text(recording, heap, pieces, i, at))
        browser.key("ArrowRight")
        true("the last piece is the last", browser.text(
            "#map .spoken").startswith("piece %d of" % len(pieces)))


def moves_in_map(browser, recording):
    at = recording.ooms()[0]
    heap = recording.heap(at)
    pieces, segments = heap.pieces(), heap.whole_segments()
    browser.value("[...document.querySelectorAll('#map button')]"
                  ".find(b => b.textContent === 'OOM 1').click()")
    browser.focus(MAP)
    browser.key("PageDown")
    for segment in segments:
        first = [p[4] for p in pieces].index(segment)
        same("Page Down", browser.text("#map .spoken"),
             piece_text(recording, heap, pieces, first, at))
        browser.key("PageDown")
    browser.key("PageUp", times=len(segments))
    same("Page Up", browser.text("#map .spoken"),
         piece_text(recording, heap, pieces, 0, at))
    # 28 MiB in 16 rows: two rows down is 3.5 MiB on.
    browser.key("ArrowDown", times=2)
    true("down", "0x" in browser.text("#map .spoken"))
    browser.key("End")
    same("End", browser.text("#map .spoken"),
         piece_text(recording, heap, pieces, len(pieces) - 1, at))
    browser.key("+", times=3)
    same("zoomed", browser.text("#map .scale"),
         "A row is 224.00 KiB; the rows show 3.50 MiB of 28.00 MiB.")
    browser.key("Home")
    browser.key("0")
    same("all", browser.text("#map .scale"), "A row is 1.75 MiB.")


def pointing(browser, recording):
    """The middle of the map is the 14th of 28 MiB: a hole."""
    at = recording.ooms()[0]
    pieces = recording.heap(at).pieces()
    base = 0
    for addr, size, state, _, segment in pieces:
        if base <= 14 * MIB < base + size:
            break
        base += size
    # Ninth of 16 rows, at its begin; labels take 124 of its pixels.
    width = browser.value("document.querySelector('%s').clientWidth" % MAP)
    browser.move(MAP, (126 + 0.0) / width, 8.4 / 16)
    browser.frames()
    same("facts", browser.texts("#map .facts dd")[:3],
         [state, "0x%x" % addr, size_text(size)])
    browser.click(MAP, 126 / width, 8.4 / 16)
    browser.move("h1")
    browser.frames()
    same("facts stay", browser.texts("#map .facts dd")[:2],
         [state, "0x%x" % addr])


def classes(recording, at, key):
    sums = {}
    for _, size, state, block, segment in recording.heap(at).pieces():
        if block:
            name = key(block, segment)
            bytes_, count = sums.get(name, (0, 0))
            sums[name] = bytes_ + size, count + 1
    return {"%s: %s in %s" % (name, size_text(b), model.plural(n, "block"))
            for name, (b, n) in sums.items()}


def colours(browser, recording):
    """The legend of each colouring has the model's sums."""
    names, at = recording.names, recording.ooms()[0]
    frames = ["%s (%s:%d)" % tuple(f) for f in names["frames"]]

    def pool(block, segment):
        a, b = names["pools"][segment[3]]
        return "pool %d:%d" % (a, b) if a or b else "pool default"

    def age(block, _):
        share = (at - block[1]) / at
        return "before the recording" if block[1] < 0 else next(
            name for most, name in ((.01, "last hundredth of the events"),
                                    (.1, "last tenth"), (.5, "last half"),
                                    (1, "first half")) if share <= most)

    def size(block, _):
        rounded = model.rounded(block[0].size)
        return "to 1 MiB" if rounded <= MIB else "to 10 MiB"

    def site(block, _):
        stack = names["stacks"][block[0].stack]
        own = [f for f in stack if "site-packages" not in names["frames"][f][1]]
        return frames[own[0]] if own else "unknown"

    unused = sum(size - block[0].size for _, size, _, block, _ in
                 recording.heap(at).pieces() if block)
    ways = {"stream": lambda b, s: "stream " + names["streams"][b[0].stream],
            "pool": pool, "age": age, "size": size, "site": site}
    same("ways", browser.value("[...document.querySelectorAll("
                               "'#map select option')].map(o => o.value)"),
         list(ways))
    for way, key in ways.items():
        browser.value("(s => { s.value = '%s'; s.dispatchEvent(new Event("
                      "'change')); })(document.querySelector('#map select'))"
                      % way)
        legend = set(browser.texts("#map .legend li"))
        true("legend of %s: %r" % (way, legend), legend == classes(
            recording, at, key) | {
                "free", "striped: freed, waits for a stream",
                "lined: in blocks, not requested: " + size_text(unused)})


def span(browser):
    """Shown in the overview, as it reads: hidden when all is."""
    return browser.value("!document.querySelector('#timeline .overview').hidden")


def zooming(browser, recording):
    browser.focus(TIMELINE)
    for act, zoomed in ((lambda: browser.key("+"), True),
                        (lambda: browser.key("-"), False),
                        (lambda: browser.wheel(TIMELINE, 0.5, -200), True),
                        (lambda: browser.key("0"), False),
                        (lambda: browser.drag(TIMELINE, 0.3, 0.6), True),
                        (lambda: browser.drag(TIMELINE, 0.5, 0.3, True), True),
                        (lambda: browser.key("ArrowLeft", True), True),
                        (lambda: browser.click(
                            "#timeline [aria-label='Zoom'] button:last-child"),
                         False)):
        act()
        browser.frames()
        same("zoomed", span(browser), zoomed)
        browser.focus(TIMELINE)


def hovering(browser, recording):
    """Pointing reads a moment out, leaving reads the chosen one."""
    curve = recording.curve
    chosen = browser.text("#timeline .readout")
    width = browser.value("document.querySelector('%s').clientWidth" % TIMELINE)
    for at in (0, 3, 11, len(curve) - 1):
        x = 72 + at / (len(curve) - 1) * (width - 84)
        browser.move(TIMELINE, x / width)
        browser.frames()
        same("read out", browser.text("#timeline .readout"),
             moment_text(recording, curve, at))
    browser.move("h1", 0.5)
    browser.frames()
    same("left", browser.text("#timeline .readout"), chosen)
    browser.click(TIMELINE, (72 + 7 / (len(curve) - 1) * (width - 84)) / width)
    browser.frames()
    same("clicked", browser.text("#map .summary"), summary(recording, 7))


def time_axis(browser, recording):
    """At 4 ms of 8: the moment that the fourth millisecond is in."""
    browser.value("(s => { s.value = 'time'; s.dispatchEvent(new Event("
                  "'change')); })(document.querySelector('#timeline select'))")
    events, curve = recording.events, recording.curve
    width = browser.value("document.querySelector('%s').clientWidth" % TIMELINE)
    browser.move(TIMELINE, (72 + (width - 84) / 2) / width)
    browser.frames()
    half = (events[-1].time - events[0].time) / 2
    at = next(i for i, e in enumerate(events)
              if e.time - events[0].time >= half)
    same("half of the time", browser.text("#timeline .readout"),
         moment_text(recording, curve, at))


def buttons(browser, recording):
    ooms = recording.ooms()
    for label, at in [("start", 0), ("peak", recording.peak()),
                      ("OOM 1", ooms[0]), ("OOM 2", ooms[1]),
                      ("end", len(recording.events))]:
        browser.value("[...document.querySelectorAll('#timeline button')]"
                      ".find(b => b.textContent === %r).click()" % label)
        browser.frames()
        same(label, browser.text("#map .summary"), summary(
            recording, at, "" if label == "end" else label))
        same(label + " in the timeline", browser.attribute(
            TIMELINE, "aria-valuenow"), str(at))


def table(browser):
    def order(column):
        return browser.texts("#settings tbody td:nth-child(%d)" % column)
    def press(column):
        browser.click("#settings th:nth-child(%d) button" % column)
    press(2)
    same("by memory", order(2), ["1,020 bytes", "900.00 MiB", "1.50 GiB"])
    same("said so", browser.attribute("#settings th:nth-child(2)",
                                      "aria-sort"), "ascending")
    press(2)
    same("downwards", order(2), ["1.50 GiB", "900.00 MiB", "1,020 bytes"])
    press(3)
    same("by time", [t.strip() for t in order(3)], ["4 ms", "20 ms", "1 s"])
    browser.focus("#settings th:nth-child(1) button")
    browser.key("Enter")
    same("by name", order(1), ["default", "expandable_segments:True",
                               "max_split_size_mb:64"])


def pixel(browser, selector, name):
    """Share of the canvas that has a colour of the style."""
    return browser.value("""(() => {
        const canvas = document.querySelector(%r);
        const copy = new OffscreenCanvas(canvas.width, canvas.height)
            .getContext("2d", {willReadFrequently: true});
        copy.drawImage(canvas, 0, 0);
        const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
        const hex = getComputedStyle(document.documentElement)
            .getPropertyValue("--%s").trim();
        const want = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
        let found = 0;
        for (let i = 0; i < data.length; i += 4)
            if (want.every((v, k) => Math.abs(v - data[i + k]) < 3) &&
                data[i + 3] > 250)
                found++;
        return found / (data.length / 4); })()""" % (selector, name))


def shown(browser, selector):
    return browser.value("document.querySelector(%r).checkVisibility()" %
                         selector)


def drawn(browser, recording):
    """Areas of the picture are those of the model: pixels counted."""
    events = len(recording.events)
    curve = recording.curve
    most = recording.high() * 1.06
    for scheme in ("light", "dark"):
        browser.media("screen", prefers_color_scheme=scheme)
        width, height = browser.value(
            "(c => [c.clientWidth, c.clientHeight])(document.querySelector("
            "%r))" % TIMELINE)
        lanes = 2
        plot = (width - 84) * (height - 26 - 14 - 16 * lanes)
        # Between events i - 1 and i the heap is that before event i.
        area = sum(l for l, _ in curve[1:]) / events / most * plot
        got = pixel(browser, TIMELINE, "live-bytes") * width * height
        true("live area in %s: %d pixels of %d" % (scheme, got, area),
             abs(got - area) < 0.01 * area + width)  # edges are blended
        true("blocks are drawn", pixel(browser, MAP, "hue-1") > 0.05)
        same("canvas", shown(browser, TIMELINE), True)
        same("picture", shown(browser, "#timeline svg"), False)
    browser.media("print")
    for selector in (TIMELINE, MAP, "#timeline .toolbar"):
        same(selector + " in print", shown(browser, selector), False)
    same("picture in print", shown(browser, "#timeline svg"), True)
    browser.media()
