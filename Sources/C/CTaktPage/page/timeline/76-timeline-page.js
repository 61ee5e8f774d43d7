/**
 * The page of the timeline: which span and which jobs, asked for again every few seconds.
 */

const TIMELINE_PAUSE = 10 * SECOND;
const TIMELINE_LANES = 60;
/** More than these takt does not list. */
const TIMELINE_LANES_MAX = 500;
const SEARCH_PAUSE = 250;
const TIMELINE_HINT = "Point at a mark for its details; click it to open the run. By keyboard: arrow keys, then Enter.";
/** How much of the picture is still to come. */
const FUTURE_SHARE = 0.25;

class TimelinePage {
  constructor() {
    this.section = byId("timeline");
    this.details = byId("timeline-details");
    this.picture = new TimelinePicture(byId("timeline-picture"), (text) => setText(this.details, text));
    this.next = new PacedTask(TIMELINE_PAUSE, () => this.refresh());
    this.now = new PacedTask(SEARCH_PAUSE, () => this.refresh());
    this.abort = null;
    this.lanes = TIMELINE_LANES;
    byId("timeline-more").addEventListener("click", () => this.showMore());
    byId("timeline-search").addEventListener("input", () => this.now.request());
    byId("timeline-span").addEventListener("change", () => this.now.request());
    new ResizeObserver(() => this.resized()).observe(byId("timeline-picture"));
    clock.onTick((now) => this.section.hidden || this.picture.moveNow(now));
    this.makeLegend();
  }

  get title() {
    return "Timeline · takt";
  }

  show() {
    setText(this.details, TIMELINE_HINT);
    this.now.request();
  }

  hide() {
    this.next.cancel();
    this.now.cancel();
    this.abort?.abort();
  }

  makeLegend() {
    const sample = (mark) =>
      shape("svg", { width: 18, height: 14, class: "lanes", "aria-hidden": "true" }, mark);
    const item = (text, mark) => {
      const node = element("li", {}, sample(mark), text);
      byId("timeline-legend").append(node);
      return node;
    };
    for (const [outcome, text] of [["succeeded", "run"], ["failed", "failed run"], ["active", "run in progress"]]) {
      item(text, shape("path", { class: "run", "data-outcome": outcome, d: "M1 2.5h16v9h-16z" }));
    }
    const slotMark = (verdict) =>
      shape("path", { class: "slot", "data-verdict": verdict, d: SLOT_MARKS[verdict](9), transform: verdict === "coming" ? "translate(0 -14)" : "translate(0 -1.5)" });
    for (const verdict of ["skipped", "missed", "cancelled", "coalesced", "coming"]) {
      item(verdict === "coming" ? "to come" : verdict, slotMark(verdict));
    }
    this.elsewhere = item("on another machine", slotMark(ELSEWHERE));
    this.elsewhere.hidden = true;
    item("leeway", shape("path", { class: "window", d: "M1 5h16v4h-16z" }));
    for (const [kind, text] of Object.entries(GAP_WORDS)) {
      item(text, shape("g", { class: "gap-lane" }, shape("rect", { class: "gap", "data-kind": kind, x: 5, y: 2, width: 8, height: 10 })));
    }
    item("wake-up", shape("path", { class: "wakes", d: "M5 2v10M10 2v10M13 2v10" }));
  }

  showMore() {
    this.lanes = Math.min(this.lanes + TIMELINE_LANES, TIMELINE_LANES_MAX);
    this.refresh();
  }

  async refresh() {
    if (this.section.hidden || !session.token) return;
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const span = Number(byId("timeline-span").value);
    const ahead = Math.round(span * FUTURE_SHARE);
    const match = byId("timeline-search").value.trim();
    const answer = await attempt(() =>
      api.timeline({ past: span, ahead, match, limit: this.lanes, order: "attention" }, abort.signal));
    if (abort.signal.aborted) return;
    if (answer) this.showTimeline(answer, match);
    this.next.request();
  }

  showTimeline(timeline, match) {
    this.timeline = timeline;
    this.picture.draw(timeline);
    if (timeline.jobs.some((lane) => lane.slots.some(isElsewhere))) this.elsewhere.hidden = false;
    const count = timeline.jobs.length;
    const rest = timeline.total - count;
    const next = Math.min(rest, TIMELINE_LANES, TIMELINE_LANES_MAX - count);
    byId("timeline-more").hidden = next <= 0;
    setText(byId("timeline-more"), `Show ${formatCount(next)} more`);
    const shown = `${rest > 0 ? `${formatCount(count)} of ${plural(timeline.total, "job")}` : plural(count, "job")}, ${plural(timeline.wakes.length, "wake-up")}`;
    const none = match ? "No matching jobs." : "There are no jobs yet.";
    const more = !timeline.truncated || next > 0 ? "" : rest > 0 ? "; search for the others" : "; some slots are not drawn: choose a shorter range";
    setText(byId("timeline-note"), count === 0 ? none : shown + more);
  }

  resized() {
    const width = byId("timeline-picture").clientWidth;
    if (this.timeline && width > 0 && width !== this.picture.drawnWidth) this.picture.draw(this.timeline);
  }
}
