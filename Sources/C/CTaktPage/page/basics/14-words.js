/**
 * takt's own words for what it says in names, in one place, so that a thing has one name everywhere.
 */

const STATE_WORDS = table({
  waiting: "waiting",
  running: "running",
  queued: "queued",
  backing_off: "backing off",
  suspended: "suspended",
  disabled: "disabled",
  limit: "limit reached",
  idle: "idle",
  stopping: "stopping",
  killing: "killing",
  ended: "ended",
});

const OUTCOME_WORDS = table({
  succeeded: "succeeded",
  failed: "failed",
  timed_out: "timed out",
  cancelled: "cancelled",
  interrupted: "interrupted",
});

/** What a run was started by. */
const KIND_WORDS = table({ slot: "slot", manual: "hand", hook: "hook", resumed: "restart of takt", backfill: "backfill" });

const OUTCOME_LETTERS = table({
  s: "succeeded",
  f: "failed",
  t: "timed_out",
  c: "cancelled",
  i: "interrupted",
});

/** What became of a slot, as the letters of `verdicts` say. */
const VERDICT_LETTERS = table({ r: "ran", s: "skipped", o: "coalesced", m: "missed", x: "cancelled" });

/** What is wrong with a job besides its runs. */
const PROBLEM_WORDS = table({ unplaced: "no machine", alarm_failed: "alarm failed" });

/** Reasons for which a slot is skipped as its owner wants it. */
const EXPECTED_SKIPS = new Set(["suspended", "excluded", "limit", "elsewhere"]);

/** Reasons that are a word of takt's own. */
const REASON_WORDS = table({
  down: "takt did not run",
  operator: "by hand",
  replaced: "replaced by a newer run",
  removed: "the job was removed",
  shutdown: "takt stopped",
  lease_lost: "lease lost",
});

/** What the system says of a program or folder that cannot be used. */
const ERROR_WORDS = table({
  EACCES: "permission denied", ENOENT: "no such file", ENOEXEC: "not a program", ENOTDIR: "not a folder",
});

/** A reason of takt's in words: `exit(28)` is exit code 28. */
function describeReason(reason) {
  const parts = /^([a-z_]+)\((.*)\)$/s.exec(reason ?? "");
  if (!parts) return REASON_WORDS[reason] ?? reason ?? "";
  const [, name, value] = parts;
  if (name === "exit") return `exit code ${value}`;
  if (name !== "not_started") return `${name.replaceAll("_", " ")} ${value}`;
  const [stage, error] = value.split(", ");
  return `not started: ${stage.replaceAll("_", " ")}${error ? `, ${ERROR_WORDS[error] ?? error}` : ""}`;
}

/** Why a run ended, in words; empty where its outcome says it all. */
function describeEnd({ outcome, reason }) {
  const isSaid = !outcome || outcome === "succeeded" || (outcome === "timed_out" && reason === "timeout");
  return isSaid ? "" : describeReason(reason);
}

/** How many of a job's last slots in a row did not run. */
function passedInARow({ verdicts = "" }) {
  let count = 0;
  while (count < verdicts.length && "smx".includes(verdicts[verdicts.length - 1 - count])) count += 1;
  return count;
}

/** What became of the slots that did not run, of the last ones; nothing where all did. */
function describePassed(job) {
  const counts = new Map();
  for (const letter of job.verdicts ?? "") {
    if ("smx".includes(letter)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  if (counts.size === 0) return "";
  // The reason is that of the newest one, whose kind stands before it.
  const isNewest = ([letter]) => VERDICT_LETTERS[letter] === job.passed?.verdict;
  const all = [...counts].sort((a, b) => isNewest(a) - isNewest(b));
  const reason = job.passed?.reason && isNewest(all.at(-1)) ? `: ${job.passed.reason.replaceAll("_", " ")}` : "";
  return all.map(([letter, count]) => `${count} ${VERDICT_LETTERS[letter]}`).join(", ") + reason;
}

/** How long a run took, in milliseconds; undefined for one that never started, or whose end nobody saw. */
function tookOf({ began, outcome, duration_ms: took }) {
  return began === undefined || (outcome === "interrupted" && took < 1) ? undefined : took;
}

/** The mark of a slot that another machine has, which is no problem. */
const ELSEWHERE = "elsewhere";

const isElsewhere = (slot) => slot.verdict === "skipped" && slot.reason === ELSEWHERE;

/** A slot's verdict with its reason in words; nothing for a slot that has none yet. */
function describeVerdict(slot) {
  if (slot.reason === "unplaced") return "no machine of the cluster has the labels that the job needs: the slot ran nowhere";
  if (isElsewhere(slot)) return "another machine of the cluster has it";
  return slot.verdict && withReason(slot.verdict, slot.reason);
}

/** Whether a run that has ended did not go well; one in progress has no outcome. */
const isFailure = (outcome) => ["failed", "timed_out", "interrupted"].includes(outcome);

/** Letters of outcomes in a sentence. */
function describeOutcomes(letters) {
  if (!letters) return "no outcomes yet";
  const counts = new Map();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const parts = [...counts].map(([letter, count]) => `${count} ${OUTCOME_WORDS[OUTCOME_LETTERS[letter]]}`);
  const newest = OUTCOME_WORDS[OUTCOME_LETTERS[letters.at(-1)]];
  return `last ${plural(letters.length, "outcome")}: ${parts.join(", ")}; newest ${newest}`;
}

/** One event of takt in a line, without its time and its job. */
function describeEvent(event) {
  switch (event.event) {
    case "timer":
      return withReason(`${event.from} → ${event.to} (${event.cause})`, event.reason);
    case "run":
      return describeRunEvent(event);
    case "slot":
      return describeSlotEvent(event);
    case "progress":
      return withReason(`run ${event.run}: ${event.percent}%`, event.message);
    case "metric":
      return `run ${event.run}: ${event.metric} = ${event.value} ${event.unit ?? ""}`;
    case "plan":
      return describePlanEvent(event);
    case "output":
      return `run ${event.run}: ${event.line ?? event.message ?? ""}`;
    default:
      return withReason(event.message ?? "", event.reason);
  }
}

function describeSlotEvent(event) {
  const slot = `slot ${timeFormat.time.format(Date.parse(event.slot))}`;
  if (isElsewhere(event) || event.reason === "unplaced") return `${slot}: ${describeVerdict(event)}`;
  const late = event.late_ms === undefined ? "" : `, late ${formatDuration(event.late_ms)}`;
  return withReason(`${slot} ${event.verdict}${late}`, event.reason);
}

function describeRunEvent(event) {
  const move = `run ${event.run}: ${STATE_WORDS[event.from] ?? event.from ?? "new"} → ${STATE_WORDS[event.to] ?? event.to}`;
  const outcome = event.outcome ? `, ${OUTCOME_WORDS[event.outcome]}` : "";
  const reason = event.outcome ? describeEnd(event) : event.reason;
  return withReason(move + outcome + (event.hook ? `, hook ${event.hook}` : ""), reason);
}

function describePlanEvent(event) {
  if (event.change === "kept") return `kept ${plural(event.count ?? 0, "job")}`;
  const key = event.cause ? ` ${event.cause}: ${event.from ?? "none"} → ${event.to ?? "none"}` : "";
  return event.change + key;
}

function withReason(text, reason) {
  return reason ? `${text}: ${reason}` : text;
}

/** The address of a job's page, or of one of its runs. */
function jobAddress(name, run) {
  return `#/job/${encodeURIComponent(name)}${run ? `/run/${run}` : ""}`;
}
