/**
 * The page of the cluster, as this machine sees it. A daemon without a cluster has no tab for it.
 */

const CLUSTER_PAUSE = 10 * SECOND;
const CLUSTER_PAGE_PAUSE = 3 * SECOND;
const SHARED_SHOWN = 200;

class ClusterPage {
  constructor(statuses) {
    this.section = byId("cluster");
    this.isOff = false;
    this.abort = null;
    this.jobs = { jobs: [], problems: [] };
    this.task = new PacedTask(CLUSTER_PAUSE, () => quietly(this.load()));
    this.next = new PacedTask(CLUSTER_PAGE_PAUSE, () => this.refresh());
    this.now = new PacedTask(SEARCH_PAUSE, () => this.refresh());
    byId("cluster-search").addEventListener("input", () => this.now.request());
    statuses.onChange(() => {
      // It comes or goes with a restart only; the page asks again when it is loaded again.
      if (!this.isOff) this.task.request();
    });
  }

  get title() {
    return "Cluster · takt";
  }

  show() {
    this.refresh();
  }

  hide() {
    this.next.cancel();
    this.now.cancel();
    this.abort?.abort();
  }

  async load(signal) {
    const cluster = await api.cluster(signal);
    this.isOff = !cluster.enabled;
    this.drawTab(cluster);
    return cluster;
  }

  drawTab(cluster) {
    const count = cluster.problems?.length ?? 0;
    byId("cluster-tab").hidden = this.isOff;
    setText(byId("cluster-count"), count > 0 ? String(count) : "");
    setAttribute(byId("cluster-count"), "title", count > 0 ? plural(count, "problem") : null);
    setText(byId("machine"), this.isOff ? "" : `${cluster.machine} · `);
  }

  async refresh() {
    if (this.section.hidden || !session.isSignedIn) return;
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const cluster = await attempt(() => this.load(abort.signal));
    if (abort.signal.aborted || !cluster) return;
    this.draw(cluster);
    if (this.isOff) return;
    const match = byId("cluster-search").value.trim();
    const jobs = await attempt(() => api.clusterJobs({ limit: SHARED_SHOWN, match }, abort.signal));
    if (abort.signal.aborted) return;
    if (jobs) this.jobs = jobs;
    this.draw(cluster);
    this.next.request();
  }

  draw(cluster) {
    byId("cluster-off").hidden = !this.isOff;
    byId("cluster-body").hidden = this.isOff;
    if (this.isOff) return;
    const { jobs, problems, after } = this.jobs;
    const all = [...(cluster.problems ?? []), ...problems];
    replaceIfNew(byId("cluster-problems"), all, () => all.map((problem) => element("p", {}, problem)));
    byId("cluster-problems").hidden = all.length === 0;
    byId("cluster-standing").replaceChildren(drawStanding(cluster));
    replaceTable(byId("cluster-machines"), drawMachines(cluster, jobs));
    replaceTable(byId("cluster-jobs"), drawShared(jobs, cluster, clock.now()));
    setText(byId("cluster-note"), after === undefined ? "" : `The first ${formatCount(jobs.length)}; search for the others.`);
  }
}

/** Announces a text again only when it has changed. */
function replaceIfNew(node, value, draw) {
  const key = JSON.stringify(value);
  if (node.dataset.key === key) return;
  node.dataset.key = key;
  node.replaceChildren(...draw());
}

/** Puts a table in the place of the one before, where it was scrolled to and focused. */
function replaceTable(holder, drawn) {
  const before = holder.firstElementChild;
  const links = (node) => [...node.querySelectorAll("a")];
  const focused = before?.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && focused !== before ? links(before).indexOf(focused) : -1;
  const left = before?.scrollLeft ?? 0;
  holder.replaceChildren(drawn);
  drawn.scrollLeft = left;
  if (focused) (links(drawn)[place] ?? drawn).focus({ preventScroll: true });
}
