"""Who may do what on the page, and how: signing in, reading only, by keyboard alone, by axe-core."""
import json
import pathlib
from urllib.parse import urlsplit

from browser import check, resize, row, row_part, until
from oncall import download

ENTER, TAB, SPACE, DOWN, RIGHT, ESCAPE = "\ue007", "\ue004", " ", "\ue015", "\ue014", "\ue00c"
BACKSPACE = "\ue003"


def scenario_sign_in(page, _):
    """Before signing in the page says that, and nothing of jobs."""
    browser = page.browser
    browser.go(f"{page.base}/")
    until("the page asks for the token", lambda: browser.count("[data-testid=sign-in]") > 0)
    said = browser.run("return document.querySelector('main').innerText")
    check("Sign in to see the jobs" in said, f"the page says '{said}'")
    check("no jobs" not in said.lower() and browser.count("#tiles") == 0, f"the page tells of jobs: '{said}'")
    browser.type("[data-testid=token]", "0123456789abcdef")
    browser.click("[data-action=sign-in]")
    until("a wrong token is told", lambda: "not valid" in browser.text("#sign-in-why"))
    # An address with the token, in the same tab.
    browser.run("location.hash = arguments[0]", f"#token={page.token}")
    page.await_live()
    check(browser.count("[data-testid=sign-in]") == 0, "the page still asks for the token")
    check(browser.count("[data-testid=signed-out]") == 0, "the page says that nobody has signed in")


def scenario_sub_path(page, _):
    """Below a path of a proxy the page comes with and without the slash at its end, and asks for nothing elsewhere."""
    browser = page.browser
    path = urlsplit(page.base).path
    check(path not in ("", "/"), "sub-path needs a page below a path")
    # The address that `takt open` prints, with a slash left out by hand.
    browser.go(f"{page.base}#token={page.token}")
    page.await_live()
    check(browser.run("return location.pathname") == f"{path}/", "the slash is not there")
    check(browser.run("return Object.keys(sessionStorage)") == [f"takt.token{path}"],
          "another daemon of this host would be sent the token")
    run = page.run_job("quick")[0]
    # The address that a message about the run has.
    browser.go(f"{page.base}/#/job/quick/run/{run}")
    until("the run's output is shown", lambda: "done" in browser.text("[data-testid=output]"))
    check(download(page, f"quick-{run}.log") == "hello\ndone\n", "another output is saved")
    browser.click("a.brand")
    until("the brand leads to the overview", lambda: browser.count("[data-testid=search]") > 0)
    check(browser.run("return location.pathname") == f"{path}/", "a link leads away")
    asked = browser.run("return performance.getEntriesByType('resource').map(({ name }) => name)")
    others = [address for address in asked if not address.startswith((f"{page.base}/api/v1/", "data:", "blob:"))]
    check(asked and not others, f"the page asks for {others}")


def scenario_read_only(page, arguments):
    """A second token sees everything, is offered nothing that changes, and is refused it."""
    check(len(arguments) == 1, "read-only needs the token that may only read")
    reader, browser = arguments[0], page.browser
    run = page.run_job("instant")[0]
    status, problem = page.ask("POST", "/jobs/instant/trigger", token=reader)
    check(status == 403 and problem["title"] == "this token may only read", f"{status} {problem}")
    page.token = reader
    page.open()
    until("the page says so", lambda: browser.count("[data-testid=access]") == 1)
    check(browser.text("[data-testid=access]") == "read only", "in other words")
    check(browser.count("[data-action=trigger]") == 0 and browser.count("[data-select]") == 0, "actions are offered")
    page.route(f"#/job/instant/run/{run}")
    until("a run can be read", lambda: browser.text("#output-title") == f"Output of run {run}")
    check(browser.count("[data-testid=job-page] [data-action=trigger]") == 0, "the job's page offers to trigger")
    page.route("#/plan")
    until("the plan can be read", lambda: browser.text("[data-testid=reload-state]") != "")
    check(browser.count("[data-action=reload]") == 0, "the plan's page offers to reload")
    step = '[data-testid=step][data-change=added][data-job="newcomer"]'
    until("the plan shows which jobs change", lambda: browser.count(f"{step} strong") == 1)


def scenario_keyboard(page, _):
    """All of it without a mouse."""
    browser = page.browser
    run = page.run_job("broken")[0]
    page.open()
    browser.keys("/", *"broken")
    until("the slash searches", lambda: browser.count("[data-testid=job]") == 1)
    browser.keys(DOWN)
    until("the arrow leads to the row", lambda: browser.focused("data-job") == "broken")
    browser.keys(SPACE)
    until("Space selects it", lambda: browser.text("[data-testid=selected]") == "1 job selected")
    browser.keys(SPACE)
    until("and takes it back", lambda: browser.count("[data-testid=selection]") == 0)
    browser.keys(TAB, TAB, TAB)
    check(browser.focused("data-action") == "trigger", f"Tab leads to {browser.focused('data-action')}")
    browser.keys(TAB, ENTER)
    until("Enter opens the dialog", lambda: browser.count("[data-testid=suspend-dialog]") > 0)
    browser.keys(ESCAPE)
    until("Escape closes it", lambda: browser.count("[data-testid=suspend-dialog]") == 0)
    browser.run("document.querySelector(arguments[0]).focus()", row("broken"))
    browser.keys(ENTER)
    until("Enter opens the job", lambda: browser.text("[data-testid=job-name]") == "broken")
    until("its runs are there", lambda: browser.count("[data-testid=run]") > 0)
    reach(browser, "data-testid", "output-search")
    browser.keys(*"oops", ENTER)
    until("the output is searched", lambda: browser.text("[data-testid=output-found]").startswith("1 of"))
    reach(browser, "aria-label", f"Run {run}")
    browser.keys(ENTER)
    until("Enter opens the run", lambda: browser.run("return location.hash") == f"#/job/broken/run/{run}")
    page.route("#/timeline")
    until("the timeline has lanes", lambda: browser.count("[data-testid=lane]") > 0)
    browser.type("[data-testid=timeline-search]", "broken")
    until("one lane is left", lambda: browser.count("[data-testid=lane]") == 1)
    reach(browser, "data-testid", "lane")
    browser.keys(RIGHT)
    until("the arrow tells of a mark", lambda: "broken:" in browser.text("[data-testid=timeline-details]"))
    for _ in range(10):
        if f"run {run}" in browser.text("[data-testid=timeline-details]"):
            break
        browser.keys("\ue012")
    browser.keys(ENTER)
    until("Enter opens the run", lambda: browser.run("return location.hash") == f"#/job/broken/run/{run}")


def scenario_keyboard_day(page, _):
    """Overview, job, run, output, cancel, timeline, plan: a round without a mouse and without an address."""
    browser = page.browser
    run = page.run_job("broken")[0]
    page.open()
    browser.keys("/", *"broken")
    until("the slash searches", lambda: browser.count("[data-testid=job]") == 1)
    browser.keys(DOWN, ENTER)
    until("Enter opens the job", lambda: browser.text("[data-testid=job-name]") == "broken")
    until("its runs are there", lambda: browser.count("[data-testid=run]") > 0)
    reach(browser, "aria-label", f"Run {run}")
    browser.keys(ENTER)
    until("Enter opens the run", lambda: browser.run("return location.hash") == f"#/job/broken/run/{run}")
    until("its output is there", lambda: browser.count("[data-testid=output] .line") > 0)
    reach(browser, "data-testid", "output")
    reach(browser, "data-route", "overview")
    browser.keys(ENTER)
    until("Enter leads to the overview", lambda: browser.count("[data-testid=search]") > 0)
    browser.keys("/", *(BACKSPACE for _ in "broken"), *"slow")
    until("another job is found", lambda: browser.count(row("slow")) == 1 and browser.count("[data-testid=job]") == 1)
    browser.keys(DOWN, ENTER)
    until("it is opened", lambda: browser.text("[data-testid=job-name]") == "slow")
    reach(browser, "data-action", "trigger")
    browser.keys(ENTER)
    until("it asks, with the answer at hand", lambda: browser.focused("id") == "trigger-yes")
    browser.keys(ENTER)
    until("it runs", lambda: browser.text("[data-testid=run-outcome]") == "running")
    reach(browser, "data-action", "cancel")
    browser.keys(ENTER)
    until("it asks", lambda: browser.count("#confirm-yes") > 0)
    reach(browser, "id", "confirm-yes")
    browser.keys(ENTER)
    until("it is cancelled", lambda: browser.text("[data-testid=run-outcome]") == "cancelled")
    reach(browser, "data-route", "timeline")
    browser.keys(ENTER)
    until("the timeline has lanes", lambda: browser.count("[data-testid=lane]") > 0)
    browser.keys("/", *"slow")
    until("one lane is left", lambda: browser.count("[data-testid=lane]") == 1)
    reach(browser, "data-testid", "lane")
    browser.keys(RIGHT)
    until("the arrow tells of a mark", lambda: "slow:" in browser.text("[data-testid=timeline-details]"))
    reach(browser, "data-route", "plan")
    browser.keys(ENTER)
    until("the plan is shown", lambda: browser.text("[data-testid=reload-state]") != "")
    reach(browser, "data-action", "check")
    until("Tab leads to the preview", lambda: browser.keys(TAB)
          or browser.run("return document.activeElement.tagName") == "SUMMARY")
    browser.keys(ENTER)
    reach(browser, "data-testid", "plan-text")
    browser.keys(*"jobs: {typed: {every: 1h, run: 'true'}}")
    reach(browser, "data-action", "plan")
    browser.keys(ENTER)
    until("what was typed is planned", lambda: browser.count("[data-testid=step][data-job=typed]") == 1)


def reach(browser, attribute, value):
    """Presses Tab until the focus is where it is wanted."""
    for _ in range(80):
        browser.keys(TAB)
        if browser.focused(attribute) == value:
            return
    check(False, f"Tab does not lead to {attribute}={value}")


AXE = """
  const done = arguments[arguments.length - 1];
  axe.run(document, { resultTypes: ["violations"] }).then(
    ({ violations }) => done(violations.map(({ id, help, nodes }) => ({
      id, help, nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.any.concat(node.all).map((c) => c.message).join("; ")}`),
    }))), (error) => done([{ id: "error", help: String(error), nodes: [] }]));
"""


def scenario_axe(page, arguments):
    """axe-core finds no violation, on any page, dark and light, wide and narrow."""
    check(len(arguments) == 1, "axe needs the path of axe.min.js")
    script, browser = pathlib.Path(arguments[0]).read_text(), page.browser
    found = []

    def look(name):
        for width in (1360, 400):
            for scheme in ("light", "dark"):
                browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                resize(browser, width, 900)
                browser.settle()
                if not browser.run("return typeof axe === 'object'"):
                    browser.cdp("Runtime.evaluate", expression=script)
                for violation in browser.run_async(AXE):
                    found.append(f"{name}, {width} px, {scheme}: {violation['id']}: {violation['help']}\n    "
                                 + "\n    ".join(violation["nodes"]))

    run = page.run_job("broken", 2)[-1]
    browser.go(f"{page.base}/")
    until("the page asks for the token", lambda: browser.count("[data-testid=sign-in]") > 0)
    # A page with an obstacle first, so that silence means something.
    browser.run("document.querySelector('dialog').append(Object.assign(document.createElement('img'), { id: 'obstacle' }))")
    look("a page with an obstacle")
    check(any("image-alt" in line for line in found), "axe-core does not find what is wrong")
    found.clear()
    browser.run("document.querySelector('#obstacle').remove()")
    look("sign-in")
    page.open()
    browser.run("document.querySelector(arguments[0]).click()", f"{row('broken')} [data-select]")
    look("overview")
    page.route(f"#/job/broken/run/{run}")
    until("the output is shown", lambda: browser.count("[data-testid=output] .line") > 0)
    browser.click("[data-testid=internals] summary")
    look("job")
    browser.click("[data-testid=job-page] [data-action=trigger]")
    browser.click("#trigger-others summary")
    look("trigger")
    browser.keys(ESCAPE)
    page.route("#/timeline")
    until("the timeline has lanes", lambda: browser.count("[data-testid=lane] .run") > 0)
    look("timeline")
    page.route("#/plan")
    until("the plan is shown", lambda: browser.text("[data-testid=reload-state]") != "")
    browser.click("#plan-other summary")
    look("plan")
    browser.click("[data-testid=feed-toggle]")
    until("events are shown", lambda: browser.count("[data-testid=feed]") > 0)
    look("events")
    check(not found, "axe-core finds:\n" + "\n".join(found))


SCENARIOS = {
    "sign-in": scenario_sign_in,
    "sub-path": scenario_sub_path,
    "read-only": scenario_read_only,
    "keyboard": scenario_keyboard,
    "keyboard-day": scenario_keyboard_day,
    "axe": scenario_axe,
}
