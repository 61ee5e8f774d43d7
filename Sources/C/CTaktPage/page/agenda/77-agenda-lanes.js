/**
 * The agenda as a picture: a lane for each job, and one above them for how many are expected to run at
 * once. All that it shows is in the list as well.
 */

const AGENDA_LANES = 60;
const AGENDA_LANE = { height: 22, middle: 11, top: 46, crowds: 24, label: 6.9, narrow: 620 };
const AGENDA_STEPS = [HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY];

class AgendaLanes {
  constructor(agenda, width) {
    this.agenda = agenda;
    this.width = width;
    [this.from, this.to] = agendaRange(agenda);
    this.jobs = new Map();
    for (const entry of agenda.entries) {
      if (!this.jobs.has(entry.job)) this.jobs.set(entry.job, []);
      this.jobs.get(entry.job).push(entry);
    }
    this.shown = [...this.jobs].slice(0, AGENDA_LANES);
    const longest = Math.min(Math.max(...this.shown.map(([job]) => job.length), 8), width < AGENDA_LANE.narrow ? 14 : 32);
    this.labelLength = longest;
    this.left = Math.round(longest * AGENDA_LANE.label) + 14;
    this.right = width - 8;
    this.height = AGENDA_LANE.top + this.shown.length * AGENDA_LANE.height + 4;
  }

  xOf(instant) {
    const place = (Math.min(Math.max(instant, this.from), this.to) - this.from) / (this.to - this.from);
    return this.left + place * (this.right - this.left);
  }

  draw() {
    const now = this.xOf(Date.parse(this.agenda.now));
    return shape(
      "svg", { width: this.width, height: this.height, class: "agenda-lanes", role: "img", "aria-label": this.describe() },
      shape("rect", { class: "future", x: now, y: 18, width: Math.max(this.right - now, 0), height: this.height - 18 }),
      this.axis(), this.crowds(), ...this.shown.map(([job, entries], place) => this.lane(job, entries, place)),
      shape("line", { class: "now", x1: now, x2: now, y1: 16, y2: this.height }));
  }

  describe() {
    const { entries, crowds } = this.agenda;
    const coming = entries.filter((entry) => !entry.verdict).reduce((sum, entry) => sum + entry.count, 0);
    const peak = Math.max(0, ...crowds.map((crowd) => crowd.peak));
    return `Lanes of ${plural(this.shown.length, "job")}: ${plural(coming, "slot")} to come${peak > 1 ? `, at most ${peak} jobs at once` : ""}. The list below has the same.`;
  }

  axis() {
    const most = Math.max((this.right - this.left) / 64, 2);
    const step = AGENDA_STEPS.find((candidate) => (this.to - this.from) / candidate <= most) ?? 14 * DAY;
    const format = step < DAY ? timeFormat.minute : timeFormat.date;
    const axis = shape("g", { class: "axis" });
    const zero = timeFormat.midnight(this.from);
    for (let instant = zero + Math.ceil((this.from - zero) / step) * step; instant <= this.to; instant += step) {
      const x = this.xOf(instant);
      axis.append(
        shape("line", { x1: x, x2: x, y1: 18, y2: this.height }),
        shape("text", { x, y: 13, "text-anchor": x > this.right - 24 ? "end" : "middle" }, format.format(instant)));
    }
    return axis;
  }

  crowds() {
    const { crowds, max_running: most } = this.agenda;
    const peak = Math.max(2, ...crowds.map((crowd) => crowd.peak));
    const group = shape("g", { class: "crowds" }, shape("text", { class: "label", x: 6, y: 36 }, clip("at once", this.labelLength)));
    for (const crowd of crowds) {
      const [x, end] = [this.xOf(Date.parse(crowd.from)), this.xOf(Date.parse(crowd.to))];
      const height = Math.max((crowd.peak / peak) * AGENDA_LANE.crowds, 3);
      group.append(shape(
        "rect", { "data-over": crowd.peak > most ? "" : null, x, y: 18 + AGENDA_LANE.crowds - height, width: Math.max(end - x, 2), height },
        shape("title", {}, describeCrowd(crowd))));
    }
    return group;
  }

  lane(job, entries, place) {
    return shape(
      "g", { class: "agenda-lane", "data-job": job, "data-testid": "agenda-lane", transform: `translate(0 ${AGENDA_LANE.top + place * AGENDA_LANE.height})` },
      shape("text", { class: "label", x: 6, y: 15 }, clip(job, this.labelLength)),
      ...entries.map((entry) => this.mark(entry)));
  }

  mark(entry) {
    const kind = agendaKind(entry);
    const [from, last] = [this.xOf(Date.parse(entry.due)), this.xOf(Date.parse(entry.slot_last ?? entry.due))];
    const end = Math.max(this.xOf(Date.parse(entry.due) + (entry.expected_ms ?? 0)), from + 4);
    const { middle } = AGENDA_LANE;
    const path = entry.count > 1 ? `M${from} ${middle - 2}H${Math.max(last, from + 4)}v4H${from}z`
      : kind === "not-run" ? `M${from} ${middle - 6}l6 6l-6 6l-6 -6z`
      : kind === "failed" ? `M${from - 4} ${middle - 5}l8 10m0 -10l-8 10`
      : kind === "to-come" ? `M${from} ${middle - 5}H${end}v10H${from}z`
      : `M${from - 2} ${middle - 5}h4v10h-4z`;
    return shape("path", { class: "agenda-mark", "data-kind": kind, d: path }, shape("title", {}, `${timeFormat.short(entry.due, clock.now())} ${entry.job}: ${describeEntry(entry)}`));
  }
}

/** From when to when there are all entries: where some are left out, nothing is not to look like none. */
function agendaRange({ from, to, now, entries, later, earlier, past_truncated: isCut }) {
  const first = isCut || earlier > 0 ? entries[0]?.due ?? now : from;
  const last = later > 0 ? entries.at(-1)?.due ?? now : to;
  return [Math.min(Date.parse(first), Date.parse(now)), Math.max(Date.parse(last), Date.parse(now) + MINUTE)];
}

/** What an entry is, for its mark: of several, that of the newest. */
function agendaKind({ verdict, reason, outcome }) {
  if (!verdict) return "to-come";
  if (verdict !== "ran") return isElsewhere({ verdict, reason }) ? "elsewhere" : "not-run";
  return isFailure(outcome) ? "failed" : outcome ? "ran" : "active";
}

function describeEntry(entry) {
  const many = entry.count > 1 ? `${formatCount(entry.count)} slots to ${timeFormat.short(entry.slot_last, clock.now())}` : "";
  const moved = entry.moved_from ? `moved from ${entry.moved_from.join(", ")}` : "";
  const what = !entry.verdict ? "to come"
    : entry.verdict !== "ran" ? describeVerdict(entry).replaceAll("_", " ")
    : OUTCOME_WORDS[entry.outcome] ?? "active";
  return [what, moved, many].filter(Boolean).join(", ");
}

const AGENDA_NAMES = 6;

function describeCrowd({ from, to, peak, jobs }) {
  const now = clock.now();
  const named = jobs.slice(0, AGENDA_NAMES);
  const more = peak > named.length ? ` and ${formatCount(peak - named.length)} more` : "";
  return `${timeFormat.short(from, now)} to ${timeFormat.short(to, now)}: ${formatCount(peak)} jobs: ${named.join(", ")}${more}`;
}
