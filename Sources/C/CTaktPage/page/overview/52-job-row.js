/**
 * One row of the table of jobs. A row that goes out of sight becomes that of another job; it changes only
 * what differs.
 */

/**
 * The columns: their heading, by what they sort, the smallest key first, and what they show of several jobs,
 * the first of which is the one to look at first.
 */
const JOB_COLUMNS = [
  { key: "select", title: "", sort: undefined },
  {
    key: "name", title: "Job", sort: null,
    fold(jobs) {
      const states = new Map();
      for (const job of jobs) states.set(job.state, (states.get(job.state) ?? 0) + 1);
      return { schedule: [...states].map(([state, count]) => `${count} ${state}`).join(", ") };
    },
  },
  {
    key: "state", title: "State", sort: attention,
    fold: (jobs, first) => ({
      // All of them are resumed by one button when all of them are suspended.
      state: first.state, suspension: jobs.every((job) => job.suspension) ? first.suspension : undefined, stale_since: first.stale_since,
      attention: attention(first), isStale: jobs.some(isStale), problems: first.problems, active: jobs.flatMap((job) => job.active),
    }),
  },
  {
    key: "last", title: "Last run", sort: (job) => (job.last?.ended ? -Date.parse(job.last.ended) : Infinity),
    fold(jobs, first) {
      const lasts = jobs.filter((job) => job.last?.ended).map((job) => job.last);
      const failing = jobs.filter((job) => job.streak > 0).length;
      return { last: lasts.reduce((best, last) => (best && best.ended >= last.ended ? best : last), undefined), failing, streak: failing > 0 ? first.streak : 0 };
    },
  },
  { key: "outcomes", title: "Durations", sort: (job) => -(job.durations_ms?.at(-1) ?? -1), fold: () => ({ outcomes: "" }) },
  {
    key: "slots", title: "Slots", sort: (job) => -(job.verdicts ?? "").replace(/[ro]/g, "").length,
    fold: (jobs) => ({ verdicts: jobs.map((job) => job.verdicts ?? "").join("") }),
  },
  {
    key: "next", title: "Next slot", sort: (job) => (job.next ? Date.parse(job.next.due) : Infinity),
    fold: (jobs) => ({ next: jobs.filter((job) => job.next).map((job) => job.next).reduce((best, next) => (best && best.due <= next.due ? best : next), undefined) }),
  },
  { key: "actions", title: "", sort: undefined },
];

class JobRow {
  constructor() {
    this.box = element("input", { type: "checkbox", tabindex: "-1", "data-select": "" });
    this.link = element("a", { class: "name", tabindex: "-1" });
    this.schedule = element("span", { class: "muted clip" });
    this.state = new StateMark();
    setAttribute(this.state.node, "data-testid", "state");
    this.problem = element("span", { class: "streak", "data-testid": "problem", hidden: "" });
    this.progress = element("progress", { max: "100", "data-testid": "progress" });
    this.next = element("span", { "data-testid": "next" });
    this.outcome = element("span", { class: "outcome", "data-testid": "last" });
    this.streak = element("span", { class: "streak", "data-testid": "streak" });
    this.when = element("span", { class: "muted" });
    this.spark = new Sparkline();
    this.took = element("span", { class: "muted took", "data-testid": "took" });
    this.squares = new SlotStrip();
    this.slots = element("span", { class: "passed clip", "data-testid": "passed" });
    this.buttons = this.makeButtons();
    this.node = this.makeNode();
  }

  makeButtons() {
    const make = (action, label) => element("button", { type: "button", tabindex: "-1", "data-action": action }, label);
    return { trigger: make("trigger", "Trigger"), suspend: make("suspend", "Suspend"), cancel: make("cancel", "Cancel") };
  }

  makeNode() {
    const cell = (kind, ...children) => element("div", { role: "cell", class: `c-${kind}` }, ...children);
    const { trigger, suspend, cancel } = this.buttons;
    return element(
      "div", { role: "row", class: "row", tabindex: "-1", "data-testid": "job" },
      cell("select", this.box),
      cell("name", this.link, this.schedule),
      cell("state", this.state.node, this.problem, this.progress),
      cell("last", this.outcome, this.streak, this.when),
      cell("outcomes", this.spark.node, this.took),
      cell("slots", this.squares.node, this.slots),
      cell("next", this.next),
      cell("actions", trigger, suspend, cancel));
  }

  /** Becomes the row of another job. */
  adopt(name, isSelected) {
    const isFold = name.startsWith(FOLD_MARK);
    const words = isFold ? name.slice(FOLD_MARK.length) : name;
    setText(this.link, words);
    this.link.title = words;
    setAttribute(this.link, "href", isFold ? null : jobAddress(name));
    setAttribute(this.link, "role", isFold ? "button" : null);
    this.node.dataset.job = name;
    setAttribute(this.box, "aria-label", isFold ? `Select all jobs of ${words}` : `Select ${words}`);
    this.select(isSelected);
    for (const node of Object.values(this.buttons)) node.setAttribute("aria-label", `${node.textContent} ${isFold ? `all jobs of ${words}` : words}`);
  }

  select(isSelected) {
    this.box.checked = isSelected;
    setAttribute(this.node, "aria-selected", isSelected ? "true" : null);
  }

  update(job, now) {
    setText(this.link, job.members ? `${job.isOpen ? "▾" : "▸"} ${job.name} (${plural(job.members.length, "job")})` : job.display_name ?? job.name);
    setAttribute(this.link, "aria-expanded", job.members ? String(job.isOpen) : null);
    setText(this.schedule, job.schedule);
    setAttribute(this.schedule, "title", job.description ?? job.schedule);
    this.state.show(job.state);
    setAttribute(this.state.node, "title", describeSuspension(job));
    setAttribute(this.node, "data-attention", ["failing", "stale", "stale"][attention(job)] ?? null);
    const problems = job.problems ?? [];
    this.problem.hidden = problems.length === 0;
    setText(this.problem, problems.length > 0 ? PROBLEM_WORDS[problems[0].kind] ?? "problem" : "");
    setAttribute(this.problem, "title", problems.map(({ message }) => message).join(" ") || null);
    this.updateProgress(job);
    this.updateLast(job);
    this.spark.show(job);
    const took = job.durations_ms?.at(-1);
    setText(this.took, took === undefined ? "" : formatDuration(took));
    this.updateSlots(job);
    this.updateButtons(job);
    this.tick(job, now);
  }

  updateProgress(job) {
    const progress = progressOf(job);
    this.progress.hidden = !progress;
    if (!progress) return;
    this.progress.value = progress.percent;
    const text = `${Math.round(progress.percent)}%${progress.message ? `, ${progress.message}` : ""}`;
    setAttribute(this.progress, "aria-label", `progress ${text}`);
    setAttribute(this.progress, "title", text);
  }

  updateLast(job) {
    const none = job.active.some((run) => run.began) ? "first run" : "never run";
    setText(this.outcome, job.last?.outcome ? OUTCOME_WORDS[job.last.outcome] : none);
    setAttribute(this.outcome, "data-outcome", job.last?.outcome ?? "none");
    setAttribute(this.outcome, "title", job.last ? describeEnd(job.last) : "");
    const failing = job.failing > 0 ? `${plural(job.failing, "job")} failing` : "";
    setText(this.streak, job.members ? failing : job.streak > 1 ? `${job.streak}×` : "");
    setAttribute(this.streak, "title", job.members ? null : job.streak > 1 ? `${plural(job.streak, "run")} in a row failed` : null);
  }

  updateSlots(job) {
    const words = describePassed(job);
    const inARow = job.members ? 0 : passedInARow(job);
    this.squares.show(job);
    setText(this.slots, words);
    setAttribute(this.slots, "data-stale", isStale(job) ? "" : null);
    const row = inARow > 1 ? `the last ${inARow} slots did not run; ` : "";
    setAttribute(this.slots, "title", words ? `${row}of the last ${plural(job.verdicts.length, "slot")}: ${words}` : null);
  }

  updateButtons(job) {
    const isSuspended = job.state === "suspended" || job.suspension !== undefined;
    const action = isSuspended ? "resume" : "suspend";
    const { suspend, cancel } = this.buttons;
    if (suspend.dataset.action !== action) {
      const label = isSuspended ? "Resume" : "Suspend";
      suspend.dataset.action = action;
      suspend.setAttribute("aria-label", `${label} ${job.members ? `all jobs of ${job.name}` : job.name}`);
      setText(suspend, label);
    }
    cancel.disabled = job.active.length === 0;
  }

  /** What changes by the mere passing of time. */
  tick(job, now) {
    setText(this.next, job.next ? formatCountdown(job.next.due, now) : "–");
    setAttribute(this.next, "title", job.next ? timeFormat.full(job.next.slot) : null);
    setText(this.when, job.last?.ended ? formatAgo(job.last.ended, now) : "");
    setAttribute(this.when, "title", job.last?.ended ? timeFormat.full(job.last.ended) : null);
  }

  /** Only the current row takes part in the order of the Tab key. */
  setCurrent(current) {
    const order = current ? "0" : "-1";
    setAttribute(this.node, "tabindex", order);
    for (const node of [this.box, this.link, ...Object.values(this.buttons)]) setAttribute(node, "tabindex", order);
  }
}

/** Why and until when a job rests; null for one that does not. */
function describeSuspension(job) {
  if (!job.suspension) return null;
  const { since, until, reason } = job.suspension;
  const end = until ? `until ${timeFormat.full(until)}` : "until it is resumed";
  return `suspended since ${timeFormat.full(since)}, ${end}${reason ? `: ${reason}` : ""}`;
}
