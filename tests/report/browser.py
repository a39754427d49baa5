# SPDX-License-Identifier: Apache-2.0
"""A headless chromium, driven through pipes with Python's standard library."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# What the wrappers of distributions look at is not ours to pass on.
ENVIRONMENT = ("PATH", "LANG", "TMPDIR")


def program():
    """Path of the browser, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One process with one page, whose complaints and requests are kept."""

    def __init__(self, seconds=60):
        self.home = tempfile.mkdtemp()
        self.seconds = seconds
        self.last = 0
        self.buffer = b""
        self.complaints, self.requests, self.loads = [], [], 0
        commands, self.write_end = os.pipe()
        self.read_end, answers = os.pipe()

        def pipes():
            # Away from 3 and 4 first: either may be one of them.
            high = [os.dup(fd) for fd in (commands, answers)]
            while min(high) < 5:
                high = [os.dup(fd) for fd in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.log = open(os.path.join(self.home, "log"), "wb")
        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--force-device-scale-factor=1",
             "--disable-background-networking", "--disable-extensions",
             "--enable-precise-memory-info", "--js-flags=--expose-gc",
             "--user-data-dir=" + os.path.join(self.home, "profile"),
             "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            close_fds=False, preexec_fn=pipes, env=dict(
                {k: os.environ[k] for k in ENVIRONMENT if k in os.environ},
                HOME=self.home))
        os.close(commands)
        os.close(answers)
        self.session = None
        target = self.command("Target.createTarget", url="about:blank")
        self.session = self.command("Target.attachToTarget", flatten=True,
                                    targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(domain + ".enable")
        self.window(1280, 900)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [],
                                 max(until - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.note(message["method"], message.get("params", {}))
        return message

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get(
                "description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(params["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("dialog " + params["message"])
        elif method == "Page.loadEventFired":
            self.loads += 1

    def command(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(method + ": " +
                                       answer["error"]["message"])
                return answer["result"]

    def open(self, path):
        """Load a file, and wait until all of it was drawn."""
        self.load(path)
        self.frames()

    def load(self, path):
        self.requests.clear()
        loads = self.loads
        self.command("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + self.seconds
        while self.loads == loads:
            self.receive(until)

    def frames(self):
        """Wait for what the next frames draw."""
        self.value("new Promise(done => requestAnimationFrame(() =>"
                   " requestAnimationFrame(() => setTimeout(done))))")

    def value(self, expression):
        answer = self.command("Runtime.evaluate", expression=expression,
                              returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get(
                "exception", {}).get("description", expression))
        return answer["result"].get("value")

    def text(self, selector):
        return self.value("document.querySelector(%s).textContent" %
                          json.dumps(selector))

    def texts(self, selector):
        return self.value("[...document.querySelectorAll(%s)]"
                          ".map(e => e.textContent)" % json.dumps(selector))

    def attribute(self, selector, name):
        return self.value("document.querySelector(%s).getAttribute(%s)" %
                          (json.dumps(selector), json.dumps(name)))

    def focus(self, selector):
        self.value("document.querySelector(%s).focus()" % json.dumps(selector))

    def key(self, key, shift=False, times=1):
        text = key if len(key) == 1 else "\r" if key == "Enter" else None
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                extra = {"text": text} if text and kind == "keyDown" else {}
                self.command("Input.dispatchKeyEvent", type=kind, key=key,
                             modifiers=8 if shift else 0, **extra)

    def place(self, selector, x=0.5, y=0.5):
        """Point of an element, which is scrolled into view, by shares."""
        return self.value(
            "(() => { const e = document.querySelector(%s);"
            "e.scrollIntoView({block: 'center'});"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width * %r, b.y + b.height * %r]; })()" %
            (json.dumps(selector), x, y))

    def mouse(self, kind, point, **extra):
        self.command("Input.dispatchMouseEvent", type=kind, x=point[0],
                     y=point[1], **extra)

    def move(self, selector, x=0.5, y=0.5):
        self.mouse("mouseMoved", self.place(selector, x, y))

    def click(self, selector, x=0.5, y=0.5):
        point = self.place(selector, x, y)
        self.mouse("mouseMoved", point)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, point, button="left", clickCount=1)

    def drag(self, selector, from_x, to_x, shift=False):
        modifiers = 8 if shift else 0
        start, end = self.place(selector, from_x), self.place(selector, to_x)
        self.mouse("mouseMoved", start)
        self.mouse("mousePressed", start, button="left", buttons=1,
                   clickCount=1, modifiers=modifiers)
        self.mouse("mouseMoved", end, button="left", buttons=1,
                   modifiers=modifiers)
        self.mouse("mouseReleased", end, button="left", clickCount=1,
                   modifiers=modifiers)

    def wheel(self, selector, x, by):
        self.mouse("mouseWheel", self.place(selector, x), deltaX=0, deltaY=by)

    def window(self, width, height=900):
        self.command("Emulation.setDeviceMetricsOverride", width=width,
                     height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind="", **features):
        self.command("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": name.replace("_", "-"), "value": value}
            for name, value in features.items()])
        self.frames()

    def screenshot(self, path):
        """All of the page."""
        self.value("scrollTo(0, 0)")
        self.frames()
        picture = self.command("Page.captureScreenshot",
                               captureBeyondViewport=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def heap_bytes(self):
        """Of the script, with its typed arrays."""
        self.value("gc()")
        return self.value("performance.memory.usedJSHeapSize")
