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
    this.fold = new JobFold();
    this.frame = new FrameTask(() => this.notify());
  }

  get(name) {
    return this.jobs.get(name) ?? this.fold.get(name);
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
    const tally = Object.fromEntries(JOB_FILTERS.map((filter) => [filter, 0]));
    tally.all = this.jobs.size;
    for (const job of this.jobs.values()) {
      for (const filter of JOB_FILTERS) if (filter !== "all" && matchesFilter(job, filter)) tally[filter] += 1;
    }
    return tally;
  }

  /** How many jobs have each tag, the most frequent first. */
  tags() {
    const counts = new Map();
    for (const job of this.jobs.values()) for (const tag of job.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    return [...counts].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1));
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

const JOB_FILTERS = ["all", "failing", "stale", "running", "suspended", "disabled"];

const isResting = (job) => job.suspension !== undefined || ["suspended", "disabled", "limit"].includes(job.state);

/**
 * Whether no run has succeeded for as long as the job allows, or its slots come and go without a run: two
 * in a row, or one while takt was down.
 */
const isStale = (job) => job.members ? job.isStale : !isResting(job) && (job.stale_since !== undefined || passedInARow(job) > 1 || job.verdicts?.endsWith("m") === true);

/** The jobs that need somebody come first, and those that rest last. */
function attention(job) {
  if (job.members) return job.attention;
  if (job.streak > 0 && !isResting(job)) return 0;
  if (isStale(job)) return 1;
  if (job.problems && !isResting(job)) return 2;
  if (job.streak > 0) return 3;
  return isResting(job) ? 5 : 4;
}

function matchesFilter(job, filter) {
  switch (filter) {
    case "running": return job.active.length > 0;
    case "failing": return job.streak > 0;
    case "stale": return isStale(job);
    case "suspended": return job.suspension !== undefined || job.state === "suspended";
    case "disabled": return job.state === "disabled";
    default: return true;
  }
}

function matchesSearch(job, text) {
  return [job.name, job.display_name ?? ""].some((name) => name.toLowerCase().includes(text)) || job.tags.some((tag) => tag.toLowerCase().includes(text));
}

/** How far its plugin says a job's run is, in percent; undefined when nobody says. */
function progressOf(job) {
  return job.active.find((run) => run.progress)?.progress;
}
