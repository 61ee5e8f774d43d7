/**
 * The line of the cluster: which machine this page shows, and the way to the pages of the others. A
 * daemon without a cluster has none.
 */

const CLUSTER_PAUSE = 10 * SECOND;
const CLUSTER_NAMES = 12;

class ClusterLine {
  constructor(statuses) {
    this.line = byId("cluster");
    this.isOff = false;
    this.task = new PacedTask(CLUSTER_PAUSE, () => quietly(this.load()));
    statuses.onChange(() => {
      if (!this.isOff) this.task.request();
    });
  }

  async load() {
    const cluster = await sendJSON("GET", "/cluster");
    // It comes or goes with a restart only; the page asks again when it is loaded anew.
    this.isOff = !cluster.enabled;
    this.line.hidden = this.isOff;
    if (!this.isOff) this.show(cluster);
  }

  show(cluster) {
    const members = cluster.members ?? [];
    const alive = members.filter((member) => member.alive).length;
    const others = members.filter((member) => member.member !== cluster.member);
    const parts = [
      `machine ${cluster.machine}`, `cluster ${cluster.name}`,
      cluster.engine_answers ? `${alive} machine${alive === 1 ? "" : "s"}` : "the engine does not answer",
    ];
    const links = others.slice(0, CLUSTER_NAMES).map((member) => this.link(member));
    const rest = others.length - links.length;
    if (rest > 0) links.push(element("span", {}, `${formatCount(rest)} more`));
    this.line.replaceChildren(parts.join(" · "), ...links.flatMap((link, index) => [index ? ", " : ": ", link]));
    setAttribute(this.line, "title", (cluster.problems ?? []).join("\n") || null);
    setAttribute(this.line, "data-calm", (cluster.problems ?? []).length === 0 ? "" : null);
  }

  /** A link to a machine's page where its address is known; its token has to be entered there. */
  link(member) {
    const name = member.alive ? member.machine : `${member.machine} (lease over)`;
    const title = `member ${member.member}, host ${member.host}`;
    if (!/^https?:\/\//.test(member.api ?? "")) return element("span", { title }, name);
    return element("a", { href: `${member.api}/`, title, rel: "noreferrer" }, name);
  }
}
