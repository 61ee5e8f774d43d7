/**
 * The head of the page: how takt stands, in figures, and whether it is connected.
 */

const CONNECTION_WORDS = { connecting: "connecting", live: "live", lost: "no connection" };

class Header {
  constructor(statuses) {
    this.values = new Map();
    this.connection = byId("connection");
    for (const term of ["takt", "running", "queued", ...VERDICTS, "wakes", "ledger"]) this.add(term);
    statuses.onChange((status) => this.show(status));
  }

  add(term) {
    const value = element("dd", { "data-testid": `fact-${term}` }, "–");
    const pair = element("div", { "data-fact": term }, element("dt", {}, term), value);
    this.values.set(term, value);
    byId("facts").append(pair);
  }

  show(status) {
    const origin = `process ${status.pid}, started ${timeFormat.full(status.started)}, ${status.file}`;
    const running = `${formatCount(status.running)} of ${formatCount(status.max_running)}`;
    this.set("takt", `${status.version}, ${status.phase}`, origin);
    this.set("running", running, "active runs, and their maximum");
    this.set("queued", formatCount(status.queued), "waiting runs");
    for (const verdict of VERDICTS) {
      this.set(verdict, formatCount(status.slots[verdict]), `slots that ended as ${verdict} since takt started`);
      const calm = verdict === "ran" || status.slots[verdict] === 0;
      setAttribute(this.values.get(verdict).parentElement, "data-calm", calm ? "" : null);
    }
    const shared = status.wakes > 0 ? ` for ${formatCount(status.served)} timers` : "";
    this.set("wakes", formatCount(status.wakes) + shared, "wake-ups, and timers served");
    this.set("ledger", status.ledger?.replace(/^ledger: /, "") ?? "none", "state of the ledger");
  }

  set(term, text, title) {
    const value = this.values.get(term);
    setText(value, text);
    setAttribute(value.parentElement, "title", title);
  }

  connected(state) {
    setAttribute(this.connection, "data-state", state);
    setText(this.connection, CONNECTION_WORDS[state]);
  }
}
