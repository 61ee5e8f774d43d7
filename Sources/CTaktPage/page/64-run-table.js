/**
 * The history of a job's runs: a page of them at a time, the newest first, with a chart above. A click on
 * a run shows its output.
 */

const RUNS_PAGE = 50;

class RunTable {
  /** @param onSelect called with the run that somebody wants to see */
  constructor(onSelect) {
    this.onSelect = onSelect;
    this.chart = element("div", { class: "chart-holder", "data-testid": "durations" });
    this.body = element("tbody");
    this.more = button("Older runs", "older", { hidden: "" }, () => attempt(() => this.loadMore()));
    this.empty = element(
      "p", { class: "empty", hidden: "" }, "No runs yet. Trigger the job, or wait for its next slot.");
    this.node = element(
      "div", { class: "runs", "data-testid": "runs" }, this.chart,
      element("div", { class: "scroller" }, element("table", {}, this.makeHead(), this.body)), this.empty, this.more);
    this.reload = new PacedTask(SECOND, () => quietly(this.loadNewest()));
    new ResizeObserver(() => this.drawChart()).observe(this.chart);
  }

  makeHead() {
    const titles = ["Run", "Slot", "Started", "Took", "Outcome", "Reason", "Attempts", "Kind"];
    return element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));
  }

  async open(job) {
    this.job = job;
    this.runs = [];
    this.before = undefined;
    this.selected = null;
    this.draw();
    await this.loadNewest();
  }

  close() {
    this.job = null;
    this.reload.cancel();
  }

  /** Puts the newest runs before those that are there. */
  async loadNewest() {
    const { job } = this;
    if (!job) return;
    const page = await api.runs({ job, limit: RUNS_PAGE });
    if (this.job !== job) return;
    const oldest = page.runs.at(-1)?.run ?? 0;
    const first = this.runs.length === 0;
    const older = this.runs.filter((run) => run.run < oldest);
    if (first || older.length === 0) this.before = page.before;
    this.runs = [...page.runs, ...older];
    this.draw();
  }

  async loadMore() {
    const { job } = this;
    const page = await api.runs({ job, limit: RUNS_PAGE, before: this.before });
    if (this.job !== job) return;
    this.runs.push(...page.runs);
    this.before = page.before;
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
    const drawn = this.runs?.length > 0 && width > 0 ? [drawDurations(this.runs, width)] : [];
    this.chart.replaceChildren(...drawn);
  }

  draw() {
    const focused = this.body.contains(document.activeElement) && document.activeElement.closest("tr").dataset.run;
    this.drawChart();
    this.body.replaceChildren(...this.runs.map((run) => this.makeRow(run)));
    if (focused) this.body.querySelector(`[data-run="${focused}"] button`)?.focus({ preventScroll: true });
    this.empty.hidden = this.runs.length > 0;
    this.more.hidden = this.before === undefined;
    this.select(this.selected);
  }

  makeRow(run) {
    const now = clock.now();
    const time = (instant) => (instant ? timeFormat.short(instant, now) : "–");
    const state = run.outcome ? OUTCOME_WORDS[run.outcome] : STATE_WORDS[run.state];
    const show = element(
      "button", { type: "button", class: "link", "aria-label": `Show the output of run ${run.run}` }, String(run.run));
    const outcome = element(
      "span", { class: "outcome", "data-testid": "run-outcome", "data-outcome": run.outcome ?? "none" }, state);
    const row = element(
      "tr", { "data-run": run.run, "data-testid": "run" },
      element("td", {}, show),
      element("td", {}, time(run.slot)),
      element("td", {}, time(run.began)),
      element("td", {}, run.duration_ms === undefined ? "–" : formatDuration(run.duration_ms)),
      element("td", {}, outcome),
      element("td", { class: "reason", title: run.reason }, run.reason ?? ""),
      element("td", {}, String(run.attempts)),
      element("td", {}, run.hook ?? run.kind));
    row.addEventListener("click", () => this.onSelect(run));
    return row;
  }
}
