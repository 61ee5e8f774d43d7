/**
 * The tables of the cluster's page: the machines, and the shared jobs with who has them.
 */

const ENGINE_WORDS = table({ postgres: "PostgreSQL", etcd: "etcd" });
/** So far may a clock be off. */
const CLOCK_OFF = SECOND;

/** A table that can be scrolled where there is no room for all of its columns. */
function drawTable(label, titles, rows) {
  return element(
    "div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label },
    element(
      "table", { class: "list" },
      element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...rows)));
}

function drawRow(attributes, ...cells) {
  return element("tr", attributes, ...cells.map((cell) => element("td", {}, ...[cell].flat())));
}

/** What this machine knows of the engine and of itself. */
function drawStanding(cluster) {
  const trip = cluster.engine_round_trip_ms;
  const engine = ENGINE_WORDS[cluster.engine] ?? cluster.engine ?? "unknown";
  const answers = cluster.engine_answers ? "answers" : "does not answer";
  const lease = cluster.lease_left_ms === undefined
    ? "none" : `valid for ${formatWhole(cluster.lease_left_ms)} of ${formatWhole(cluster.lease_ms)}`;
  return facts([
    ["Cluster", cluster.name ?? ""],
    ["This machine", cluster.member === undefined ? `${cluster.machine}, not a member` : `${cluster.machine}, member ${cluster.member}`],
    ["Decides claims", element("span", { "data-testid": "engine" }, `${engine} ${answers}${trip === undefined || !cluster.engine_answers ? "" : ` in ${formatDuration(trip)}`}`)],
    ["Lease", lease],
    ["Clock", describeOffset(cluster.clock_offset_ms ?? 0, trip)],
  ], { class: "standing" });
}

/** How far a clock is from that of the engine, which is no better known than half the way there and back. */
function describeOffset(ms, trip = 0) {
  if (Math.abs(ms) < 1) return "right";
  if (Math.abs(ms) <= trip / 2) return `right within ${formatDuration(trip / 2)}`;
  return `${formatDuration(Math.abs(ms))} ${ms < 0 ? "behind" : "ahead"}`;
}

/** The machines: those whose lease is over first, then those with a wrong clock. */
function drawMachines(cluster, jobs) {
  const rank = ({ alive, clock_offset_ms: offset }) => (alive ? 2 : 0) - (Math.abs(offset) >= CLOCK_OFF ? 1 : 0);
  const members = [...(cluster.members ?? [])].sort((one, other) => rank(one) - rank(other) || one.machine.localeCompare(other.machine) || one.member - other.member);
  const rows = members.map((member) => {
    const isThis = member.member === cluster.member;
    const state = !member.alive ? "lease over" : isThis ? "this machine" : "alive";
    const off = Math.abs(member.clock_offset_ms) >= CLOCK_OFF;
    const labels = Object.entries(member.labels ?? {}).map((pair) => pair.join("=")).join(", ");
    const running = jobs.flatMap((job) => job.active).filter((run) => run.member === member.member);
    return drawRow(
      { "data-testid": "machine-row", "data-machine": member.machine },
      [linkMachine(member, isThis), element("small", { class: "muted" }, ` member ${member.member}`)],
      element("span", { class: member.alive ? "" : "error" }, state), String(running.length), formatWhole(member.lease_ms),
      element("span", { class: off ? "error" : "" }, describeOffset(member.clock_offset_ms)),
      labels || "–", member.host, member.version, member.zone_data ?? "–");
  });
  return drawTable("Machines", ["Machine", "State", "Running", "Lease", "Clock", "Labels", "Host", "Version", "Time zones"], rows);
}

/** A link to a machine's page where its address is known; its token has to be entered there. */
function linkMachine({ machine, api: address }, isThis) {
  if (isThis || !/^https?:\/\//.test(address ?? "")) return element("strong", {}, machine);
  return element("a", { href: `${address}/`, rel: "noreferrer" }, machine);
}

/** The shared jobs: who runs them, where they ran last, and what waits; what somebody should look at first. */
function drawShared(jobs, cluster, now) {
  const waiting = new Map((cluster.jobs ?? []).map((job) => [job.job, job]));
  const unplaced = new Set((cluster.unplaced ?? []).flatMap((group) => group.jobs));
  const isWrong = (job) => unplaced.has(job.name) || waiting.get(job.name)?.waiting > 0 || job.on.some((place) => place.drifted);
  const rank = (job) => (isWrong(job) ? 0 : isFailure(job.last?.outcome) ? 1 : job.active.length > 0 ? 2 : 3);
  const rows = [...jobs].sort((one, other) => rank(one) - rank(other)).map((job) => {
    const claims = waiting.get(job.name);
    const drifted = job.on.filter((place) => place.drifted).map((place) => place.machine);
    const active = job.active.map((run) => `${run.machine}, run ${run.run}`).join("; ");
    return drawRow(
      { "data-testid": "shared-job", "data-job": job.name }, element("a", { href: jobAddress(job.name) }, job.name),
      element("span", { class: "state", "data-state": job.state }, STATE_WORDS[job.state] ?? job.state),
      describeLast(job.last, now), active || "–", job.next ? timeFormat.short(job.next.due, now) : "–",
      element("span", { class: claims?.waiting > 0 || drifted.length > 0 ? "error" : "" }, describeClaims(claims, drifted)),
      unplaced.has(job.name) ? element("span", { class: "error" }, `${job.machines}: ${PROBLEM_WORDS.unplaced}`) : job.machines || "any", job.on.map((place) => place.machine).join(", "));
  });
  return drawTable("Shared jobs", ["Job", "State", "Last run", "Runs on", "Next", "Claims", "May run on", "Known to"], rows);
}

function describeLast(run, now) {
  if (!run) return "–";
  const outcome = run.outcome ?? "active";
  return [
    element("span", { class: "outcome", "data-outcome": outcome }, OUTCOME_WORDS[outcome] ?? "in progress"),
    ` on ${run.machine}, ${timeFormat.short(run.ended ?? run.began ?? run.slot, now)}`,
  ];
}

function describeClaims(claims, drifted) {
  const parts = [];
  if (drifted.length > 0) parts.push(`older schedule on ${drifted.join(", ")}`);
  if (claims?.waiting > 0) parts.push(`${plural(claims.waiting, "slot")} waiting for a decision`);
  if (claims?.claiming > 0) parts.push(`${plural(claims.claiming, "slot")} being claimed`);
  return parts.join(", ") || "–";
}
