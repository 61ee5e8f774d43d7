/**
 * Keeps jobs up to date by takt's events, without asking. What an event does not tell is marked as
 * stale; the refresher asks for it when somebody looks.
 */

const OUTCOMES_KEPT = 20;

class JobEvents {
  /** @param onStale called with the name of a job that takt knows more about than its events say */
  constructor(store, onStale) {
    this.store = store;
    this.onStale = onStale;
  }

  apply(event) {
    if (event.job === undefined) return;
    const job = this.store.get(event.job);
    if (!job) {
      if (event.event !== "plan") this.onStale(event.job);
      return;
    }
    switch (event.event) {
      case "timer": this.timer(job, event); break;
      case "slot": this.slot(job, event); break;
      case "run": this.run(job, event); break;
      case "progress": this.progress(job, event); break;
      case "scheduler": this.onStale(job.name); break;
      default: return;
    }
    this.store.touch(job.name);
  }

  timer(job, event) {
    if (event.machine !== `timer:${job.name}`) return;
    const changesSuspension = job.timer === "suspended" || event.to === "suspended";
    job.timer = event.to;
    if (event.to === "suspended") job.next = undefined;
    else if (event.to === "running" && event.due && !job.suspension) {
      job.next = { ...job.next, slot: event.due, due: event.due };
    }
    if (changesSuspension) this.onStale(job.name);
  }

  slot(job, event) {
    if (event.late_ms !== undefined) {
      job.late_ms = event.late_ms;
      job.window_ms = job.next?.window_ms ?? job.window_ms;
    }
    if (event.verdict === "ran") job.ran += 1;
    this.decided(job, event);
    this.onStale(job.name);
  }

  decided(job, { slot, verdict, reason }) {
    const letter = Object.keys(VERDICT_LETTERS).find((key) => VERDICT_LETTERS[key] === verdict);
    if (!letter || (verdict === "skipped" && EXPECTED_SKIPS.has(reason))) return;
    job.verdicts = ((job.verdicts ?? "") + letter).slice(-OUTCOMES_KEPT);
    if ("smx".includes(letter)) job.passed = { slot, verdict, reason };
  }

  run(job, event) {
    // A hook that fails is a problem of its job.
    if (event.hook && event.to === "ended") this.onStale(job.name);
    if (event.hook || (job.last && job.last.run >= event.run)) return;
    let run = job.active.find((known) => known.run === event.run);
    if (!run) {
      run = { run: event.run, job: job.name, slot: event.slot, attempts: 0 };
      job.active.push(run);
    }
    run.state = event.to;
    run.attempts = event.attempt ?? run.attempts;
    if (event.to === "running") run.began ??= event.ts;
    if (event.to === "ended") this.ended(job, run, event);
    job.state = stateOf(job);
  }

  ended(job, run, event) {
    job.active = job.active.filter((other) => other !== run);
    run.ended = event.ts;
    run.outcome = event.outcome;
    run.reason = event.reason;
    run.duration_ms = event.duration_ms;
    job.last = run;
    const letter = Object.keys(OUTCOME_LETTERS).find((key) => OUTCOME_LETTERS[key] === event.outcome);
    if (letter) {
      job.outcomes = (job.outcomes + letter).slice(-OUTCOMES_KEPT);
      job.durations_ms = [...(job.durations_ms ?? []), event.duration_ms ?? 0].slice(-OUTCOMES_KEPT);
    }
    if (event.outcome === "succeeded") {
      job.streak = 0;
      job.last_success = event.ts;
      job.failing_since = undefined;
    } else if (isFailure(event.outcome)) {
      if (job.streak === 0) job.failing_since = event.ts;
      job.streak += 1;
    }
    this.onStale(job.name);
  }

  progress(job, event) {
    const run = job.active.find((known) => known.run === event.run);
    if (run) run.progress = { percent: event.percent, message: event.message };
  }
}

/** The state of a job by its runs and its timer, until takt says it itself. */
function stateOf(job) {
  const states = job.active.map((run) => run.state);
  if (states.some((state) => ["running", "stopping", "killing"].includes(state))) return "running";
  if (states.includes("backing_off")) return "backing_off";
  if (states.includes("queued")) return "queued";
  if (job.suspension) return "suspended";
  return ["disabled", "limit"].includes(job.state) ? job.state : job.next ? "waiting" : "idle";
}
