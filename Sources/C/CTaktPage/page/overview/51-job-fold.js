/**
 * The jobs of one `for_each`, folded into one row that opens and closes. Such a row stands for a job in the
 * table: its name begins with a character that no job's name has.
 */

const FOLD_MARK = "*";

class JobFold {
  constructor() {
    this.open = new Set();
    this.rows = new Map();
  }

  get(name) {
    return this.rows.get(name);
  }

  toggle(name) {
    if (!this.open.delete(name)) this.open.add(name);
  }

  /** The names with those of each `for_each` below one row, where the first of them would stand. */
  fold(names, store) {
    const members = new Map();
    for (const name of names) {
      const family = store.get(name).for_each;
      if (family === undefined) continue;
      const key = FOLD_MARK + family;
      if (!members.has(key)) members.set(key, []);
      members.get(key).push(name);
    }
    this.rows = new Map();
    if (members.size === 0) return names;
    for (const [key, own] of members) {
      if (own.length > 1) this.rows.set(key, this.row(key, own.map((name) => store.get(name))));
    }
    const placed = new Set();
    return names.flatMap((name) => {
      const key = FOLD_MARK + store.get(name).for_each;
      if (!this.rows.has(key)) return [name];
      if (placed.has(key)) return [];
      placed.add(key);
      return this.open.has(key) ? [key, ...members.get(key)] : [key];
    });
  }

  /** What a row shows of several jobs: what somebody should look at first. */
  row(key, jobs) {
    const first = jobs.reduce((best, job) => (attention(job) < attention(best) ? job : best));
    return Object.assign(
      { name: key.slice(FOLD_MARK.length), members: jobs.map((job) => job.name), tags: [], isOpen: this.open.has(key) },
      ...JOB_COLUMNS.map(({ fold }) => fold?.(jobs, first)));
  }
}
