/**
 * What can be done with a job: the same from its row and from its page. Each answers with a message, and
 * the store learns what takt answers.
 */

const CANCEL_WORDS = "takt sends the job's kill signal, then SIGKILL after the grace period.";
const KEEP_WORDS = "Keep running";
const DONE_WORDS = table({ trigger: "triggered", suspend: "suspended", resume: "resumed", cancel: "cancelled" });
const REFUSALS_SHOWN = 3;
const REQUESTS_AT_ONCE = 6;

/** Does something with each name, a few at a time. */
async function eachOf(names, work) {
  const rest = [...names];
  const worker = async () => {
    while (rest.length > 0) await work(rest.shift());
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
}

class JobActions {
  constructor(store, loader) {
    this.store = store;
    this.loader = loader;
  }

  /**
   * Asks first, as it cannot be taken back.
   * @param number of a run whose parameters are taken over; none for a new run
   */
  async trigger(name, number) {
    const known = await attempt(() => Promise.all([api.job(name), number && api.run(number)]));
    if (!known) return undefined;
    const [detail, before] = known;
    return askTrigger(name, detail, before, async (parameters) => {
      const run = await this.triggerOrAsk(name, parameters);
      if (!run) return undefined;
      toast(`Run ${run.run} of ${name} is ${STATE_WORDS[run.state]}`);
      this.loader.markStale(name);
      return run;
    });
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
      `Cancel ${count === 1 ? "the run" : `${count} runs`} of ${name}?`, CANCEL_WORDS,
      `Cancel ${plural(count, "run")}`, KEEP_WORDS);
    if (sure) this.told(name, await attempt(() => api.cancelJob(name)));
  }

  async cancelRun(name, run) {
    const sure = await askConfirmation(
      `Cancel run ${run} of ${name}?`, CANCEL_WORDS, `Cancel run ${run}`, KEEP_WORDS);
    if (sure) this.told(name, await attempt(() => api.cancelRun(run)));
  }

  /** Does something with several jobs; what one of them refuses does not keep it from the others. */
  async performAll(action, names) {
    const steps = table({
      trigger: (name) => api.trigger(name),
      resume: (name) => api.resume(name),
      cancel: (name) => api.cancelJob(name),
    });
    if (action === "suspend") {
      const suspension = await askSuspension(plural(names.length, "job"));
      if (!suspension) return false;
      steps.suspend = (name) => api.suspend(name, suspension);
    } else if (action !== "resume") {
      const runs = names.reduce((sum, name) => sum + (this.store.get(name)?.active.length ?? 0), 0);
      const yes = action === "trigger" ? `Trigger ${plural(names.length, "job")}` : `Cancel ${plural(runs, "run")}`;
      const text = action === "trigger" ? "Each of them runs now, in addition to its schedule." : CANCEL_WORDS;
      if (!(await askConfirmation(`${yes}?`, text, yes, action === "cancel" ? KEEP_WORDS : "Close"))) return false;
    }
    const refused = [];
    await eachOf(names, async (name) => {
      try {
        await steps[action](name);
        this.loader.markStale(name);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        refused.push(`${name}: ${error.problem.title}`);
      }
    });
    const done = names.length - refused.length;
    if (done > 0) toast(`${plural(done, "job")} ${DONE_WORDS[action]}`);
    if (refused.length > 0) {
      const more = refused.length > REFUSALS_SHOWN ? [`and ${refused.length - REFUSALS_SHOWN} more`] : [];
      toast(`${plural(refused.length, "job")} not ${DONE_WORDS[action]}`, [...refused.slice(0, REFUSALS_SHOWN), ...more].join("; "), "error");
    }
    quietly(this.loader.loadNamed(names));
    return true;
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
