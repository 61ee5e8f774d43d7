/**
 * What a job is: its description, its schedule in words, its command and its next slots; and, folded away,
 * what takt keeps of it inside.
 */

const SLOTS_SHOWN = 5;
const TRANSITIONS_SHOWN = 12;
/** Keys whose values only those see who may change something; of secrets nobody sees any. */
const GUARDED_KEYS = [
  "env", "secrets", "stdin", "params", "ping", "only_if", "on_start", "on_success", "on_failure", "on_recover", "on_late",
  "on_stale", "on_alarm_failed",
];

class JobFacts {
  constructor() {
    this.description = element("p", { "data-testid": "description" });
    this.schedule = element("ul", { class: "plain", "data-testid": "schedule" });
    this.slots = element("ol", { class: "slots", "data-testid": "slots" });
    this.command = element("div", { "data-testid": "command" });
    this.tags = element("p", { class: "note" });
    this.node = element(
      "section", { class: "card about" }, element("h2", {}, "About"), this.description,
      element("h3", {}, "Schedule"), this.schedule, element("h3", {}, "Next slots"), this.slots,
      element("h3", {}, "Command"), this.command, this.tags);
  }

  show(detail) {
    this.detail = detail;
    this.description.hidden = !detail.description;
    setText(this.description, detail.description ?? "");
    const words = detail.schedule_words?.length > 0 ? detail.schedule_words : [detail.schedule || "Only by hand."];
    this.schedule.replaceChildren(...words.map((line) => element("li", {}, line)));
    const parts = detail.command ?? [];
    this.command.replaceChildren(...parts.map(({ path, text, direct }) =>
      element(
        "div", { class: "part" }, parts.length > 1 ? element("span", { class: "note" }, path) : null,
        element("pre", { class: "code", tabindex: "0", "aria-label": path }, text),
        direct ? element("span", { class: "note" }, "Runs without a shell.") : null)));
    setText(this.tags, detail.tags.length > 0 ? `Tags: ${detail.tags.join(", ")}` : "");
    this.tick(detail, clock.now());
  }

  tick(job, now) {
    const all = this.detail?.slots ?? [];
    const coming = all.filter((slot) => Date.parse(slot.due) + slot.window_ms > now - SECOND).slice(0, SLOTS_SHOWN);
    const items = coming.map((slot) =>
      element(
        "li", { title: `${timeFormat.full(slot.slot)}${slot.window_ms > 0 ? `, leeway ${formatDuration(slot.window_ms)}` : ""}` },
        element("time", {}, timeFormat.short(slot.slot, now)), element("span", {}, formatCountdown(slot.due, now))));
    if (items.length === 0) {
      items.push(element("li", { class: "muted" }, isResting(job) ? `None while it is ${STATE_WORDS[job.state]}.` : "No scheduled slots."));
    }
    this.slots.replaceChildren(...items);
  }
}

class JobInternals {
  constructor() {
    this.late = new LatenessBar();
    this.diagram = new MachineDiagram();
    this.steps = element("ol", { class: "steps", "data-testid": "transitions", tabindex: "0", "aria-label": "Last transitions" });
    this.figures = element("div");
    this.keys = element("div");
    this.node = element(
      "details", { class: "card internals", "data-testid": "internals" }, element("summary", {}, "Internals"),
      element("h3", {}, "Timer machine"), this.diagram.node,
      element("h3", {}, "Last transitions"), this.steps,
      element("h3", {}, "Figures"), this.figures, element("h3", {}, "All keys, with defaults"), this.keys);
  }

  show(detail) {
    this.detail = detail;
    const { keys, action, ran } = detail;
    const pairs = [["action", action], ["slots that ran", formatCount(ran)], ["lateness", this.late.node]];
    const ofFile = keys.filter(({ key }) => key !== "description" && key !== "tags").map(({ key, text }) => [key, text]);
    this.figures.replaceChildren(facts(pairs, { class: "keys" }));
    ofFile.push(...this.guarded(detail.surroundings));
    this.keys.replaceChildren(facts(ofFile, { class: "keys file-keys", "data-testid": "keys" }));
  }

  /** The keys that say what runs around the job, each with its parts; `none` for one that is not set. */
  guarded(parts) {
    if (!parts) return [[GUARDED_KEYS.join(", "), "shown only to those who may do everything"]];
    const known = new Set(parts.map(({ path }) => path.split(/[.[ ]/)[0]));
    const unset = GUARDED_KEYS.filter((key) => !known.has(key)).map((key) => [key, "none"]);
    return [...parts.map(({ path, text }) => [path, text]), ...unset];
  }

  heard(event, name) {
    const steps = this.detail?.transitions;
    if (event.event !== "timer" || event.machine !== `timer:${name}` || !steps || steps.at(-1)?.id >= event.id) return;
    steps.push(event);
  }

  update(job) {
    this.late.show(job.late_ms, job.window_ms);
    const { transitions } = this.detail;
    transitions.splice(0, transitions.length - TRANSITIONS_SHOWN);
    this.diagram.show(job.timer, transitions.at(-1));
    const items = transitions.toReversed().map((event) =>
      element(
        "li", {}, element("time", { title: timeFormat.full(event.ts) }, timeFormat.short(event.ts, clock.now())),
        element("span", {}, describeEvent(event))));
    this.steps.replaceChildren(...items);
    if (items.length === 0) this.steps.append(element("li", { class: "muted" }, "no recent transitions"));
  }
}
