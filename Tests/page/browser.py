"""A headless Chromium by WebDriver, and takt's page in it."""
import base64
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# Far longer than anything takes.
PATIENCE = 45
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Failure(Exception):
    """What the page should have done and has not."""


class Browser:
    """A WebDriver session with a Chromium of its own."""

    def __init__(self):
        # Neither leaves anything behind elsewhere.
        self.place = tempfile.TemporaryDirectory(prefix="takt-page-", ignore_cleanup_errors=True)
        self.driver = self.session = None
        try:
            self.base = f"http://127.0.0.1:{self._start()}"
            self.session = self._begin()
        except BaseException:
            self.close()
            raise

    def _start(self):
        """The port of a driver that runs.

        A driver picks its port for one address family and then wants the same one of the other,
        which another process may have taken: it ends, and a second one finds another port.
        """
        said = ""
        for _ in range(5):
            self.driver = subprocess.Popen(
                ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={**os.environ, "TMPDIR": self.place.name})
            for line in self.driver.stdout:
                found = re.search(r"started successfully on port (\d+)", line)
                if found:
                    return int(found.group(1))
                said += line
            said += f"exit {self.driver.wait()}\n"
        raise Failure(f"chromedriver does not start: {said}")

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

    def keys(self, *keys):
        """Presses keys, one after the other, wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.command("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def focused(self, attribute):
        """An attribute of the element that has the focus; empty if it has none."""
        return self.run("return document.activeElement?.getAttribute(arguments[0]) ?? ''", attribute)

    def clear(self, selector):
        self.command("POST", f"/element/{self.element(selector)}/clear", {})

    def choose(self, selector, value):
        """Gives a field a value, as one step: the page may write the field in between."""
        self.run("""
            const field = document.querySelector(arguments[0]);
            field.value = arguments[1];
            field.dispatchEvent(new Event("change"))""", selector, value)

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
            if self.driver:
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

    def ask(self, method, path, body=None, token=None):
        """What the API answers: the status, and JSON."""
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(
            f"{self.base}/api/v1{path}", data=data, method=method,
            headers={"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def run_job(self, job, times=1):
        """Triggers a job, one run after the other, and waits for each to end. Gives the numbers of the runs."""
        runs = []
        for _ in range(times):
            _, run = self.ask("POST", f"/jobs/{job}/trigger")
            runs.append(run["run"])
            until(f"run {run['run']} ends", lambda: self.ask("GET", f"/runs/{run['run']}?wait=10")[1]["state"] == "ended")
        return runs

    def run_at_once(self, job, times):
        """Triggers a job that may overlap, and waits for the last of its runs."""
        runs = [self.ask("POST", f"/jobs/{job}/trigger")[1]["run"] for _ in range(times)]
        for run in runs:
            until(f"run {run} ends", lambda: self.ask("GET", f"/runs/{run}")[1]["state"] == "ended")
        return runs

    def route(self, route):
        self.browser.run("location.hash = arguments[0]", route)

    def search(self, text):
        """Searches for a job, so that its row is in sight."""
        self.route("#/")
        until("the overview is shown", lambda: self.browser.count("[data-testid=search]") > 0)
        self.browser.clear("[data-testid=search]")
        self.browser.type("[data-testid=search]", text)
        until(f"the job '{text}' is in the table", lambda: self.browser.count(row(text)) > 0)

    def trigger(self, selector="[data-testid=job-page] [data-action=trigger]"):
        """Triggers with a button, which asks first."""
        self.browser.click(selector)
        self.browser.click("[data-testid=trigger-dialog] [data-testid=confirm]")
        until("the dialog is closed", lambda: self.browser.count("[data-testid=trigger-dialog]") == 0)

    def press(self, action, job):
        self.browser.click(f"{row(job)} [data-action={action}]")

    def state(self, job):
        return self.browser.attribute(row_part(job, "state"), "data-state")

    def await_state(self, job, *states):
        until(f"the state of '{job}' is {' or '.join(states)} (it is '{self.state(job)}')",
              lambda: self.state(job) in states)


def resize(browser, width, height):
    browser.cdp(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
