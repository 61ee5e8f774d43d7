/**
 * Hands events on in frames: as many as fit in a few milliseconds, the rest in the next frame, so that
 * a flood of them never holds up the page. A queue that grows too long is given up as a gap.
 */

const PUMP_SLICE = 8;
const PUMP_QUEUE = 20000;

class EventPump {
  constructor() {
    this.queue = [];
    this.next = 0;
    this.eventListeners = new Set();
    this.flushListeners = new Set();
    this.gapListeners = new Set();
    this.frame = new FrameTask(() => this.work());
  }

  /** Takes an event as JSON. */
  push(data) {
    if (this.queue.length - this.next >= PUMP_QUEUE) return this.gap();
    this.queue.push(data);
    this.frame.request();
  }

  /** Some events are lost: what was known of jobs may be wrong. */
  gap() {
    this.queue = [];
    this.next = 0;
    for (const listener of this.gapListeners) listener();
  }

  work() {
    const end = performance.now() + PUMP_SLICE;
    while (this.next < this.queue.length && performance.now() < end) {
      const event = JSON.parse(this.queue[this.next]);
      this.next += 1;
      for (const listener of this.eventListeners) listener(event);
    }
    this.queue.splice(0, this.next);
    this.next = 0;
    if (this.queue.length > 0) this.frame.request();
    for (const listener of this.flushListeners) listener();
  }

  onEvent(listener) {
    this.eventListeners.add(listener);
  }

  /** After each batch of events. */
  onFlush(listener) {
    this.flushListeners.add(listener);
  }

  onGap(listener) {
    this.gapListeners.add(listener);
  }
}
