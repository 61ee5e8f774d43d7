#!/usr/bin/env python3
"""Drives takt's page in a headless Chromium: drive.py BASE_URL TOKEN SCENARIO [ARGS]

    trigger          triggers the job `quick` and sees its run end, with its output
    suspend          suspends `quick` with a reason, sees it, and resumes it
    reload JOB       sees what the file on disk changes, then applies it: JOB is in the table
    refused          a wrong file: diagnostics with a caret, nothing can be applied, the jobs remain
    large            prints as JSON how fast the page is, with however many jobs there are
    screens DIR      saves pictures of all pages, dark and light, wide and narrow

and what is in oncall.py, access.py and views.py. It needs Debian's chromium and chromium-driver, and nothing of
Python but its standard library. It exits with 0, or with 1 and a message on standard error.
"""
import json
import pathlib
import re
import sys

import access
import oncall
import views
from browser import Browser, Failure, Page, check, resize, row, row_part, until


def scenario_trigger(page, _):
    browser = page.browser
    page.open()
    page.search("quick")
    check(browser.count(row_part("quick", "outcomes")) == 1, "the row of 'quick' has no strip of outcomes")
    asks_first(page)
    page.trigger(f"{row('quick')} [data-action=trigger]")
    told = until("a message says which run it is",
                 lambda: re.search(r"Run (\d+) of quick", browser.text("[data-testid=toast]")))
    run = told.group(1)
    until("the row says how the run ended",
          lambda: browser.text(row_part("quick", "last")) == "succeeded")
    page.route("#/job/quick")
    entry = f'[data-testid=run][data-run="{run}"]'
    until(f"run {run} is in the history as succeeded",
          lambda: browser.text(f"{entry} [data-testid=run-outcome]") == "succeeded")
    browser.click(f"{entry} a")
    until(f"the output of run {run} is shown",
          lambda: run in browser.text("#output-title") and browser.text("[data-testid=output]").strip())
    live_trigger(page, run)
    trigger_with_parameters(page)


def live_trigger(page, before):
    """Triggers from the job's page: the new run and its output come by themselves."""
    browser = page.browser
    page.route("#/job/quick")
    page.trigger()
    def follows():
        title = re.search(r"run (\d+)", browser.text("#output-title"))
        return title and int(title.group(1)) > int(before) and title.group(1)
    run = until("the output of the new run is followed", follows)
    until(f"run {run} prints something", lambda: browser.text("[data-testid=output]").strip())
    until(f"run {run} ends as succeeded, live",
          lambda: browser.text(f'[data-testid=run][data-run="{run}"] [data-testid=run-outcome]') == "succeeded")


def asks_first(page):
    """A click starts nothing yet."""
    browser = page.browser
    page.press("trigger", "quick")
    until("it asks", lambda: browser.text("#trigger-title") == "Trigger quick?")
    browser.click("[data-testid=trigger-dialog] [data-close]")
    until("it can be left", lambda: browser.count("[data-testid=trigger-dialog]") == 0)
    check(page.ask("GET", "/runs?job=quick")[1]["runs"] == [], "it runs all the same")


def trigger_with_parameters(page):
    """The dialog has a field for what the job opens; the run says what it was given, and can be run again so."""
    browser = page.browser
    page.route("#/job/greet")
    browser.click("[data-testid=job-page] [data-action=trigger]")
    confirm = "[data-testid=trigger-dialog] [data-testid=confirm]"
    until("the dialog has a field", lambda: browser.count("[data-testid=param-message]") == 1)
    text = browser.text("[data-testid=trigger-params]")
    check("message (string)" in text and "What is said" in text, f"the field says {text!r}")
    choices = browser.run("return document.querySelector('[data-testid=param-level]').options.length")
    check(choices == 3, "the choices are not offered")
    others = browser.run("return document.querySelector('#trigger-others').hidden")
    check(others, "a built-in takes nothing else")
    browser.type("[data-testid=param-message]", "good day")
    # What takt refuses leaves all that was entered.
    browser.run("document.querySelector('[data-testid=param-level]').options[1].value = 'shout'")
    browser.run("document.querySelector('[data-testid=param-level]').selectedIndex = 1")
    browser.click(confirm)
    until("the dialog says why not", lambda: "level" in browser.text("#trigger-error"))
    browser.run("document.querySelector('[data-testid=param-level]').selectedIndex = 0")
    browser.click(confirm)
    until("the run says what it was given",
          lambda: "message=good day" in browser.text("[data-testid=run-parameters]"))
    until("the output says it, too", lambda: browser.text("[data-testid=output-parameters]") == "with message=good day")
    browser.click("[data-testid=job-page] [data-action=run-again]")
    until("the next run is offered the same", lambda: browser.run(
        "return document.querySelector('[data-testid=param-message]')?.value") == "good day")
    browser.click(confirm)
    until("both runs had it", lambda: browser.run(
        "return [...document.querySelectorAll('[data-testid=run-parameters]')].filter(({ textContent: text }) => "
        "text.includes('message=good day')).length") == 2)


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
    until("the job's page tells the reason", lambda: "a test of the page" in browser.text("[data-testid=banner]"))
    until("the job's page shows the state", lambda: page_state(browser) == "suspended")
    browser.click("[data-testid=internals] summary")
    until("the timer machine is suspended", lambda: lit_state(browser) == "suspended")
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
    until(f"the plan of the file on disk has '{job}', before anything is applied",
          lambda: browser.count(f'[data-testid=step][data-change=added][data-job="{job}"]') > 0)
    check(page.ask("GET", f"/jobs/{job}")[0] == 404, "the file is applied already")
    check(browser.text("[data-action=reload]") == "Apply 1 change", "the button does not say what it does")
    browser.click("[data-action=reload]")
    until("the last reload is told as applied",
          lambda: browser.attribute("[data-testid=last-reload]", "data-outcome") == "applied")
    until("there is nothing more to apply", lambda: browser.count("[data-action=reload]:disabled") == 1)
    page.search(job)


def scenario_refused(page, _):
    browser = page.browser
    page.open()
    before = browser.text("[data-testid=tile-all] b")
    page.route("#/plan")
    text = until("diagnostics are shown", lambda: browser.text("[data-testid=plan-result] [data-testid=diagnostics]"))
    check(re.search(r"^\s*\^", text, re.M), f"no line with a caret in the diagnostics:\n{text}")
    check(re.search(r":\d+:\d+: error", text), f"no place in the diagnostics:\n{text}")
    check(browser.count("[data-action=reload]:disabled") == 1, "a file with errors can be applied")
    check("errors" in browser.text("[data-testid=reload-state]"), "it is not said why")
    # Somebody else tries: the page says so.
    check(page.ask("POST", "/reload")[0] == 422, "the file is not refused")
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
    for column in ("next", "last", "slots", "name"):
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
    until("the plan's page is shown", lambda: browser.count("#plan-other summary") > 0)
    browser.click("#plan-other summary")
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


SCENARIOS = {
    "trigger": scenario_trigger,
    "suspend": scenario_suspend,
    "reload": scenario_reload,
    "refused": scenario_refused,
    "large": scenario_large,
    "screens": scenario_screens,
    **oncall.SCENARIOS,
    **access.SCENARIOS,
    **views.SCENARIOS,
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
