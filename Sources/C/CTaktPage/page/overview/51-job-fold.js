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
    const nexts = jobs.filter((job) => job.next).map((job) => job.next);
    const lasts = jobs.filter((job) => job.last?.ended).map((job) => job.last);
    const failing = jobs.filter((job) => job.streak > 0).length;
    const states = new Map();
    for (const job of jobs) states.set(job.state, (states.get(job.state) ?? 0) + 1);
    return {
      name: key.slice(FOLD_MARK.length), members: jobs.map((job) => job.name), tags: [],
      schedule: [...states].map(([state, count]) => `${count} ${state}`).join(", "),
      // All of them are resumed by one button when all of them are suspended.
      state: first.state, suspension: jobs.every((job) => job.suspension) ? first.suspension : undefined, stale_since: first.stale_since,
      attention: attention(first), isStale: jobs.some(isStale), problems: first.problems,
      active: jobs.flatMap((job) => job.active), streak: failing > 0 ? first.streak : 0, failing,
      next: nexts.reduce((best, next) => (best && best.due <= next.due ? best : next), undefined),
      last: lasts.reduce((best, last) => (best && best.ended >= last.ended ? best : last), undefined),
      outcomes: "", verdicts: jobs.map((job) => job.verdicts ?? "").join(""), isOpen: this.open.has(key),
    };
  }
}
