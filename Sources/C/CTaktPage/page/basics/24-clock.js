/**
 * The two rhythms of the page: one timer a second for all countdowns, and the frames of the screen
 * for all changes. Time is takt's, not the browser's.
 */

const clock = {
  offset: 0,
  listeners: new Set(),

  /** takt's present, in milliseconds since 1970. */
  now() {
    return Date.now() + this.offset;
  },

  /** Learns takt's time from an answer that was asked for at `asked`. */
  learn(instant, asked) {
    const middle = (asked + Date.now()) / 2;
    this.offset = Date.parse(instant) - middle;
  },

  /** Ticks at each full second, while somebody can see it. */
  start() {
    const tick = () => {
      if (!document.hidden) for (const listener of this.listeners) listener(this.now());
      setTimeout(tick, SECOND - (this.now() % SECOND));
    };
    tick();
  },

  onTick(listener) {
    this.listeners.add(listener);
  },
};

/** A piece of work that is done in the next frame, once, however often it was asked for. */
class FrameTask {
  constructor(work) {
    this.work = work;
    this.asked = false;
  }

  request() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.work();
    });
  }
}

/** A piece of work that is done soon after it was asked for, but not more often than `interval`. */
class PacedTask {
  constructor(interval, work) {
    this.interval = interval;
    this.work = work;
    this.timer = null;
    this.last = -Infinity;
  }

  request() {
    if (this.timer !== null) return;
    const wait = Math.max(this.last + this.interval - performance.now(), 0);
    this.timer = setTimeout(() => {
      this.timer = null;
      this.last = performance.now();
      this.work();
    }, wait);
  }

  cancel() {
    clearTimeout(this.timer);
    this.timer = null;
  }
}
