/**
 * A plan as a diff that can be read, and diagnostics as takt prints them.
 */

const CHANGE_WORDS = table({
  added: "added",
  removed: "removed",
  rearmed: "rearmed: its timing changed",
  updated: "updated: its timing is unchanged",
});

/** @param title what the plan is: what would be, or what has been done */
function drawPlan(title, plan) {
  const changed = plan.steps.length;
  const summary = changed === 0 && plan.settings.length === 0
    ? "Nothing changes."
    : `${plural(changed, "job")} changed, ${formatCount(plan.kept)} kept unchanged.`;
  const nodes = [element("h2", {}, title), element("p", { "data-testid": "plan-summary" }, summary)];
  for (const change of Object.keys(CHANGE_WORDS)) {
    const steps = plan.steps.filter((step) => step.change === change);
    if (steps.length > 0) nodes.push(drawSteps(change, steps));
  }
  if (plan.renames.length > 0) nodes.push(drawRenames(plan.renames));
  if (plan.settings.length > 0) nodes.push(drawSettings(plan));
  if (plan.warnings.length > 0) nodes.push(element("h3", {}, "Warnings"), drawDiagnostics(plan.warnings));
  return nodes;
}

function drawSteps(change, steps) {
  const items = steps.map((step) =>
    element(
      "li", { "data-job": step.job, "data-change": change, "data-testid": "step" },
      element("strong", {}, step.job),
      step.details.length > 0 ? element("ul", {}, ...step.details.flatMap(splitDetail).map(drawDetail)) : null));
  return element(
    "section", { class: "change", "data-change": change },
    element("h3", {}, `${formatCount(steps.length)} ${CHANGE_WORDS[change]}`),
    element("ul", { class: "steps-list" }, ...items));
}

/** Commands and the like come with the values in them that differ. */
function splitDetail(detail) {
  return detail.values?.length > 0 ? detail.values.map(({ path, ...change }) => ({ key: path, ...change })) : [detail];
}

function drawDetail({ key, from, to }) {
  // A secret has changed in it.
  if (from !== undefined && from === to) {
    return element("li", {}, element("code", {}, key), ": ", from, element("span", { class: "muted" }, ", changed where it is masked"));
  }
  if ([from, to].some((text) => text?.includes("\n"))) {
    return element("li", {}, element("code", {}, key), ":", drawLineDiff(from ?? "", to ?? ""));
  }
  const value = (kind, text) => element(kind, {}, text);
  const values = from === undefined && to === undefined
    ? [element("span", { class: "muted" }, "differs")]
    : [
        from === undefined ? element("span", { class: "muted" }, "none") : value("del", from), " → ",
        to === undefined ? element("span", { class: "muted" }, "none") : value("ins", to),
      ];
  return element("li", {}, element("code", {}, key), ": ", ...values);
}

function drawRenames(renames) {
  const items = renames.map(({ from, to }) =>
    element(
      "li", {}, element("strong", {}, to), " looks like ", element("strong", {}, from),
      " renamed; it is a new job, with a new schedule"));
  return drawList("Possibly renamed", items);
}

function drawSettings({ settings, needs_restart: later = [] }) {
  const items = settings.map((line) => {
    const needsRestart = later.includes(line.split(":", 1)[0]);
    return element(
      "li", {}, element("code", {}, line),
      needsRestart ? element("span", { class: "muted", "data-testid": "needs-restart" }, " needs a restart") : null);
  });
  return drawList("Scheduler settings", items);
}

function drawList(title, items) {
  return element("section", { class: "change" }, element("h3", {}, title), element("ul", {}, ...items));
}

/** Why a file is refused: title, and each diagnostic with its line and caret. */
function drawRefusal(problem) {
  const diagnostics = problem.diagnostics ?? [];
  return [
    element("h2", { class: "error" }, problem.title[0].toUpperCase() + problem.title.slice(1)),
    problem.detail ? element("p", {}, problem.detail) : null,
    diagnostics.length > 0 ? drawDiagnostics(diagnostics) : null,
  ].filter(Boolean);
}

function drawDiagnostics(diagnostics) {
  // The sentence is wrapped; the line of the file is not, as the caret below it points into it.
  const lines = diagnostics.map(({ severity, text }) => {
    const [sentence, ...excerpt] = text.trimEnd().split("\n");
    return element(
      "span", { "data-severity": severity }, element("span", { class: "sentence" }, `${sentence}\n`),
      excerpt.length > 0 ? element("span", { class: "excerpt" }, `${excerpt.join("\n")}\n`) : null);
  });
  const attributes = { class: "diagnostics", "data-testid": "diagnostics", tabindex: "0", "aria-label": "Diagnostics" };
  return element("pre", attributes, ...lines);
}
