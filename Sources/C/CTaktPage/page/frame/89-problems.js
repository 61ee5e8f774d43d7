/**
 * The strip of what is wrong, above everything; nothing while all is well. takt says what is wrong, here
 * and in `takt status`. The page remembers until when somebody has seen the slots that were missed.
 */

const PROBLEM_PLACES = table({ reload_refused: "#/plan", file_changed: "#/plan", cluster: "#/cluster" });

/** Kinds of which the list of jobs can show all. */
const PROBLEM_FILTERS = new Set(["failing", "stale"]);

/** What this browser remembers of a visit to the next, where it may. */
const missedSlots = {
  key: `takt-missed-seen${PAGE_PATH}`,
  /** Until when they have been seen; undefined when nobody has. */
  get seen() {
    try {
      const ms = Number(localStorage.getItem(this.key));
      return ms > 0 && ms < clock.now() + DAY ? new Date(ms).toISOString() : undefined;
    } catch {
      return undefined;
    }
  },
  see(last) {
    try {
      // Instants have less than a millisecond, which the text does not.
      localStorage.setItem(this.key, String(Date.parse(last) + 1));
    } catch {
      // A browser that keeps nothing shows them until takt forgets them.
    }
  },
};

class ProblemStrip {
  /** @param showJobs shows the jobs of a filter */
  constructor(statuses, showJobs) {
    this.node = byId("problems");
    this.showJobs = showJobs;
    this.shown = "";
    this.statuses = statuses;
    statuses.onChange((status) => this.show(status.problems ?? []));
  }

  show(problems) {
    const key = JSON.stringify(problems);
    if (key === this.shown) return;
    this.shown = key;
    this.node.hidden = problems.length === 0;
    this.node.replaceChildren(...problems.map((problem) => this.draw(problem)));
  }

  draw(problem) {
    const { kind, since, command } = problem;
    return element(
      "li", { "data-kind": kind, "data-testid": `problem-${kind}` }, this.link(problem),
      since ? element("time", { title: timeFormat.full(since) }, ` since ${timeFormat.short(since, clock.now())}`) : null,
      command ? element("code", { title: "The command that shows more" }, command) : null,
      kind === "missed" ? button("Seen", "seen", { "data-testid": "missed-seen" }, () => this.see(problem)) : null);
  }

  link({ kind, jobs, message }) {
    if (jobs.length > 1 && PROBLEM_FILTERS.has(kind)) {
      return button(message, "show", { class: "link" }, () => this.showJobs(kind));
    }
    const address = jobs.length === 1 ? jobAddress(jobs[0]) : kind === "missed" ? this.lastDay() : PROBLEM_PLACES[kind];
    return address ? element("a", { href: address }, message) : element("span", {}, message);
  }

  /** The timeline of the 24 hours in which takt counts what was missed. */
  lastDay() {
    const range = new TimelineRange(DAY);
    range.set(clock.now() - DAY, clock.now());
    return `#/timeline/${range.address}`;
  }

  see({ last }) {
    missedSlots.see(last);
    byId("main").focus({ preventScroll: true });
    attempt(() => this.statuses.load());
  }
}
