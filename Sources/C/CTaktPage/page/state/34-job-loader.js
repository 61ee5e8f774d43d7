/**
 * Asks takt for jobs: all of them in pages at the start and after a gap, single ones when a reload
 * names them, and those that somebody looks at when events have left something open.
 */

const FIRST_PAGE = 200;
const PAGE = 1000;
const RELOAD_PAUSE = 8 * SECOND;
const REFRESH_PAUSE = 2 * SECOND;
const SWEEP_PAUSE = 20 * SECOND;
const SINGLE_REQUESTS = 12;

class JobLoader {
  /** @param onProgress called with how many jobs are there of how many, and while loading */
  constructor(store, onProgress) {
    this.store = store;
    this.onProgress = onProgress;
    this.stale = new Set();
    this.visible = () => [];
    this.loading = false;
    this.sweepAfter = undefined;
    this.all = new PacedTask(RELOAD_PAUSE, () => quietly(this.loadAll()));
    this.fresh = new PacedTask(REFRESH_PAUSE, () => quietly(this.refresh()));
    this.sweeper = new PacedTask(SWEEP_PAUSE, () => quietly(this.sweep()));
  }

  /** All jobs may be others: asks for all of them, soon. */
  loadAllSoon() {
    this.all.request();
  }

  /** A job may be another: asks for it when somebody sees it. */
  markStale(name) {
    this.stale.add(name);
    this.fresh.request();
  }

  async loadAll() {
    if (this.loading) return;
    this.loading = true;
    try {
      const seen = new Set();
      let page = { after: undefined };
      do {
        const asked = seen.size === 0 && this.store.jobs.size === 0 ? FIRST_PAGE : PAGE;
        page = await api.jobs({ after: page.after, limit: asked, durations: true });
        for (const job of page.jobs) {
          seen.add(job.name);
          this.stale.delete(job.name);
          this.store.put(job);
        }
        this.onProgress(seen.size, page.total);
      } while (page.after !== undefined);
      this.store.retain(seen);
      this.onProgress(seen.size, seen.size);
    } finally {
      this.loading = false;
      this.sweeper.request();
    }
  }

  /** Asks for the jobs that a reload names; 404 says that one is gone. */
  async loadNamed(names) {
    if (names.length > SINGLE_REQUESTS) return this.loadAll();
    await Promise.all(names.map((name) => this.loadOne(name)));
  }

  async loadOne(name) {
    this.stale.delete(name);
    try {
      this.store.put(await api.job(name));
    } catch (error) {
      if (error.problem?.status !== 404) throw error;
      this.store.remove(name);
    }
  }

  /** Asks for what is stale and seen: in one request when it lies close together. */
  async refresh() {
    if (document.hidden || this.loading) return;
    const wanted = this.visible().filter((name) => this.stale.has(name));
    if (wanted.length === 0) return;
    if (wanted.length <= 2 || !(await this.loadSpan(wanted))) {
      await this.loadNamed(wanted.slice(0, SINGLE_REQUESTS));
      if (wanted.length > SINGLE_REQUESTS) this.fresh.request();
    }
  }

  /** Asks for these and all between them, if those are not many more. */
  async loadSpan(wanted) {
    const names = this.store.names();
    const places = wanted.map((name) => names.indexOf(name)).filter((place) => place >= 0);
    const first = Math.min(...places);
    const limit = Math.max(...places) - first + 1;
    if (places.length < wanted.length || limit > 4 * wanted.length) return false;
    const page = await api.jobs({ after: names[first - 1], limit, durations: true });
    for (const job of page.jobs) {
      this.stale.delete(job.name);
      this.store.put(job);
    }
    return true;
  }

  /** Goes through all jobs, a page from time to time, so that nothing stays wrong for long. */
  async sweep() {
    this.sweeper.request();
    if (document.hidden || this.loading || this.stale.size === 0) return;
    const page = await api.jobs({ after: this.sweepAfter, limit: PAGE / 2, durations: true });
    for (const job of page.jobs) {
      if (this.stale.delete(job.name)) this.store.put(job);
    }
    this.sweepAfter = page.after;
  }
}

/** Lets a request of the background fail without a word: the connection shows that takt is away. */
async function quietly(promise) {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof ProblemError) && !isAbort(error)) throw error;
  }
}
