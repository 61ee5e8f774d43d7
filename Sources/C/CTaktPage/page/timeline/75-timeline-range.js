/**
 * Which time the timeline shows: the present, which goes on, or one that somebody has gone to.
 */

/** How much of the picture is still to come while it shows the present. */
const FUTURE_SHARE = 0.25;
const RANGE_LEAST = MINUTE;
const RANGE_MOST = 60 * DAY;

class TimelineRange {
  constructor(span) {
    this.present(span);
  }

  get isPresent() {
    return this.from === null;
  }

  /** The present, and so much of the past. */
  present(span = this.span) {
    this.span = span;
    this.from = null;
  }

  /** Where it begins and ends. */
  bounds(now) {
    const length = this.span * (1 + FUTURE_SHARE);
    const from = this.from ?? now - this.span;
    return { from, to: from + length };
  }

  set(from, to) {
    const length = Math.min(Math.max(to - from, RANGE_LEAST), RANGE_MOST);
    this.from = (from + to - length) / 2;
    this.span = length / (1 + FUTURE_SHARE);
  }

  /** Puts an instant into the middle. */
  goTo(instant) {
    const { from, to } = this.bounds(instant);
    this.set(instant - (to - from) / 2, instant + (to - from) / 2);
  }

  /** Makes it longer or shorter around an instant, which stays where it is; the present stays the present. */
  zoom(factor, around, now) {
    const { from, to } = this.bounds(now);
    const length = Math.min(Math.max((to - from) * factor, RANGE_LEAST), RANGE_MOST);
    if (around === undefined && this.isPresent) return this.present(length / (1 + FUTURE_SHARE));
    const fixed = around ?? (from + to) / 2;
    const start = fixed - ((fixed - from) / (to - from)) * length;
    return this.set(start, start + length);
  }

  /** Goes on or back by a share of its length. */
  pan(share, now) {
    const { from, to } = this.bounds(now);
    this.set(from + share * (to - from), to + share * (to - from));
  }

  /** What takt is asked for, in whole seconds. */
  query(now) {
    if (this.isPresent) {
      const past = Math.round(this.span / SECOND);
      return { past, ahead: Math.round(past * FUTURE_SHARE) };
    }
    const { from, to } = this.bounds(now);
    const half = Math.ceil((to - from) / 2 / SECOND);
    return { at: new Date((from + to) / 2).toISOString(), past: half, ahead: half };
  }

  /** Its part of the address; empty for the present. */
  get address() {
    if (this.isPresent) return "";
    const { from, to } = this.bounds(0);
    return [from, to].map((instant) => `${new Date(instant).toISOString().slice(0, 19)}Z`).join("--");
  }

  /** Follows an address; what says nothing is the present. */
  follow(address) {
    const [from, to] = (address ?? "").split("--").map((text) => Date.parse(text));
    if (from < to) this.set(from, to);
    else if (!address) this.present();
  }
}

/** What an answer has of a range, for the time until takt has said what else there is. */
function cutTimeline(timeline, from, to) {
  const isIn = (instant) => from <= Date.parse(instant) && Date.parse(instant) <= to;
  const touches = (start, end) => Date.parse(start) <= to && (end === undefined || Date.parse(end) >= from);
  return {
    ...timeline,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    wakes: timeline.wakes.filter(isIn),
    interruptions: (timeline.interruptions ?? []).filter((gap) => touches(gap.from, gap.to)),
    jobs: timeline.jobs.map((lane) => ({
      ...lane, slots: lane.slots.filter((slot) => isIn(slot.due)), runs: lane.runs.filter((run) => touches(run.began, run.ended)),
    })),
  };
}
