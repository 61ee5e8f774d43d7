/**
 * Small pictures of a job that rows and pages share: its state, its last outcomes, and how late it was
 * of how late it may be.
 */

const STRIP_MARKS = 16;
const STRIP_STEP = 6;

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

/** What each outcome looks like in a strip: short when it went well, tall when not. */
const OUTCOME_MARKS = {
  succeeded: (x) => `M${x} 9h4v7h-4z`,
  failed: (x) => `M${x} 0h4v16h-4z`,
  timed_out: (x) => `M${x} 0h4v3h-4zm0 5h4v3h-4zm0 5h4v6h-4z`,
  interrupted: (x) => `M${x} 4h4v12h-4z`,
  cancelled: (x) => `M${x} 9h4v7h-4zm1 1v5h2v-5z`,
  none: (x) => `M${x} 14h4v2h-4z`,
};

/** The last outcomes as marks, the newest on the right. */
class OutcomeStrip {
  constructor(length = STRIP_MARKS) {
    this.length = length;
    this.letters = null;
    this.paths = new Map(Object.keys(OUTCOME_MARKS).map((kind) => [kind, shape("path", { class: kind })]));
    const size = { width: length * STRIP_STEP, height: 16 };
    this.node = element(
      "span", { class: "strip", role: "img", "data-testid": "outcomes" },
      shape("svg", { ...size, "aria-hidden": "true" }, ...this.paths.values()));
  }

  show(letters) {
    if (this.letters === letters) return;
    this.letters = letters;
    const marks = new Map([...this.paths.keys()].map((kind) => [kind, ""]));
    [...letters.slice(-this.length).padStart(this.length, "-")].forEach((letter, place) => {
      const kind = OUTCOME_LETTERS[letter] ?? "none";
      marks.set(kind, marks.get(kind) + OUTCOME_MARKS[kind](place * STRIP_STEP));
    });
    for (const [kind, path] of this.paths) setAttribute(path, "d", marks.get(kind));
    const words = describeOutcomes(letters.slice(-this.length));
    setAttribute(this.node, "aria-label", words);
    setAttribute(this.node, "title", words);
  }
}

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

/** How lateness compares with leeway, for sorting. */
function latenessShare(job) {
  if (job.late_ms === undefined) return -1;
  return job.late_ms / ((job.window_ms ?? 0) + LATENESS_NOISE);
}
