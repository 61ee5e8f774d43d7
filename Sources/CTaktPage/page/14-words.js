/**
 * takt's own words for what it says in names, in one place, so that a thing has one name everywhere.
 */

const STATE_WORDS = {
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
};

const OUTCOME_WORDS = {
  succeeded: "succeeded",
  failed: "failed",
  timed_out: "timed out",
  cancelled: "cancelled",
  interrupted: "interrupted",
};

const OUTCOME_LETTERS = {
  s: "succeeded",
  f: "failed",
  t: "timed_out",
  c: "cancelled",
  i: "interrupted",
};

const VERDICTS = ["ran", "skipped", "coalesced", "missed", "cancelled"];

/** The mark of a slot that another machine has, which is no problem. */
const ELSEWHERE = "elsewhere";

const isElsewhere = (slot) => slot.verdict === "skipped" && slot.reason === ELSEWHERE;

/** A slot's verdict with its reason in words; nothing for a slot that has none yet. */
function describeVerdict(slot) {
  if (isElsewhere(slot)) return "another machine of the cluster has it";
  return slot.verdict && withReason(slot.verdict, slot.reason);
}

const isFailure = (outcome) => outcome !== "succeeded" && outcome !== "cancelled";

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
  if (isElsewhere(event)) return `${slot}: ${describeVerdict(event)}`;
  const late = event.late_ms === undefined ? "" : `, late ${formatDuration(event.late_ms)}`;
  return withReason(`${slot} ${event.verdict}${late}`, event.reason);
}

function describeRunEvent(event) {
  const move = `run ${event.run}: ${event.from ?? "new"} → ${STATE_WORDS[event.to] ?? event.to}`;
  const outcome = event.outcome ? `, ${OUTCOME_WORDS[event.outcome]}` : "";
  return withReason(move + outcome + (event.hook ? `, hook ${event.hook}` : ""), event.reason);
}

function describePlanEvent(event) {
  if (event.change === "kept") return `kept ${plural(event.count ?? 0, "job")}`;
  const key = event.cause ? ` ${event.cause}: ${event.from ?? "none"} → ${event.to ?? "none"}` : "";
  return event.change + key;
}

function withReason(text, reason) {
  return reason ? `${text}: ${reason}` : text;
}
