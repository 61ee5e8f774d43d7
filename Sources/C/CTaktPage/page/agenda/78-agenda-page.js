/**
 * The agenda: what ran last night and what will run, which jobs will run at once, and what calendars and
 * clock changes do to slots.
 */

const AGENDA_PAUSE = 60 * SECOND;
const AGENDA_ROWS = 200;
/** How many of them are before the present, so that it is in sight. */
const AGENDA_PAST = 20;
/** How many times at which several jobs run, and moves, are listed. */
const AGENDA_NOTES = 10;

class AgendaPage {
  constructor() {
    this.section = byId("agenda");
    this.ahead = element(
      "select", { "data-testid": "agenda-ahead" },
      ...[["86400", "24 hours"], ["259200", "3 days"], ["604800", "7 days"], ["2592000", "30 days"]].map(([value, text]) => element("option", { value }, text)));
    this.ahead.addEventListener("change", () => this.refresh());
    this.picture = element("div", { class: "picture", "data-testid": "agenda-picture" });
    this.lanesNote = element("p", { class: "note" });
    this.notes = element("div", { class: "agenda-notes" });
    this.body = element("tbody");
    this.past = AGENDA_PAST;
    this.rows = AGENDA_ROWS;
    this.earlier = button(`Show ${AGENDA_ROWS} earlier`, "earlier", {}, () => {
      this.past += AGENDA_ROWS;
      this.showList();
    });
    this.more = button(`Show ${AGENDA_ROWS} more`, "more", {}, () => {
      this.rows += AGENDA_ROWS;
      this.showList();
    });
    this.note = element("p", { class: "note", role: "status", "data-testid": "agenda-note" });
    this.section.append(
      element("div", { class: "tools" }, element("h1", {}, "Agenda"), element("label", {}, "Last night and the next ", this.ahead)),
      this.picture, this.lanesNote, this.notes, this.makeTable(), this.more, this.note);
    this.next = new PacedTask(AGENDA_PAUSE, () => this.refresh());
    this.abort = null;
    new ResizeObserver(() => this.resized()).observe(this.picture);
  }

  get title() {
    return "Agenda · takt";
  }

  makeTable() {
    const heads = ["Time", "Job", "What", "Expected", "At once"].map((text) => element("th", { scope: "col" }, text));
    return element(
      "div", { class: "card agenda-list" }, this.earlier,
      element("table", { "data-testid": "agenda-list" }, element("caption", { class: "unseen" }, "Slots in the order of time"), element("thead", {}, element("tr", {}, ...heads)), this.body));
  }

  show() {
    this.refresh();
  }

  hide() {
    this.next.cancel();
    this.abort?.abort();
  }

  async refresh() {
    if (this.section.hidden || !session.isSignedIn) return;
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const until = new Date(clock.now() + Number(this.ahead.value) * SECOND).toISOString();
    const answer = await attempt(() => api.agenda({ until }, abort.signal));
    if (abort.signal.aborted) return;
    if (answer) {
      this.agenda = answer;
      this.drawLanes();
      this.showNotes();
      this.showList();
    }
    this.next.request();
  }

  drawLanes() {
    const width = this.picture.clientWidth;
    if (!this.agenda || width === 0) return;
    const lanes = new AgendaLanes(this.agenda, width);
    this.drawnWidth = width;
    this.picture.hidden = lanes.jobs.size === 0;
    this.picture.replaceChildren(lanes.draw());
    const rest = lanes.jobs.size - lanes.shown.length;
    const { earlier, later, past_truncated: isCut } = this.agenda;
    const range = [lanes.from, lanes.to].map((instant) => timeFormat.short(new Date(instant).toISOString(), clock.now())).join(" to ");
    const words = [
      rest > 0 && `The first ${lanes.shown.length} jobs; ${formatCount(rest)} more are in the list.`,
      (isCut || earlier > 0 || later > 0) && `It shows ${range}, the time for which all slots are listed.`,
    ];
    setText(this.lanesNote, words.filter(Boolean).join(" "));
  }

  resized() {
    const width = this.picture.clientWidth;
    if (width > 0 && width !== this.drawnWidth) this.drawLanes();
  }

  showNotes() {
    const { crowds, more_crowds: moreCrowds, moves, more_moves: moreMoves, max_running: most } = this.agenda;
    const now = clock.now();
    // The same jobs are at once again and again: one line says so.
    const groups = new Map();
    for (const crowd of crowds) {
      const key = `${crowd.peak} ${crowd.jobs.join(" ")}`;
      groups.set(key, [...groups.get(key) ?? [], crowd]);
    }
    const busiest = [...groups.values()].sort(([left], [right]) => right.peak - left.peak).slice(0, AGENDA_NOTES);
    const crowdLines = busiest.map(([crowd, ...others]) =>
      describeCrowd(crowd) + (others.length > 1 ? `; and ${formatCount(others.length)} more times` : others.length > 0 ? "; and once more" : ""));
    if (crowds.some((crowd) => crowd.peak > most)) crowdLines.unshift(`takt starts at most ${most} at once; the others wait.`);
    const listed = busiest.reduce((sum, group) => sum + group.length, 0);
    const moveLines = moves.slice(0, AGENDA_NOTES).map((move) => `${timeFormat.short(move.at, now)} ${move.job}: ${move.words}`);
    this.notes.replaceChildren(
      ...this.noteList("Jobs at once, the most first", "crowds", crowdLines, crowds.length - listed + moreCrowds),
      ...this.noteList("Calendars and clock changes", "moves", moveLines, moves.length - moveLines.length + moreMoves));
  }

  noteList(title, kind, lines, more) {
    if (lines.length === 0) return [];
    const items = lines.map((line) => element("li", {}, line));
    if (more > 0) items.push(element("li", { class: "muted" }, `${formatCount(more)} more`));
    return [element("section", { class: "card", "data-testid": `agenda-${kind}` }, element("h2", {}, title), element("ul", {}, ...items))];
  }

  showList() {
    const { entries, earlier, later, foreseen_until: until, past_truncated: isCut } = this.agenda;
    const split = entries.findIndex((entry) => !entry.verdict);
    const behind = split < 0 ? entries : entries.slice(0, split);
    const ahead = split < 0 ? [] : entries.slice(split);
    const past = behind.slice(-this.past);
    const coming = ahead.slice(0, this.rows);
    this.body.replaceChildren(
      ...past.map((entry) => this.row(entry)),
      element("tr", { class: "agenda-now" }, element("td", { colspan: "5" }, `now, ${timeFormat.full(this.agenda.now)}`)),
      ...coming.map((entry) => this.row(entry)));
    this.earlier.hidden = past.length === behind.length;
    this.more.hidden = coming.length === ahead.length;
    const parts = [
      earlier + behind.length - past.length > 0 && `${formatCount(earlier + behind.length - past.length)} earlier`,
      later + ahead.length - coming.length > 0 && `${formatCount(later + ahead.length - coming.length)} later`,
    ].filter(Boolean);
    const words = [
      entries.length === 0 && "No slots in this time.",
      parts.length > 0 && `Not shown: ${parts.join(", ")} entries.`,
      isCut && "The ledger has older slots of this time.",
      until && `Slots of frequent jobs are counted up to ${timeFormat.short(until, clock.now())} and later.`,
      "Slots that depend on an event, such as the end of another run, are not foreseen.",
    ];
    setText(this.note, words.filter(Boolean).join(" "));
  }

  row(entry) {
    const kind = agendaKind(entry);
    return element(
      "tr", { "data-kind": kind, "data-testid": "agenda-entry" },
      element("td", {}, element("time", { title: timeFormat.full(entry.due) }, timeFormat.short(entry.due, clock.now()))),
      element("td", {}, element("a", { href: jobAddress(entry.job, entry.run) }, entry.job)),
      element("td", { class: "what" }, describeEntry(entry)),
      element("td", {}, entry.expected_ms === undefined ? "" : formatDuration(entry.expected_ms)),
      element("td", {}, entry.at_once > 1 ? formatCount(entry.at_once) : ""));
  }
}
