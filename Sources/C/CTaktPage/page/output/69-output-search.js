/**
 * The search in an output: which lines have the text, and which of them is looked at.
 */

const OUTPUT_SEARCH_PAUSE = 150;

class OutputSearch {
  /**
   * @param lines gives the elements of all lines
   * @param onJump called before a line is brought into sight
   * @param earlier says how many of the lines that are not shown have a text
   */
  constructor(lines, onJump, earlier) {
    this.lines = lines;
    this.earlier = earlier;
    this.before = { found: 0, searched: 0, all: 0 };
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
    if (text !== "") this.before = this.earlier(text);
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
    setText(this.count, this.input.value === "" ? "" : place > 0 ? `${place} of ${many}${this.describeBefore()}` : many + this.describeBefore());
  }

  /** What is in the lines before those that are shown. */
  describeBefore() {
    const { found, searched, all } = this.before;
    if (all === 0) return "";
    const rest = searched < all ? `; ${formatCount(all - searched)} earlier lines not searched` : "";
    return `, and ${formatCount(found)} in ${formatCount(searched)} earlier lines (in the download)${rest}`;
  }
}
