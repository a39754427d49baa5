# SPDX-License-Identifier: Apache-2.0
"""Read pages of allocctl report, and hold what they say against what CPython
reads of the recordings.

usage: report-page.py log PAGE RECORDING...	each view against its recording
       report-page.py unused RECORDING		bytes behind requests, at its end
       report-page.py streams RECORDING		that hold blocks at its end
       report-page.py safe PAGE			nothing but what belongs there
"""
import base64
import html.parser
import json
import lzma
import pickle
import sys

ACTIONS = ("alloc", "free_requested", "free_completed", "segment_alloc",
           "segment_free", "segment_map", "segment_unmap", "oom", "snapshot",
           "annotate", "alloc")
SIZED_ALLOC = 10
TAGS = set("html head meta title style body header main section h1 h2 h3 div dl"
           " dt dd p ol ul li pre code strong article blockquote figure"
           " figcaption table thead tbody tr th td details summary script svg"
           " g rect circle line path text tspan desc caption".split())


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.ids, self.text = [], [], []
        self.scripts, self.inside = [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [v for k, v in attributes if k == "id"]
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        elif self.inside != "style":
            self.text.append(data)


def read(path):
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    return page, json.loads(page.scripts[0])


class Log:
    """Records of a view, with what is carried from one to the next."""

    def __init__(self, data):
        self.bytes, self.at = base64.b64decode(data, validate=True), 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return value

    def records(self):
        stream = stack = pool = time = addr = 0
        blocks, begun = [], False
        while self.at < len(self.bytes):
            op = self.bytes[self.at]
            self.at += 1
            action = ACTIONS[op & 15]
            if op & 16:
                told = self.number()
                if action == "snapshot" and told == 2 ** 32 - 1:
                    begun = True
                    continue
                stream = told
            stack = self.number() if op & 32 else stack
            pool = self.number() if op & 64 else pool
            time += self.number() if op & 128 else 0
            event = {"begun": begun, "action": action, "time": time}
            if action == "alloc" or action.startswith("segment"):
                difference = self.number()
                addr += -(difference + 1) // 2 if difference & 1 else difference // 2
                event.update(addr=addr, size=self.number(), stream=stream)
                if action == "alloc":
                    event["stack"] = stack
                    event["block"] = self.number() if op & 15 == SIZED_ALLOC \
                        else max(-(-event["size"] // 512), 1) * 512
                    blocks.append(event)
                else:
                    event["pool"] = pool
            elif action.startswith("free"):
                block = blocks[-1 - self.number()]
                event.update(addr=block["addr"], size=block["size"])
            elif action == "oom":
                event.update(size=self.number(), device_free=self.number(),
                             stream=stream)
            yield event


def check_event(view, shown, event):
    wanted = {k: event[k] for k in ("action", "size")}
    wanted["addr" if "addr" in event else "device_free"] = event.get(
        "addr", event.get("device_free"))
    got = {k: shown.get(k) for k in wanted}
    assert got == wanted, (got, wanted)
    if "stream" in shown and shown["action"] in (
            "alloc", "segment_alloc", "segment_map", "oom"):
        assert int(view["streams"][shown["stream"]], 0) == event["stream"], event
    if view["time"]:
        assert view["time"][0] + shown["time"] == event["time_us"], event
    if "pool" in shown and "pool_id" in event and "alloc" in event["action"]:
        assert tuple(view["pools"][shown["pool"]]) == event["pool_id"], event
    if "stack" in shown and event.get("frames"):
        frames = [view["frames"][f] for f in view["stacks"][shown["stack"]]]
        assert frames == [[f["name"], f["filename"], f["line"]]
                          for f in event["frames"]], event


def held_at_end(records):
    """Blocks and segments that are left when all records went by."""
    blocks, memory = {}, {}
    for r in records:
        if r["action"] == "alloc":
            blocks[r["addr"]] = r
        elif r["action"] == "free_completed":
            del blocks[r["addr"]]
        elif r["action"] in ("segment_alloc", "segment_map"):
            memory[r["addr"]] = r["size"]
        elif r["action"] == "segment_free":
            del memory[r["addr"]]
    return blocks, memory


def check_end(view, records, snapshot):
    segments = [s for s in snapshot["segments"]
                if s["device"] == view["device"]]
    blocks, memory = held_at_end(records)
    wanted = {}
    for segment in segments:
        at = segment["address"]
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                wanted[at] = block["requested_size"], block["size"]
            at += block["size"]
    assert {a: (b["size"], b["block"]) for a, b in blocks.items()} == wanted, \
        "blocks at the end"
    if not any(s["is_expandable"] for s in segments):
        assert memory == {s["address"]: s["total_size"] for s in segments}


def check_phases(view, snapshot):
    names = {a["name"] for a in snapshot.get("external_annotations", ())}
    assert all(name in names for _, _, name in view["phases"])
    assert not names or view["phases"], "phases are missing"


def check_peak(view, records):
    """Most bytes before any event; what is drawn reaches there, and to a limit
    of up to 2.5 times as much."""
    live = reserved = 0
    before, held = [], []
    for r in records + [None]:
        if r is None or r["begun"]:
            before.append(live)
            held.append(reserved)
        if r is None:
            break
        if r["action"] == "alloc":
            live += max((r["size"] + 511) // 512, 1) * 512
        elif r["action"] == "free_completed":
            live -= max((r["size"] + 511) // 512, 1) * 512
        elif r["action"] in ("segment_alloc", "segment_map"):
            reserved += r["size"]
        elif r["action"] in ("segment_free", "segment_unmap"):
            reserved -= r["size"]
    most = max(before)
    assert view["peak"] == {"event": before.index(most), "live": most,
                            "reserved": max(held)}, view["peak"]
    high, limit = max(most, *held), view["limit"] or {"kind": "none"}
    if limit["kind"] != "none" and limit["bytes"] <= 2.5 * high:
        high = max(high, limit["bytes"])
    assert view["high"] == high, (view["high"], high, limit)


def unpickled(path):
    with lzma.open(path) as file:
        return pickle.load(file)


def unused(path):
    print("%.2f MiB" % (sum(
        b["size"] - b["requested_size"] for s in unpickled(path)["segments"]
        for b in s["blocks"] if b["state"] != "inactive") / 2 ** 20))


def streams(path):
    print(*{"0x%x" % s["stream"] if s["stream"] else "0"
            for s in unpickled(path)["segments"] for b in s["blocks"]
            if b["state"] != "inactive"})


def check_view(view, path):
    snapshot = unpickled(path)
    events = [e for e in snapshot["device_traces"][view["device"]]
              if e["action"] not in ("snapshot", "annotate")]
    records = list(Log(view["log"]).records())
    shown = [r for r in records if r["begun"]]
    assert len(shown) == len(events) == view["events"], path
    for got, event in zip(shown, events):
        check_event(view, got, event)
    check_peak(view, records)
    check_end(view, records, snapshot)
    check_phases(view, snapshot)
    ooms = [i for i, e in enumerate(events) if e["action"] == "oom"]
    assert [o["event"] for o in view["ooms"]] == ooms
    return len(events)


def safe(path):
    page, data = read(path)
    assert {t for t, _ in page.tags} <= TAGS, {t for t, _ in page.tags} - TAGS
    assert len(page.scripts) == 2, len(page.scripts)
    assert len(page.ids) == len(set(page.ids)), page.ids
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "href", "action"), (tag, name, value)
            assert name != "style" and "url(" not in (value or ""), value
    policy = [a["content"] for t, a in page.tags
              if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy and policy[0].startswith("default-src 'none'"), policy
    assert data["schema"] == "allocctl.report/1"


def main():
    if sys.argv[1] == "safe":
        safe(sys.argv[2])
        return
    if sys.argv[1] in ("unused", "streams"):
        globals()[sys.argv[1]](sys.argv[2])
        return
    data = read(sys.argv[2])[1]
    assert len(data["views"]) == len(sys.argv) - 3
    count = sum(check_view(view, path)
                for view, path in zip(data["views"], sys.argv[3:]))
    print("%d events" % count)


main()
