"""A headless Chromium, driven over a pipe in the DevTools protocol; nothing but Python's standard library."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
LIMIT = 60


class Missing(Exception):
    """There is no browser."""


class Trouble(Exception):
    """The browser did not do what it was asked to."""


def find():
    named = os.environ.get("CHROMIUM")
    for name in [named] if named else NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise Missing(
        f"{named or 'chromium'} is not on the PATH\n"
        "  expected: Chromium or Chrome, version 120 or later\n"
        "  fix: install it (Debian: 'apt-get install chromium'), or name it in CHROMIUM"
    )


class Browser:
    """One browser with one page; use it in a `with` statement, so that it is ended."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="holdfast-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        self.buffer = b""
        self.number = 0
        self.events = []

        def take_pipes():
            # The browser reads commands from 3 and writes answers to 4; copies keep one from overwriting the other.
            commands, answers = os.dup(to_browser), os.dup(from_browser)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        flags = [
            "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
            "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio",
            "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb",
        ]
        self.process = subprocess.Popen(
            [find(), *flags, "about:blank"], preexec_fn=take_pipes, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        targets = self.ask("Target.getTargets", session=None)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.ask(
            "Target.attachToTarget", {"targetId": page["targetId"], "flatten": True}, session=None
        )["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, params=None, session=""):
        """The answer to one command; what is told meanwhile is kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = session or self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        end = time.monotonic() + LIMIT
        while True:
            answer = self.read(end, method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Trouble(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self.events.append(answer)

    def read(self, end, what):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise Trouble(f"no answer to {what} in {LIMIT} s")
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise Trouble(f"the browser ended at {what}")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def wait(self, method):
        """The next event of a name, or one that came already."""
        end = time.monotonic() + LIMIT
        while True:
            for place, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(place)
            self.events.append(self.read(end, method))

    def look(self, width, height, scheme="light", media="", scale=1):
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600},
        )
        self.ask(
            "Emulation.setEmulatedMedia",
            {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def open(self, path, fragment=""):
        """Opens a file; tells how many seconds it took until it was loaded and answered."""
        self.events.clear()
        self.ask("Page.navigate", {"url": "about:blank"})
        self.wait("Page.loadEventFired")
        start = time.monotonic()
        self.ask("Page.navigate", {"url": "file://" + os.path.abspath(path) + (f"#{fragment}" if fragment else "")})
        self.wait("Page.loadEventFired")
        # An answer after the next frame: laid out, painted, and free for whoever clicks.
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        return time.monotonic() - start

    def run(self, script):
        """The value of an expression in the page; promises are waited for."""
        answer = self.ask(
            "Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        )
        if "exceptionDetails" in answer:
            raise Trouble(f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def press(self, key, code=0):
        text = {"Enter": "\r"}.get(key, "")
        for kind in ["keyDown", "keyUp"]:
            self.ask(
                "Input.dispatchKeyEvent",
                {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text if kind == "keyDown" else ""},
            )

    def picture(self, path, whole=False):
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", options)["data"]))

    def complaints(self):
        """What the console and the log hold against the page: errors, refused styles and scripts, requests."""
        self.run("0")
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("text", "") + json.dumps(params["exceptionDetails"].get("exception", {}).get("description")))
            elif event.get("method") == "Runtime.consoleAPICalled":
                found.append(f"console.{params['type']}")
            elif event.get("method") == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("file://") or event["params"].get("type") != "Document":
                    found.append(f"it asked for {url}")
        return found
