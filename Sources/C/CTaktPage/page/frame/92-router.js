/**
 * Which page is shown, by the address behind `#`.
 */

class Router {
  /**
   * @param pages by the name of their route; each has section, title, hide(), and show(argument), which
   *   may give what is to have the focus
   */
  constructor(pages) {
    this.pages = table(pages);
    this.page = null;
    this.isOpen = false;
    addEventListener("hashchange", () => this.follow());
  }

  /** The route and its argument that the address says; what is unknown is the overview. */
  read() {
    const [, route, argument, run] = /^#\/([a-z]*)\/?([^/]*)(?:\/run\/(\d+))?$/.exec(location.hash) ?? ["", "", ""];
    if (route === "job" && argument) return { route, argument: decodeText(argument), run: run ? Number(run) : undefined };
    if (route === "timeline" || route === "heatmap") return { route, argument: decodeText(argument) };
    return { route: route in this.pages && route !== "job" ? route : "overview" };
  }

  /** Shows nothing until somebody has signed in. */
  follow() {
    byId("signed-out").hidden = this.isOpen;
    if (!this.isOpen) {
      for (const page of Object.values(this.pages)) page.section.hidden = true;
      return;
    }
    const { route, argument, run } = this.read();
    const before = this.page;
    const isSame = before === this.pages[route] && route === "job" && before.name === argument;
    if (!isSame) before?.hide();
    for (const page of Object.values(this.pages)) page.section.hidden = page !== this.pages[route];
    this.page = this.pages[route];
    for (const link of document.querySelectorAll("[data-route]")) {
      setAttribute(link, "aria-current", link.dataset.route === route ? "page" : null);
      // Where there is no room for all.
      if (link.dataset.route === route) link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (route !== "overview" && !isSame) scrollTo(0, 0);
    const target = this.page.show(argument, run) ?? this.page.section;
    if (!document.querySelector("dialog[open]")) target.focus({ preventScroll: true });
    document.title = this.page.title;
  }
}

/** What stands percent-encoded in an address; what is not well-formed stands for itself. */
function decodeText(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
