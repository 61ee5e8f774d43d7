/**
 * The head of the page: which takt this is, what is wrong with it as a whole, and whether the page is
 * connected. Its counters are in `/metrics`.
 */

const CONNECTION_WORDS = { connecting: "connecting", live: "live", lost: "no connection", out: "signed out" };

class Header {
  constructor(statuses) {
    this.connection = byId("connection");
    this.connectionWords = element("span", {}, this.connection.textContent);
    // Not announced each second.
    this.silenceLength = element("span", { "aria-hidden": "true" });
    this.connection.replaceChildren(element("span", {}, this.connectionWords, this.silenceLength));
    this.state = "connecting";
    this.silence = null;
    statuses.onChange((status) => this.show(status));
  }

  show(status) {
    const origin = byId("origin");
    setText(byId("host"), status.host);
    setText(byId("version"), ` · takt ${status.version}`);
    setAttribute(origin, "title", `process ${status.pid}, started ${timeFormat.full(status.started)}, ${status.timezone}, ${status.file}`);
    const mayChange = status.access !== "read";
    byId("access").hidden = mayChange;
    document.body.classList.toggle("read-only", !mayChange);
    const troubles = this.troublesOf(status);
    byId("trouble").hidden = troubles.length === 0;
    setText(byId("trouble"), troubles.join(" "));
  }

  troublesOf(status) {
    const troubles = [];
    if (status.phase !== "running") troubles.push(`takt is ${PHASE_WORDS[status.phase] ?? status.phase}.`);
    if (status.ledger_failing) troubles.push(status.ledger.replace(/^ledger: /, "The ledger has a problem: ").replace(/\.?$/, "."));
    if (status.reload?.outcome === "refused") troubles.push(`Reload refused at ${timeFormat.short(status.reload.at, clock.now())}: see Plan. The previous jobs keep running.`);
    for (const path of status.changed_files ?? []) troubles.push(`${path.split("/").at(-1)} differs from what runs: see Plan.`);
    if (status.queued > 0 && status.running >= status.max_running) {
      troubles.push(`All ${formatCount(status.max_running)} places are taken; ${plural(status.queued, "run")} waiting.`);
    }
    return troubles;
  }

  connected(state) {
    this.state = state;
    this.drawConnection();
  }

  /** For how long nothing has come from takt; null when something has. */
  silent(ms) {
    if (ms === null && this.silence === null) return;
    this.silence = ms;
    this.drawConnection();
  }

  drawConnection() {
    const isSilent = this.silence !== null && ["live", "connecting"].includes(this.state);
    setAttribute(this.connection, "data-state", isSilent ? "silent" : this.state);
    setText(this.connectionWords, isSilent ? "no word from takt" : CONNECTION_WORDS[this.state]);
    setText(this.silenceLength, isSilent ? ` for ${formatWhole(this.silence)}` : "");
  }
}

const PHASE_WORDS = { starting: "starting", draining: "stopping: no new runs start", stopping: "stopping", finished: "stopped" };
