"""The pages of the plan, the timeline and the cluster. The jobs are those of PageTests."""
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
          lambda: " on " in browser.text(job.format("beat") + " td:nth-child(4)"))
    browser.type("[data-testid=cluster-search]", "beat")
    until("the jobs can be searched", lambda: browser.count("[data-testid=shared-job]") == 1)
    link = browser.run("return document.querySelector(arguments[0]).href", machine.format(other) + " a")
    check(link == url, f"it leads to {link}")
    browser.go(url)
    until("the other page asks for its token", lambda: browser.count("dialog[open]") == 1)


SCENARIOS = {
    "cluster": scenario_cluster,
    "lines": scenario_lines,
}
