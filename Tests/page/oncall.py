"""What somebody on call does with the page. The jobs are those of PageTests."""
import json
import os
import pathlib
import re
import signal
import tempfile

from browser import check, resize, row, row_part, until

RED = "return getComputedStyle(document.documentElement).getPropertyValue('--bad').trim()"


def open_job(page, job, run=None):
    page.route(f"#/job/{job}" + (f"/run/{run}" if run else ""))
    until(f"the page of '{job}' is shown", lambda: page.browser.text("[data-testid=job-name]") == job)


def output_of(page, run):
    until(f"the output of run {run} is shown", lambda: page.browser.text("#output-title") == f"Output of run {run}")
    until("it is there", lambda: page.browser.count("[data-testid=output] .line") > 0)


def scenario_job(page, _):
    """A failing job: what is wrong comes first, the timer machine last."""
    browser = page.browser
    runs = page.run_job("broken", 3)
    page.open()
    open_job(page, "broken")
    banner = until("the banner says how it stands", lambda: browser.text("[data-testid=banner]"))
    check(re.search(r"Failed 3 times since \d\d:\d\d", banner), f"the banner is '{banner}'")
    check("no success on record" in banner and "exit code 3" in banner, f"the banner is '{banner}'")
    check(browser.attribute("[data-testid=banner]", "data-tone") == "bad", "the banner does not warn")
    tops = browser.run("""return ["[data-testid=banner]", "[data-testid=output]", "[data-testid=runs]"].map(
        (place) => document.querySelector(place).getBoundingClientRect().top)""")
    check(tops == sorted(tops), f"not in this order: banner, output, runs ({tops})")
    check(browser.count("[data-testid=machine]") == 0, "the timer machine is in sight")
    check("Fails each time" in browser.text("[data-testid=description]"), "no description")
    check("at 00:00 on day 1 of the month in January" in browser.text("[data-testid=schedule]"),
          f"the schedule in words is '{browser.text('[data-testid=schedule]')}'")
    check("exit 3" in browser.text("[data-testid=command]"), "no command")
    check(browser.count("[data-testid=slots] li") == 5, "not the next five slots")
    browser.click("[data-testid=banner] a")
    output_of(page, runs[-1])
    check(browser.run("return location.hash") == f"#/job/broken/run/{runs[-1]}", "the run has no address")


def scenario_progress(page, _):
    """A run in progress is not red, and cancelling two says that it cancels two."""
    browser = page.browser
    page.open()
    open_job(page, "slow")
    for number in (1, 2):
        page.trigger()
        until(f"{number} runs are in the table", lambda: browser.count("[data-testid=run]") == number)
    until("they run", lambda: browser.text("[data-testid=run-outcome]") == "running")
    red = browser.run(RED)
    colours = browser.run("""
        const probe = document.createElement("i");
        probe.style.color = arguments[0];
        document.body.append(probe);
        const red = getComputedStyle(probe).color;
        probe.remove();
        const texts = [...document.querySelectorAll("[data-testid=run-outcome], [data-testid=banner] *, .job-title .state")];
        const bars = [...document.querySelectorAll(".bar rect")];
        return [red, ...texts.map((e) => getComputedStyle(e).color), ...bars.map((e) => getComputedStyle(e).fill)]""", red)
    check(colours[0] not in colours[1:], f"a run in progress is red: {colours}")
    check(browser.count(".bar path") == 0, "a run in progress has the mark of a failure")
    banner = until("the banner tells of it", lambda: browser.text("[data-testid=banner]"))
    check("in progress for" in banner, f"the banner is '{banner}'")
    until("the button says how many", lambda: browser.text("[data-testid=job-page] [data-action=cancel]") == "Cancel 2 runs…")
    browser.click("[data-testid=job-page] [data-action=cancel]")
    until("it asks", lambda: browser.count("#confirm-yes") > 0)
    check(browser.text("#confirm-yes") == "Cancel 2 runs", f"the button says '{browser.text('#confirm-yes')}'")
    check(browser.text("#confirm-no") == "Keep running", "the other button does not say what it does")
    browser.click("#confirm-yes")
    until("both are cancelled", lambda: browser.run(
        "return [...document.querySelectorAll('[data-testid=run-outcome]')].map(e => e.textContent).join()")
        == "cancelled,cancelled")


def scenario_runs(page, _):
    """All runs can be paged, and each has an address that leads to it."""
    browser = page.browser
    runs = page.run_at_once("instant", 60)
    page.open()
    open_job(page, "instant")
    seen = []
    for number in range(3):
        until("a page of runs is shown", lambda: browser.count("[data-testid=run]") > 0)
        shown = browser.run("return [...document.querySelectorAll('[data-testid=run]')].map(e => Number(e.dataset.run))")
        seen += shown
        if number < 2:
            browser.click("[data-action=older]")
            until("older runs are shown", lambda: browser.attribute("[data-testid=run]", "data-run") != str(shown[0]))
    check(seen == runs[::-1], "not each run is on one of the pages")
    check(browser.count("[data-action=older]:disabled") == 1, "there is a page beyond the last")
    # An address opened anew.
    browser.go("about:blank")
    browser.go(f"{page.base}/#/job/instant/run/{runs[3]}")
    output = lambda run: browser.text("#output-title") == f"Output of run {run}"
    until("the address leads to the run", lambda: output(runs[3]))
    current = f'[data-testid=run][data-run="{runs[3]}"][aria-current]'
    until("its row is on the page", lambda: browser.count(current) == 1)
    browser.run("scrollTo(0, document.documentElement.scrollHeight)")
    browser.click(f'[data-testid=run][data-run="{runs[1]}"]')
    until("a click leads to another run", lambda: output(runs[1]))
    until("it scrolls to the output", lambda: browser.run(
        "const top = document.querySelector('.output-card').getBoundingClientRect().top; return top >= 0 && top < innerHeight / 2"))
    browser.run("history.back()")
    until("the way back leads to the run before", lambda: output(runs[3]))
    page.route("#/job/instant/run/999999")
    until("a run that there is not is told", lambda: "no run 999999" in browser.text("[data-testid=output-state]"))
    browser.click("[data-testid=runs-failed]")
    until("only failed runs are shown, of which there is none", lambda: browser.count("[data-testid=run]") == 0)


def scenario_output(page, _):
    """Times, standard error, attempts, search, wrap, download, following, colours."""
    browser = page.browser
    run = page.run_job("broken")[0]
    page.open()
    open_job(page, "broken", run)
    output_of(page, run)
    line = "[data-testid=output] .line"
    check(re.fullmatch(r"\d\d:\d\d:\d\d", browser.text(f"{line} time")), "a line has no time")
    error = f"{line}[data-stream=stderr]"
    check(browser.text(f"{error} .text").strip() == "oops" and browser.text(f"{error} .stream") == "err",
          "standard error is not marked")
    check(browser.text("[data-testid=output] .fg-red") == "red", "no colour")
    check("<b>bold</b>" in browser.text("[data-testid=output]") and browser.count("[data-testid=output] b") == 0,
          "markup of an output is not shown as text")
    check("\x1b" not in browser.text("[data-testid=output]"), "a sequence for terminals is shown")
    browser.click("[data-testid=output-attempt][data-attempt='2']")
    until("one attempt is chosen", lambda: browser.text("[data-testid=output-attempt][aria-selected=true]") == "Attempt 2")
    until("it is shown alone", lambda: browser.text(f"{line} .text").startswith("attempt 2"))
    browser.click("[data-testid=output-attempt][data-attempt='']")
    until("all are shown again", lambda: browser.text(f"{line} .text").startswith("attempt 1"))
    browser.type("[data-testid=output-search]", "OOPS")
    until("the search counts lines", lambda: browser.text("[data-testid=output-found]") == "2 lines")
    browser.type("[data-testid=output-search]", "\ue007")
    until("Enter goes to the first", lambda: browser.text("[data-testid=output-found]") == "1 of 2 lines")
    check(browser.text(".hit-at .text").strip() == "oops", "another line is marked")
    wrapped = browser.run("return document.querySelector('.line .text').computedStyleMap().get('white-space').toString()")
    browser.click("[data-testid=output-wrap]")
    after = browser.run("return document.querySelector('.line .text').computedStyleMap().get('white-space').toString()")
    check(wrapped != after, "the lines are wrapped as before")
    text = download(page, f"broken-{run}.log")
    check("\x1b[31mred" in text and text.count("oops") == 2, f"the file has '{text}'")
    follow(page)


def download(page, name):
    """What the button saves, as a file of this name."""
    browser = page.browser
    with tempfile.TemporaryDirectory() as folder:
        browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
        browser.click("[data-action=download]")
        file = pathlib.Path(folder) / name
        until("the output is saved", file.exists)
        return file.read_text()


def scenario_shown(page, words):
    """Each output of a file: its lines as they are to be shown, with their streams."""
    browser = page.browser
    page.open()
    for wanted in json.loads(pathlib.Path(words[0]).read_text()):
        open_job(page, wanted["job"], wanted["run"])
        output_of(page, wanted["run"])
        read = """return [...document.querySelectorAll("[data-testid=output] .line")].map((line) =>
            [line.dataset.stream, line.querySelector(".text").textContent.replace(/\\n$/, "")])"""
        shown = until(f"all lines of '{wanted['job']}' are there",
                      lambda: (lines := browser.run(read)) and len(lines) >= len(wanted["lines"]) and lines)
        check(shown == wanted["lines"], f"{wanted['job']} is shown as {shown}, not {wanted['lines']}")


def follow(page):
    browser = page.browser
    open_job(page, "talker")
    page.trigger()
    until("the output comes live", lambda: browser.text("[data-testid=output-state]") == "live"
          and browser.count("[data-testid=output] .line") > 40)
    at_end = """const box = document.querySelector("[data-testid=output]");
        return box.scrollHeight - box.scrollTop - box.clientHeight < 30"""
    until("it follows the end", lambda: browser.run(at_end))
    browser.run("document.querySelector('[data-testid=output]').scrollTop = 0")
    pressed = lambda: browser.attribute("[data-testid=output-follow]", "aria-pressed")
    until("whoever scrolls up is left alone", lambda: pressed() == "false")
    lines = browser.count("[data-testid=output] .line")
    until("more comes", lambda: browser.count("[data-testid=output] .line") > lines)
    check(browser.run("return document.querySelector('[data-testid=output]').scrollTop") == 0, "the output moves")
    browser.click("[data-testid=output-follow]")
    until("it follows again", lambda: browser.run(at_end) and pressed() == "true")


def scenario_long(page, _):
    """The end of a long output is in sight, and the search says what it covers; all keys of the job."""
    browser = page.browser
    run = page.run_job("counter")[0]
    page.open()
    open_job(page, "counter", run)
    output_of(page, run)
    in_sight = """const box = document.querySelector("[data-testid=output]").getBoundingClientRect();
        const last = [...document.querySelectorAll("[data-testid=output] .line")].at(-1);
        const { top, bottom } = last.getBoundingClientRect();
        return last.textContent.includes("line 6000") && top >= box.top && bottom <= box.bottom + 1"""
    until("the last line is in sight", lambda: browser.run(in_sight))
    check(browser.attribute("[data-testid=output-follow]", "aria-pressed") == "true", "it does not follow the end")
    browser.type("[data-testid=output-search]", "line 17\ue007")
    until("the lines that are not shown are searched",
          lambda: "in 1\u202f000 earlier lines" in browser.text("[data-testid=output-found]")
          and ", and 11 in" in browser.text("[data-testid=output-found]"))
    browser.click("[data-testid=internals] summary")
    keys = until("the keys are shown", lambda: browser.text("[data-testid=keys]"))
    for key in ("env.LANGUAGE", "on_failure", "only_if", "ping", "secrets"):
        check(key in keys, f"'{key}' is not among the keys")


def scenario_overview(page, _):
    """What fails comes first; tags filter; several jobs are suspended at once."""
    browser = page.browser
    page.run_job("broken", 2)
    page.run_job("instant")
    page.open()
    check("takt" in browser.text("[data-testid=origin]") and browser.text("#host"), "no host, or no version")
    names = lambda: browser.run("return [...document.querySelectorAll('[data-testid=job]')].map(e => e.dataset.job)")
    until("the failing job is the first, then the stale one", lambda: names()[:2] == ["broken", "stuck"])
    check(browser.text(row_part("broken", "streak")) == "2×", "it is not said how often it failed")
    until("the slots that were skipped are told", lambda: "skipped: overlap" in browser.text(row_part("stuck", "passed")))
    check(browser.text("[data-testid=tile-stale] b") == "1", "the stale job is not counted")
    check(re.fullmatch(r"[\d.]+ m?s", browser.text(row_part("instant", "took"))), "no duration")
    check("the longest" in browser.attribute(row_part("instant", "outcomes"), "aria-label"), "no sparkline")
    head = browser.run("return document.body.innerText")
    check("wakes" not in head and "batches" not in head, "counters of takt itself are shown")
    browser.click("[data-tag=night]")
    until("the tag filters", lambda: sorted(names()) == ["broken", "slow"])
    for job in ("broken", "slow"):
        browser.click(f"{row(job)} [data-select]")
    check(browser.text("[data-testid=selected]") == "2 jobs selected", "the selection is not told")
    browser.click("[data-testid=selection] [data-action=suspend]")
    until("it asks", lambda: browser.count("[data-testid=suspend-dialog]") > 0)
    check("2 jobs" in browser.text("#suspend-title"), "it does not say how many")
    browser.type("[data-testid=suspend-reason]", "moving house")
    browser.click("[data-testid=suspend-dialog] [data-testid=confirm]")
    for job in ("broken", "slow"):
        page.await_state(job, "suspended")
    check(browser.count("[data-testid=selection]") == 0, "the selection stays")
    browser.click("[data-testid=select-all]")
    browser.click("[data-testid=selection] [data-action=resume]")
    for job in ("broken", "slow"):
        page.await_state(job, "waiting", "idle")


def scenario_slots(page, _):
    """Each slot is a square in the row and a line on the job's page, those that did not run, too."""
    browser = page.browser
    page.open()
    squares = row_part("stuck", "squares")
    until("skipped slots are squares of the row", lambda: browser.count(f"{squares} [data-slot=skipped]") > 1)
    check(browser.count(f"{squares} [data-slot=active]") == 1, "the slot that runs is not one of them")
    check("skipped" in browser.attribute(squares, "aria-label"), "it is not said in words")
    open_job(page, "stuck")
    line = "[data-testid=decided-slots] li"
    until("they are listed, with the reason", lambda: browser.count(f"{line}[data-verdict=skipped]") > 1)
    check("skipped: overlap" in browser.text(f"{line}[data-verdict=skipped]"), "without the reason")
    until("the slot that runs is listed, too", lambda: browser.count(f"{line}[data-verdict=ran] a") == 1)
    browser.click("[data-testid=slots-not-run]")
    until("those that did not run can be listed alone", lambda: browser.count(f"{line}[data-verdict=ran]") == 0)
    check(browser.count(f"{line}[data-verdict=skipped]") > 1, "they are not listed any more")


def scenario_timeline(page, _):
    """From an hour to a month; skipped slots in sight; a click opens the run."""
    browser = page.browser
    run = page.run_job("broken")[0]
    page.open()
    page.route("#/timeline")
    lane = '[data-testid=lane][data-job="{}"]'
    until("the failed run is drawn", lambda: browser.count(lane.format("broken") + ' .run[data-outcome=failed]') > 0)
    check(browser.text("[data-testid=wake-lane] .label") == "wake-ups", "the lane of the wake-ups has no name")
    until("slots to come are drawn", lambda: browser.count(lane.format("beat") + " .slot[data-verdict=coming]") > 0)
    until("skipped slots are drawn", lambda: browser.count(lane.format("stuck") + " .slot[data-verdict=skipped]") > 0)
    heights = browser.run("""
        const height = (kind) => document.querySelector(kind).getBBox().height;
        return [height(".slot[data-verdict=skipped]"), height(".run")]""")
    check(heights[0] >= heights[1] * 0.9, f"a skipped slot is smaller than a run: {heights}")
    check("skipped slot" in browser.attribute(lane.format("stuck"), "aria-label"), "the lane does not tell of them")
    browser.choose("[data-testid=timeline-span]", "2592000")
    until("a month is drawn, by days", lambda: re.search(r"\d+ [A-Z][a-z]{2}", browser.text(".axis")))
    browser.choose("[data-testid=timeline-span]", "900")
    until("a quarter of an hour is drawn", lambda: re.search(r"\d\d:\d\d", browser.text(".axis")))
    browser.run("""
        const bar = document.querySelector(arguments[0]).getBoundingClientRect();
        const lane = document.querySelector(arguments[1]);
        const at = { bubbles: true, clientX: bar.left + bar.width / 2, clientY: bar.top + 3 };
        lane.querySelector(".ground").dispatchEvent(new MouseEvent("click", at))""",
        lane.format("broken") + " .run", lane.format("broken"))
    until("a click opens the run", lambda: browser.run("return location.hash") == f"#/job/broken/run/{run}")


def scenario_hung(page, _):
    """While takt hangs the page says so; it recovers by itself, and the timeline shows the time."""
    browser = page.browser
    page.open()
    connection = "[data-testid=connection]"
    pid = page.ask("GET", "/status")[1]["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        said = until("the page says that nothing comes", lambda: re.search(
            r"no word from takt for (\d+)s", browser.text(connection)))
        check(browser.attribute(connection, "data-state") == "silent", "it does not look like it")
        until("it counts on", lambda: (now := re.search(r"for (\d+)s", browser.text(connection)))
              and int(now.group(1)) > int(said.group(1)))
    finally:
        os.kill(pid, signal.SIGCONT)
    until("the page is live again", lambda: browser.text(connection) == "live")
    page.route("#/timeline")
    # A busy machine may have stood still at another time too.
    until("the timeline shows when takt stood still", lambda: browser.count(
        "[data-testid=gap-lane] .gap[data-kind=stalled]") >= 1)
    words = browser.attribute("[data-testid=gap-lane]", "aria-label")
    check("takt stood still" in words, f"the lane says '{words}'")


def scenario_waiting(page, _):
    """While the API does not answer, the page waits for it; it does not say that there are no jobs."""
    browser = page.browser
    browser.cdp("Network.enable")
    browser.cdp("Network.setBlockedURLs", urls=["*/api/*"])
    browser.go(f"{page.base}/#token={page.token}")
    words = until("the page says why there are no jobs", lambda: browser.text("[data-testid=jobs-empty]"))
    check(words == "Waiting for takt to answer…", f"it says '{words}'")
    until("it knows that takt does not answer", lambda: browser.attribute("[data-testid=connection]", "data-state") == "lost")
    check(browser.text("[data-testid=jobs-empty]") == words, "it no longer waits")
    check(browser.count("[data-testid=jobs-empty]") == 1, "it cannot be seen")
    browser.cdp("Network.setBlockedURLs", urls=[])
    page.await_live()
    check(browser.count("[data-testid=jobs-empty]") == 0, "it still waits")


def scenario_narrow(page, _):
    """On a phone the table of runs shows how they ended before what they used."""
    browser = page.browser
    page.run_job("broken")
    resize(browser, 400, 800)
    page.open()
    open_job(page, "broken")
    until("the run is in the table", lambda: browser.count("[data-testid=run]") > 0)
    right = browser.run("return document.querySelector('[data-testid=run-outcome]').getBoundingClientRect().right")
    check(browser.count("[data-testid=run-outcome]") == 1 and 0 < right <= 400, f"the outcome ends at {right} px")
    check(browser.text("[data-testid=run] td:nth-child(2)").startswith("failed"), "the outcome is not first")
    check(browser.count("[data-testid=run-cpu]") == 0, "what it used takes the room")
    overflow = browser.run("return document.documentElement.scrollWidth - innerWidth")
    check(overflow <= 0, f"the page is {overflow} px too wide")
    browser.cdp("Emulation.clearDeviceMetricsOverride")


def scenario_states(page, _):
    """A run that never started has no start; a suspended job counts although it runs."""
    browser = page.browser
    runs = [page.ask("POST", "/jobs/lined/trigger")[1]["run"] for _ in range(2)]
    until("one runs and one waits", lambda: [page.ask("GET", f"/runs/{run}")[1]["state"] for run in runs]
          == ["running", "queued"])
    page.open()
    open_job(page, "lined", runs[1])
    output = lambda: (browser.text("#output-title"), browser.text("[data-testid=output-state]"))
    waits = "queued: the run has not started yet"
    until("the output of the waiting run says so", lambda: output() == (f"Output of run {runs[1]}", waits))
    check(page.ask("POST", f"/runs/{runs[0]}/cancel")[0] == 200, "the running one cannot be cancelled")
    until("its output is followed once it runs", lambda: output() == (f"Output of run {runs[1]}", "live"))
    runs = [runs[1], page.ask("POST", "/jobs/lined/trigger")[1]["run"]]
    check(page.ask("POST", f"/runs/{runs[1]}/cancel")[0] == 200, "the waiting run cannot be cancelled")
    until("it has ended", lambda: page.ask("GET", f"/runs/{runs[1]}")[1]["state"] == "ended")
    check(page.ask("POST", "/jobs/lined/suspend")[0] == 200, "the job cannot be suspended")
    page.route("#/")
    until("the suspended job counts", lambda: browser.text("[data-testid=tile-suspended] b") == "1")
    browser.click("[data-testid=tile-suspended]")
    until("it is listed", lambda: browser.count(row("lined")) == 1)
    open_job(page, "lined")
    cell = f'[data-testid=run][data-run="{runs[1]}"] [data-testid={{}}]'
    until("the run that never started says so", lambda: browser.text(cell.format("run-began")) == "not started")
    check(browser.text(cell.format("run-took")) == "–", "it took some time")


def scenario_stale(page, _):
    """A job without a success in time is first, counted, and says since when."""
    browser = page.browser
    page.open()
    names = lambda: browser.run("return [...document.querySelectorAll('[data-testid=job]')].map(e => e.dataset.job)")
    until("the stale job is the first", lambda: names() == ["nightly", "calm"])
    until("it is marked", lambda: browser.attribute(row("nightly"), "data-attention") == "stale")
    check(browser.text("[data-testid=tile-stale] b") == "1", "the stale job is not counted")
    browser.click("[data-testid=tile-stale]")
    until("it alone is listed", lambda: names() == ["nightly"])
    open_job(page, "nightly")
    banner = until("the banner says how it stands", lambda: browser.text("[data-testid=banner]"))
    check(re.match(r"Stale since \d\d:\d\d", banner) and "no success on record" in banner, f"the banner is '{banner}'")
    check(browser.attribute("[data-testid=banner]", "data-tone") == "warn", "the banner does not warn")


def scenario_problems(page, _):
    """A job that succeeds while its hook fails says so, on its page and in the table."""
    browser = page.browser
    page.open()
    strip = "[data-testid=problems]"
    until("the page knows how takt stands", lambda: "takt" in browser.text("[data-testid=origin]"))
    check(browser.count(strip) == 0, "all is well, and the strip of problems shows")
    run = page.run_job("nightly")[0]
    until("the strip names the problem", lambda: "on_success of nightly failed (failed, exit(9)); nobody may have been told" in browser.text(strip))
    check(f"takt logs run:{run + 1}" in browser.text(strip), "the strip does not say what to type")
    until("the job's problem is in the table", lambda: browser.text(row_part("nightly", "problem")) == "alarm failed")
    check(browser.attribute(row("nightly"), "data-attention") == "stale", "its row is like any other")
    open_job(page, "nightly")
    banner = lambda: browser.text("[data-testid=banner]")
    until("the banner says it", lambda: banner().startswith("The hook on_success failed (failed, exit(9))"))
    check(browser.attribute("[data-testid=banner]", "data-tone") == "bad", "the banner does not warn")
    check(f"Show run {run + 1}" in banner(), f"the banner does not lead to the hook: '{banner()}'")


def scenario_lanes(page, _):
    """Of many jobs those that fail come first on the timeline, and the others by and by."""
    browser = page.browser
    page.run_job("zz-broken")
    page.open()
    page.route("#/timeline")
    lanes = "[data-testid=lane]"
    until("the first lanes are drawn", lambda: browser.count(lanes) == 60)
    check(browser.attribute(lanes, "data-job") == "zz-broken", "the job that fails is not the first")
    note = browser.text("#timeline-note")
    check(note.startswith("60 of 81 jobs"), f"the note says '{note}'")
    check(browser.text("[data-testid=timeline-more]") == "Show 21 more", "the button does not say how many")
    browser.click("[data-testid=timeline-more]")
    until("all lanes are drawn", lambda: browser.count(lanes) == 81)
    check(browser.count("[data-testid=timeline-more]") == 0, "there are more than all")


def scenario_fold(page, _):
    """The jobs of a for_each are one row, which says how they fare, and opens and closes."""
    browser = page.browser
    for job in ["backup.acme", "backup.globex", "backup.initech"]:
        page.run_job(job)
    page.open()
    names = lambda: browser.run("return [...document.querySelectorAll('[data-testid=job]')].map(e => e.dataset.job)")
    name = f"{row('*backup')} .name"
    until("the three are one row, and the first since one fails", lambda: names() == ["*backup", "beat"])
    until("it says how many they are", lambda: browser.text(name) == "▸ backup (3 jobs)")
    check(browser.text(row_part("*backup", "streak")) == "1 job failing", "it does not say how many fail")
    check(browser.attribute(name, "aria-expanded") == "false", "it does not say that it is closed")
    browser.click(name)
    whole = ["*backup", "backup.globex", "backup.acme", "backup.initech", "beat"]
    until("it opens, the one that fails first", lambda: names() == whole)
    until("it says so", lambda: browser.text(name) == "▾ backup (3 jobs)" and browser.attribute(name, "aria-expanded") == "true")
    browser.click(f"{row('*backup')} [data-select]")
    picked = "return document.querySelectorAll('[data-testid=job] [data-select]:checked').length"
    until("to select it is to select all of them", lambda: browser.run(picked) == 4)
    browser.click(name)
    until("it closes", lambda: names() == ["*backup", "beat"])
    browser.click(f"{row('*backup')} [data-action=suspend]")
    until("the dialog opens", lambda: browser.count("[data-testid=suspend-dialog][open]") > 0)
    browser.click("[data-testid=suspend-dialog] [data-testid=confirm]")
    suspended = lambda: [page.ask("GET", f"/jobs/{job}")[1]["state"] for job in whole[1:4]]
    until("all of them are suspended", lambda: suspended() == ["suspended"] * 3)
    until("the row offers to resume them", lambda: browser.count(f"{row('*backup')} [data-action=resume]") == 1)
    browser.click(f"{row('*backup')} [data-action=resume]")
    until("all of them go on", lambda: "suspended" not in suspended())
    page.search("backup.globex")
    until("one that is looked for alone is not folded", lambda: names() == ["backup.globex"])


def scenario_names(page, _):
    """Names that every object of JavaScript has are names like others."""
    browser = page.browser
    page.open()
    names = ["constructor", "toString", "valueOf", "hasOwnProperty"]
    for name in names:
        page.run_job(name)
        open_job(page, name)
        until("its run is in the table", lambda: browser.text("[data-testid=run-outcome]") == "succeeded")
    for route in names + ["__proto__", "prototype", "%5f%5fproto%5f%5f"]:
        page.route(f"#/{route}")
        until(f"#/{route} shows the overview", lambda: browser.count("[data-testid=overview]") > 0)
        page.route("#/timeline")
        until("the timeline is shown afterwards", lambda: browser.count("[data-testid=timeline]") > 0)


SCENARIOS = {
    "fold": scenario_fold,
    "names": scenario_names,
    "job": scenario_job,
    "progress": scenario_progress,
    "runs": scenario_runs,
    "output": scenario_output,
    "long": scenario_long,
    "shown": scenario_shown,
    "overview": scenario_overview,
    "timeline": scenario_timeline,
    "slots": scenario_slots,
    "hung": scenario_hung,
    "states": scenario_states,
    "waiting": scenario_waiting,
    "narrow": scenario_narrow,
    "stale": scenario_stale,
    "lanes": scenario_lanes,
    "problems": scenario_problems,
}
