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


SCENARIOS = {
    "lines": scenario_lines,
}
