/**
 * The slots of a job, to come and decided, the newest first: those that did not run, too.
 */

const DECIDED_SHOWN = 25;

class SlotList {
  constructor() {
    this.list = element("ol", { class: "slots decided", "data-testid": "decided-slots", tabindex: "0", "aria-label": "Slots" });
    this.notRun = element("input", { type: "checkbox", "data-testid": "slots-not-run" });
    this.notRun.addEventListener("change", () => attempt(() => this.load()));
    this.more = element("p", { class: "note", role: "status" });
    this.heat = element("a", { class: "note", "data-testid": "to-heat-map" }, "Heat map of a year");
    this.node = element(
      "section", { class: "card" }, element("h2", {}, "Slots"),
      element("label", { class: "check" }, this.notRun, "Only those that did not run"), this.list, this.more, this.heat);
    this.reload = new PacedTask(2 * SECOND, () => quietly(this.load()));
    this.job = null;
  }

  async open(job) {
    this.job = job;
    this.notRun.checked = false;
    setAttribute(this.heat, "href", `#/heatmap/${encodeURIComponent(job)}`);
    this.list.replaceChildren();
    await this.load();
  }

  close() {
    this.job = null;
    this.reload.cancel();
  }

  async load() {
    const { job } = this;
    if (!job) return;
    let page;
    try {
      page = await api.slots({ job, limit: DECIDED_SHOWN, not_run: this.notRun.checked || undefined });
    } catch (error) {
      if (error.problem?.status !== 404) throw error;
      page = { slots: [], truncated: false };
    }
    if (this.job !== job) return;
    this.list.replaceChildren(...page.slots.map((slot) => this.draw(slot)));
    if (page.slots.length === 0) this.list.append(element("li", { class: "muted" }, this.notRun.checked ? "All slots that are kept ran." : "No slots yet."));
    setText(this.more, page.truncated ? `The last ${DECIDED_SHOWN}; takt slots ${job} lists all.` : "");
  }

  draw({ slot, slot_last: last, count, verdict, reason, run, outcome }) {
    const kind = isFailure(outcome) ? "failed" : verdict === "ran" && !outcome ? "active" : verdict;
    const many = count > 1 ? ` to ${timeFormat.short(last, clock.now())} (${formatCount(count)})` : "";
    const words = verdict === "ran" ? OUTCOME_WORDS[outcome] ?? "active" : `${verdict}${reason ? `: ${reason.replaceAll("_", " ")}` : ""}`;
    return element(
      "li", { "data-verdict": verdict }, element("span", { class: "squares", "aria-hidden": "true" }, element("i", { "data-slot": kind })),
      element("time", { title: timeFormat.full(slot) }, timeFormat.short(slot, clock.now()) + many),
      run === undefined ? element("span", {}, words) : element("a", { href: jobAddress(this.job, run) }, words));
  }
}
