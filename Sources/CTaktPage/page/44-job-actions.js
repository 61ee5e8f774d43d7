/**
 * What can be done with a job: the same from its row and from its page. Each answers with a message, and
 * the store learns what takt answers.
 */

class JobActions {
  constructor(store, loader) {
    this.store = store;
    this.loader = loader;
  }

  async trigger(name, parameters) {
    const run = await attempt(() => this.triggerOrAsk(name, parameters));
    if (!run) return undefined;
    toast(`Run ${run.run} of ${name} is ${STATE_WORDS[run.state]}`);
    this.loader.markStale(name);
    return run;
  }

  /** Asks whether to run it in parallel if the job's overlap refuses the run. */
  async triggerOrAsk(name, parameters) {
    try {
      return await api.trigger(name, parameters);
    } catch (error) {
      if (error.problem?.code !== "overlap") throw error;
      const sure = await askConfirmation(
        `Run ${name} in parallel?`,
        `${error.problem.title}. You can run a second one in parallel.`, "Run it");
      return sure ? api.trigger(name, parameters, true) : undefined;
    }
  }

  async triggerWithParameters(name) {
    const parameters = await askParameters(name);
    return parameters ? this.trigger(name, parameters) : undefined;
  }

  async suspend(name) {
    const suspension = await askSuspension(name);
    const job = suspension && (await attempt(() => api.suspend(name, suspension)));
    if (!job) return;
    this.store.put(job);
    const { until } = job.suspension ?? {};
    const end = until ? timeFormat.short(until, clock.now()) : "it is resumed";
    toast(`${name} is suspended`, `until ${end}`);
  }

  async resume(name) {
    const job = await attempt(() => api.resume(name));
    if (!job) return;
    this.store.put(job);
    toast(`${name} is resumed`);
  }

  async cancelAll(name) {
    const count = this.store.get(name)?.active.length ?? 0;
    const sure = await askConfirmation(
      `Cancel ${count === 1 ? "the run" : `${count} runs`} of ${name}?`,
      "takt sends the job's kill signal, then SIGKILL after the grace period.", "Cancel it");
    if (sure) this.told(name, await attempt(() => api.cancelJob(name)));
  }

  async cancelRun(name, run) {
    const sure = await askConfirmation(
      `Cancel run ${run} of ${name}?`,
      "takt sends the job's kill signal, then SIGKILL after the grace period.", "Cancel it");
    if (sure) this.told(name, await attempt(() => api.cancelRun(run)));
  }

  told(name, cancelled) {
    if (!cancelled) return;
    toast(`${plural(cancelled.runs.length, "run")} of ${name} cancelled`);
    this.loader.markStale(name);
  }

  /** Does what a button with data-action stands for. */
  perform(action, name) {
    switch (action) {
      case "trigger": return this.trigger(name);
      case "suspend": return this.suspend(name);
      case "resume": return this.resume(name);
      case "cancel": return this.cancelAll(name);
      default: throw new Error(`no action ${action}`);
    }
  }
}
