/**
 * The page of one job: how it stands, what its runs have printed, its runs, and what it is.
 */

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
    clock.onTick(() => this.name && this.tick());
  }

  get title() {
    return `${this.name} · takt`;
  }

  makeParts() {
    this.heading = element("h1", { "data-testid": "job-name" });
    this.state = new StateMark();
    setAttribute(this.state.node, "data-testid", "state");
    this.banner = new JobBanner();
    this.suspension = element("p", { class: "resting", "data-testid": "suspension" });
    this.progress = element("progress", { max: "100", "data-testid": "progress" });
    this.buttons = this.makeButtons();
    this.facts = new JobFacts();
    this.internals = new JobInternals();
    this.runs = new RunTable();
    this.slots = new SlotList();
    this.output = new OutputView((run) => this.runAgain(run));
    this.gone = element("p", { class: "empty", hidden: "" });
    this.body = this.makeBody();
    this.section.append(this.gone, this.body);
  }

  makeButtons() {
    const make = (label, action, attributes = {}) =>
      button(label, action, { "data-control": "", ...attributes }, () => this.act(action));
    return {
      trigger: make("Trigger…", "trigger", { class: "primary" }),
      suspend: make("Suspend…", "suspend"),
      resume: make("Resume", "resume"),
      cancel: button("Cancel run…", "cancel", { class: "danger", "data-control": "" }, () => this.cancel()),
    };
  }

  makeBody() {
    const head = element(
      "div", { class: "job-head" },
      element("div", { class: "job-title" }, this.heading, this.state.node, this.progress),
      element("div", { class: "buttons", role: "group", "aria-label": "Actions" }, ...Object.values(this.buttons)),
      this.banner.node, this.suspension);
    return element(
      "div", {}, head,
      element(
        "div", { class: "job-columns" },
        element(
          "div", { class: "job-main" }, this.output.node,
          element("section", { class: "card" }, element("h2", {}, "Runs"), this.runs.node)),
        element("div", { class: "job-side" }, this.facts.node, this.slots.node, this.internals.node)));
  }

  /** @param run the run that the address names; none for the newest */
  show(name, run) {
    if (this.name === name && this.detail) return this.goTo(run);
    this.name = name;
    this.detail = null;
    this.chosen = run ?? null;
    this.body.hidden = true;
    this.gone.hidden = true;
    this.output.clear();
    attempt(() => this.begin());
    return undefined;
  }

  hide() {
    this.name = null;
    this.reload.cancel();
    this.output.clear();
    this.runs.close();
    this.slots.close();
  }

  async begin() {
    const { name, chosen } = this;
    await Promise.all([this.load(), this.runs.open(name, chosen), this.slots.open(name)]);
    if (this.name !== name || !this.detail) return;
    if (chosen !== null) await this.showChosen(chosen);
    else if (this.output.run === null) this.showRun(this.detail.active[0] ?? this.runs.runs[0]);
  }

  /** Another run of the same job has been chosen; the way back leads to the one before. */
  goTo(run) {
    this.chosen = run ?? null;
    attempt(() => (run ? this.showChosen(run) : this.showRun(this.detail.active[0] ?? this.runs.runs[0])));
    return this.output.title;
  }

  async showChosen(number) {
    const { name } = this;
    const known = this.runs.runs.find((run) => run.run === number && run.outcome);
    let run = known;
    try {
      run ??= await api.run(number);
    } catch (error) {
      if (error.problem?.status !== 404) throw error;
    }
    if (this.name !== name || this.chosen !== number) return;
    if (run?.job === name) {
      this.showRun(run);
    } else {
      this.output.clear();
      setText(this.output.state, `There is no run ${number} of ${name}. It may be too old to be kept.`);
    }
    this.output.node.scrollIntoView({ block: "start" });
  }

  async load() {
    const { name } = this;
    if (!name) return;
    try {
      const detail = await api.job(name);
      if (this.name !== name) return;
      this.detail = detail;
      this.store.put(detail);
      this.facts.show(detail);
      this.internals.show(detail);
      this.draw();
      this.checkWaiting(detail);
    } catch (error) {
      if (error.problem?.status !== 404 || this.name !== name) throw error;
      setText(this.gone, `There is no job ${name}. A reload may have removed it.`);
      this.gone.hidden = false;
      this.body.hidden = true;
    }
  }

  /** Events may have been missed that tell what became of a queued run. */
  checkWaiting({ active }) {
    if (!this.output.waiting) return;
    const { run } = this.output;
    const known = active.find((other) => other.run === run);
    if (!known) attempt(async () => this.output.waiting && this.output.run === run && this.output.open(await api.run(run)));
    else if (known.state !== "queued") this.output.started(run);
  }

  heard(event) {
    this.internals.heard(event, this.name);
    if (event.event === "run") this.heardRun(event);
    if (event.event === "slot" || event.event === "run") this.slots.reload.request();
    if (event.event !== "progress" && event.event !== "metric") this.reload.request();
  }

  heardRun(event) {
    if (event.from === "queued" && event.to === "running" && !event.hook) {
      this.output.started(event.run);
      this.followIfFree(event.run);
    }
    if (event.from === "queued" && event.to === "ended") this.output.neverStarted(event.run);
    if (event.to === "ended" || event.to === "running") this.runs.reload.request();
  }

  /** Goes over to a new run, unless somebody reads an older one or one is still followed. */
  followIfFree(run) {
    const older = this.output.run !== null && run <= this.output.run;
    if (!older && !this.output.live && this.chosen === null && this.output.pinned) this.showRun({ run, job: this.name });
  }

  showRun(run) {
    if (!run) {
      if (this.output.run === null) this.output.showNone();
      return;
    }
    this.runs.select(run.run);
    if (this.output.run !== run.run || !this.output.live) this.output.open(this.asNow(run));
  }

  /** The run, without a state that events have told the end of. */
  asNow(run) {
    if (run.state !== "queued") return run;
    const { active = [], last } = this.store.get(this.name) ?? {};
    const known = active.find((other) => other.run === run.run);
    if (known) return { ...run, state: known.state };
    return last?.run >= run.run ? { ...run, state: undefined } : run;
  }

  async act(action) {
    const run = await this.actions.perform(action, this.name);
    this.follow(run);
  }

  async runAgain(number) {
    this.follow(await this.actions.trigger(this.name, number));
  }

  follow(run) {
    if (!run || run.job !== this.name) return;
    if (this.chosen !== null) history.replaceState(null, "", jobAddress(this.name));
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
    setText(this.heading, job.display_name ?? job.name);
    setAttribute(this.heading, "title", job.display_name ? job.name : null);
    this.state.show(job.state);
    const suspension = describeSuspension(job);
    this.suspension.hidden = suspension === null || !(job.streak > 0 || isStale(job));
    setText(this.suspension, suspension ?? "");
    this.drawProgress(job);
    this.drawButtons(job);
    this.internals.update(job);
    this.tick();
  }

  tick() {
    const job = this.detail && this.store.get(this.name);
    if (!job) return;
    this.banner.show(job, clock.now());
    this.facts.tick(job, clock.now());
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
    this.buttons.cancel.hidden = job.active.length === 0;
    setText(this.buttons.cancel, job.active.length > 1 ? `Cancel ${job.active.length} runs…` : "Cancel run…");
  }
}
