/**
 * takt's events, read from a streaming fetch (an EventSource cannot send a token). It reconnects by
 * itself with a growing delay and goes on after the last event it has seen.
 */

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15 * SECOND;
/** takt sends something every 2 s, if only an empty comment. */
const LONGEST_SILENCE = 6 * SECOND;
/** A connection without a word for so long may be a dead one: another is tried. */
const SILENCE_RETRY = 30 * SECOND;

/** Takes a stream of server-sent events apart: fields by line, messages by empty line. */
class ServerSentEvents {
  constructor(onMessage) {
    this.onMessage = onMessage;
    this.rest = "";
    this.reset();
  }

  reset() {
    this.message = { id: null, type: "message", data: null };
  }

  push(text) {
    const lines = (this.rest + text).split(/\r\n|\n/);
    this.rest = lines.pop();
    for (const line of lines) this.line(line);
  }

  line(line) {
    if (line === "") {
      if (this.message.data !== null) this.onMessage(this.message);
      this.reset();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.message.data = this.message.data === null ? value : `${this.message.data}\n${value}`;
    else if (field === "event") this.message.type = value;
    else if (field === "id") this.message.id = Number(value);
  }
}

class EventStream {
  /**
   * @param handlers onMessage(data) for each event as text, onGap() when some are lost, and
   *   onState("connecting" | "live" | "lost"), and onSilence(ms), null when something has come
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.after = undefined;
    this.pid = null;
    this.abort = null;
    this.heardAt = 0;
    this.triedAt = 0;
    clock.onTick(() => this.abort && this.listen());
  }

  start() {
    this.heard();
    this.connect();
  }

  connect() {
    this.stop();
    this.triedAt = performance.now();
    this.abort = new AbortController();
    this.run(this.abort.signal);
  }

  stop() {
    this.abort?.abort();
    this.abort = null;
  }

  /** Something has come, whatever it says. */
  heard() {
    this.heardAt = performance.now();
    this.handlers.onSilence(null);
  }

  /** Says for how long nothing has come from a connection that stands: takt may hang. */
  listen() {
    const silence = performance.now() - this.heardAt;
    if (silence < LONGEST_SILENCE) return;
    this.handlers.onSilence(silence);
    if (performance.now() - this.triedAt > SILENCE_RETRY && silence > SILENCE_RETRY) this.connect();
  }

  async run(signal) {
    let delay = FIRST_DELAY;
    this.handlers.onState("connecting");
    while (!signal.aborted) {
      try {
        await this.meet(signal);
        const response = await api.events(this.after, signal);
        delay = FIRST_DELAY;
        this.heard();
        this.handlers.onState("live");
        await this.read(response.body);
      } catch (error) {
        if (signal.aborted || error.problem?.status === 401) return;
      }
      this.handlers.onState("lost");
      await pause(delay, signal);
      delay = Math.min(delay * 2, LONGEST_DELAY);
    }
  }

  /** Asks who is there: another takt than before counts its events anew. */
  async meet(signal) {
    const status = await api.status({}, signal);
    this.heard();
    const known = this.pid === status.pid && this.after <= status.events.last;
    if (this.pid !== null && !known) this.handlers.onGap();
    if (!known) this.after = status.events.last;
    this.pid = status.pid;
  }

  async read(body) {
    const parser = new ServerSentEvents((message) => this.receive(message));
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.heard();
      parser.push(value);
    }
  }

  receive(message) {
    if (message.id > 0) this.after = message.id;
    if (message.type === "gap") this.handlers.onGap();
    else this.handlers.onMessage(message.data);
  }
}

/** Resolves after a while, or when the signal aborts. */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
