/**
 * What the page knows of all jobs. Whoever shows jobs listens here: once a frame it hears which jobs
 * changed, and whether jobs came or went.
 */

class JobStore {
  constructor() {
    this.jobs = new Map();
    this.changed = new Set();
    this.sortedNames = null;
    this.listeners = new Set();
    this.frame = new FrameTask(() => this.notify());
  }

  get(name) {
    return this.jobs.get(name);
  }

  /** Takes what takt says of a job. */
  put(job) {
    if (!this.jobs.has(job.name)) this.sortedNames = null;
    this.jobs.set(job.name, job);
    this.touch(job.name);
  }

  remove(name) {
    if (!this.jobs.delete(name)) return;
    this.sortedNames = null;
    this.touch(name);
  }

  /** Says that something of a job has changed. */
  touch(name) {
    this.changed.add(name);
    this.frame.request();
  }

  /** Forgets all jobs but these. */
  retain(names) {
    for (const name of this.jobs.keys()) if (!names.has(name)) this.remove(name);
  }

  /** Names in takt's order. */
  names() {
    this.sortedNames ??= [...this.jobs.keys()].sort();
    return this.sortedNames;
  }

  /** How many jobs each filter shows. */
  tally() {
    const tally = { all: this.jobs.size, running: 0, failing: 0, suspended: 0, disabled: 0 };
    for (const job of this.jobs.values()) {
      for (const filter of JOB_FILTERS) if (filter !== "all" && matchesFilter(job, filter)) tally[filter] += 1;
    }
    return tally;
  }

  onChange(listener) {
    this.listeners.add(listener);
  }

  notify() {
    const changed = this.changed;
    this.changed = new Set();
    for (const listener of this.listeners) listener(changed);
  }
}

const JOB_FILTERS = ["all", "running", "failing", "suspended", "disabled"];

function matchesFilter(job, filter) {
  switch (filter) {
    case "running": return job.active.length > 0;
    case "failing": return job.streak > 0;
    case "suspended": return job.state === "suspended";
    case "disabled": return job.state === "disabled";
    default: return true;
  }
}

function matchesSearch(job, text) {
  return job.name.toLowerCase().includes(text) || job.tags.some((tag) => tag.toLowerCase().includes(text));
}

/** How far its plugin says a job's run is, in percent; undefined when nobody says. */
function progressOf(job) {
  return job.active.find((run) => run.progress)?.progress;
}
