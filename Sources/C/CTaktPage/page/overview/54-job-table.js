/**
 * The table of jobs, of which only the rows in sight exist. The page scrolls; the body of the table is as
 * tall as all its rows would be.
 */

const ROWS_BEYOND = 6;

class JobTable {
  /** @param handlers open(name), act(action, name) and selected(names) */
  constructor(store, handlers) {
    this.store = store;
    this.handlers = handlers;
    this.selected = new Set();
    this.lastSelected = null;
    this.body = byId("jobs-body");
    this.holder = byId("jobs-rows");
    this.table = byId("jobs");
    this.names = [];
    this.rows = new Map();
    this.current = null;
    this.rowHeight = 40;
    this.frame = new FrameTask(() => this.layOut());
    this.listen();
  }

  listen() {
    addEventListener("scroll", () => this.frame.request(), { passive: true });
    addEventListener("resize", () => this.frame.request());
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.body.addEventListener("keydown", (event) => this.pressed(event));
    this.body.addEventListener("focusin", (event) => this.focused(event));
  }

  /** Shows these jobs in this order. */
  show(names) {
    this.names = names;
    if (!names.includes(this.current)) this.current = names[0] ?? null;
    for (const name of this.selected) if (!this.store.get(name)) this.selected.delete(name);
    setAttribute(this.table, "aria-rowcount", names.length + 1);
    this.frame.request();
  }

  /** The names of the rows that exist. */
  visible() {
    return this.body.offsetParent === null ? [] : [...this.rows.keys()];
  }

  /** Redraws those of the changed jobs that are in sight. */
  update(changed) {
    const now = clock.now();
    for (const [name, row] of this.rows) {
      const job = changed.has(name) && this.store.get(name);
      if (job) row.update(job, now);
    }
  }

  tick(now) {
    for (const [name, row] of this.rows) {
      const job = this.store.get(name);
      if (job) row.tick(job, now);
    }
  }

  /** Whether moving rows now would pull a button from under somebody's pointer or finger. */
  isHeld() {
    return this.body.querySelector(".c-actions button:hover, .c-actions button:focus") !== null;
  }

  layOut() {
    if (this.body.offsetParent === null) return;
    this.rowHeight = parseFloat(getComputedStyle(this.body).getPropertyValue("--row-height"));
    this.body.style.height = `${this.names.length * this.rowHeight}px`;
    const top = -this.body.getBoundingClientRect().top;
    const first = Math.max(Math.floor(top / this.rowHeight) - ROWS_BEYOND, 0);
    const last = Math.ceil((top + innerHeight) / this.rowHeight) + ROWS_BEYOND;
    this.holder.style.transform = `translateY(${first * this.rowHeight}px)`;
    this.place(this.names.slice(first, Math.max(last, first)), first);
  }

  /** Makes the rows be those of these names, in this order, with as few changes as can be. */
  place(names, first) {
    const free = this.release(new Set(names));
    for (const name of names) if (!this.rows.has(name)) this.rows.set(name, this.rowFor(name, free.shift()));
    for (const row of free) row.node.remove();
    let cursor = this.holder.firstChild;
    names.forEach((name, place) => {
      const row = this.rows.get(name);
      setAttribute(row.node, "aria-rowindex", first + place + 2);
      row.setCurrent(name === this.current);
      if (row.node === cursor) cursor = cursor.nextSibling;
      else this.move(row.node, cursor);
    });
  }

  /** The rows of jobs that are not wanted any more. */
  release(wanted) {
    const free = [];
    for (const [name, row] of this.rows) {
      if (wanted.has(name)) continue;
      if (row.node.contains(document.activeElement)) this.body.focus({ preventScroll: true });
      this.rows.delete(name);
      free.push(row);
    }
    return free;
  }

  rowFor(name, free) {
    const row = free ?? new JobRow();
    row.adopt(name, this.isSelected(name));
    row.update(this.store.get(name), clock.now());
    return row;
  }

  /** Puts a row before another; one that has the focus keeps it. */
  move(node, before) {
    const focus = node.contains(document.activeElement) ? document.activeElement : null;
    this.holder.insertBefore(node, before);
    focus?.focus({ preventScroll: true });
  }

  /** The row that the keyboard is at; undefined while it does not exist. */
  get currentRow() {
    return this.rows.get(this.current)?.node;
  }

  clicked(event) {
    const name = event.target.closest("[data-job]")?.dataset.job;
    const action = event.target.closest("[data-action]")?.dataset.action;
    if (name && event.target.closest(".c-select")) {
      return this.select(name, event.target.matches("input") ? event.target.checked : !this.selected.has(name), event.shiftKey);
    }
    if (name && action) this.handlers.act(action, name);
    else if (name && !event.target.closest("a[href]") && getSelection().isCollapsed) this.handlers.open(name);
  }

  /** Selects a job or not; with `upTo` all between it and the one before. */
  select(name, isSelected, upTo = false) {
    const [from, to] = [this.names.indexOf(upTo ? this.lastSelected : name), this.names.indexOf(name)];
    const rows = from < 0 ? [name] : this.names.slice(Math.min(from, to), Math.max(from, to) + 1);
    this.lastSelected = name;
    this.selectAll(rows, isSelected);
  }

  /** The jobs that a row stands for. */
  jobsOf(row) {
    return this.store.get(row)?.members ?? [row];
  }

  isSelected(row) {
    return this.jobsOf(row).every((name) => this.selected.has(name));
  }

  selectAll(rows, isSelected) {
    for (const name of rows.flatMap((row) => this.jobsOf(row))) {
      if (isSelected) this.selected.add(name);
      else this.selected.delete(name);
    }
    for (const [name, row] of this.rows) row.select(this.isSelected(name));
    this.handlers.selected(this.selected);
  }

  focused(event) {
    const name = event.target.closest("[data-job]")?.dataset.job;
    if (!name || name === this.current) return;
    this.rows.get(this.current)?.setCurrent(false);
    this.current = name;
    this.rows.get(name)?.setCurrent(true);
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const onRow = event.target.matches("[data-job]");
    if (event.key === "Enter" && onRow) return this.handlers.open(this.current);
    if (event.key === " " && onRow) {
      event.preventDefault();
      return this.select(this.current, !this.selected.has(this.current), event.shiftKey);
    }
    const screen = Math.max(Math.floor(innerHeight / this.rowHeight) - 4, 1);
    const steps = table({
      ArrowDown: 1, ArrowUp: -1, PageDown: screen, PageUp: -screen, Home: -Infinity, End: Infinity,
    });
    if (!(event.key in steps)) return;
    event.preventDefault();
    const place = Math.max(this.names.indexOf(this.current), 0) + steps[event.key];
    this.focusRow(Math.min(Math.max(place, 0), this.names.length - 1));
  }

  /** Brings a row into sight and gives it the focus. */
  focusRow(place) {
    if (place < 0) return;
    this.current = this.names[place];
    const body = this.body.getBoundingClientRect().top + scrollY;
    const head = this.table.querySelector(".jobs-head").getBoundingClientRect().bottom;
    const top = body + place * this.rowHeight;
    const above = top - Math.max(head, 0);
    const below = top + this.rowHeight - innerHeight;
    if (scrollY > above) scrollTo(scrollX, above);
    else if (scrollY < below) scrollTo(scrollX, below);
    this.layOut();
    this.currentRow?.focus({ preventScroll: true });
  }
}
