/**
 * The page of the timeline: which span and which jobs, asked for again every few seconds.
 */

const TIMELINE_PAUSE = 10 * SECOND;
const TIMELINE_LANES = 60;
/** More than these takt does not list. */
const TIMELINE_LANES_MAX = 500;
const SEARCH_PAUSE = 250;
const TIMELINE_HINT = "Point at a mark for its details; click it to open the run.";
const KEY_ZOOM = 1.5;
const KEY_PAN = 0.25;

class TimelinePage {
  constructor() {
    this.section = byId("timeline");
    this.details = byId("timeline-details");
    this.range = new TimelineRange(Number(byId("timeline-span").value) * SECOND);
    this.picture = new TimelinePicture(byId("timeline-picture"), byId("timeline-axis"), (text) => setText(this.details, text));
    new TimelineMoves(byId("timeline-axis"), byId("timeline-picture"), {
      pan: (pixels) => this.pan(this.picture.shareOf(pixels)),
      zoom: (factor, x) => this.zoom(factor, this.picture.instantAt(x)),
    });
    this.moved = new FrameTask(() => this.drawMoved());
    this.next = new PacedTask(TIMELINE_PAUSE, () => this.refresh());
    this.now = new PacedTask(SEARCH_PAUSE, () => this.refresh());
    this.abort = null;
    this.lanes = TIMELINE_LANES;
    byId("timeline-more").addEventListener("click", () => this.showMore());
    byId("timeline-search").addEventListener("input", () => this.now.request());
    byId("timeline-span").addEventListener("change", (event) => this.chooseSpan(Number(event.target.value) * SECOND));
    byId("timeline-at").addEventListener("change", (event) => this.goTo(event.target.value));
    this.section.addEventListener("click", (event) => this.move(event.target.closest("[data-move]")?.dataset.move));
    this.section.addEventListener("keydown", (event) => this.pressed(event));
    new ResizeObserver(() => this.resized()).observe(byId("timeline-picture"));
    clock.onTick((now) => this.section.hidden || this.picture.moveNow(now));
    this.makeLegend();
  }

  get title() {
    return "Timeline · takt";
  }

  /** @param address the range; none for the present */
  show(address) {
    setText(this.details, TIMELINE_HINT);
    this.range.follow(address);
    this.drawRange();
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

  chooseSpan(span) {
    if (this.range.isPresent) this.range.present(span);
    else this.range.zoom((span * (1 + FUTURE_SHARE)) / this.lengthOf(), undefined, clock.now());
    this.change();
  }

  lengthOf() {
    const { from, to } = this.range.bounds(clock.now());
    return to - from;
  }

  /** Puts a time of takt's zone, as the field has it, into the middle; an empty one is the present. */
  goTo(text) {
    if (text === "") this.range.present();
    else this.range.goTo(timeFormat.parse(text));
    this.change();
  }

  pan(share) {
    this.range.pan(share, clock.now());
    this.change();
  }

  zoom(factor, around) {
    this.range.zoom(factor, around, clock.now());
    this.change();
  }

  move(name) {
    const moves = table({
      earlier: () => this.pan(-2 * KEY_PAN),
      later: () => this.pan(2 * KEY_PAN),
      in: () => this.zoom(1 / KEY_ZOOM),
      out: () => this.zoom(KEY_ZOOM),
      now: () => this.goTo(""),
    });
    moves[name]?.();
  }

  pressed(event) {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = table({
      "+": () => this.move("in"), "=": () => this.move("in"), "-": () => this.move("out"), 0: () => this.move("now"),
      ArrowLeft: event.shiftKey && (() => this.pan(-KEY_PAN)), ArrowRight: event.shiftKey && (() => this.pan(KEY_PAN)),
    });
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Another time: what is known of it at once, the rest when takt has said it. */
  change() {
    history.replaceState(null, "", `#/timeline${this.range.isPresent ? "" : `/${this.range.address}`}`);
    this.drawRange();
    this.moved.request();
    this.abort?.abort();
    this.now.request();
  }

  drawMoved() {
    if (!this.timeline) return;
    const { from, to } = this.range.bounds(clock.now());
    this.picture.draw(cutTimeline(this.timeline, from, to));
  }

  drawRange() {
    const { isPresent, span } = this.range;
    const { from, to } = this.range.bounds(clock.now());
    const choice = [...byId("timeline-span").options].find((option) => Math.abs(Number(option.value) * SECOND - span) < 1);
    setText(byId("timeline-own"), formatWhole(span));
    byId("timeline-span").value = choice && choice.value !== "" ? choice.value : "";
    byId("timeline-at").value = isPresent ? "" : timeFormat.local((from + to) / 2).slice(0, 16);
    setAttribute(byId("timeline-now"), "aria-pressed", String(isPresent));
    setText(byId("timeline-range"), `${timeFormat.full(new Date(from).toISOString())} to ${timeFormat.full(new Date(to).toISOString())}`);
  }

  showMore() {
    this.lanes = Math.min(this.lanes + TIMELINE_LANES, TIMELINE_LANES_MAX);
    this.refresh();
  }

  async refresh() {
    if (this.section.hidden || !session.isSignedIn) return;
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const match = byId("timeline-search").value.trim();
    const answer = await attempt(() =>
      api.timeline({ ...this.range.query(clock.now()), match, limit: this.lanes, order: "attention" }, abort.signal));
    if (abort.signal.aborted) return;
    if (answer) this.showTimeline(answer, match);
    this.next.request();
  }

  showTimeline(timeline, match) {
    this.timeline = timeline;
    this.drawRange();
    this.drawMoved();
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
    if (this.timeline && width > 0 && width !== this.picture.drawnWidth) this.drawMoved();
  }
}
