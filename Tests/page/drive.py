#!/usr/bin/env python3
"""Drives takt's page in a headless Chromium: drive.py BASE_URL TOKEN SCENARIO [ARGS]

    trigger          triggers the job `quick` and sees its run end, with its output
    suspend          suspends `quick` with a reason, sees it, and resumes it
    reload JOB       reloads a changed jobs file: JOB appears in the plan and in the table
    refused          reloads a wrong jobs file: diagnostics with a caret, and the jobs remain
    cluster TEXT URL the line of the cluster says TEXT, with a link to the page at URL
    large            prints as JSON how fast the page is, with however many jobs there are
    screens DIR      saves pictures of all pages, dark and light, wide and narrow

It needs Debian's chromium and chromium-driver, and nothing of Python but its standard library. It exits
with 0, or with 1 and a message on standard error.
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Far longer than anything takes.
PATIENCE = 60
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Failure(Exception):
    """What the page should have done and has not."""


class Browser:
    """A WebDriver session with a Chromium of its own."""

    def __init__(self):
        # Neither leaves anything behind elsewhere.
        self.place = tempfile.TemporaryDirectory(prefix="takt-page-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "TMPDIR": self.place.name})
        self.session = None
        try:
            self.base = f"http://127.0.0.1:{self._port()}"
            self.session = self._begin()
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failure("chromedriver does not start")

    def _begin(self):
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1360,900", "--no-first-run", "--disable-background-networking"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        return self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Failure(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def command(self, method, path, body=None):
        return self._send(method, f"/session/{self.session}{path}", body)

    def cdp(self, name, **parameters):
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def go(self, url):
        self.command("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """What a function body in the page returns."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """What a function body in the page gives to its last argument."""
        return self.command("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def element(self, selector):
        found = self.command("POST", "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def click(self, selector):
        """Clicks, once there is something to click."""
        until(f"{selector} can be clicked", lambda: self.count(f"{selector}:not(:disabled)") > 0)
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        self.command("POST", f"/element/{self.element(selector)}/click", {})

    def type(self, selector, text):
        self.command("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def clear(self, selector):
        self.command("POST", f"/element/{self.element(selector)}/clear", {})

    def text(self, selector):
        """The text of the first element that is like this; empty if there is none."""
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def attribute(self, selector, name):
        """An attribute of the first element that is like this; empty if there is none."""
        return self.run(
            "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? ''", selector, name)

    def settle(self):
        """Waits until the page has drawn what it had to draw."""
        self.run_async("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def count(self, selector):
        """How many elements that can be seen are like this."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length", selector)

    def complaints(self):
        """What the page has complained of: errors of scripts and of the content security policy."""
        entries = self.command("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries
                if entry["level"] == "SEVERE" and entry["source"] != "network"]

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.command("GET", "/screenshot")))

    def close(self):
        try:
            if self.session:
                self._send("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            try:
                self.driver.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.driver.kill()
            self.place.cleanup()


def until(what, condition, patience=PATIENCE):
    """Waits until a condition holds and gives its value; fails with what should have been."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"not within {patience} s: {what}")
        time.sleep(0.05)


def check(truth, message):
    if not truth:
        raise Failure(message)


def row(job):
    return f'[data-testid=job][data-job="{job}"]'


def row_part(job, part):
    return f'{row(job)} [data-testid="{part}"]'


class Page:
    """takt's page and what a person does there."""

    def __init__(self, browser, base, token):
        self.browser = browser
        self.base = base.rstrip("/")
        self.token = token

    def open(self):
        self.browser.go(f"{self.base}/#token={self.token}")
        self.await_live()
        check("token" not in self.browser.run("return location.href"), "the token is still in the address")

    def await_live(self):
        until("the page is connected",
              lambda: self.browser.attribute("[data-testid=connection]", "data-state") == "live")
        until("the table has rows", lambda: self.browser.count("[data-testid=job]") > 0)
        until("all jobs are loaded", lambda: self.browser.text("#jobs-loading") == "", 60)

    def route(self, route):
        self.browser.run("location.hash = arguments[0]", route)

    def search(self, text):
        """Searches for a job, so that its row is in sight."""
        self.route("#/")
        until("the overview is shown", lambda: self.browser.count("[data-testid=search]") > 0)
        self.browser.clear("[data-testid=search]")
        self.browser.type("[data-testid=search]", text)
        until(f"the job '{text}' is in the table", lambda: self.browser.count(row(text)) > 0)

    def press(self, action, job):
        self.browser.click(f"{row(job)} [data-action={action}]")

    def state(self, job):
        return self.browser.attribute(row_part(job, "state"), "data-state")

    def await_state(self, job, *states):
        until(f"the state of '{job}' is {' or '.join(states)} (it is '{self.state(job)}')",
              lambda: self.state(job) in states)


def scenario_trigger(page, _):
    browser = page.browser
    page.open()
    page.search("quick")
    check(browser.count(row_part("quick", "outcomes")) == 1, "the row of 'quick' has no strip of outcomes")
    page.press("trigger", "quick")
    told = until("a message says which run it is",
                 lambda: re.search(r"Run (\d+) of quick", browser.text("[data-testid=toast]")))
    run = told.group(1)
    until("the row says how the run ended",
          lambda: browser.text(row_part("quick", "last")) == "succeeded")
    page.route("#/job/quick")
    entry = f'[data-testid=run][data-run="{run}"]'
    until(f"run {run} is in the history as succeeded",
          lambda: browser.text(f"{entry} [data-testid=run-outcome]") == "succeeded")
    browser.click(f"{entry} button")
    until(f"the output of run {run} is shown",
          lambda: run in browser.text("#output-title") and browser.text("[data-testid=output]").strip())
    live_trigger(page, run)


def live_trigger(page, before):
    """Triggers from the job's page: the new run and its output come by themselves."""
    browser = page.browser
    browser.click("[data-testid=job-page] [data-action=trigger]")
    def follows():
        title = re.search(r"run (\d+)", browser.text("#output-title"))
        return title and int(title.group(1)) > int(before) and title.group(1)
    run = until("the output of the new run is followed", follows)
    until(f"run {run} prints something", lambda: browser.text("[data-testid=output]").strip())
    until(f"run {run} ends as succeeded, live",
          lambda: browser.text(f'[data-testid=run][data-run="{run}"] [data-testid=run-outcome]') == "succeeded")


def scenario_suspend(page, _):
    browser = page.browser
    page.open()
    page.search("quick")
    page.press("suspend", "quick")
    until("the dialog opens", lambda: browser.count("[data-testid=suspend-dialog]") > 0)
    browser.type("[data-testid=suspend-for]", "90m")
    browser.type("[data-testid=suspend-reason]", "a test of the page")
    browser.click("[data-testid=suspend-dialog] [data-testid=confirm]")
    page.await_state("quick", "suspended")
    page.route("#/job/quick")
    until("the job's page tells the reason",
          lambda: "a test of the page" in browser.text("[data-testid=suspension]"))
    until("the job's page shows the state", lambda: page_state(browser) == "suspended")
    until("a state of the timer machine is lit", lambda: lit_state(browser) != "")
    page.search("quick")
    page.press("resume", "quick")
    page.await_state("quick", "waiting", "idle", "running")
    page.route("#/job/quick")
    until("the job's page shows that it goes on", lambda: page_state(browser) not in ("", "suspended"))
    until("the timer machine runs", lambda: lit_state(browser) == "running")


def page_state(browser):
    return browser.attribute("[data-testid=job-page] [data-testid=state]", "data-state")


def lit_state(browser):
    return browser.attribute("[data-testid=machine] [aria-current]", "data-state")


def scenario_reload(page, arguments):
    check(len(arguments) == 1, "reload needs the name of the new job")
    job, browser = arguments[0], page.browser
    page.open()
    page.route("#/plan")
    browser.click("[data-action=reload]")
    until(f"the plan says that '{job}' is added",
          lambda: browser.count(f'[data-testid=step][data-change=added][data-job="{job}"]') > 0)
    until("the last reload is told as applied",
          lambda: browser.attribute("[data-testid=last-reload]", "data-outcome") == "applied")
    page.search(job)


def scenario_refused(page, _):
    browser = page.browser
    page.open()
    before = browser.text("[data-testid=tile-all] b")
    page.route("#/plan")
    browser.click("[data-action=reload]")
    text = until("diagnostics are shown", lambda: browser.text("[data-testid=plan-result] [data-testid=diagnostics]"))
    check(re.search(r"^\s*\^", text, re.M), f"no line with a caret in the diagnostics:\n{text}")
    check(re.search(r":\d+:\d+: error", text), f"no place in the diagnostics:\n{text}")
    until("the last reload is told as refused",
          lambda: browser.attribute("[data-testid=last-reload]", "data-outcome") == "refused")
    page.route("#/")
    until("the jobs remain", lambda: browser.text("[data-testid=tile-all] b") == before
          and browser.count("[data-testid=job]") > 0)


MEASURE = """
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push({ at: entry.startTime, ms: entry.duration });
  }).observe({ type: "longtask", buffered: true });
  new MutationObserver((_, observer) => {
    if (!document.querySelector("[data-testid=job]")) return;
    window.firstRow = performance.now();
    observer.disconnect();
  }).observe(document, { subtree: true, childList: true });
"""

SCROLL = """
  const done = arguments[arguments.length - 1];
  const end = document.documentElement.scrollHeight - innerHeight;
  const steps = 120;
  let step = 0, worst = 0, before = performance.now();
  const next = (now) => {
    worst = Math.max(worst, now - before);
    before = now;
    step += 1;
    scrollTo(0, (end * step) / steps);
    if (step < steps) requestAnimationFrame(next);
    else done({ worst, rows: document.querySelectorAll("[data-testid=job]").length });
  };
  requestAnimationFrame(next);
"""


def scenario_cluster(page, arguments):
    """The machine that the page shows, and the way to the others."""
    wanted, url = arguments
    browser = page.browser
    page.open()
    until(f"the line of the cluster: {wanted}", lambda: browser.text("[data-testid=cluster]") == wanted)
    links = browser.run(
        "return [...document.querySelectorAll('[data-testid=cluster] a')].map((link) => link.href)")
    check(links == [url], f"links to {links}")
    browser.go(url)
    until("the other page asks for its token", lambda: browser.count("dialog[open]") == 1)


def scenario_large(page, _):
    browser = page.browser
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=MEASURE)
    page.open()
    paint = until("the page has painted", lambda: browser.run(
        "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
    loaded = browser.run("return performance.now()")
    scrolled = browser.run_async(SCROLL)
    jobs = int(re.sub(r"\D", "", browser.text("[data-testid=tile-all] b")))
    last = browser.run("return [...document.querySelectorAll('[data-testid=job]')].at(-1).dataset.job")
    for letter in last:
        browser.type("[data-testid=search]", letter)
    until(f"the search finds '{last}'", lambda: browser.count(row(last)) > 0)
    browser.clear("[data-testid=search]")
    for column in ("next", "last", "late", "name"):
        browser.click(f"[data-testid=sort-{column}]")
        browser.settle()
    tasks = browser.run("return longTasks")
    print(json.dumps({
        "jobs": jobs,
        "first_contentful_paint_ms": round(paint, 1),
        "first_job_ms": round(browser.run("return firstRow"), 1),
        "all_loaded_before_ms": round(loaded, 1),
        "longest_task_ms": round(max((task["ms"] for task in tasks), default=0), 1),
        "long_tasks": len(tasks),
        "longest_frame_scrolling_ms": round(scrolled["worst"], 1),
        "rows_in_document": scrolled["rows"],
    }))


SCREENS = [("wide", 1360, 900), ("middle", 900, 900), ("narrow", 360, 780)]


def scenario_screens(page, arguments):
    check(len(arguments) == 1, "screens needs a folder")
    folder, browser = pathlib.Path(arguments[0]), page.browser
    folder.mkdir(parents=True, exist_ok=True)
    browser.go(f"{page.base}/")
    until("the page asks for the token", lambda: browser.count("[data-testid=sign-in]") > 0)
    pictures(browser, folder, "sign-in")
    browser.type("[data-testid=token]", page.token)
    browser.click("[data-action=sign-in]")
    page.await_live()
    pictures(browser, folder, "overview")
    job = browser.attribute("[data-testid=job]", "data-job")
    browser.click(f"{row(job)} [data-action=suspend], {row(job)} [data-action=resume]")
    until("the dialog opens", lambda: browser.count("dialog") > 0)
    pictures(browser, folder, "dialog")
    browser.run("document.querySelector('dialog[open]').close()")
    page.route(f"#/job/{job}")
    until("the job's page is shown", lambda: browser.text("[data-testid=job-name]") == job)
    pictures(browser, folder, "job", full=True)
    page.route("#/timeline")
    until("the timeline has lanes", lambda: browser.count("[data-testid=lane]") > 0)
    pictures(browser, folder, "timeline")
    page.route("#/plan")
    until("the plan's page is shown", lambda: browser.count("[data-testid=plan-text]") > 0)
    browser.type("[data-testid=plan-text]", "jobs:\n  a-new-job:\n    every: 10s\n    run: echo new\n")
    browser.click("[data-action=plan]")
    until("the plan is shown", lambda: browser.count("[data-testid=plan-result]") > 0)
    pictures(browser, folder, "plan", full=True)
    page.route("#/")
    browser.click("[data-testid=feed-toggle]")
    pictures(browser, folder, "events")


def pictures(browser, folder, name, full=False):
    for size, width, height in SCREENS:
        for scheme in ("light", "dark"):
            browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            resize(browser, width, height)
            if full:
                resize(browser, width, max(browser.run("return document.documentElement.scrollHeight"), height))
            browser.settle()
            overflow = browser.run("return document.documentElement.scrollWidth - innerWidth")
            browser.picture(folder / f"{name}-{size}-{scheme}.png")
            check(overflow <= 0, f"{name} is {overflow} px too wide at {width} px")
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.cdp("Emulation.setEmulatedMedia", features=[])


def resize(browser, width, height):
    browser.cdp(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


SCENARIOS = {
    "trigger": scenario_trigger,
    "suspend": scenario_suspend,
    "reload": scenario_reload,
    "refused": scenario_refused,
    "cluster": scenario_cluster,
    "large": scenario_large,
    "screens": scenario_screens,
}


def main(arguments):
    if len(arguments) < 3 or arguments[2] not in SCENARIOS:
        print(__doc__, file=sys.stderr)
        return 1
    base, token, name, *rest = arguments
    browser = None
    try:
        browser = Browser()
        SCENARIOS[name](Page(browser, base, token), rest)
        complaints = browser.complaints()
        check(not complaints, "the page complains:\n" + "\n".join(complaints))
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        if browser and browser.session:
            print("\n".join(browser.complaints()), file=sys.stderr)
        return 1
    finally:
        if browser:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
