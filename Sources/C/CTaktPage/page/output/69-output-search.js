/**
 * The search in an output: which lines have the text, and which of them is looked at.
 */

const OUTPUT_SEARCH_PAUSE = 150;

class OutputSearch {
  /**
   * @param lines gives the elements of all lines
   * @param onJump called before a line is brought into sight
   */
  constructor(lines, onJump) {
    this.lines = lines;
    this.onJump = onJump;
    this.input = element("input", {
      type: "search", placeholder: "Search the output", "aria-label": "Search the output", autocomplete: "off",
      spellcheck: "false", "data-testid": "output-search",
    });
    this.count = element("span", { class: "note", role: "status", "data-testid": "output-found" });
    this.node = element("span", { class: "output-search" }, this.input, this.count);
    this.again = new PacedTask(OUTPUT_SEARCH_PAUSE, () => this.find());
    this.input.addEventListener("input", () => {
      this.current = null;
      this.again.request();
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.find();
      this.step(event.shiftKey ? -1 : 1);
    });
    this.hits = [];
    this.current = null;
  }

  /** The lines have changed. */
  changed() {
    if (this.input.value) this.again.request();
    else if (this.hits.length > 0) this.find();
  }

  find() {
    const text = this.input.value.toLowerCase();
    for (const line of this.hits) line.classList.remove("hit", "hit-at");
    this.hits = text === "" ? [] : [...this.lines()].filter((line) => line.lastChild.textContent.toLowerCase().includes(text));
    for (const line of this.hits) line.classList.add("hit");
    this.mark();
  }

  step(direction) {
    if (this.hits.length === 0) return;
    const place = this.hits.indexOf(this.current);
    const next = place < 0 ? (direction > 0 ? 0 : -1) : (place + direction) % this.hits.length;
    this.current = this.hits.at(next);
    this.onJump();
    this.current.scrollIntoView({ block: "nearest" });
    this.mark();
  }

  mark() {
    for (const line of this.hits) line.classList.toggle("hit-at", line === this.current);
    const place = this.hits.indexOf(this.current) + 1;
    const many = `${formatCount(this.hits.length)} ${this.hits.length === 1 ? "line" : "lines"}`;
    setText(this.count, this.input.value === "" ? "" : place > 0 ? `${place} of ${many}` : many);
  }
}
