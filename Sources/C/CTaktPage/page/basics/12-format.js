/**
 * Times and durations as people read them. Times are shown in takt's own zone once it is known, as
 * in takt's log.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const twoDigits = (number) => String(number).padStart(2, "0");

/** A duration in milliseconds, with about three digits. */
function formatDuration(ms) {
  if (ms < 1) return `${Math.max(ms, 0).toFixed(1)} ms`;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(2)} s`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  return formatWhole(ms);
}

/** A duration in whole units: 12s, 2m 05s, 3h 12m, 4d 02h. */
function formatWhole(ms) {
  const seconds = Math.max(Math.round(ms / SECOND), 0);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days >= 100) return `${days}d`;
  if (days > 0) return `${days}d ${twoDigits(hours % 24)}h`;
  if (hours > 0) return `${hours}h ${twoDigits(minutes % 60)}m`;
  if (minutes > 0) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  return `${seconds}s`;
}

/** A size in bytes, with about three digits. */
function formatSize(bytes) {
  let place = 0;
  let size = bytes;
  for (; size >= 1023.5 && place < 4; place++) size /= 1024;
  return `${+size.toFixed(place === 0 || size >= 100 ? 0 : 1)} ${["B", "KB", "MB", "GB", "TB"][place]}`;
}

/** How long until an instant, as a countdown. */
function formatCountdown(instant, now) {
  const left = Date.parse(instant) - now;
  return left < SECOND / 2 ? "now" : `in ${formatWhole(left)}`;
}

/** How long ago an instant was. */
function formatAgo(instant, now) {
  const past = now - Date.parse(instant);
  return past < SECOND ? "just now" : `${formatWhole(past)} ago`;
}

/** Formats instants in one time zone. The formatters of the browser are costly to make, so they are kept. */
class TimeFormat {
  constructor() {
    this.use(undefined);
  }

  /** Takes another zone; one that the browser does not know leaves its own. */
  use(zone) {
    if (this.zone === zone && this.time) return;
    try {
      this.make(zone);
    } catch {
      this.make(undefined);
    }
    this.zone = zone;
  }

  make(timeZone) {
    const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone };
    const calendar = { year: "numeric", month: "2-digit", day: "2-digit", timeZone };
    this.time = new Intl.DateTimeFormat("en-GB", { ...clock, second: "2-digit" });
    this.minute = new Intl.DateTimeFormat("en-GB", clock);
    this.day = new Intl.DateTimeFormat("en-CA", calendar);
    this.date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone });
    this.weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone });
  }

  /** The start of the day of an instant, to the minute. */
  midnight(instant) {
    const [hours, minutes] = this.minute.format(instant).split(":").map(Number);
    return Math.floor(instant / MINUTE) * MINUTE - (hours * 60 + minutes) * MINUTE;
  }

  /** The time in this zone as a field for times has it: 2026-11-29T02:30:00. */
  local(instant) {
    return `${this.day.format(instant)}T${this.time.format(instant)}`;
  }

  /** The instant of such a time; of one that the clock skips or has twice, one near it. */
  parse(text) {
    const wanted = Date.parse(`${text}Z`);
    let instant = wanted;
    for (let turn = 0; turn < 2; turn += 1) instant += wanted - Date.parse(`${this.local(instant)}Z`);
    return instant;
  }

  /** The time of day, with the date when it is not today's. */
  short(instant, now) {
    const then = Date.parse(instant);
    const day = this.day.format(then);
    return day === this.day.format(now) ? this.time.format(then) : `${day} ${this.time.format(then)}`;
  }

  /** All of it, for a title. */
  full(instant) {
    const then = Date.parse(instant);
    return `${this.weekday.format(then)} ${this.day.format(then)} ${this.time.format(then)}`;
  }
}

const timeFormat = new TimeFormat();

/** The instant as a person on call says it: the time of today, or the day and the time. */
function formatWhen(instant, now) {
  const then = Date.parse(instant);
  const time = timeFormat.minute.format(then);
  if (timeFormat.day.format(then) === timeFormat.day.format(now)) return time;
  if (timeFormat.day.format(then) === timeFormat.day.format(now - DAY)) return `yesterday ${time}`;
  return `${timeFormat.weekday.format(then)} ${timeFormat.day.format(then)} ${time}`;
}

/** A count with thin spaces between thousands. */
function formatCount(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A count and its noun: 1 run, 3 runs. */
function plural(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
