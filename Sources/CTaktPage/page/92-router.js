/**
 * Which page is shown, by the address behind `#`.
 */

class Router {
  /**
   * @param pages by the name of their route; each has section, title, hide(), and show(argument), which
   *   may give what is to have the focus
   */
  constructor(pages) {
    this.pages = pages;
    this.page = null;
    addEventListener("hashchange", () => this.follow());
  }

  /** The route and its argument that the address says; what is unknown is the overview. */
  read() {
    const [, route, argument] = /^#\/([a-z]*)\/?(.*)$/.exec(location.hash) ?? ["", "", ""];
    if (route === "job" && argument) return { route, argument: decodeText(argument) };
    return { route: route in this.pages && route !== "job" ? route : "overview" };
  }

  follow() {
    const { route, argument } = this.read();
    this.page?.hide();
    for (const page of Object.values(this.pages)) page.section.hidden = page !== this.pages[route];
    this.page = this.pages[route];
    for (const link of document.querySelectorAll("[data-route]")) {
      setAttribute(link, "aria-current", link.dataset.route === route ? "page" : null);
    }
    if (route !== "overview") scrollTo(0, 0);
    const target = this.page.show(argument) ?? this.page.section;
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
