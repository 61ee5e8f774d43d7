/**
 * The page of plans: what the jobs file on disk would change, its reload, and what another text would
 * change.
 */

const PLAN_PAUSE = 5 * SECOND;

class PlanPage {
  /** @param onReloaded called with the names that a reload has touched */
  constructor(statuses, onReloaded) {
    this.onReloaded = onReloaded;
    this.section = byId("plan");
    this.result = byId("plan-result");
    this.apply = byId("reload-button");
    this.checked = null;
    byId("plan-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.plan();
    });
    byId("plan-file").addEventListener("change", (event) => this.choose(event.target.files[0]));
    this.apply.addEventListener("click", () => this.reload());
    byId("check-button").addEventListener("click", () => this.check(true));
    this.again = new PacedTask(PLAN_PAUSE, () => this.section.hidden || this.check(false));
    addEventListener("focus", () => this.again.request());
    statuses.onChange((status) => this.drawLast(status));
  }

  get title() {
    return "Plan · takt";
  }

  show() {
    this.result.hidden = true;
    this.checked = null;
    this.check(false);
  }

  hide() {}

  async choose(file) {
    if (file) byId("plan-text").value = await file.text();
    byId("plan-file").value = "";
  }

  async plan() {
    const text = byId("plan-text").value;
    await this.report(() => api.plan(text), "A reload with this text would make these changes:");
  }

  /** Reads what the file on disk would change. Gives the answer as text, to be compared with a later one. */
  async check(wanted) {
    if (!session.isSignedIn) return null;
    try {
      const plan = await api.filePlan();
      const key = JSON.stringify(plan);
      const count = plan.steps.length + plan.settings.length;
      if (count > 0 && (key !== this.checked || wanted)) this.present("file", drawPlan("The file on disk would make these changes:", plan), wanted);
      // What a reload has just done stays in sight.
      else if (count === 0 && this.result.dataset.kind !== "plan") this.result.hidden = true;
      this.checked = key;
      this.offer(count > 0, count > 0 ? `Apply ${plural(count, "change")}` : "Apply",
        count > 0 ? "The file on disk differs from what takt runs." : "takt runs what the file on disk says.");
      return key;
    } catch (error) {
      if (error.problem?.status !== 422) {
        if (wanted) await attempt(() => Promise.reject(error));
        return null;
      }
      const key = JSON.stringify(error.problem);
      if (key !== this.checked || wanted) this.present("refused", drawRefusal(error.problem), wanted);
      this.checked = key;
      this.offer(false, "Apply", "The file on disk has errors and cannot be applied.");
      return key;
    }
  }

  offer(isPossible, label, words) {
    this.apply.disabled = !isPossible;
    setText(this.apply, label);
    setText(byId("reload-state"), words);
  }

  /** Applies what has been shown; a file that has changed since is shown again first. */
  async reload() {
    const shown = this.checked;
    this.apply.disabled = true;
    if ((await this.check(false)) !== shown) {
      toast("The file has changed again", "These are its changes now. Look at them, then apply.");
      return;
    }
    const plan = await this.report(() => api.reload(), "Reloaded. Changes:");
    if (!plan) return;
    this.onReloaded(plan.steps.map((step) => step.job));
    this.checked = null;
    this.offer(false, "Apply", "takt runs what the file on disk says.");
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

  present(kind, nodes, hasFocus = true) {
    this.result.hidden = false;
    this.result.dataset.kind = kind;
    this.result.replaceChildren(...nodes);
    if (!hasFocus) return;
    this.result.focus();
    this.result.scrollIntoView({ block: "nearest" });
  }

  drawLast({ file, reload }) {
    setText(byId("reload-file"), file);
    const last = byId("reload-last");
    setAttribute(last, "data-outcome", reload?.outcome ?? "none");
    if (this.drawnReload === reload?.at) return;
    this.drawnReload = reload?.at;
    setText(last, reload ? this.describeReload(reload) : "No reload since takt started.");
  }

  describeReload({ at, outcome, kept, changed, errors }) {
    const when = timeFormat.short(at, clock.now());
    if (outcome === "refused") {
      return `Refused at ${when}: ${plural(errors?.length ?? 0, "error")}. The previous jobs keep running.`;
    }
    return `Applied at ${when}: ${formatCount(changed ?? 0)} changed, ${formatCount(kept ?? 0)} kept.`;
  }
}
