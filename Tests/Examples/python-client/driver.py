#!/usr/bin/env python3
"""The driver: obeys the suite's commands as a phone's system and its owner would, and tells what the screen shows.

    conformance client -- python3 driver.py                    the suite starts it and talks over standard input and output
    python3 driver.py --connect ws://192.168.1.7:9000          it connects to a suite that waits with --listen
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile

import websockets

import broken
import variations
from app import App


class Driver:
    """One app, or none; one command at a time."""

    def __init__(self, make_app, is_spawned):
        self.make_app, self.app = make_app, None
        self.is_spawned, self.has_crashed = is_spawned, False
        self.folder = os.environ.get("HOLDFAST_DATA") or tempfile.mkdtemp(prefix="chat-app-")

    def obey(self, command):
        """The reply to a command. The app takes it at once, as it takes a tap; nothing here waits for a server."""
        try:
            answer = self.hello() if command["do"] == "hello" else self.act(command)
        except (KeyError, TypeError, ValueError, AttributeError, OSError) as problem:
            return {"id": command.get("id", 0), "error": f"{type(problem).__name__}: {problem}"}
        return {"id": command["id"], **answer}

    def hello(self):
        profiles = ["client-core", "client-sync", "client-push"]
        return {"ok": True, "name": "Example client in Python", "version": "1.0", "profiles": profiles}

    def act(self, command):
        if command["do"] == "launch":
            where = (command["url"], command["http"], command.get("token"))
            self.app = self.make_app(self.folder, *where, command.get("timeScale", 1), command.get("fresh", False))
            self.app.launch(command.get("opened"))
            return {"ok": True, "state": self.app.state()}
        if self.app is None:
            raise ValueError("the app does not run")
        match command["do"]:
            case "send":
                self.app.send(command["text"])
            case "sendAgain":
                self.app.send_again(command["clientMessageId"])
            case "background":
                self.app.enter_background()
            case "foreground":
                self.app.enter_foreground()
            case "networkDown":
                self.app.lose_network()
            case "networkUp":
                self.app.regain_network()
            case "receivePush":
                self.app.receive(command["payload"])
            case "openPush":
                self.app.open(command["payload"])
            case "selectSession":
                self.app.select(command["sessionId"])
            case "quit":
                self.app.quit()
                self.app = None
                return {"ok": True}
            case "crash" if self.is_spawned:
                self.has_crashed = True
                return {"ok": True}
            case "state":
                pass
            case unknown:
                return {"unsupported": f"no command '{unknown}'"}
        return {"ok": True, "state": self.app.state()}


async def serve_lines(driver):
    """Spawned: one object a line. Standard output is for replies alone, so that no stray print can break them."""
    replies, sys.stdout = sys.stdout, sys.stderr
    while line := await asyncio.to_thread(sys.stdin.readline):
        replies.write(json.dumps(driver.obey(json.loads(line)), ensure_ascii=False) + "\n")
        replies.flush()
        if driver.has_crashed:
            os._exit(0)  # nothing more is stored, and nobody is told


async def serve_socket(driver, url):
    """Pull: the same objects as text messages of a WebSocket that the device opens."""
    async with websockets.connect(url, max_size=None) as socket:
        async for message in socket:
            await socket.send(json.dumps(driver.obey(json.loads(message)), ensure_ascii=False))


def main():
    parser = argparse.ArgumentParser(description="Drives the example client.")
    parser.add_argument("--connect", metavar="URL", help="a suite that waits with --listen")
    parser.add_argument("--broken", choices=broken.APPS, help="; ".join(f"{n}: {a.__doc__}" for n, a in broken.APPS.items()))
    parser.add_argument("--variation", choices=variations.APPS)
    options = parser.parse_args()
    driver = Driver({**broken.APPS, **variations.APPS}.get(options.broken or options.variation, App), not options.connect)
    asyncio.run(serve_socket(driver, options.connect) if options.connect else serve_lines(driver))


if __name__ == "__main__":
    main()
