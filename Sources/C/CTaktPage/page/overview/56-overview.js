/**
 * The page of all jobs: which of them are shown, and in which order.
 */

const REORDER_PAUSE = 700;
const TAGS_SHOWN = 20;

class Overview {
  constructor(store, actions, openJob) {
    this.store = store;
    this.section = byId("overview");
    this.filter = "all";
    this.search = "";
    this.sort = { key: "state", down: false };
    this.tiles = new Map();
    this.tags = new Set();
    this.scroll = 0;
    this.table = new JobTable(store, {
      open: (name) => this.open(name, openJob), act: (action, name) => this.act(action, name),
      selected: () => this.showSelection(),
    });
    this.actions = actions;
    this.reorder = new PacedTask(REORDER_PAUSE, () => this.order());
    this.makeTiles();
    this.makeSelection();
    this.makeColumns();
    byId("search").addEventListener("input", (event) => this.searched(event.target.value));
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "Enter") this.table.focusRow(0);
    });
    store.onChange((changed) => this.changed(changed));
    clock.onTick((now) => this.section.hidden || this.table.tick(now));
  }

  /** Opens a job's page, or a row of several jobs. */
  open(name, openJob) {
    if (!this.store.fold.get(name)) return openJob(name);
    this.store.fold.toggle(name);
    return this.order();
  }

  /** Does something with a job, or with all jobs of a row. */
  act(action, name) {
    const members = this.store.fold.get(name)?.members;
    return members ? this.actions.performAll(action, members) : this.actions.perform(action, name);
  }

  get title() {
    return "takt";
  }

  show() {
    this.order();
    if (this.store.jobs.size === 0) return undefined;
    scrollTo(0, this.scroll);
    this.table.layOut();
    this.table.update(new Set(this.table.visible()));
    return this.table.currentRow;
  }

  hide() {
    this.scroll = scrollY;
  }

  makeTiles() {
    for (const filter of JOB_FILTERS) {
      const count = element("b");
      const tile = element(
        "button", { type: "button", class: "tile", "data-filter": filter, "data-testid": `tile-${filter}` },
        count, element("span", {}, filter));
      tile.addEventListener("click", () => this.filtered(filter));
      this.tiles.set(filter, { tile, count });
      byId("tiles").append(tile);
    }
    this.showFilter();
  }

  makeColumns() {
    for (const column of JOB_COLUMNS) {
      const head = element("div", { role: "columnheader", class: `c-${column.key}`, "data-column": column.key });
      if (column.key === "select") {
        this.allBox = element("input", { type: "checkbox", "aria-label": "Select all shown jobs", "data-testid": "select-all" });
        this.allBox.addEventListener("change", () => this.table.selectAll(this.table.names, this.allBox.checked));
        head.append(this.allBox);
      } else if (column.sort === undefined) {
        head.append(element("span", { class: "unseen" }, "Actions"));
      } else {
        const sorter = element("button", { type: "button", "data-testid": `sort-${column.key}` }, column.title);
        sorter.addEventListener("click", () => this.sorted(column.key));
        head.append(sorter);
      }
      byId("columns").append(head);
    }
    this.showSort();
  }

  makeSelection() {
    this.selectionCount = element("b", { role: "status", "data-testid": "selected" });
    const act = (action, label) => button(label, action, { "data-many": "" }, async () => {
      const names = [...this.table.selected];
      if (await this.actions.performAll(action, names)) this.table.selectAll(names, false);
    });
    byId("selection").append(
      this.selectionCount, act("suspend", "Suspend…"), act("resume", "Resume"), act("trigger", "Trigger…"),
      act("cancel", "Cancel runs…"),
      button("Clear", "clear", {}, () => this.table.selectAll([...this.table.selected], false)));
  }

  showSelection() {
    const { selected, names } = this.table;
    const isShown = (name) => this.table.isSelected(name);
    byId("selection").hidden = selected.size === 0;
    setText(this.selectionCount, `${plural(selected.size, "job")} selected`);
    const shown = names.filter(isShown).length;
    this.allBox.checked = shown > 0 && shown === names.length;
    this.allBox.indeterminate = shown > 0 && shown < names.length;
  }

  /** One button for each tag, the most frequent first; those that are chosen are always there. */
  showTags() {
    const tags = this.store.tags();
    for (const tag of this.tags) if (!tags.some(([known]) => known === tag)) this.tags.delete(tag);
    const shown = tags.filter(([tag], place) => place < TAGS_SHOWN || this.tags.has(tag));
    const key = shown.map(([tag, count]) => `${tag} ${count} ${this.tags.has(tag)}`).join();
    if (key === this.shownTags) return;
    this.shownTags = key;
    const holder = byId("tags");
    const focused = holder.contains(document.activeElement) ? document.activeElement.dataset.tag : null;
    holder.hidden = shown.length === 0;
    holder.replaceChildren(...shown.map(([tag, count]) => {
      const node = element(
        "button", { type: "button", class: "tag", "data-tag": tag, "aria-pressed": String(this.tags.has(tag)) },
        tag, element("span", { class: "muted" }, ` ${formatCount(count)}`));
      node.addEventListener("click", () => this.tagged(tag));
      return node;
    }));
    if (focused) [...holder.children].find((node) => node.dataset.tag === focused)?.focus();
  }

  tagged(tag) {
    if (!this.tags.delete(tag)) this.tags.add(tag);
    this.toTop();
  }

  filtered(filter) {
    this.filter = filter;
    this.showFilter();
    this.toTop();
  }

  showFilter() {
    for (const [name, { tile }] of this.tiles) tile.setAttribute("aria-pressed", name === this.filter);
  }

  searched(text) {
    this.search = text.trim().toLowerCase();
    this.toTop();
  }

  sorted(key) {
    const again = this.sort.key === key;
    this.sort = { key, down: again && !this.sort.down };
    this.showSort();
    this.order();
  }

  showSort() {
    for (const head of byId("columns").children) {
      const sorted = head.dataset.column === this.sort.key;
      setAttribute(head, "aria-sort", sorted ? (this.sort.down ? "descending" : "ascending") : null);
    }
  }

  toTop() {
    scrollTo(0, 0);
    this.order();
  }

  changed(changed) {
    if (this.section.hidden) return;
    this.table.update(changed);
    this.reorder.request();
  }

  order() {
    this.showTally();
    this.showTags();
    const isHeld = this.table.isHeld() && this.table.names.every((name) => this.store.get(name));
    const names = this.select();
    if (!isHeld) this.table.show(names);
    // A row of several jobs is computed again from them, also while the order is held.
    this.table.update(new Set(this.store.fold.rows.keys()));
    if (isHeld) return this.reorder.request();
    this.showSelection();
    return this.showEmpty(names.length);
  }

  select() {
    const shown = this.store.names().filter((name) => {
      const job = this.store.get(name);
      return matchesFilter(job, this.filter) && [...this.tags].every((tag) => job.tags.includes(tag)) && (this.search === "" || matchesSearch(job, this.search));
    });
    const { sort } = JOB_COLUMNS.find((column) => column.key === this.sort.key);
    if (sort) sortByKey(shown, (name) => sort(this.store.get(name)));
    return this.store.fold.fold(this.sort.down ? shown.reverse() : shown, this.store);
  }

  showTally() {
    const tally = this.store.tally();
    for (const [filter, { tile, count }] of this.tiles) {
      setText(count, formatCount(tally[filter]));
      setAttribute(tile, "data-none", tally[filter] === 0 ? "" : null);
    }
  }

  showEmpty(count) {
    const empty = byId("jobs-empty");
    empty.hidden = count > 0 || this.loading || !session.isSignedIn;
    const noMatch = "No matching jobs. Clear the search or choose “all”.";
    setText(empty, this.store.jobs.size === 0 ? this.describeNone() : noMatch);
  }

  /** Why there are no jobs: only a takt that runs and answers says that there are none. */
  describeNone() {
    if (this.loading === undefined || this.isAway) return "Waiting for takt to answer…";
    if (this.isStarting) return "takt is starting. Waiting for its jobs…";
    return "The jobs file has no jobs yet. Add one, then reload the file on the Plan page.";
  }

  /** How the page is connected, and how takt stands. Returns whether its jobs are to be asked for. */
  learn({ isAway = this.isAway, isStarting = this.isStarting }) {
    const isBack = (this.isAway !== false && isAway === false) || (this.isStarting && !isStarting);
    this.isAway = isAway;
    this.isStarting = isStarting;
    this.showEmpty(this.table.names.length);
    return isBack && this.store.jobs.size === 0;
  }

  /** Tells how far the first load is. */
  showLoading(count, total) {
    this.loading = count < total;
    byId("jobs").hidden = count === 0 && !this.loading && total === 0;
    setText(byId("jobs-loading"), this.loading ? `${formatCount(count)} of ${formatCount(total)} jobs` : "");
    this.order();
  }
}

/** Sorts by numbers that are worked out once; what is equal keeps its order. */
function sortByKey(names, keyOf) {
  const keys = new Map(names.map((name) => [name, keyOf(name)]));
  names.sort((left, right) => {
    const first = keys.get(left);
    const second = keys.get(right);
    return first < second ? -1 : first > second ? 1 : 0;
  });
}
