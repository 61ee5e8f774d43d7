/**
 * The page of plans: what a jobs file would change, and the reload of the one on disk.
 */

class PlanPage {
  /** @param onReloaded called with the names that a reload has touched */
  constructor(statuses, onReloaded) {
    this.onReloaded = onReloaded;
    this.section = byId("plan");
    this.result = byId("plan-result");
    byId("plan-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.plan();
    });
    byId("plan-file").addEventListener("change", (event) => this.choose(event.target.files[0]));
    byId("reload-button").addEventListener("click", () => this.reload());
    statuses.onChange((status) => this.drawLast(status));
  }

  get title() {
    return "Plan · takt";
  }

  show() {}

  hide() {}

  async choose(file) {
    if (file) byId("plan-text").value = await file.text();
    byId("plan-file").value = "";
  }

  async plan() {
    const text = byId("plan-text").value;
    await this.report(() => api.plan(text), "A reload would make these changes:");
  }

  async reload() {
    const trigger = byId("reload-button");
    trigger.disabled = true;
    const plan = await this.report(() => api.reload(), "Reloaded. Changes:");
    trigger.disabled = false;
    if (plan) this.onReloaded(plan.steps.map((step) => step.job));
  }

  /** Shows a plan, or the diagnostics when there is none. */
  async report(ask, title) {
    try {
      const plan = await ask();
      this.present("plan", drawPlan(title, plan));
      return plan;
    } catch (error) {
      if (error.problem?.status === 422) this.present("refused", drawRefusal(error.problem));
      else await attempt(() => Promise.reject(error));
      return undefined;
    }
  }

  present(kind, nodes) {
    this.result.hidden = false;
    this.result.dataset.kind = kind;
    this.result.replaceChildren(...nodes);
    this.result.focus();
    this.result.scrollIntoView({ block: "nearest" });
  }

  drawLast({ file, reload }) {
    setText(byId("reload-file"), file);
    const last = byId("reload-last");
    setAttribute(last, "data-outcome", reload?.outcome ?? "none");
    const errors = reload?.errors ?? [];
    if (this.drawnReload === reload?.at) return;
    this.drawnReload = reload?.at;
    setText(last, reload ? this.describeReload(reload) : "No reload since takt started.");
    byId("reload-errors").replaceChildren(...(errors.length > 0 ? [drawDiagnostics(errors)] : []));
  }

  describeReload({ at, outcome, kept, changed, errors }) {
    const when = timeFormat.short(at, clock.now());
    if (outcome === "refused") {
      return `Refused at ${when}: ${plural(errors?.length ?? 0, "error")}. The previous jobs keep running.`;
    }
    return `Applied at ${when}: ${formatCount(changed ?? 0)} changed, ${formatCount(kept ?? 0)} kept.`;
  }
}
