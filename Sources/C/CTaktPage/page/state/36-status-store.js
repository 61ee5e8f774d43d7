/**
 * How takt itself stands: asked for every few seconds while somebody sees it, more often while things
 * happen.
 */

const STATUS_PAUSE = 1.5 * SECOND;
const STATUS_IDLE = 10;

class StatusStore {
  constructor() {
    this.status = null;
    this.isAsking = false;
    this.isWanted = false;
    this.listeners = new Set();
    this.soon = new PacedTask(STATUS_PAUSE, () => quietly(this.load()));
  }

  async load() {
    // While takt hangs, one request waits for it, not one after the other.
    if (document.hidden) return;
    // What happened since may not be in the answer to come.
    this.isWanted = this.isAsking;
    if (this.isAsking) return;
    const asked = Date.now();
    this.isAsking = true;
    try {
      this.apply(await api.status({ missed_since: missedSlots.seen }), asked);
    } finally {
      this.isAsking = false;
      if (this.isWanted) this.soon.request();
    }
  }

  apply(status, asked) {
    this.status = status;
    clock.learn(status.now, asked);
    timeFormat.use(status.timezone);
    for (const listener of this.listeners) listener(status);
  }

  start() {
    let ticks = 0;
    clock.onTick(() => {
      ticks += 1;
      if (session.isSignedIn && ticks % STATUS_IDLE === 0) this.soon.request();
    });
  }

  onChange(listener) {
    this.listeners.add(listener);
  }
}
