/**
 * One drawing of a timeline, for one width: an axis of time, which is an image of its own and stays in
 * view, a lane for the wake-ups, a lane per job, and a line for now. It is drawn in slices, so that a large one does not hold up the page.
 */

const AXIS_HEIGHT = 22;
const WAKES_HEIGHT = 24;
const GAPS_HEIGHT = 20;
const GAP_WORDS = table({ down: "takt did not run", stalled: "takt stood still" });
const AXIS_LABEL = 76;
const NARROW = 620;
/** Names of jobs beside their lanes: in characters, and in pixels a character. */
const LABEL_CHARACTERS = { least: 23, most: 40, width: 6.9 };
const DRAW_SLICE = 20;

/** Steps of the axis that are round on a clock. */
const AXIS_STEPS = [
  10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR,
  3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY,
];

class TimelineDrawing {
  constructor(timeline, width) {
    this.timeline = timeline;
    this.width = width;
    this.narrow = width < NARROW;
    const longest = Math.max(...timeline.jobs.map((lane) => lane.job.length), LABEL_CHARACTERS.least);
    this.labelLength = Math.min(longest, LABEL_CHARACTERS.most);
    this.left = this.narrow ? 8 : Math.round(this.labelLength * LABEL_CHARACTERS.width) + 12;
    this.right = width - 8;
    this.laneHeight = this.narrow ? LANE.height + 14 : LANE.height;
    this.wakesHeight = WAKES_HEIGHT + (this.narrow ? 12 : 0);
    this.gaps = timeline.interruptions ?? [];
    this.top = this.wakesHeight + (this.gaps.length > 0 ? GAPS_HEIGHT : 0);
    this.height = this.top + timeline.jobs.length * this.laneHeight + 4;
    this.from = Date.parse(timeline.from);
    this.to = Date.parse(timeline.to);
    this.items = new Map();
    this.nowLine = shape("line", { class: "now", y1: 0, y2: this.height });
    this.cursorLine = shape("line", { class: "cursor", y1: 0, y2: 0 });
    const ticks = this.makeTicks();
    this.axis = shape("svg", { width, height: AXIS_HEIGHT, class: "axis", "aria-hidden": "true" }, ...ticks.map(({ label }) => label));
    this.svg = shape(
      "svg", { width, height: this.height, class: "lanes" },
      this.makeFuture(), shape("g", { class: "grid", "aria-hidden": "true" }, ...ticks.map(({ line }) => line)), ...this.makeGaps(), this.makeWakes());
  }

  /** Draws all lanes. @param isWanted asked between slices; when it says no, the rest is not drawn */
  async finish(isWanted) {
    let end = performance.now() + DRAW_SLICE;
    for (const [place, lane] of this.timeline.jobs.entries()) {
      this.svg.append(this.makeLane(lane, place));
      if (performance.now() < end) continue;
      await new Promise(requestAnimationFrame);
      if (!isWanted()) return;
      end = performance.now() + DRAW_SLICE;
    }
    this.svg.append(this.nowLine, this.cursorLine);
    this.moveNow(Date.parse(this.timeline.now));
  }

  xOf(instant) {
    return this.left + ((instant - this.from) / (this.to - this.from)) * (this.right - this.left);
  }

  instantOf(x) {
    return this.from + ((x - this.left) / (this.right - this.left)) * (this.to - this.from);
  }

  /** The node of a job's lane. */
  nodeOf(job) {
    return [...this.svg.querySelectorAll(".lane")].find((node) => node.dataset.job === job);
  }

  /** What can be pointed at in a job's lane, in the order of time. */
  itemsOf(job) {
    if (!this.items.has(job)) {
      const lane = this.timeline.jobs.find((candidate) => candidate.job === job);
      this.items.set(job, lane ? laneItems(lane) : []);
    }
    return this.items.get(job);
  }

  /** Round times: a label in the axis and a line over the lanes each; midnight is the day that begins. */
  makeTicks() {
    const ticks = [];
    const most = Math.max((this.right - this.left) / AXIS_LABEL, 2);
    const step = AXIS_STEPS.find((candidate) => (this.to - this.from) / candidate <= most) ?? 14 * DAY;
    const format = step < MINUTE ? timeFormat.time : step < DAY ? timeFormat.minute : timeFormat.date;
    const zero = timeFormat.midnight(this.from);
    for (let instant = zero + Math.ceil((this.from - zero) / step) * step; instant <= this.to; instant += step) {
      const x = this.xOf(instant);
      const anchor = x > this.right - 24 ? "end" : x < 24 ? "start" : "middle";
      const isDay = timeFormat.time.format(instant) === "00:00:00";
      ticks.push({
        line: shape("line", { x1: x, x2: x, y1: 0, y2: this.height }),
        label: shape("text", { x, y: 15, "text-anchor": anchor, class: isDay ? "day" : null }, (isDay ? timeFormat.date : format).format(instant)),
      });
    }
    return ticks;
  }

  /** What is to come lies on another ground. */
  makeFuture() {
    const x = this.xOf(Date.parse(this.timeline.now));
    return shape("rect", { class: "future", x: Math.max(x, this.left), y: 0, width: Math.max(this.right - Math.max(x, this.left), 0), height: this.height });
  }

  makeWakes() {
    const { wakes } = this.timeline;
    const places = new Set(wakes.map((wake) => Math.round(this.xOf(Date.parse(wake)))));
    const label = this.narrow ? { x: this.left, y: 11 } : { x: 6, y: 16 };
    const marks = shape("path", { class: "wakes", d: [...places].map((x) => `M${x} 6v12`).join("") });
    if (this.narrow) marks.setAttribute("transform", "translate(0 10)");
    return shape(
      "g", { class: "wake-lane", role: "img", "data-testid": "wake-lane", "aria-label": `wake-ups: ${formatCount(wakes.length)}` },
      shape("rect", { class: "ground", width: this.width, height: this.wakesHeight }),
      shape("text", { ...label, class: "label" }, "wake-ups"), marks);
  }

  /** When takt did not run, or stood still: a band over all lanes, and a lane that says so. */
  makeGaps() {
    if (this.gaps.length === 0) return [];
    const now = clock.now();
    const bars = this.gaps.map((gap) => {
      const x = Math.max(this.xOf(Date.parse(gap.from)), this.left);
      const width = Math.max(this.xOf(Date.parse(gap.to)) - x, 3);
      const took = formatDuration(Date.parse(gap.to) - Date.parse(gap.from));
      const words = `${GAP_WORDS[gap.kind]} for ${took}, until ${timeFormat.short(gap.to, now)}`;
      return { gap, words, place: { x, width } };
    });
    const draw = ({ gap, place }, y, height, ...more) =>
      shape("rect", { class: "gap", "data-kind": gap.kind, ...place, y, height }, ...more);
    const words = Object.keys(GAP_WORDS).map((kind) => [GAP_WORDS[kind], this.gaps.filter((gap) => gap.kind === kind).length]);
    const lane = shape(
      "g", {
        class: "gap-lane", role: "img", "data-testid": "gap-lane",
        "aria-label": words.filter(([, count]) => count > 0).map(([text, count]) => `${text}: ${count} times`).join(", "),
        transform: `translate(0 ${this.wakesHeight})`,
      },
      shape("rect", { class: "ground", width: this.width, height: GAPS_HEIGHT }),
      shape("text", { x: this.narrow ? this.left : 6, y: 14, class: "label" }, "takt not running"),
      ...bars.map((bar) => draw(bar, 4, GAPS_HEIGHT - 8, shape("title", {}, bar.words))));
    return [...bars.map((bar) => draw(bar, this.top, this.height - this.top)), lane];
  }

  makeLane(lane, place) {
    const clamp = (x) => Math.min(Math.max(x, this.left), this.right);
    const marks = drawLane(lane, (instant) => clamp(this.xOf(instant)), Date.parse(this.timeline.now), this.to);
    if (this.narrow) marks.setAttribute("transform", "translate(0 12)");
    const label = this.narrow ? { x: this.left, y: 11 } : { x: 6, y: 20 };
    return shape(
      "g", {
        class: "lane", tabindex: place === 0 ? "0" : "-1", role: "link", "data-job": lane.job, "data-testid": "lane",
        transform: `translate(0 ${this.top + place * this.laneHeight})`,
        "aria-label": this.describeLane(lane),
      },
      shape("rect", { class: "ground", width: this.width, height: this.laneHeight }),
      shape("text", { ...label, class: "label" }, clip(lane.job, this.narrow ? LABEL_CHARACTERS.most : this.labelLength)),
      marks);
  }

  /** What a lane shows, in words: what did not go well first. */
  describeLane(lane) {
    const count = (list, fits) => list.reduce((sum, item) => sum + (fits(item) ? item.count ?? 1 : 0), 0);
    const parts = [["failed run", count(lane.runs, (run) => run.outcome && isFailure(run.outcome))]];
    for (const verdict of ["missed", "skipped"]) {
      const slots = count(lane.slots, (slot) => slot.verdict === verdict && !isElsewhere(slot));
      if (slots > 0) parts.push([`${verdict} slot`, slots]);
    }
    parts.push(["run", count(lane.runs, () => true)], ["future slot", count(lane.slots, (slot) => !slot.verdict)]);
    return `${lane.job}: ${parts.filter(([, number]) => number > 0).map(([noun, number]) => plural(number, noun)).join(", ") || "nothing in this time"}`;
  }

  moveNow(now) {
    setAttribute(this.nowLine, "visibility", this.from <= now && now <= this.to ? null : "hidden");
    const x = this.xOf(now).toFixed(1);
    setAttribute(this.nowLine, "x1", x);
    setAttribute(this.nowLine, "x2", x);
  }

  /** Puts the cursor on an instant of a job's lane. */
  moveCursor(job, instant) {
    const place = this.timeline.jobs.findIndex((lane) => lane.job === job);
    const x = this.xOf(instant).toFixed(1);
    const top = this.top + place * this.laneHeight;
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: top, y2: top + this.laneHeight })) {
      setAttribute(this.cursorLine, name, value);
    }
  }
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
