#!/usr/bin/env python3
"""Opens reports in a headless browser, takes pictures, and checks what only a browser can tell.

    Tests/Browser/screenshots.py FOLDER [--conformance PROGRAM] [--report report.json]

Makes four reports with `conformance`: all green, with violations, one scenario of more than 1,000 frames, and one of 5 MB with
hostile texts; with --report also that of a run of your own. Each is opened on a desk and on a phone, light and dark. The pictures
go to FOLDER.

Needs Chromium or Chrome 120 or later (Debian: `apt-get install chromium`) and nothing else; it installs nothing.
Exit codes: 0 all holds, 1 something does not, 69 there is no browser or no `conformance`, 64 usage.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

from browser import Browser, Missing, Trouble, find

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DESK, PHONE = (1280, 900), (360, 760)
EVIL = "</script></style><img src=x onerror=\"document.title='hit'\"><b onmouseover=alert(1)>\"'&lt;\u2028\u202e`x`"

failures = []


def check(holds, what, seen=""):
    """Notes what does not hold, and goes on."""
    if not holds:
        failures.append(what)
        print(f"  FAILED {what}" + (f": {seen}" if seen != "" else ""))


def fail(code, words):
    print(words, file=sys.stderr)
    sys.exit(code)


# MARK: reports


class Reports:
    """Reports of the reference server, as report.json and as a page."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, arguments, codes=(0,)):
        done = subprocess.run(
            [self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
        )
        if done.returncode not in codes:
            fail(70, f"conformance {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout[-2000:]}")

    def server(self, name, flags, codes=(0,)):
        # One file with the transcripts in it, so that it can be changed by hand.
        formats = [f"json={self.path(name)}/report.json", f"html={self.page(name)}"]
        arguments = ["server", "--reference", "--skip-crashes"]
        self.run(arguments + [word for format in formats for word in ("--format", format)] + flags, codes)

    def show(self, names, page, flags=()):
        self.run(["report", "show", *names, "--format", f"html={self.page(page)}", *flags])

    def path(self, name):
        return os.path.join(self.folder, name)

    def page(self, name):
        return os.path.join(self.folder, name + ".html")

    def read(self, name):
        with open(os.path.join(self.path(name), "report.json"), encoding="utf-8") as file:
            return json.load(file)

    def write(self, name, report):
        os.makedirs(self.path(name), exist_ok=True)
        with open(os.path.join(self.path(name), "report.json"), "w", encoding="utf-8") as file:
            json.dump(report, file)


def grown(report, bytes_wanted):
    """The report with its scenarios performed again and again, until its page is as large."""
    scenarios = list(report["scenarios"])
    size = sum(len(json.dumps(scenario)) for scenario in scenarios)
    for number in range(2, 2 + max(1, bytes_wanted // size)):
        for scenario in scenarios:
            copy = json.loads(json.dumps(scenario))
            # A number behind "#" would make it a repeat of one scenario.
            copy["name"] += f"-{number}"
            copy["transcript"][0]["scenario"] = copy["name"]
            report["scenarios"].append(copy)
    for clause in report["clauses"]:
        verdicts = [
            (scenario["name"], verdict)
            for scenario in report["scenarios"]
            for verdict in scenario.get("verdicts", [])
            if verdict["clause"] == clause["id"]
        ]
        clause["exercised"] = sum(verdict["exercised"] for _, verdict in verdicts)
        clause["scenarios"] = [name for name, verdict in verdicts if verdict["exercised"]]
        if "findings" in clause:
            clause["findings"] = [
                {**finding, "scenario": name}
                for name, verdict in verdicts
                if verdict["outcome"] == clause["outcome"]
                for finding in verdict.get("findings", [])
            ]
    return report


def poisoned(report):
    """The report with a text that wants to be more than text wherever a subject can put one."""
    report["subject"]["name"] = report["address"] = EVIL
    report["again"] = {"command": EVIL}
    report["diagnostics"] = [EVIL]
    for scenario in report["scenarios"]:
        for event in scenario.get("transcript", [])[1:]:
            if event["kind"] == "text":
                event["text"] = event["text"].replace('"text":"', '"text":' + json.dumps(EVIL)[:-1], 1)
            elif event["kind"] == "response":
                event["headers"] = [["x-evil", EVIL]]
        for verdict in scenario.get("verdicts", []):
            for finding in verdict.get("findings", []):
                finding["what"] = finding["actual"] = EVIL
    for clause in report["clauses"]:
        for finding in clause.get("findings", []):
            finding["what"] = finding["actual"] = EVIL
    return report


# MARK: what is checked in the page

CONTRAST = """
(() => {
  const parse = text => {
    const numbers = (text.match(/-?[\\d.]+(e-?\\d+)?/g) || []).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [numbers[0] * scale, numbers[1] * scale, numbers[2] * scale, numbers.length > 3 ? numbers[3] : 1];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = c => [0, 1, 2].map(i => c[i] / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const seen = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node, count = 0; (node = walker.nextNode()) && count < 20000; count++) {
    const element = node.parentElement;
    if (!node.data.trim() || ['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName)) continue;
    if (!element.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true })) continue;
    const style = getComputedStyle(element);
    if (style.clipPath !== 'none' && element.offsetWidth <= 1) continue;
    const layers = [];
    for (let place = element; place; place = place.parentElement) layers.push(parse(getComputedStyle(place).backgroundColor));
    const base = getComputedStyle(document.body).backgroundColor;
    const under = layers.reverse().reduce((below, layer) => over(layer, below), parse(base));
    const text = over(parse(style.color), under);
    const [a, b] = [light(text), light(under)];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const isLarge = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700;
    if (ratio < (isLarge ? 3 : 4.5)) seen[element.tagName + '.' + element.className + ' ' + ratio.toFixed(2)] = node.data.trim().slice(0, 40);
  }
  return JSON.stringify(seen);
})()
"""

TOO_WIDE = """
JSON.stringify([document.documentElement.scrollWidth - innerWidth,
  [...document.querySelectorAll('main *, header *, nav *, footer *')].filter(e => e.checkVisibility()
    && !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(e).clipPath === 'none')
    .slice(0, 5).map(e => e.tagName + '.' + e.className)])
"""

VISIBLE = "document.querySelectorAll('.item:not([hidden])').length"


def looks(browser, reports, name):
    """One page on both devices in both schemes: pictures, complaints, width, contrast."""
    for device, size in [("desk", DESK), ("phone", PHONE)]:
        for scheme in ["light", "dark"]:
            place = f"{name}, {device}, {scheme}"
            browser.look(*size, scheme)
            browser.open(reports.page(name))
            browser.picture(os.path.join(reports.folder, f"{name}-{device}-{scheme}.png"))
            low = json.loads(browser.run(CONTRAST))
            check(not low, f"{place}: contrast of at least 4.5", low)
            excess, wide = json.loads(browser.run(TOO_WIDE))
            check(excess <= 0 and not wide, f"{place}: nothing is wider than the screen", f"{excess} px, {wide}")
            browser.run(
                "for (const d of document.querySelectorAll('.card details, .item.scenario:nth-of-type(-n+2), .legend')) d.open = true"
            )
            excess, wide = json.loads(browser.run(TOO_WIDE))
            check(excess <= 0 and not wide, f"{place}: nor with charts and frames open", f"{excess} px, {wide}")
            browser.run("document.querySelector('.card .chart, .item.scenario .chart').scrollIntoView()")
            browser.picture(os.path.join(reports.folder, f"{name}-{device}-{scheme}-chart.png"))
            complaints = browser.complaints()
            check(not complaints, f"{place}: the console is silent and nothing is loaded", complaints[:3])


def filters(browser, reports):
    print("filters")
    browser.look(*DESK)
    browser.open(reports.page("violations"))
    everything = browser.run(VISIBLE)
    one = "document.querySelectorAll('.item[data-v=violation]').length"
    browser.run("for (const box of document.querySelectorAll('#filter input[name=v]')) if (box.value !== 'violation') box.click()")
    check(0 < browser.run(VISIBLE) == browser.run(one) < everything, "only what is violated is left", browser.run(VISIBLE))
    browser.run("document.querySelector('#filter button[type=reset]').click()")
    browser.run("new Promise(done => setTimeout(done, 50))")
    check(browser.run(VISIBLE) == everything, "'Show all' shows all")
    browser.run("document.querySelector('#filter [name=q]').focus()")
    browser.ask("Input.insertText", {"text": "sync-1 connected"})
    check(browser.run(VISIBLE) == 1, "words leave one clause", browser.run(VISIBLE))
    check("1 of" in browser.run("document.querySelector('#filter output').textContent"), "the count is told")
    browser.picture(os.path.join(reports.folder, "violations-filtered.png"))
    browser.run("document.querySelector('.matrix td.violation a').click()")
    left = browser.run("JSON.stringify([...document.querySelectorAll('.item:not([hidden])')].map(i => [i.dataset.v, i.dataset.a]))")
    check(set(map(tuple, json.loads(left))) == {("violation", "SYNC")}, "a count of the matrix leaves its clauses", left)


def links(browser, reports):
    print("deep links")
    browser.look(*DESK)
    seen = "(() => { const r = document.getElementById(%s).getBoundingClientRect(); return r.top >= -1 && r.top < innerHeight / 2 })()"
    report = reports.read("violations")
    kept = next(clause["id"] for clause in reversed(report["clauses"]) if clause["outcome"] == "pass")
    violated = next(clause["id"] for clause in report["clauses"] if clause["outcome"] == "violation")
    scenario = "scenario/" + report["scenarios"][-1]["name"]
    for place, is_open in [(kept, True), (violated, None), (scenario, True)]:
        browser.open(reports.page("violations"), place)
        name = json.dumps(place)
        # The last places of a page cannot come to its top.
        at_end = browser.run("innerHeight + scrollY >= document.documentElement.scrollHeight - 2")
        check(at_end or browser.run(seen % name), f"#{place} comes into sight")
        if is_open:
            check(browser.run(f"document.getElementById({name}).open"), f"#{place} is open")
        check(browser.run(f"document.getElementById({name}).contains(document.activeElement)"), f"#{place} has the focus")
    browser.open(reports.page("violations"))
    browser.run("document.querySelector('.card a.name').click()")
    browser.run("new Promise(done => setTimeout(done, 50))")
    check(browser.run("document.activeElement.closest('.item.scenario') !== null"), "a scenario's name leads to it")


def keyboard(browser, reports):
    print("keyboard")
    browser.look(*DESK)
    browser.open(reports.page("violations"))
    browser.press("Tab", 9)
    check(browser.run("document.activeElement.className") == "skip", "the first stop skips to the findings")
    for presses in range(1, 80):
        if browser.run("document.activeElement.matches('summary.s')"):
            break
        browser.press("Tab", 9)
    check(presses < 60, "a frame is reached with the tab key", presses)
    check(browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is seen")
    check(browser.run("!document.getElementById('peek').hidden || document.activeElement.parentElement.open"), "a frame with the focus is shown")
    browser.press("Enter", 13)
    check(browser.run("document.activeElement.parentElement.open"), "Enter opens it")
    text = browser.run("(document.activeElement.parentElement.querySelector('pre') || {}).textContent")
    check(text, "and shows what was on the wire", text)
    violations = browser.run("document.querySelectorAll('.card.violation').length")
    browser.run("document.activeElement.blur()")
    for key, place in [("n", 0), ("n", 1 % violations), ("p", 0)]:
        browser.press(key)
        at = browser.run("Array.from(document.querySelectorAll('.card.violation')).findIndex(card => card.contains(document.activeElement))")
        check(at == place, f"'{key}' goes to a violation", f"card {at} of {violations}")


def pointer(browser, reports):
    print("pointer")
    browser.look(*DESK)
    browser.open(reports.page("violations"))
    where = json.loads(browser.run(
        "(() => { const row = [...document.querySelectorAll('.card details:not([open]) > summary.s')].at(-1); row.scrollIntoView({block: 'center'});"
        " const r = row.getBoundingClientRect(); return JSON.stringify([r.left + 20, r.top + r.height / 2]) })()"
    ))
    browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    browser.ask("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": where[0], "y": where[1]})
    check(browser.run("!document.getElementById('peek').hidden && document.getElementById('peek').textContent.length > 10"), "a frame under the pointer is shown")
    browser.picture(os.path.join(reports.folder, "violations-pointer.png"))
    for kind in ["mousePressed", "mouseReleased"]:
        browser.ask("Input.dispatchMouseEvent", {"type": kind, "x": where[0], "y": where[1], "button": "left", "clickCount": 1})
    browser.run("new Promise(done => setTimeout(done, 50))")
    check(browser.run("document.getElementById('peek').hidden"), "a click opens it in its place")


def without_script(browser, reports):
    print("without script")
    browser.look(*DESK)
    browser.ask("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.ask("Page.navigate", {"url": "file://" + os.path.abspath(reports.page("violations"))})
    browser.wait("Page.loadEventFired")
    time.sleep(0.3)
    browser.picture(os.path.join(reports.folder, "violations-without-script.png"))
    browser.ask("Emulation.setScriptExecutionDisabled", {"value": False})
    check(browser.run("document.querySelector('#filter').hidden"), "what needs the script is hidden")
    check(browser.run("document.querySelector('.card .chart .cited strong').checkVisibility()"), "the violation is in sight")


def paper(browser, reports):
    print("paper")
    browser.look(*DESK)
    browser.open(reports.page("violations"))
    pages = browser.ask("Page.printToPDF", {"printBackground": True, "transferMode": "ReturnAsStream"})["stream"]
    with open(os.path.join(reports.folder, "violations.pdf"), "wb") as file:
        import base64

        while True:
            piece = browser.ask("IO.read", {"handle": pages})
            file.write(base64.b64decode(piece["data"]) if piece.get("base64Encoded") else piece["data"].encode())
            if piece.get("eof"):
                break
    browser.look(*DESK, media="print")
    shown = browser.run(
        "[...document.querySelectorAll('.item:not(.scenario) > div')].every(e => e.getBoundingClientRect().height > 0)"
    )
    check(shown, "what is folded away on a screen is open on paper")
    browser.picture(os.path.join(reports.folder, "violations-print.png"))
    browser.look(*DESK)


def worked(browser):
    """The processor time of the page's main thread since it was asked for, in seconds."""
    metrics = browser.ask("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def large(browser, reports, name, limit=2.0):
    print(name)
    size = os.path.getsize(reports.page(name)) / 1e6
    browser.look(*DESK)
    browser.ask("Performance.enable", {"timeDomain": "threadTicks"})
    times, work = [], []
    for _ in range(3):
        times.append(browser.open(reports.page(name)))
        work.append(worked(browser))
    browser.ask("Performance.disable")
    elements = browser.run("document.querySelectorAll('*').length")
    words = ", ".join(f"{seconds:.2f} s" for seconds in times)
    print(f"  {size:.1f} MB, {elements} elements: open and ready in {words}, of which {min(work):.2f} s were work of the page")
    # On a machine that does other things too the clock tells of those.
    is_busy = os.getloadavg()[0] > (os.cpu_count() or 1)
    seconds = min(work if is_busy else times)
    check(seconds < limit, f"{name}: ready in less than {limit} s", f"{seconds:.2f} s")
    start = time.monotonic()
    browser.run("document.querySelector('.matrix td a').click()")
    browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    check(time.monotonic() - start < 1, f"{name}: a filter answers within a second", f"{time.monotonic() - start:.2f} s")
    check(browser.run("document.title") != "hit", f"{name}: no text of a subject acts")
    check(browser.run("document.querySelectorAll('img, [onmouseover], [onerror]').length") == 0, f"{name}: nor is it an element")
    complaints = browser.complaints()
    check(not complaints, f"{name}: the console is silent and nothing is loaded", complaints[:3])


def program(named):
    path = named or os.path.join(ROOT, ".build", "release", "conformance")
    if not os.access(path, os.X_OK) and not named:
        path = os.path.join(ROOT, ".build", "debug", "conformance")
    if not os.access(path, os.X_OK):
        fail(69, f"{path}: there is no such program\n  expected: conformance, built\n  fix: swift build --product conformance")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the pictures go; made when it is not there")
    parser.add_argument("--conformance", metavar="PROGRAM", help="the program that makes the reports; else the one that was built last")
    parser.add_argument("--report", metavar="FILE", help="a report.json of your own, opened and measured too")
    try:
        options = parser.parse_args()
    except SystemExit as end:
        sys.exit(64 if end.code else 0)
    try:
        find()
    except Missing as missing:
        fail(69, str(missing))
    os.makedirs(options.folder, exist_ok=True)
    reports = Reports(program(options.conformance), os.path.abspath(options.folder))

    print("making reports")
    reports.server("green", ["--only", "server/ID/*", "--only", "server/REST/*"])
    broken = ["--defect", "sync-tells-position-zero", "--defect", "sync-repeats-replayed-frames-live"]
    reports.server("violations", [*broken, "--only", "server/SYNC/from-*", "--only", "server/ID/session-continues", "--only", "server/SYNC/live-*"], (1,))
    reports.server("long", ["--only", "server/SYNC/evicted"])
    reports.write("large", poisoned(grown(reports.read("long"), 8_400_000)))
    reports.show([reports.path("large")], "large")
    reports.write("hostile", poisoned(reports.read("violations")))
    reports.show([reports.path("hostile")], "hostile")
    reports.show([reports.path("green"), reports.path("violations")], "several")
    if options.report:
        reports.show([options.report], "yours")

    try:
        with Browser() as browser:
            for name in ["green", "violations", "long", "several", "hostile"]:
                print(name)
                looks(browser, reports, name)
            filters(browser, reports)
            links(browser, reports)
            keyboard(browser, reports)
            pointer(browser, reports)
            without_script(browser, reports)
            paper(browser, reports)
            for name in ["hostile", "large"] + (["yours"] if options.report else []):
                large(browser, reports, name)
    except Trouble as trouble:
        fail(70, f"the browser: {trouble}")
    for name in ["green", "violations", "long", "large", "hostile"]:
        shutil.rmtree(reports.path(name), ignore_errors=True)
    print(f"{len(failures)} failed" if failures else "all holds")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
