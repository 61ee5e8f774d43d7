/**
 * The page of heat maps: a year by day, and the days around the chosen one by hour; of one job or of all.
 */

const HEAT_YEAR_DAYS = 370;
const HEAT_HOUR_DAYS = 31;
const HEAT_NAMES = 500;

class HeatPage {
  constructor(store) {
    this.store = store;
    this.section = byId("heatmap");
    this.job = "";
    this.chosen = null;
    this.measure = element(
      "select", { "data-testid": "heat-measure" },
      ...Object.entries(HEAT_MEASURES).map(([value, { label }]) => element("option", { value }, label)));
    this.measure.addEventListener("change", () => this.draw());
    this.names = element("datalist", { id: "heat-names" });
    this.field = element("input", { type: "search", list: "heat-names", "data-testid": "heat-job", placeholder: "all jobs", autocomplete: "off", spellcheck: "false" });
    this.field.addEventListener("change", () => this.goTo(this.field.value.trim()));
    this.year = element("div", { class: "heat-holder" });
    this.year.addEventListener("click", (event) => this.choose(event.target.closest("[data-day]")?.dataset.day));
    this.year.addEventListener("keydown", (event) => this.pressed(event));
    this.hours = element("div", { class: "heat-holder", tabindex: "0", role: "region", "aria-label": "By hour" });
    this.hoursTitle = element("h2");
    this.legend = element("p", { class: "note" });
    this.note = element("p", { class: "note", role: "status", "data-testid": "heat-note" });
    this.section.append(
      element(
        "div", { class: "tools" }, element("h1", {}, "Heat map"),
        element("label", {}, "Show ", this.measure), element("label", {}, "Job ", this.field), this.names),
      element("div", { class: "card" }, element("h2", {}, "A year by day"), this.year, this.legend),
      element("div", { class: "card" }, this.hoursTitle, this.hours), this.note);
    this.abort = null;
  }

  get title() {
    return `Heat map${this.job ? ` of ${this.job}` : ""} · takt`;
  }

  show(job) {
    this.job = job ?? "";
    this.field.value = this.job;
    this.names.replaceChildren(...this.store.names().slice(0, HEAT_NAMES).map((name) => element("option", { value: name })));
    this.data = null;
    attempt(() => this.load());
  }

  hide() {
    this.abort?.abort();
  }

  goTo(job) {
    location.hash = job ? `#/heatmap/${encodeURIComponent(job)}` : "#/heatmap";
  }

  async load() {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const job = this.job || undefined;
    const since = new Date(clock.now() - HEAT_YEAR_DAYS * DAY).toISOString();
    setText(this.note, "Reading the ledger…");
    const days = await this.ask({ job, since }, abort.signal);
    if (!days || abort.signal.aborted) return;
    const to = dayNumber(this.dayIn(days.timezone, Date.parse(days.to)));
    this.data = { days, to, from: to - 364, hours: null };
    this.chosen = Math.min(this.chosen ?? to, to);
    await this.loadHours(abort.signal);
  }

  /** The day of an instant in a zone, which may be a job's own. */
  dayIn(zone, instant) {
    try {
      return new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit", timeZone: zone }).format(instant);
    } catch {
      return timeFormat.day.format(instant);
    }
  }

  /** A ledger that is none is said, and no error. */
  async ask(query, signal) {
    try {
      return await api.heatMap(query, signal);
    } catch (error) {
      if (error.problem?.status !== 404) throw error;
      setText(this.note, error.problem.title);
      return undefined;
    }
  }

  /** The month that ends with the chosen day, or with today. */
  get range() {
    const to = Math.min(this.chosen + Math.floor(HEAT_HOUR_DAYS / 2), this.data.to);
    return [to - HEAT_HOUR_DAYS + 1, to];
  }

  async loadHours(signal) {
    const { data } = this;
    const [from, to] = this.range;
    // A day more at both ends, whatever the zone.
    const since = new Date((from - 1) * DAY).toISOString();
    const until = new Date((to + 2) * DAY).toISOString();
    const hours = await this.ask({ job: this.job || undefined, since, until, step: "hour" }, signal);
    // Another day may have been chosen meanwhile.
    if (!hours || signal.aborted || this.data !== data || this.range[0] !== from) return;
    data.hours = hours;
    this.draw();
  }

  draw() {
    const { data } = this;
    if (!data?.hours) return;
    const focused = this.year.contains(document.activeElement);
    const measure = this.measure.value;
    const scale = new HeatScale(measure, data.days.cells);
    this.year.replaceChildren(drawHeatYear(scale, data.days.cells, data.from, data.to, this.chosen));
    const chosen = this.year.querySelector("[tabindex='0']");
    if (focused) chosen?.focus({ preventScroll: true });
    chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const [from, to] = this.range;
    const shown = data.hours.cells.filter((cell) => dayNumber(cell.day) >= from && dayNumber(cell.day) <= to);
    this.hours.replaceChildren(drawHeatHours(new HeatScale(measure, shown), shown, from, to));
    setText(this.hoursTitle, `By hour, ${dayText(from)} to ${dayText(to)}`);
    this.drawLegend(scale);
    const zone = this.job ? `the zone of ${this.job}` : "takt's zone";
    setText(this.note, `Days and hours of ${data.days.timezone}, ${zone}. A cell without colour has no data. Choose a day to see its hours.`);
  }

  drawLegend(scale) {
    const swatch = (level) => element("i", { "data-level": level, "aria-hidden": "true" });
    const ramp = scale.least ? [scale.least, ...[1, 2, 3, 4].map(swatch), scale.most] : [];
    this.legend.replaceChildren(element("span", { "data-hue": scale.measure.hue, class: "heat-swatches" }, "none", swatch(0), ...ramp));
  }

  choose(day) {
    if (!day) return;
    this.chosen = dayNumber(day);
    this.draw();
    // The year is still being read: its hours are read with it.
    if (!this.data) return;
    // What an earlier choice asked for is not wanted any more.
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    attempt(() => this.loadHours(abort.signal));
  }

  pressed(event) {
    const day = event.target.closest("[data-day]")?.dataset.day;
    if (!day) return;
    const steps = table({ ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 });
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      // A key that is held down is one choice.
      if (event.repeat) return;
      this.choose(day);
    } else if (event.key in steps) {
      event.preventDefault();
      const next = this.year.querySelector(`[data-day="${dayText(dayNumber(day) + steps[event.key])}"]`);
      if (!next) return;
      setAttribute(event.target.closest("[data-day]"), "tabindex", "-1");
      setAttribute(next, "tabindex", "0");
      next.focus();
    }
  }
}
