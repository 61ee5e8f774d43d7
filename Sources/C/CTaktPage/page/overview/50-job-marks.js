/**
 * Small pictures of a job that rows and pages share: its state, its last outcomes, and how late it was
 * of how late it may be.
 */

const SPARK_BARS = 20;
const SPARK_STEP = 6;
const SPARK_HEIGHT = 20;
const SPARK_KINDS = ["succeeded", "failed", "timed_out", "interrupted", "cancelled", "none"];

/** Under this, lateness is the machine's, not the schedule's. */
const LATENESS_NOISE = 50;

class StateMark {
  constructor() {
    this.words = element("span");
    this.node = element("span", { class: "state" }, this.words);
  }

  show(state) {
    setAttribute(this.node, "data-state", state);
    setText(this.words, STATE_WORDS[state] ?? state);
  }
}

/**
 * The last runs as bars, the newest on the right: as tall as they took long, beside the longest; one that
 * failed has a mark on top as well as a colour.
 */
class Sparkline {
  constructor(length = SPARK_BARS) {
    this.length = length;
    this.drawn = null;
    this.paths = new Map(SPARK_KINDS.map((kind) => [kind, shape("path", { class: kind })]));
    const size = { width: length * SPARK_STEP, height: SPARK_HEIGHT };
    this.node = element(
      "span", { class: "strip", role: "img", "data-testid": "outcomes" },
      shape("svg", { ...size, "aria-hidden": "true" }, ...this.paths.values()));
  }

  show(job) {
    const letters = job.outcomes.slice(-this.length);
    const durations = (job.durations_ms ?? []).slice(-this.length);
    const key = `${letters} ${durations.join(" ")}`;
    if (this.drawn === key) return;
    this.drawn = key;
    const longest = Math.max(...durations, 1);
    const marks = new Map(SPARK_KINDS.map((kind) => [kind, ""]));
    const first = this.length - letters.length;
    for (let place = 0; place < this.length; place += 1) {
      const x = place * SPARK_STEP;
      const kind = OUTCOME_LETTERS[letters[place - first]] ?? "none";
      const share = kind === "none" ? 0 : Math.sqrt((durations[place - first] ?? longest) / longest);
      const top = SPARK_HEIGHT - Math.max(Math.round(share * (SPARK_HEIGHT - 5)), kind === "none" ? 1 : 2);
      marks.set(kind, `${marks.get(kind)}M${x} ${top}h4V${SPARK_HEIGHT}h-4z${isFailure(kind) ? `M${x} 0h4v3h-4z` : ""}`);
    }
    for (const [kind, path] of this.paths) setAttribute(path, "d", marks.get(kind));
    setAttribute(this.node, "data-empty", letters ? null : "");
    const last = durations.length > 0 ? `; the last took ${formatDuration(durations.at(-1))}, the longest ${formatDuration(longest)}` : "";
    const words = describeOutcomes(letters) + last;
    setAttribute(this.node, "aria-label", words);
    setAttribute(this.node, "title", words);
  }
}

/** What became of the last slots, a square each, the newest on the right; the last one is to come. */
class SlotStrip {
  constructor() {
    this.drawn = null;
    this.node = element("span", { class: "squares", role: "img", "data-testid": "squares" });
  }

  show(job) {
    const letters = job.members ? "" : (job.recent ?? job.verdicts ?? "") + (job.next ? "n" : "");
    this.node.hidden = letters === "";
    if (this.drawn === letters) return;
    this.drawn = letters;
    this.node.replaceChildren(...[...letters].map((letter) => element("i", { "data-slot": SLOT_KINDS[letter] ?? "ran" })));
    const counts = new Map();
    for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const words = `slots: ${[...counts].map(([letter, count]) => `${count} ${SLOT_KINDS[letter] ?? letter}`).join(", ")}`;
    setAttribute(this.node, "aria-label", words);
    setAttribute(this.node, "title", words);
  }
}

const SLOT_KINDS = table({
  r: "ran", f: "failed", a: "active", s: "skipped", o: "coalesced", m: "missed", x: "cancelled", n: "to come",
});

/** How late the last slot started, beside its leeway. */
class LatenessBar {
  constructor() {
    this.fill = element("i");
    this.track = element("span", { class: "track", "aria-hidden": "true" }, this.fill);
    this.text = element("span");
    this.node = element("span", { class: "lateness", "data-testid": "late" }, this.track, this.text);
  }

  show(late, window) {
    this.node.hidden = late === undefined;
    if (late === undefined) return;
    const leeway = window ?? 0;
    const over = late - leeway > LATENESS_NOISE;
    this.track.hidden = leeway === 0;
    if (leeway > 0) this.fill.style.width = `${Math.min(Math.max(late / leeway, 0), 1) * 100}%`;
    setAttribute(this.node, "data-over", over ? "" : null);
    setText(this.text, leeway > 0 ? `${formatDuration(late)} of ${formatDuration(leeway)}` : formatDuration(late));
    const title = over
      ? `${formatDuration(late - leeway)} over its leeway`
      : `started ${formatDuration(late)} after it was due; leeway ${formatDuration(leeway)}`;
    setAttribute(this.node, "title", title);
  }
}
