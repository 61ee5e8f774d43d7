/**
 * The dialogs. Each is a <dialog> of the document; opening one gives what was entered, or null when it
 * was closed.
 */

/**
 * Shows a dialog and waits for its end.
 * @param read gives what was entered; throws a string to keep the dialog open
 */
function openDialog(id, read) {
  const dialog = byId(id);
  const form = dialog.querySelector("form");
  return new Promise((resolve) => {
    let entered = null;
    form.onsubmit = (event) => {
      event.preventDefault();
      entered = read();
      if (entered !== undefined) dialog.close();
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
 * Asks for the parameters of a run.
 * @param detail the job: which parameters it opens, and whether it is a command, which takes any
 */
function askParameters(name, detail) {
  const isCommand = ["shell", "argv", "steps"].includes(detail.action);
  const fields = detail.params.map((param) => new ParameterField(param));
  setText(byId("trigger-title"), `Trigger ${name}`);
  setText(byId("trigger-error"), "");
  setText(byId("trigger-note"), fields.length > 0 || isCommand ? "" : "The job opens no parameters. Declare them under params in the jobs file.");
  byId("trigger-params").replaceChildren(...fields.map((field) => field.node));
  byId("trigger-others").hidden = !isCommand;
  return openDialog("trigger-dialog", () => {
    const { parameters, wrong } = readParameters(isCommand ? byId("trigger-parameters").value : "");
    setText(byId("trigger-error"), wrong ? `Missing “=” in: ${wrong}` : "");
    if (wrong) return undefined;
    for (const { param, value } of fields) {
      if (value !== "") parameters[param.name] = value;
    }
    return parameters;
  });
}

/** One parameter that a job opens; what is left empty is not set. */
class ParameterField {
  constructor(param) {
    this.param = param;
    const attributes = { "data-testid": `param-${param.name}`, autocomplete: "off" };
    const choices = param.choices ?? (param.type === "boolean" ? ["true", "false"] : null);
    this.input = choices
      ? element("select", attributes, element("option", { value: "" }, param.default === undefined ? "not set" : `default: ${param.default}`), ...choices.map((choice) => element("option", { value: choice }, choice)))
      : element("input", { ...attributes, placeholder: param.default ?? "", maxlength: param.max_length });
    this.node = element("label", { title: param.pattern ? `matches ${param.pattern}` : null }, `${param.name} (${describeBounds(param)})`, this.input, param.description ? element("small", { class: "muted" }, param.description) : null);
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
