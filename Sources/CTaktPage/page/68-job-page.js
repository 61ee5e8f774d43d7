/**
 * The page of one job: how it stands, its timer machine, its next slots, its runs and their output.
 */

const TRANSITIONS_SHOWN = 12;
const DETAIL_PAUSE = 1.5 * SECOND;

class JobPage {
  constructor(store, actions, pump) {
    this.store = store;
    this.actions = actions;
    this.section = byId("job");
    this.name = null;
    this.detail = null;
    this.chosen = null;
    this.makeParts();
    this.reload = new PacedTask(DETAIL_PAUSE, () => quietly(this.load()));
    this.redraw = new FrameTask(() => this.draw());
    store.onChange((changed) => this.name && changed.has(this.name) && this.redraw.request());
    pump.onEvent((event) => this.name && event.job === this.name && this.heard(event));
    pump.onGap(() => this.name && this.reload.request());
    clock.onTick(() => this.name && this.drawSlots());
  }

  get title() {
    return `${this.name} · takt`;
  }

  makeParts() {
    this.heading = element("h1", { "data-testid": "job-name" });
    this.description = element("p", { class: "muted" });
    this.state = new StateMark();
    setAttribute(this.state.node, "data-testid", "state");
    this.suspension = element("p", { class: "resting", "data-testid": "suspension" });
    this.strip = new OutcomeStrip(30);
    this.late = new LatenessBar();
    this.progress = element("progress", { max: "100", "data-testid": "progress" });
    this.buttons = this.makeButtons();
    this.diagram = new MachineDiagram();
    this.steps = element("ol", { class: "steps", "data-testid": "transitions" });
    this.slots = element("ol", { class: "slots", "data-testid": "slots" });
    this.keys = element("div");
    this.runs = new RunTable((run) => this.showOutput(run));
    this.output = new OutputView();
    this.gone = element("p", { class: "empty", hidden: "" });
    this.body = this.makeBody();
    this.section.append(this.gone, this.body);
  }

  makeButtons() {
    const make = (label, action, attributes = {}) =>
      button(label, action, attributes, () => this.act(action));
    return {
      trigger: make("Trigger", "trigger", { class: "primary" }),
      parameters: button("Trigger with parameters…", "trigger-with", {}, () => this.triggerWithParameters()),
      suspend: make("Suspend…", "suspend"),
      resume: make("Resume", "resume"),
      cancel: button("Cancel run", "cancel", { class: "danger" }, () => this.cancel()),
    };
  }

  makeBody() {
    const card = (title, ...children) => element("section", { class: "card" }, element("h2", {}, title), ...children);
    const head = element(
      "div", { class: "job-head" },
      element(
        "div", { class: "job-title" }, this.heading, this.state.node, this.progress, this.strip.node, this.late.node),
      this.description, this.suspension,
      element("div", { class: "buttons", role: "group", "aria-label": "Actions" }, ...Object.values(this.buttons)));
    return element(
      "div", {}, head,
      element(
        "div", { class: "cards" },
        card("Timer machine", this.diagram.node, element("h3", {}, "Last transitions"), this.steps),
        card("Next slots", this.slots),
        card("In the jobs file", this.keys)),
      this.output.node,
      card("Runs", this.runs.node));
  }

  show(name) {
    this.name = name;
    this.detail = null;
    this.chosen = null;
    this.body.hidden = true;
    this.gone.hidden = true;
    this.output.clear();
    attempt(() => this.begin());
  }

  hide() {
    this.name = null;
    this.reload.cancel();
    this.output.clear();
    this.runs.close();
  }

  async begin() {
    const { name } = this;
    await Promise.all([this.load(), this.runs.open(name)]);
    if (this.name !== name) return;
    const run = this.detail?.active[0] ?? this.runs.runs[0];
    if (run && this.output.run === null) this.showOutput(run);
  }

  async load() {
    const { name } = this;
    if (!name) return;
    try {
      const detail = await api.job(name);
      if (this.name !== name) return;
      this.detail = detail;
      this.store.put(detail);
      this.drawKeys();
      this.draw();
    } catch (error) {
      if (error.problem?.status !== 404 || this.name !== name) throw error;
      setText(this.gone, `There is no job ${name}. A reload may have removed it.`);
      this.gone.hidden = false;
      this.body.hidden = true;
    }
  }

  heard(event) {
    if (event.event === "timer" && event.machine === `timer:${this.name}`) {
      this.heardStep(event);
    }
    if (event.event === "run") this.heardRun(event);
    if (event.event !== "progress" && event.event !== "metric") this.reload.request();
  }

  heardStep(event) {
    const steps = this.detail?.transitions;
    if (!steps || steps.at(-1)?.id >= event.id) return;
    steps.push(event);
    this.redraw.request();
  }

  heardRun(event) {
    if (event.from === "queued" && event.to === "running" && !event.hook) this.followIfFree(event.run);
    if (event.to === "ended" || event.to === "running") this.runs.reload.request();
  }

  /** Goes over to a new run, unless somebody reads an older one or one is still followed. */
  followIfFree(run) {
    const older = this.output.run !== null && run <= this.output.run;
    if (!older && !this.output.live && this.chosen === null) this.showRun({ run });
  }

  /** Shows the output of a run that somebody has chosen. */
  showOutput(run) {
    const newest = this.runs.runs[0]?.run;
    this.chosen = run.run === newest || !run.outcome ? null : run.run;
    this.showRun(run);
  }

  showRun(run) {
    this.runs.select(run.run);
    if (this.output.run !== run.run || !this.output.live) this.output.open(run);
  }

  async act(action) {
    const run = await this.actions.perform(action, this.name);
    this.follow(run);
  }

  async triggerWithParameters() {
    this.follow(await this.actions.triggerWithParameters(this.name));
  }

  follow(run) {
    if (!run || run.job !== this.name) return;
    this.chosen = null;
    this.showRun(run);
    this.runs.reload.request();
  }

  cancel() {
    const active = this.store.get(this.name)?.active ?? [];
    if (active.length === 1) return this.actions.cancelRun(this.name, active[0].run);
    return this.actions.cancelAll(this.name);
  }

  draw() {
    const job = this.name && this.detail && this.store.get(this.name);
    if (!job) return;
    this.body.hidden = false;
    setText(this.heading, job.name);
    setText(this.description, [job.schedule, job.description].filter(Boolean).join(" — "));
    this.state.show(job.state);
    const suspension = describeSuspension(job);
    this.suspension.hidden = suspension === null;
    setText(this.suspension, suspension ?? "");
    this.strip.show(job.outcomes);
    this.late.show(job.late_ms, job.window_ms);
    this.drawProgress(job);
    this.drawButtons(job);
    this.drawMachine(job);
    this.drawSlots();
  }

  drawProgress(job) {
    const progress = progressOf(job);
    this.progress.hidden = !progress;
    if (!progress) return;
    this.progress.value = progress.percent;
    const text = `progress ${Math.round(progress.percent)}%${progress.message ? `, ${progress.message}` : ""}`;
    setAttribute(this.progress, "title", text);
    setAttribute(this.progress, "aria-label", text);
  }

  drawButtons(job) {
    const isSuspended = job.state === "suspended" || job.suspension !== undefined;
    this.buttons.suspend.hidden = isSuspended;
    this.buttons.resume.hidden = !isSuspended;
    this.buttons.cancel.disabled = job.active.length === 0;
    setText(this.buttons.cancel, job.active.length > 1 ? `Cancel ${job.active.length} runs` : "Cancel run");
  }

  drawMachine(job) {
    const { transitions } = this.detail;
    transitions.splice(0, transitions.length - TRANSITIONS_SHOWN);
    this.diagram.show(job.timer, transitions.at(-1));
    const items = transitions.toReversed().map((event) =>
      element(
        "li", {}, element("time", { title: timeFormat.full(event.ts) }, timeFormat.short(event.ts, clock.now())),
        element("span", {}, describeEvent(event))));
    this.steps.replaceChildren(...items);
    if (items.length === 0) this.steps.append(element("li", { class: "muted" }, "no recent transitions"));
  }

  drawSlots() {
    const now = clock.now();
    const coming = (this.detail?.slots ?? []).filter((slot) => Date.parse(slot.due) + slot.window_ms > now - SECOND);
    const items = coming.map((slot) =>
      element(
        "li", { title: timeFormat.full(slot.slot) },
        element("time", {}, timeFormat.short(slot.slot, now)),
        element("span", {}, formatCountdown(slot.due, now)),
        element("span", { class: "muted" }, describeWindow(slot))));
    if (items.length === 0) items.push(element("li", { class: "muted" }, "No scheduled slots."));
    this.slots.replaceChildren(...items);
  }

  drawKeys() {
    const { keys, action, qos, tags, ran } = this.detail;
    const pairs = [["action", action], ["qos", qos], ["slots run", formatCount(ran)]];
    if (tags.length > 0) pairs.push(["tags", tags.join(", ")]);
    const ofFile = keys.map(({ key, text }) => [key, text]);
    this.keys.replaceChildren(
      facts(pairs, { class: "keys" }), facts(ofFile, { class: "keys file-keys", "data-testid": "keys" }));
  }
}

/** What makes a slot, and how much later it may start. */
function describeWindow(slot) {
  const causes = slot.causes?.join(", ") ?? "";
  return slot.window_ms > 0 ? `${causes} · window ${formatDuration(slot.window_ms)}` : causes;
}
