/**
 * The drawer of recent events, the newest first. While it is closed, events are only kept.
 */

const FEED_KEPT = 2000;
const FEED_SHOWN = 150;
const FEED_PAUSE = 300;
const LEVELS = ["debug", "info", "notice", "warning", "error"];

class Feed {
  constructor(pump) {
    this.events = [];
    this.node = byId("feed");
    this.list = byId("feed-list");
    this.toggle = byId("feed-toggle");
    this.redraw = new PacedTask(FEED_PAUSE, () => this.draw());
    pump.onEvent((event) => this.keep(event));
    pump.onGap(() => this.keep(gapEvent()));
    this.toggle.addEventListener("click", () => this.open(this.node.hidden));
    byId("feed-close").addEventListener("click", () => this.open(false));
    byId("feed-level").addEventListener("change", () => this.draw());
    byId("feed-search").addEventListener("input", () => this.draw());
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && this.open(false));
  }

  open(open) {
    this.node.hidden = !open;
    this.toggle.setAttribute("aria-expanded", open);
    document.body.classList.toggle("with-feed", open);
    this.draw();
    if (open) byId("feed-search").focus();
    else this.toggle.focus();
    dispatchEvent(new Event("resize"));
  }

  keep(event) {
    this.events.push(event);
    if (this.events.length > 2 * FEED_KEPT) this.events.splice(0, this.events.length - FEED_KEPT);
    if (!this.node.hidden && !this.list.matches(":hover")) this.redraw.request();
  }

  draw() {
    if (this.node.hidden) return;
    const least = LEVELS.indexOf(byId("feed-level").value);
    const text = byId("feed-search").value.trim().toLowerCase();
    const items = [];
    for (let place = this.events.length - 1; place >= 0 && items.length < FEED_SHOWN; place -= 1) {
      const event = this.events[place];
      if (LEVELS.indexOf(event.level) < least) continue;
      const words = describeEvent(event);
      if (text && !`${event.event} ${event.job ?? ""} ${words}`.toLowerCase().includes(text)) continue;
      items.push(this.makeItem(event, words));
    }
    if (items.length === 0) items.push(element("li", { class: "empty" }, "Nothing yet. Events appear as they happen."));
    this.list.replaceChildren(...items);
  }

  makeItem(event, words) {
    const job = event.job
      ? element("a", { href: jobAddress(event.job) }, event.job)
      : element("span", { class: "muted" }, event.event);
    return element(
      "li", { "data-level": event.level, title: timeFormat.full(event.ts) },
      element("time", {}, timeFormat.time.format(Date.parse(event.ts))), job,
      element("span", { class: "what" }, words));
  }
}

/** Stands in the list where events are missing. */
function gapEvent() {
  const ts = new Date(clock.now()).toISOString();
  return { ts, level: "warning", event: "scheduler", message: "some events were lost" };
}
