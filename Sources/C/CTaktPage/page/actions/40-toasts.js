/**
 * Short messages at the edge of the page: what went wrong, with what to do about it, and what was done.
 */

const TOAST_LIFE = 6 * SECOND;
const TOASTS_SHOWN = 4;

function toast(title, detail, tone = "info") {
  const close = element("button", { type: "button", "aria-label": "Dismiss" }, "×");
  const node = element(
    "div", { class: "toast", "data-testid": "toast", "data-tone": tone },
    element("div", {}, element("strong", {}, title), detail ? element("p", {}, detail) : null),
    close);
  close.addEventListener("click", () => node.remove());
  if (tone !== "error") setTimeout(() => node.remove(), TOAST_LIFE);
  const toasts = byId("toasts");
  toasts.append(node);
  while (toasts.childElementCount > TOASTS_SHOWN) toasts.firstElementChild.remove();
}

/** Does something that may be refused, and tells when it is. Gives undefined then. */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (isAbort(error)) return undefined;
    if (!(error instanceof ProblemError)) throw error;
    if (error.problem.status !== 401) toast(error.problem.title, error.problem.detail, "error");
    return undefined;
  }
}
