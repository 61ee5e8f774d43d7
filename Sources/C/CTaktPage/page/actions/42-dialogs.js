/**
 * The dialogs. Each is a <dialog> of the document; opening one gives what was entered, or null when it
 * was closed.
 */

/**
 * Shows a dialog and waits for its end.
 * @param read gives what was entered, now or later; undefined keeps the dialog open
 */
function openDialog(id, read) {
  const dialog = byId(id);
  const form = dialog.querySelector("form");
  return new Promise((resolve) => {
    let entered = null;
    let isBusy = false;
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (isBusy) return;
      isBusy = true;
      try {
        const answer = await read();
        if (answer === undefined) return;
        entered = answer;
        dialog.close();
      } finally {
        isBusy = false;
      }
    };
    dialog.onclose = () => resolve(entered);
    for (const close of dialog.querySelectorAll("[data-close]")) close.onclick = () => dialog.close();
    dialog.showModal();
  });
}

/** Asks how long a job rests, or several, and why. */
function askSuspension(name) {
  setText(byId("suspend-title"), `Suspend ${name}`);
  byId("suspend-for").value = "";
  byId("suspend-reason").value = "";
  return openDialog("suspend-dialog", () => {
    const suspension = {};
    const duration = byId("suspend-for").value.trim();
    const reason = byId("suspend-reason").value.trim();
    if (duration) suspension.for = duration;
    if (reason) suspension.reason = reason;
    return suspension;
  });
}

/**
 * Asks whether a job is to run now, and with which parameters.
 * @param detail the job: which parameters it opens, and whether it is a command, which takes any
 * @param before a run whose parameters are taken over; none for a new run
 * @param send starts the run; what takt refuses is told in the dialog, with all that was entered
 */
function askTrigger(name, detail, before, send) {
  const isCommand = ["shell", "argv", "steps"].includes(detail.action);
  const { given, lost } = givenBefore(before, detail, isCommand);
  const fields = detail.params.map((param) => new ParameterField(param, given[param.name]));
  const others = Object.entries(given).filter(([key]) => !detail.params.some((param) => param.name === key));
  setText(byId("trigger-title"), before ? `Run ${name} again?` : `Trigger ${name}?`);
  setText(byId("trigger-error"), "");
  setText(byId("trigger-note"), `It runs now, in addition to its schedule${before ? `, with the parameters of run ${before.run}` : ""}.`);
  setText(byId("trigger-lost"), lost);
  byId("trigger-params").replaceChildren(...fields.map((field) => field.node));
  byId("trigger-others").hidden = !isCommand;
  byId("trigger-others").open = others.length > 0;
  byId("trigger-parameters").value = others.map((pair) => pair.join("=")).join("\n");
  byId("trigger-yes").toggleAttribute("autofocus", fields.length === 0);
  return openDialog("trigger-dialog", async () => {
    const { parameters, wrong } = readParameters(isCommand ? byId("trigger-parameters").value : "");
    setText(byId("trigger-error"), wrong ? `Missing “=” in: ${wrong}` : "");
    if (wrong) return undefined;
    for (const { param, value } of fields) {
      if (value !== "") parameters[param.name] = value;
    }
    try {
      return (await send(parameters)) ?? null;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      setText(byId("trigger-error"), [error.problem.title, error.problem.detail].filter(Boolean).join(": "));
      return undefined;
    }
  });
}

/**
 * The parameters of a run that another can have, too: what is masked or cut is not known here, and only a
 * command takes what the job does not open.
 */
function givenBefore(before, detail, isCommand) {
  const given = table();
  const lost = [];
  for (const [name, value] of Object.entries(before?.parameters ?? {})) {
    const param = detail.params.find((known) => known.name === name);
    const isOffered = param ? !param.choices || param.choices.includes(value) : isCommand && !value.includes("\n");
    if (isOffered && !value.includes(MASK) && !(value.length > PARAMETER_LENGTH && value.endsWith("…"))) given[name] = value;
    else lost.push(name);
  }
  const omitted = before?.parameters_omitted ? [`${before.parameters_omitted} more`] : [];
  const names = [...lost, ...omitted].join(", ");
  return { given, lost: names && `Not taken over, because the record does not have the value, or the job does not take it: ${names}.` };
}

/** What stands for a secret in a record, and the length at which a value is cut there. */
const MASK = "***";
const PARAMETER_LENGTH = 1000;

/** One parameter that a job opens; what is left empty is not set. */
class ParameterField {
  /** @param value what is entered at first; nothing for the default */
  constructor(param, value = "") {
    this.param = param;
    const attributes = { "data-testid": `param-${param.name}`, autocomplete: "off" };
    const choices = param.choices ?? (param.type === "boolean" ? ["true", "false"] : null);
    this.input = choices
      ? element("select", attributes, element("option", { value: "" }, param.default === undefined ? "not set" : `default: ${param.default}`), ...choices.map((choice) => element("option", { value: choice }, choice)))
      : element("input", { ...attributes, ...this.bounds(), placeholder: param.default === undefined ? "not set" : `default: ${param.default}`, maxlength: param.max_length });
    this.input.value = value;
    this.node = element("label", { title: param.pattern ? `matches ${param.pattern}` : null }, `${param.name} (${describeBounds(param)})`, this.input, param.description ? element("small", { class: "muted" }, param.description) : null);
  }

  /** What the browser itself can check. */
  bounds() {
    const { type, min, max } = this.param;
    if (type !== "integer" && type !== "number") return { spellcheck: "false" };
    return { type: "number", step: type === "integer" ? 1 : "any", min, max };
  }

  get value() {
    return this.input.value;
  }
}

/** The type of a parameter with its bounds: "integer, 1 to 30". */
function describeBounds({ type, min, max }) {
  if (min !== undefined && max !== undefined) return `${type}, ${min} to ${max}`;
  if (min !== undefined) return `${type}, at least ${min}`;
  return max === undefined ? type : `${type}, at most ${max}`;
}

/** What a trigger has set, in a line. */
function describeParameters({ parameters = {}, parameters_omitted: omitted }) {
  const set = Object.entries(parameters).map(([name, value]) => `${name}=${value}`).join(" ");
  return omitted === undefined ? set : `${set} … and ${omitted} more`;
}

/** Lines of key=value; empty ones do not count. */
function readParameters(text) {
  const parameters = table();
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const equals = line.indexOf("=");
    if (equals < 1) return { wrong: line };
    parameters[line.slice(0, equals).trim()] = line.slice(equals + 1);
  }
  return { parameters };
}

/** Asks before something that cannot be taken back. */
function askConfirmation(title, text, yes, no = "Close") {
  setText(byId("confirm-title"), title);
  setText(byId("confirm-no"), no);
  setText(byId("confirm-text"), text);
  setText(byId("confirm-yes"), yes);
  return openDialog("confirm-dialog", () => true);
}

/** Asks for the token. */
async function askToken(why) {
  const dialog = byId("sign-in");
  if (dialog.open) return;
  byId("sign-in-token").value = "";
  setText(byId("sign-in-why"), why);
  const token = await openDialog("sign-in", () => byId("sign-in-token").value.trim() || undefined);
  byId("sign-in-token").value = "";
  // Whoever closes the dialog can open it again; or the token has come in the address.
  if (token) session.keep(token);
}
