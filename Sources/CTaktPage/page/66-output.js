/**
 * What a run has printed, as it is printed. It holds the last lines only, and stays at the end unless
 * somebody scrolls up to read.
 */

const OUTPUT_LINES = 5000;
const OUTPUT_BLOCK = 250;
const OUTPUT_LINE_LENGTH = 4000;
const NEAR_END = 24;
/** As many as takt keeps the outputs of. */
const OUTPUT_ATTEMPTS = 100;

/** Colours and cursor movements for terminals. */
const TERMINAL_SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

class OutputView {
  constructor() {
    this.title = element("h2", { id: "output-title" }, "Output");
    this.state = element("span", { class: "note", role: "status", "data-testid": "output-state" });
    this.attempts = element(
      "select", { hidden: "", "aria-label": "Attempt", "data-testid": "output-attempt" });
    this.attempts.addEventListener("change", () => this.choose(this.attempts.value));
    this.toEnd = button("Go to the end", "to-end", { hidden: "" }, () => this.scrollToEnd());
    this.pre = element(
      "pre", { class: "output", tabindex: "0", "data-testid": "output", "aria-labelledby": "output-title" });
    this.node = element(
      "section", { class: "card output-card" },
      element("div", { class: "tools" }, this.title, this.attempts, this.state, this.toEnd), this.pre);
    this.pre.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.frame = new FrameTask(() => this.flush());
    this.clear();
  }

  clear() {
    this.abort?.abort();
    this.abort = null;
    this.run = null;
    this.live = false;
    this.pending = [];
    this.rest = "";
    this.dropped = 0;
    this.blocks = [];
    this.shown = 0;
    this.pinned = true;
    this.toEnd.hidden = true;
    this.attempts.hidden = true;
    this.pre.replaceChildren();
    setText(this.title, "Output");
    setText(this.state, "");
  }

  /** Shows a run, all its attempts one after the other; one that goes on is followed to its end. */
  async open(run) {
    await this.load(run, "");
  }

  /** Shows one attempt of the run that is shown, or all for an empty text. */
  async choose(attempt) {
    await this.load(this.shownRun, attempt);
  }

  async load(run, attempt) {
    this.clear();
    this.shownRun = run;
    this.run = run.run;
    this.live = !run.outcome;
    const abort = new AbortController();
    this.abort = abort;
    setText(this.title, `Output of run ${run.run}`);
    setText(this.state, this.live ? "live" : "");
    this.offerAttempts(run, attempt);
    try {
      const response = await api.output(run.run, { follow: this.live, attempt }, abort.signal);
      await this.read(response.body, abort.signal);
      this.finish();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.live = false;
      setText(this.state, error.problem?.status === 404 ? "no output was kept" : "incomplete");
    }
  }

  /** Of a run that has ended after several attempts, each can be chosen; the newest where there are many. */
  offerAttempts(run, chosen) {
    this.attempts.hidden = this.live || !(run.attempts > 1);
    if (this.attempts.hidden) return;
    const first = Math.max(1, run.attempts - OUTPUT_ATTEMPTS + 1);
    const numbers = Array.from({ length: run.attempts - first + 1 }, (_, index) => String(first + index));
    this.attempts.replaceChildren(
      element("option", { value: "" }, "All attempts"),
      ...numbers.map((number) => element("option", { value: number }, `Attempt ${number}`)));
    this.attempts.value = chosen;
  }

  async read(body, signal) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      this.append(value);
    }
  }

  append(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop().slice(0, OUTPUT_LINE_LENGTH);
    for (const line of lines) this.pending.push(line);
    const excess = Math.max(this.pending.length - OUTPUT_LINES, 0);
    this.pending.splice(0, excess);
    this.dropped += excess;
    this.frame.request();
  }

  finish() {
    this.live = false;
    if (this.rest !== "") this.append("\n");
    this.flush();
    if (this.shown > 0) setText(this.state, this.dropped > 0 ? this.describeDropped() : "");
    else setText(this.state, "no output was kept");
  }

  describeDropped() {
    return `the last ${formatCount(this.shown)} lines; ${formatCount(this.dropped)} earlier lines are not shown`;
  }

  flush() {
    for (let start = 0; start < this.pending.length; start += OUTPUT_BLOCK) {
      const lines = this.pending.slice(start, start + OUTPUT_BLOCK).map(cleanLine);
      const text = document.createTextNode(`${lines.join("\n")}\n`);
      this.blocks.push({ text, lines: lines.length });
      this.shown += lines.length;
      this.pre.append(text);
    }
    this.pending = [];
    if (this.shown > OUTPUT_LINES + OUTPUT_BLOCK) this.trim();
    if (this.dropped > 0) setText(this.state, this.describeDropped());
    if (this.pinned) this.pre.scrollTop = this.pre.scrollHeight;
  }

  /** Takes the oldest lines away; what somebody is reading stays where it is. */
  trim() {
    const height = this.pre.scrollHeight;
    while (this.shown > OUTPUT_LINES) {
      const { text, lines } = this.blocks.shift();
      text.remove();
      this.shown -= lines;
      this.dropped += lines;
    }
    if (!this.pinned) this.pre.scrollTop -= height - this.pre.scrollHeight;
  }

  scrolled() {
    this.pinned = this.pre.scrollHeight - this.pre.scrollTop - this.pre.clientHeight < NEAR_END;
    this.toEnd.hidden = this.pinned;
  }

  scrollToEnd() {
    this.pre.scrollTop = this.pre.scrollHeight;
    this.pre.focus({ preventScroll: true });
  }
}

/** A line without what only terminals understand, and not endlessly long. */
function cleanLine(line) {
  const text = line.replace(TERMINAL_SEQUENCES, "").replace(/\r$/, "");
  return text.length > OUTPUT_LINE_LENGTH ? `${text.slice(0, OUTPUT_LINE_LENGTH)} …` : text;
}
