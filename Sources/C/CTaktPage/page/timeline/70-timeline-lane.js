/**
 * One job's lane of the timeline: its windows, runs and slots as a few paths, however many there are.
 * What falls on the same spot is drawn once; of slots the worst verdict counts.
 */

const LANE = { height: 32, middle: 21, run: 11, grain: 4 };

/** The verdicts from the most to the least worth seeing; of what ran the run is seen. */
const VERDICT_RANK = ["missed", "cancelled", "skipped", "coalesced", "ran", ELSEWHERE, "coming"];

const RUN_KINDS = ["succeeded", "failed", "timed_out", "interrupted", "cancelled", "active"];

/**
 * @param lane what takt says of the job
 * @param xOf turns an instant into a place, within the picture
 */
function drawLane(lane, xOf, now, to) {
  const group = shape("g", { class: "lane-marks" });
  append(group, "window", windowPath(lane.slots, xOf));
  append(group, "more", morePath(lane, xOf, to));
  for (const kind of RUN_KINDS) {
    const runs = lane.runs.filter((run) => (run.outcome ?? "active") === kind);
    append(group, "run", runPath(runs, xOf, now), { "data-outcome": kind });
  }
  const slots = thinSlots(lane.slots, xOf);
  for (const verdict of VERDICT_RANK) {
    append(group, "slot", slotPath(slots.filter((slot) => slot.verdict === verdict)), { "data-verdict": verdict });
  }
  return group;
}

function append(group, kind, path, attributes = {}) {
  if (path !== "") group.append(shape("path", { class: kind, d: path, ...attributes }));
}

/** Windows as thin bars; those that touch become one. */
function windowPath(slots, xOf) {
  const spans = slots.filter((slot) => slot.window_ms > 0).map((slot) => {
    const due = Date.parse(slot.due);
    return [xOf(due), xOf(due + slot.window_ms)];
  });
  return barPath(spans, LANE.middle - 2, 4, 0.5);
}

function runPath(runs, xOf, now) {
  const spans = runs.map((run) => {
    const from = xOf(Date.parse(run.began));
    return [from, Math.max(xOf(run.ended ? Date.parse(run.ended) : now), from + 1.5)];
  });
  return barPath(spans, LANE.middle - LANE.run / 2, LANE.run, 0.3);
}

/** Bars from left to right; what is nearer than `gap` is one bar. */
function barPath(spans, top, height, gap) {
  const sorted = spans.sort((left, right) => left[0] - right[0]);
  const merged = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last && from - last[1] < gap) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged.map(([from, to]) =>
    `M${from.toFixed(1)} ${top}h${Math.max(to - from, 0.8).toFixed(1)}v${height}H${from.toFixed(1)}z`).join("");
}

/** One slot for each few pixels. */
function thinSlots(slots, xOf) {
  const byPlace = new Map();
  for (const slot of slots) {
    const x = xOf(Date.parse(slot.due));
    const verdict = isElsewhere(slot) ? ELSEWHERE : VERDICT_RANK.includes(slot.verdict) ? slot.verdict : "coming";
    const place = Math.round(x / LANE.grain);
    const rank = VERDICT_RANK.indexOf(verdict);
    const there = byPlace.get(place);
    if (!there || rank < VERDICT_RANK.indexOf(there.verdict)) byPlace.set(place, { x, verdict });
  }
  return [...byPlace.values()];
}

/**
 * Marks that differ in form as well as in colour. What did not run is as tall as a run and stands above
 * the runs, so that neither hides the other; a slot that ran is seen as its run.
 */
const SLOT_MARKS = table({
  ran: () => "",
  elsewhere: (x) => `M${x} 5v7`,
  coming: (x) => `M${x - 1.5} 16h3v10h-3z`,
  coalesced: (x) => `M${x - 3} 6h6m-6 5h6`,
  skipped: (x) => `M${x} 3l5 5.5l-5 5.5l-5 -5.5z`,
  missed: (x) => `M${x - 4.5} 4l9 9m0 -9l-9 9`,
  cancelled: (x) => `M${x - 4} 4h8v8h-8z`,
});

function slotPath(slots) {
  return slots.map(({ x, verdict }) => SLOT_MARKS[verdict](Number(x.toFixed(1)))).join("");
}

/** A broken line where more slots come than are listed. */
function morePath(lane, xOf, to) {
  if (!lane.slots_until) return "";
  const from = xOf(Date.parse(lane.slots_until));
  return `M${from.toFixed(1)} ${LANE.middle}H${xOf(to).toFixed(1)}`;
}

/** All of a lane that can be pointed at, in the order of time. */
function laneItems(lane) {
  const slots = lane.slots.map((slot) => ({ at: Date.parse(slot.due), run: slot.run, slot }));
  const bars = lane.runs.map((bar) => ({ at: Date.parse(bar.began), run: bar.run, bar }));
  return [...slots, ...bars].sort((left, right) => left.at - right.at);
}

/** One slot or run of a job in words. */
function describeItem(job, { slot, bar }, now) {
  const several = (slot ?? bar).count > 1 ? `, and ${plural((slot ?? bar).count - 1, slot ? "slot" : "run")} close to it` : "";
  if (bar) {
    const took = Date.parse(bar.ended) - Date.parse(bar.began);
    const after = took > 0 ? ` after ${formatDuration(took)}` : "";
    const end = bar.ended ? (OUTCOME_WORDS[bar.outcome] ?? "ended") + after : "in progress";
    return `${job}: run ${bar.run}, began ${timeFormat.short(bar.began, now)}, ${end}${several}`;
  }
  const window = slot.window_ms > 0 ? `, window ${formatDuration(slot.window_ms)}` : "";
  const run = slot.run ? ` as run ${slot.run}` : "";
  return `${job}: slot ${timeFormat.short(slot.slot, now)}, ${describeVerdict(slot) ?? formatCountdown(slot.due, now)}${run}${window}${several}`;
}
