/**
 * The page of the timeline: which span and which jobs, asked for again every few seconds.
 */

const TIMELINE_PAUSE = 10 * SECOND;
const TIMELINE_LANES = 60;
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
    item("window", shape("path", { class: "window", d: "M1 5h16v4h-16z" }));
    item("wake-up", shape("path", { class: "wakes", d: "M5 2v10M10 2v10M13 2v10" }));
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
      api.timeline({ past: span, ahead, match, limit: TIMELINE_LANES }, abort.signal));
    if (abort.signal.aborted) return;
    if (answer) this.showTimeline(answer, match);
    this.next.request();
  }

  showTimeline(timeline, match) {
    this.timeline = timeline;
    this.picture.draw(timeline);
    if (timeline.jobs.some((lane) => lane.slots.some(isElsewhere))) this.elsewhere.hidden = false;
    const shown = `${plural(timeline.jobs.length, "job")}, ${plural(timeline.wakes.length, "wake-up")}`;
    const none = match ? "No matching jobs." : "There are no jobs yet.";
    const more = timeline.truncated ? "; not everything is shown: search, or choose a shorter range" : "";
    setText(byId("timeline-note"), timeline.jobs.length === 0 ? none : shown + more);
  }

  resized() {
    const width = byId("timeline-picture").clientWidth;
    if (this.timeline && width > 0 && width !== this.picture.drawnWidth) this.picture.draw(this.timeline);
  }
}
