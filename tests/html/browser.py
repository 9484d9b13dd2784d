#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of ascprof report in a headless browser, as somebody uses them.

usage: browser.py CHROMIUM PAGE COUNTED [FOLDER]

COUNTED has more counters than are shown at once.

Looks at errors, requests, width, keys, pointer, the order of tables, both colour
schemes, and the page without JavaScript. FOLDER gets pictures. Exit: 0 or 1.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile


class Browser:
    """The DevTools protocol over two pipes: messages end with a zero byte."""

    def __init__(self, program, profile):
        to_r, self.to = os.pipe()
        self.come, from_w = os.pipe()
        move = 'exec "$@" 3<&%d 4>&%d' % (to_r, from_w)
        self.process = subprocess.Popen(
            ["bash", "-c", move, "browser", program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--user-data-dir=" + profile, "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_r, from_w), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_r)
        os.close(from_w)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.come, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            got = self.read()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError("%s: %s" % (method, got["error"]))
                return got["result"]
            self.events.append(got)

    def wait(self, method):
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    del self.events[i]
                    return
            self.events.append(self.read())

    def show(self, page, width, height, dark=False, script=True):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.events = []
        self.call("Page.navigate", url="file://" + page)
        self.wait("Page.loadEventFired")

    def tell(self, expression):
        got = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError("%s: %s" % (expression, got["exceptionDetails"]))
        return got["result"].get("value")

    def drawn(self):
        """Until the next frame was painted."""
        self.tell("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.drawn()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.drawn()

    def picture(self, name, whole=False):
        if len(sys.argv) > 4:
            data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
            with open(os.path.join(sys.argv[4], name + ".png"), "wb") as f:
                f.write(base64.b64decode(data))


failures = []


def check(what, good, seen=""):
    if not good:
        failures.append(what)
        print("FAIL:", what, seen)


def quiet(browser, page, where):
    """No errors, no request but for the page itself."""
    for event in browser.events:
        method, p = event.get("method"), event.get("params", {})
        check(where + ": an exception", method != "Runtime.exceptionThrown", p)
        check(where + ": the log", method != "Log.entryAdded" or p["entry"]["level"] not in ("error", "warning"), p)
        if method == "Network.requestWillBeSent":
            url = p["request"]["url"]
            check(where + ": a request", url == "file://" + page or url.startswith("data:"), url)


LOOK = "(() => { const c = document.querySelector('#lanes canvas'); return c.toDataURL(); })()"


def use(b, page):
    b.show(page, 1440, 900)
    b.drawn()
    quiet(b, page, "desktop")
    check("the script ran", b.tell("document.documentElement.dataset.drawn") == "yes")
    check("foreign text became script", b.tell("document.title").endswith("ascprof report"), b.tell("document.title"))
    check("foreign text became markup", b.tell("document.querySelectorAll('td img, td script, bdi *').length") == 0)
    whole = b.tell(LOOK)
    b.tell("document.querySelector('#lanes canvas').focus()")
    b.key("n")
    first = b.tell("document.getElementById('told').textContent")
    check("n tells of the first annotation", "step" in first, first)
    b.key("n")
    check("n goes on", b.tell("document.getElementById('told').textContent") not in ("", first))
    b.key("p")
    check("p goes back", b.tell("document.getElementById('told').textContent") == first)
    b.key("Escape")
    check("nothing is chosen after Escape", b.tell(LOOK) == whole)
    b.key("+")
    near = b.tell(LOOK)
    check("+ zooms", near != whole)
    b.key("ArrowRight")
    check("an arrow moves", b.tell(LOOK) != near)
    b.key("0")
    check("0 shows all", b.tell(LOOK) == whole)
    box = json.loads(b.tell("JSON.stringify(document.querySelector('#lanes canvas').getBoundingClientRect())"))
    x, y = box["x"] + 3, box["y"] + 24 + 20 + 9
    b.mouse("mouseMoved", x, y)
    check("the pointer is told what is there", not b.tell("document.getElementById('tip').hidden"))
    b.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2)
    check("Ctrl and wheel zoom", b.tell(LOOK) != whole)
    b.tell("[...document.querySelectorAll('.bar button')].find(e => e.textContent === 'All').click()")
    b.drawn()
    check("a button shows all", b.tell(LOOK) == whole)
    counts = "JSON.stringify([...document.querySelectorAll('#names tbody tr')].map(r => +(r.cells[2].dataset.v)))"
    b.tell("document.querySelectorAll('#names th button')[2].click()")
    got = json.loads(b.tell(counts))
    check("a table is sorted", got == sorted(got, reverse=True), got)
    b.tell("document.querySelectorAll('#names th button')[2].click()")
    check("and the other way", json.loads(b.tell(counts)) == sorted(got))
    check("a distribution is drawn", b.tell("document.querySelectorAll('#spread rect').length") > 10)
    quiet(b, page, "use")


def look(b, page):
    for name, width, height, dark in (("phone", 390, 844, False), ("desktop", 1440, 900, False), ("phone-dark", 390, 844, True),
                                      ("desktop-dark", 1440, 900, True)):
        b.show(page, width, height, dark)
        b.drawn()
        quiet(b, page, name)
        check(name + ": no wider than the screen", b.tell("document.documentElement.scrollWidth") <= width,
              b.tell("document.documentElement.scrollWidth"))
        light = b.tell("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, v) => a + +v, 0)")
        check(name + ": colours", (light < 200) == dark, light)
        b.picture(name)
        b.picture(name + "-whole", True)
    b.show(page, 390, 844, script=False)
    b.call("Emulation.setScriptExecutionDisabled", value=False)
    check("without JavaScript: the tables", b.tell("document.querySelectorAll('#names tbody tr').length") > 5)
    check("without JavaScript: it says so", b.tell("document.querySelector('noscript').innerText.includes('JavaScript')"))


def counters(b, page):
    drawn = "[...document.querySelectorAll('#charts %s canvas')].filter(c => c.width && c.clientWidth).length"
    for width, height, first in (390, 844, 4), (1440, 900, 12):
        b.show(page, width, height)
        b.drawn()
        check("the first counters are drawn", b.tell(drawn % "> .charts") == first)
        rest = b.tell("document.querySelectorAll('#charts details canvas').length")
        check("the rest is told", rest and b.tell("document.querySelector('#charts summary').textContent") == f"{rest} more")
        b.tell("document.querySelector('#charts summary').click()")
        for _ in range(100):  # the page hears of it some frames later
            b.drawn()
            if b.tell(drawn % "details") == rest:
                break
        check("and is drawn when it is opened", b.tell(drawn % "details") == rest, b.tell(drawn % "details"))
        check("all links to parts are seen", b.tell("[...document.querySelectorAll('nav a')].every(a => "
                                                    "a.getBoundingClientRect().right <= innerWidth)"))
        b.picture("counters-%d" % width, True)
    quiet(b, page, "counters")


def main():
    profile = tempfile.mkdtemp()
    page, counted = os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    browser = None
    try:
        browser = Browser(sys.argv[1], profile)
        use(browser, page)
        look(browser, page)
        counters(browser, counted)
    finally:
        if browser:
            browser.process.kill()
            browser.process.wait()
        shutil.rmtree(profile, ignore_errors=True)
    print("%d failures" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
