/**
 * The cells of a heat map: a measure, its levels, and tables whose cells say in words what their colour
 * shows.
 */

const HEAT_MEASURES = table({
  runs: { label: "Runs", hue: "accent", of: (cell) => cell.runs, say: (value) => plural(value, "run") },
  failures: { label: "Failures", hue: "bad", of: (cell) => cell.failures, say: (value) => plural(value, "failure") },
  not_run: { label: "Slots that did not run", hue: "warn", of: (cell) => cell.not_run, say: (value) => `${plural(value, "slot")} did not run` },
  mean: { label: "Mean duration", hue: "rest", of: (cell) => cell.mean_duration_ms, say: (value) => `${formatDuration(value)} a run` },
  cpu: { label: "Processor time", hue: "cyan", of: (cell) => cell.cpu_ms, say: (value) => `${formatDuration(value)} of processor time` },
});

const HEAT_WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HEAT_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Days are counted since 1970-01-01, so that no time zone of the browser matters. */
const dayNumber = (text) => Math.round(Date.parse(`${text}T00:00:00Z`) / DAY);
const dayText = (number) => new Date(number * DAY).toISOString().slice(0, 10);
const weekdayOf = (number) => (number + 3) % 7;

/** Four levels by quarters of the values that there are; zero has one of its own. */
class HeatScale {
  constructor(measure, cells) {
    this.measure = HEAT_MEASURES[measure];
    this.values = cells.map(this.measure.of).filter((value) => value > 0).sort((left, right) => left - right);
  }

  level(cell) {
    const value = cell && this.measure.of(cell);
    if (value === undefined || value === null) return undefined;
    if (value <= 0) return 0;
    const rank = (share) => this.values[Math.min(Math.floor(this.values.length * share), this.values.length - 1)];
    if (this.values[0] === this.values.at(-1)) return 4;
    return 1 + [0.25, 0.5, 0.75].filter((share) => value >= rank(share)).length;
  }

  say(cell) {
    const value = cell && this.measure.of(cell);
    return value === undefined || value === null ? "no data" : this.measure.say(value);
  }

  get least() {
    return this.values.length === 0 ? "" : this.measure.say(this.values[0]);
  }

  get most() {
    return this.values.length === 0 ? "" : this.measure.say(this.values.at(-1));
  }
}

function heatCell(scale, cell, when, attributes = {}) {
  const words = `${when}: ${scale.say(cell)}`;
  return element("td", { ...attributes, title: words, "data-level": scale.level(cell) }, element("span", { class: "unseen" }, words));
}

/** A year: a column a week, a row a weekday. */
function drawHeatYear(scale, cells, from, to, chosen) {
  const byDay = new Map(cells.map((cell) => [dayNumber(cell.day), cell]));
  const first = from - weekdayOf(from);
  const weeks = Math.floor((to - first) / 7) + 1;
  const head = element("tr", {}, element("td"));
  for (let week = 0; week < weeks; week++) {
    const date = new Date((first + week * 7) * DAY);
    const isNew = date.getUTCDate() <= 7;
    head.append(element("th", { scope: "col" }, element("span", { class: isNew ? "month" : "unseen" }, isNew ? HEAT_MONTHS[date.getUTCMonth()] : `week of ${dayText(first + week * 7)}`)));
  }
  const rows = HEAT_WEEKDAYS.map((name, weekday) => {
    const row = element("tr", { role: "row" }, element("th", { scope: "row" }, name));
    for (let week = 0; week < weeks; week++) {
      const day = first + week * 7 + weekday;
      const isInside = day >= from && day <= to;
      row.append(isInside
        ? heatCell(scale, byDay.get(day), `${name} ${dayText(day)}`, { role: "gridcell", "data-day": dayText(day), tabindex: day === chosen ? "0" : "-1", "aria-selected": day === chosen ? "true" : "false" })
        : element("td", { class: "outside" }));
    }
    return row;
  });
  return element(
    "table", { role: "grid", class: "heat heat-year", "data-hue": scale.measure.hue, "data-testid": "heat-year", "aria-label": `${scale.measure.label} by day` },
    element("thead", {}, head), element("tbody", {}, ...rows));
}

/** Some days: a row a day, a column an hour. */
function drawHeatHours(scale, cells, from, to) {
  const byHour = new Map(cells.map((cell) => [`${cell.day} ${cell.hour}`, cell]));
  const head = element("tr", {}, element("td"));
  for (let hour = 0; hour < 24; hour++) head.append(element("th", { scope: "col" }, twoDigits(hour)));
  const rows = [];
  for (let day = from; day <= to; day++) {
    const text = dayText(day);
    const row = element("tr", {}, element("th", { scope: "row" }, `${HEAT_WEEKDAYS[weekdayOf(day)]} ${text.slice(5)}`));
    for (let hour = 0; hour < 24; hour++) row.append(heatCell(scale, byHour.get(`${text} ${hour}`), `${text} ${twoDigits(hour)}:00`));
    rows.push(row);
  }
  return element(
    "table", { class: "heat heat-hours", "data-hue": scale.measure.hue, "data-testid": "heat-hours" },
    element("caption", { class: "unseen" }, `${scale.measure.label} by hour`), element("thead", {}, head), element("tbody", {}, ...rows));
}
