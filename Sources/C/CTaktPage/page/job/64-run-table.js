/**
 * The history of a job's runs: a page of them at a time, the newest first, with charts above. Each run has
 * an address of its own, and a click goes there.
 */

const RUNS_PAGE = 25;

class RunTable {
  constructor() {
    this.chart = element("div", { class: "chart-holder", "data-testid": "durations" });
    this.body = element("tbody");
    this.failed = element("input", { type: "checkbox", "data-testid": "runs-failed" });
    this.failed.addEventListener("change", () => attempt(() => this.openAt(undefined)));
    this.newest = button("Newest", "newest", {}, () => attempt(() => this.openAt(undefined)));
    this.newer = button("Newer", "newer", {}, () => attempt(() => this.back()));
    this.older = button("Older", "older", {}, () => attempt(() => this.forth()));
    this.range = element("span", { class: "note", role: "status", "data-testid": "runs-range" });
    this.empty = element("p", { class: "empty", hidden: "" });
    this.node = element(
      "div", { class: "runs", "data-testid": "runs" },
      this.chart,
      element("div", { class: "scroller" }, element("table", {}, this.makeHead(), this.body)), this.empty,
      element(
        "div", { class: "tools" },
        element("label", { class: "check" }, this.failed, "Only failed"),
        element("div", { class: "buttons", role: "group", "aria-label": "Pages of runs" }, this.range, this.newest, this.newer, this.older)));
    this.reload = new PacedTask(SECOND, () => quietly(this.refresh()));
    new ResizeObserver(() => this.drawChart()).observe(this.chart);
    this.close();
  }

  makeHead() {
    const titles = ["Run", "Outcome", "Started", "Took", "CPU", "Memory", "Attempts", "Started by"];
    return element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));
  }

  /** Shows the newest runs of a job, or the page on which one of them is. */
  async open(job, run) {
    this.close();
    this.job = job;
    this.failed.checked = false;
    await this.openAt(undefined);
    if (run && !this.runs.some((known) => known.run === run)) await this.openAt(run + 1);
  }

  close() {
    this.job = null;
    this.runs = [];
    this.pages = [];
    this.before = undefined;
    this.next = undefined;
    this.selected = null;
    this.reload?.cancel();
    this.body.replaceChildren();
    this.chart.replaceChildren();
  }

  async openAt(before) {
    this.pages = before === undefined ? [] : [undefined];
    this.before = before;
    await this.load();
  }

  async forth() {
    this.pages.push(this.before);
    this.before = this.next;
    await this.load();
  }

  async back() {
    this.before = this.pages.pop();
    await this.load();
  }

  /** New runs come by themselves on the first page alone. */
  async refresh() {
    if (this.before === undefined) await this.load();
  }

  async load() {
    const { job, before } = this;
    if (!job) return;
    const page = await api.runs({ job, limit: RUNS_PAGE, before, failed: this.failed.checked || undefined });
    if (this.job !== job || this.before !== before) return;
    this.runs = page.runs;
    this.next = page.before;
    this.draw();
  }

  select(run) {
    this.selected = run;
    for (const row of this.body.rows) {
      setAttribute(row, "aria-current", Number(row.dataset.run) === run ? "true" : null);
    }
  }

  drawChart() {
    const width = this.chart.clientWidth;
    const drawn = this.runs.length > 0 && width > 0 ? drawCharts(this.runs, width, (run) => this.go(run)) : [];
    this.chart.replaceChildren(...drawn);
  }

  go(run) {
    location.hash = jobAddress(this.job, run);
  }

  draw() {
    const focused = this.body.contains(document.activeElement) && document.activeElement.closest("tr").dataset.run;
    this.drawChart();
    this.body.replaceChildren(...this.runs.map((run) => this.makeRow(run)));
    if (focused) this.body.querySelector(`[data-run="${focused}"] a`)?.focus({ preventScroll: true });
    this.empty.hidden = this.runs.length > 0;
    setText(this.empty, this.failed.checked ? "No failed runs." : "No runs yet. Trigger the job, or wait for its next slot.");
    this.newest.disabled = this.before === undefined;
    this.newer.disabled = this.pages.length === 0;
    this.older.disabled = this.next === undefined;
    setText(this.range, this.runs.length > 0 ? describeNumbers(this.runs) : "");
    this.select(this.selected);
  }

  /** What started a run, and what the trigger set. */
  makeKind(run) {
    const set = describeParameters(run);
    const kind = run.hook ?? KIND_WORDS[run.kind] ?? run.kind;
    return element("td", { class: "reason", title: set || null }, kind, set ? element("span", { class: "muted", "data-testid": "run-parameters" }, `, ${set}`) : null);
  }

  makeRow(run) {
    const now = clock.now();
    const state = run.outcome ? OUTCOME_WORDS[run.outcome] : STATE_WORDS[run.state];
    const outcome = element(
      "span", { class: "outcome", "data-testid": "run-outcome", "data-outcome": run.outcome ?? "active" }, state);
    const reason = describeEnd(run);
    const took = run.outcome && tookOf(run);
    const row = element(
      "tr", { "data-run": run.run, "data-testid": "run" },
      element("td", {}, element("a", { href: jobAddress(this.job, run.run), "aria-label": `Run ${run.run}` }, String(run.run))),
      element("td", { class: "reason", title: reason }, outcome, reason ? element("span", { class: "muted" }, `, ${reason}`) : null),
      element("td", { title: `slot ${timeFormat.full(run.slot)}`, "data-testid": "run-began" }, run.began ? timeFormat.short(run.began, now) : "not started"),
      element("td", { "data-testid": "run-took" }, took === undefined ? "–" : formatDuration(took)),
      element("td", { "data-testid": "run-cpu" }, run.cpu_ms === undefined ? "–" : formatDuration(run.cpu_ms)),
      element("td", { "data-testid": "run-memory" }, run.memory_peak === undefined ? "–" : formatSize(run.memory_peak)),
      element("td", {}, String(run.attempts)),
      this.makeKind(run));
    row.addEventListener("click", (event) => event.target.closest("a") || !getSelection().isCollapsed || this.go(run.run));
    return row;
  }
}

/** How many runs are shown, and their numbers, which runs of all jobs share. */
function describeNumbers(runs) {
  const [first, last] = [runs.at(-1).run, runs[0].run];
  return first === last ? `1 run, number ${first}` : `${plural(runs.length, "run")}, numbers ${first} to ${last}`;
}
