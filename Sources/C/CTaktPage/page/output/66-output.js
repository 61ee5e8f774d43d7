/**
 * What a run has printed, as it is printed. It holds the last lines only, and follows the end unless
 * somebody scrolls up to read.
 */

const OUTPUT_LINES = 5000;
const OUTPUT_BLOCK = 250;
const OUTPUT_LINE_LENGTH = 4000;
const NEAR_END = 24;
/** As many attempts have a tab of their own: the newest. */
const OUTPUT_TABS = 10;
/** So many characters of lines that are no longer shown are kept for the search. */
const OUTPUT_SEARCHED = 32e6;
const WAITING_WORDS = "queued: the run has not started yet";

class OutputView {
  /** @param runAgain called with the number of the run that is shown */
  constructor(runAgain) {
    this.title = element("h2", { id: "output-title" }, "Output");
    this.state = element("span", { class: "note", role: "status", "data-testid": "output-state" });
    this.tabs = element("div", { class: "tabs", role: "tablist", "aria-label": "Attempts", "data-testid": "output-attempts", hidden: "" });
    this.tabs.addEventListener("keydown", (event) => this.tabPressed(event));
    this.search = new OutputSearch(() => this.lines(), () => this.follow(false), (text) => this.findEarlier(text));
    const toggle = (name, label, set) => {
      const node = button(label, name, { "aria-pressed": "false", class: "toggle", "data-testid": `output-${name}` }, () =>
        set(node.getAttribute("aria-pressed") !== "true"));
      return node;
    };
    this.times = toggle("times", "Times", (on) => this.show("times", on));
    this.wrap = toggle("wrap", "Wrap", (on) => this.show("wrap", on));
    this.following = toggle("follow", "Follow", (on) => (on ? this.scrollToEnd() : this.follow(false)));
    this.given = element("p", { class: "given", "data-testid": "output-parameters", hidden: "" });
    this.again = button("Run again…", "run-again", { "data-control": "" }, () => runAgain(this.run));
    this.download = button("Download", "download", {}, () => attempt(() => this.save()));
    this.pre = element(
      "div", { class: "output", tabindex: "0", role: "region", "data-testid": "output", "aria-labelledby": "output-title" });
    this.tools = element(
      "div", { class: "tools", role: "group", "aria-label": "Output" },
      this.search.node, this.times, this.wrap, this.following, this.download, this.again);
    this.node = element(
      "section", { class: "card output-card" },
      element("div", { class: "tools" }, this.title, this.state),
      this.given, this.tabs, this.tools, this.pre);
    this.pre.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.frame = new FrameTask(() => this.flush());
    // A block has its real height only when it comes into sight, which moves the end.
    this.heights = new ResizeObserver(() => this.pinned && this.toEnd());
    this.show("times", true);
    this.show("wrap", true);
    this.clear();
  }

  clear() {
    this.abort?.abort();
    this.abort = null;
    this.run = null;
    this.live = false;
    this.waiting = false;
    this.pending = [];
    this.dropped = 0;
    this.earlier = [];
    this.earlierLength = 0;
    this.top = 0;
    this.heights.disconnect();
    this.blocks = [];
    this.shown = 0;
    this.styles = new Map();
    this.follow(true);
    this.tabs.hidden = true;
    this.given.hidden = true;
    this.pre.replaceChildren();
    this.search.changed();
    setText(this.title, "Output");
    setText(this.state, "");
    this.hideTools(false);
  }

  /** There is no run whose output could be shown. */
  showNone() {
    this.clear();
    setText(this.state, "no run yet");
    this.hideTools(true);
  }

  hideTools(isHidden) {
    this.tools.hidden = isHidden;
    this.pre.hidden = isHidden;
  }

  show(kind, on) {
    setAttribute(this[kind], "aria-pressed", String(on));
    this.pre.classList.toggle(`with-${kind}`, on);
  }

  follow(on) {
    this.pinned = on;
    setAttribute(this.following, "aria-pressed", String(on));
  }

  /** Shows a run, all its attempts one after the other; one that goes on is followed to its end. */
  async open(run) {
    await this.load(run, "");
  }

  async load(run, chosen) {
    this.clear();
    this.shownRun = run;
    this.attempt = chosen;
    this.run = run.run;
    this.live = !run.outcome;
    const abort = new AbortController();
    this.abort = abort;
    setText(this.title, `Output of run ${run.run}`);
    this.waiting = run.state === "queued";
    setText(this.state, this.waiting ? WAITING_WORDS : this.live ? "live" : "");
    this.offerAttempts(run, chosen);
    this.showGiven(run);
    // An event has told its number alone.
    if (run.kind === undefined) quietly(api.run(run.run, abort.signal).then((known) => abort.signal.aborted || this.showGiven(known)));
    // takt has nothing to follow yet.
    if (this.waiting) return;
    const lines = new OutputLines((line) => this.append(line));
    try {
      const response = await api.output(run.run, { follow: this.live, records: true, attempt: chosen }, abort.signal);
      await this.read(response.body, lines, abort.signal);
      if (abort.signal.aborted) return;
      lines.finish();
      this.finish();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.live = false;
      setText(this.state, error.problem?.status === 404 ? "no output was kept" : "incomplete");
    }
  }

  /** What the trigger of the run has set. */
  showGiven(run) {
    const words = describeParameters(run);
    this.given.hidden = words === "";
    setText(this.given, `with ${words}`);
  }

  /** The run that is shown has left the queue: its output is followed. */
  started(run) {
    if (this.waiting && this.run === run) this.load({ ...this.shownRun, state: "running" }, "");
  }

  /** The run that is shown was cancelled in the queue. */
  neverStarted(run) {
    if (!this.waiting || this.run !== run) return;
    this.live = false;
    this.waiting = false;
    setText(this.state, "the run never started");
  }

  /** Of a run that has ended after several attempts, each has a tab. */
  offerAttempts(run, chosen) {
    this.tabs.hidden = this.live || !(run.attempts > 1);
    if (this.tabs.hidden) return;
    const first = Math.max(1, run.attempts - OUTPUT_TABS + 1);
    const numbers = Array.from({ length: run.attempts - first + 1 }, (_, index) => String(first + index));
    this.tabs.replaceChildren(...["", ...numbers].map((number) => {
      const isChosen = number === chosen;
      const node = element(
        "button", {
          type: "button", role: "tab", "aria-selected": String(isChosen), tabindex: isChosen ? "0" : "-1",
          "data-attempt": number, "data-testid": "output-attempt",
        }, number === "" ? "All attempts" : `Attempt ${number}`);
      node.addEventListener("click", () => this.choose(number));
      return node;
    }));
  }

  /** Shows one attempt of the run that is shown, or all for an empty text. */
  choose(number) {
    const hadFocus = this.tabs.contains(document.activeElement);
    this.load(this.shownRun, number);
    if (hadFocus) this.tabs.querySelector("[aria-selected=true]")?.focus();
  }

  tabPressed(event) {
    const tabs = [...this.tabs.children];
    const step = table({ ArrowRight: 1, ArrowLeft: -1 })[event.key];
    if (!step) return;
    event.preventDefault();
    const place = tabs.indexOf(document.activeElement) + step;
    this.choose(tabs[(place + tabs.length) % tabs.length].dataset.attempt);
  }

  async read(body, lines, signal) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      lines.push(value);
    }
  }

  append(line) {
    this.pending.push(line);
    const excess = this.pending.length - 2 * OUTPUT_LINES;
    if (excess > 0) {
      this.drop(this.pending.splice(0, excess + OUTPUT_LINES).map((line) => line.text ?? ""));
    }
    this.frame.request();
  }

  /** Lines that are not shown any more, or never were. */
  drop(texts) {
    this.dropped += texts.length;
    for (const text of texts) {
      this.earlierLength += text.length;
      if (this.earlierLength <= OUTPUT_SEARCHED) this.earlier.push(text);
    }
  }

  /** How many of the lines before those that are shown have the text, of how many that were searched. */
  findEarlier(text) {
    const found = this.earlier.reduce((count, line) => (line.toLowerCase().includes(text) ? count + 1 : count), 0);
    return { found, searched: this.earlier.length, all: this.dropped };
  }

  finish() {
    this.live = false;
    this.flush();
    if (this.shown > 0) setText(this.state, this.dropped > 0 ? this.describeDropped() : "");
    else setText(this.state, "no output was kept");
  }

  describeDropped() {
    return `the last ${formatCount(this.shown)} lines; ${formatCount(this.dropped)} earlier lines are not shown, but in the download`;
  }

  flush() {
    for (let start = 0; start < this.pending.length; start += OUTPUT_BLOCK) {
      const lines = this.pending.slice(start, start + OUTPUT_BLOCK);
      const node = element("div", { class: "block" }, ...lines.map((line) => this.drawLine(line)));
      this.blocks.push({ node, lines: lines.length });
      this.shown += lines.length;
      this.pre.append(node);
      this.heights.observe(node);
    }
    this.pending = [];
    if (this.shown > OUTPUT_LINES + OUTPUT_BLOCK) this.trim();
    if (this.dropped > 0) setText(this.state, this.describeDropped());
    this.search.changed();
    if (this.pinned) this.toEnd();
  }

  toEnd() {
    this.pre.scrollTop = this.pre.scrollHeight;
    this.top = this.pre.scrollTop;
  }

  drawLine({ text, at, stream, attempt, dropped }) {
    if (dropped !== undefined) {
      return element("div", { class: "line gap" }, `… ${formatCount(dropped)} bytes of output are missing here …`);
    }
    const key = `${attempt} ${stream}`;
    if (!this.styles.has(key)) this.styles.set(key, new TerminalStyle());
    const cut = text.length > OUTPUT_LINE_LENGTH ? `${cutText(text, OUTPUT_LINE_LENGTH).replace(OPEN_SEQUENCE, "")} …` : text;
    const time = at
      ? element("time", { title: `${timeFormat.full(at)}${attempt ? `, attempt ${attempt}` : ""}` }, timeFormat.time.format(Date.parse(at)))
      : null;
    const mark = stream === "stderr" ? element("span", { class: "stream", title: "standard error" }, "err") : null;
    return element(
      "div", { class: "line", "data-stream": stream ?? "none" }, time, mark,
      element("span", { class: "text" }, ...drawTerminalLine(cut, this.styles.get(key)), "\n"));
  }

  lines() {
    return this.pre.getElementsByClassName("line");
  }

  /** Takes the oldest lines away; what somebody is reading stays where it is. */
  trim() {
    const height = this.pre.scrollHeight;
    while (this.shown > OUTPUT_LINES) {
      const { node, lines } = this.blocks.shift();
      this.heights.unobserve(node);
      node.remove();
      this.shown -= lines;
      this.drop([...node.children].map((line) => line.lastChild.textContent));
    }
    if (!this.pinned) this.pre.scrollTop -= height - this.pre.scrollHeight;
  }

  scrolled() {
    const atEnd = this.pre.scrollHeight - this.pre.scrollTop - this.pre.clientHeight < NEAR_END;
    // Lines that arrive below move nothing up: only a user's scrolling lowers the position.
    const isUp = this.pre.scrollTop < this.top;
    this.top = this.pre.scrollTop;
    if (atEnd !== this.pinned && (atEnd || isUp)) this.follow(atEnd);
  }

  scrollToEnd() {
    this.follow(true);
    this.toEnd();
  }

  /** All that is kept of the output, as a file. */
  async save() {
    if (!this.run) return;
    const response = await api.output(this.run, { attempt: this.attempt });
    const address = URL.createObjectURL(await response.blob());
    const part = this.attempt ? `-attempt-${this.attempt}` : "";
    element("a", { href: address, download: `${this.shownRun.job ?? "run"}-${this.run}${part}.log` }).click();
    setTimeout(() => URL.revokeObjectURL(address), MINUTE);
  }
}
