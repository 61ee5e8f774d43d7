/**
 * The head of the page: which takt this is, and whether the page is connected. Its counters are in `/metrics`.
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
    const mayOnlyRead = status.access === "read";
    byId("access").hidden = !mayOnlyRead;
    document.body.classList.toggle("read-only", mayOnlyRead);
    document.body.classList.toggle("operate-only", status.access === "operate");
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
