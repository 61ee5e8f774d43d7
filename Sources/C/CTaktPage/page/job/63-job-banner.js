/**
 * What somebody on call wants to know of a job first: whether it fails, since when, and when it last went
 * well.
 */

class JobBanner {
  constructor() {
    this.words = element("strong");
    this.more = element("span");
    this.link = element("a", { hidden: "" });
    this.node = element("p", { class: "banner", role: "status", "data-testid": "banner" }, this.words, this.more, this.link);
  }

  show(job, now) {
    const { tone, words, more, run } = this.describe(job, now);
    setAttribute(this.node, "data-tone", tone);
    setText(this.words, words);
    setText(this.more, more.filter(Boolean).join(" · "));
    this.link.hidden = !run;
    if (!run) return;
    setText(this.link, `Show run ${run}`);
    this.link.href = jobAddress(job.name, run);
  }

  describe(job, now) {
    const success = job.last_success
      ? `last success ${formatWhen(job.last_success, now)} (${formatAgo(job.last_success, now)})` : "no success on record";
    const active = job.active.find((run) => run.began);
    const running = active && `run ${active.run} in progress for ${formatWhole(now - Date.parse(active.began))}`;
    const passed = passedInARow(job);
    const problems = (job.problems ?? []).map(({ message }) => message).join(" ");
    const slots = passed > 0 && `the last ${passed === 1 ? "slot" : `${passed} slots`} did not run (${this.reasonOf(job)})`;
    if (job.streak > 0) {
      const times = job.streak === 1 ? "Failed" : `Failed ${formatCount(job.streak)} times`;
      const when = job.failing_since && formatWhen(job.failing_since, now);
      const since = when ? ` ${job.streak === 1 ? "at" : "since"} ${when}` : job.streak > 1 ? " in a row" : "";
      const why = isFailure(job.last?.outcome) ? describeEnd(job.last) || OUTCOME_WORDS[job.last.outcome] : "";
      const run = isFailure(job.last?.outcome) ? job.last?.run : undefined;
      return { tone: "bad", words: times + since, more: [why, problems, success, slots, running], run };
    }
    if (isStale(job) && job.stale_since) {
      return { tone: "warn", words: `Stale since ${formatWhen(job.stale_since, now)}`, more: [problems, success, slots, running] };
    }
    if (isStale(job)) return { tone: "warn", words: `Stale: ${slots}`, more: [problems, success, running] };
    if (problems) return { tone: "bad", words: problems, more: [success, slots, running], run: job.problems[0].run };
    if (isResting(job)) {
      const words = STATE_WORDS[job.state] ?? job.state;
      // "Suspended · since …": the word is said once.
      const why = describeSuspension(job);
      const rest = why?.startsWith(`${words} `) ? why.slice(words.length + 1) : why;
      return { tone: "rest", words: words[0].toUpperCase() + words.slice(1), more: [rest, success] };
    }
    if (active) return { tone: "active", words: running[0].toUpperCase() + running.slice(1), more: [success, slots], run: active.run };
    if (!job.last) return { tone: "calm", words: "Never run", more: [slots] };
    return { tone: "good", words: success[0].toUpperCase() + success.slice(1), more: [slots] };
  }

  reasonOf({ passed }) {
    if (!passed) return "no reason known";
    return passed.reason ? `${passed.verdict}: ${passed.reason.replaceAll("_", " ")}` : passed.verdict;
  }
}
