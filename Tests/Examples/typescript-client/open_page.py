#!/usr/bin/env python3
"""Opens the page in a headless browser that drives it, until the run is over:

    conformance client --listen 127.0.0.1:9000 &
    python3 open_page.py ws://127.0.0.1:9000 [FOLDER]        FOLDER holds page.html and out/; this one unless given
"""

import functools
import http.server
import os
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../Browser"))

import browser  # noqa: E402


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else HERE
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    suite = urllib.parse.quote(sys.argv[1], safe="")
    with browser.Browser() as page:
        page.ask("Page.navigate", {"url": f"http://127.0.0.1:{server.server_port}/page.html?suite={suite}"})
        while page.run("document.title") != "over":
            time.sleep(0.2)


if __name__ == "__main__":
    try:
        main()
    except (browser.Missing, browser.Trouble) as problem:
        sys.exit(f"{problem}")
