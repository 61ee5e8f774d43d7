"""The pages of the plan, the timeline and the cluster. The jobs are those of PageTests."""
import datetime
import re

from browser import check, until


def scenario_lines(page, _):
    """A command of several lines that changes is a diff of lines."""
    browser = page.browser
    page.open()
    page.route("#/plan")
    until("the plan shows the command", lambda: browser.count("[data-testid=line-diff]") == 1)
    lines = browser.run("""
        return [...document.querySelectorAll('[data-testid=line-diff] > *')].map((line) => line.textContent.trimEnd())""")
    wanted = ["…", "  echo 2", "  echo 3", "- echo 4", "+ echo four", "+ echo more", "  echo 5", "  echo 6", "…"]
    check(lines == wanted, f"the lines are {lines}")
    marked = browser.run("return [...document.querySelectorAll('[data-testid=line-diff] :is(del, ins)')].map((line) => line.tagName)")
    check(marked == ["DEL", "INS", "INS"], f"marked as {marked}")


def scenario_cluster(page, arguments):
    """The machines of the cluster, who has what, and the way to the other machine's page."""
    check(len(arguments) == 3, "cluster needs this machine, the other one, and the address of its page")
    this, other, url = arguments
    browser = page.browser
    page.open()
    until("the head names the machine", lambda: browser.text("[data-testid=machine-name]").startswith(this))
    browser.click("[data-testid=cluster-tab]")
    machine = '[data-testid=machine-row][data-machine="{}"]'
    until("the machines are there", lambda: browser.count(machine.format(other)) == 1)
    check("this machine" in browser.text(machine.format(this)), "it is not said which machine this is")
    check("alive" in browser.text(machine.format(other)), "it is not said how the other stands")
    until("how far away the engine is", lambda: "PostgreSQL answers in" in browser.text("[data-testid=engine]"))
    check(browser.count("[data-testid=cluster-problems]") == 0, "a healthy cluster has problems")
    check(browser.text("[data-testid=cluster-count]") == "", "the tab counts problems")
    job = '[data-testid=shared-job][data-job="{}"]'
    until("the last run of a job is there, and its machine",
          lambda: " on " in browser.text(job.format("beat") + " td:nth-child(3)"))
    browser.type("[data-testid=cluster-search]", "beat")
    until("the jobs can be searched", lambda: browser.count("[data-testid=shared-job]") == 1)
    link = browser.run("return document.querySelector(arguments[0]).href", machine.format(other) + " a")
    check(link == url, f"it leads to {link}")
    browser.go(url)
    until("the other page asks for its token", lambda: browser.count("dialog[open]") == 1)


WHEEL = """
    const axis = document.querySelector("[data-testid=timeline-axis]").getBoundingClientRect();
    document.querySelector("[data-testid=timeline-axis] svg").dispatchEvent(new WheelEvent("wheel", {
      bubbles: true, cancelable: true, deltaY: arguments[0], clientX: axis.left + axis.width * 0.8, clientY: axis.top + 5 }))"""

DRAG = """
    const picture = document.querySelector("[data-testid=timeline-picture]");
    picture.setPointerCapture = () => {};
    const place = picture.getBoundingClientRect();
    const send = (kind, x, init = {}) => picture.dispatchEvent(new PointerEvent(kind, {
      bubbles: true, pointerId: 1, button: 0, buttons: 1, clientX: place.left + x, clientY: place.top + 60, ...init }));
    send("pointerdown", 600); send("pointermove", 640); send("pointermove", 700); send("pointerup", 700);"""


def times(page):
    """When the timeline begins and ends, by the address; nothing for the present."""
    found = re.fullmatch(r"#/timeline/(.+)--(.+)", page.browser.run("return location.hash"))
    return found and [datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in found.groups()]


def scenario_moves(page, _):
    """The timeline goes to any time, by date, buttons, keys, wheel and dragging; its axis stays in view."""
    browser = page.browser
    page.run_job("broken")
    page.open()
    page.route("#/timeline")
    until("the timeline has lanes", lambda: browser.count("[data-testid=lane]") >= 60)
    pressed = lambda: browser.attribute("[data-testid=timeline-now]", "aria-pressed")
    check(pressed() == "true" and times(page) is None, "it does not begin with the present")
    browser.run("document.querySelector('[data-testid=lane]').focus()")
    browser.keys("+")
    until("the present can be zoomed", lambda: browser.text("#timeline-own") == "40m 00s")
    check(pressed() == "true", "zooming leaves the present")
    browser.run("document.querySelector('[data-move=earlier]').click()")
    until("it goes back", lambda: times(page) is not None and pressed() == "false")
    before = times(page)
    browser.run(DRAG)
    until("a pointer drags it further back", lambda: times(page)[1] < before[1])
    check(browser.run("return location.hash").startswith("#/timeline/"), "a drag opens a job")
    check(times(page)[1] - times(page)[0] == before[1] - before[0], "a drag zooms")
    before = times(page)
    browser.run(WHEEL, -300)
    until("the wheel over the axis zooms in", lambda: times(page)[1] - times(page)[0] < (before[1] - before[0]) * 0.8)
    before = times(page)
    browser.run(WHEEL, 300)
    until("and out", lambda: times(page)[1] - times(page)[0] > (before[1] - before[0]) * 1.2)
    until("lanes remain", lambda: browser.count("[data-testid=lane]") >= 60)
    browser.choose("[data-testid=timeline-at]", "2026-02-03T02:30")
    until("a date leads there", lambda: "2026-02-03" in browser.text("[data-testid=timeline-range]"))
    until("there is nothing to see", lambda: browser.count("[data-testid=lane] .run") == 0)
    until("takt has answered", lambda: browser.count("[data-testid=toast]") == 0 and "60" in browser.text("#timeline-note"))
    address = browser.run("return location.hash")
    page.route("#/plan")
    page.route(address)
    until("the address leads there, too", lambda: browser.text("[data-testid=timeline-range]").startswith("Tue 2026-02-03"))
    until("the lanes are drawn", lambda: browser.count("[data-testid=lane]") >= 60)
    browser.run("document.querySelector('[data-testid=lane]').focus(); scrollTo(0, 600)")
    tops = browser.run("""
        const bar = document.querySelector("header").getBoundingClientRect().bottom;
        return ["details", "axis"].map((part) => document.querySelector(`[data-testid=timeline-${part}]`).getBoundingClientRect().top - bar)""")
    check(all(0 <= top < 120 for top in tops), f"details and axis are {tops} below the head")
    browser.keys("0")
    until("0 leads to the present", lambda: times(page) is None and pressed() == "true")
    until("the run is there", lambda: browser.count("[data-testid=lane][data-job=broken] .run") > 0)


SCENARIOS = {
    "moves": scenario_moves,
    "cluster": scenario_cluster,
    "lines": scenario_lines,
}
