/**
 * Requests to takt: one function per route that the page uses, and one kind of error for all of them.
 */

/** Why takt said no: its problem document (RFC 9457), or one made here when it did not answer at all. */
class ProblemError extends Error {
  constructor(problem) {
    super(problem.title);
    this.problem = problem;
  }
}

const isAbort = (error) => error?.name === "AbortError";

async function send(method, path, { body, type, accept, signal } = {}) {
  const { token } = session;
  const headers = { Accept: accept ?? "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (type) headers["Content-Type"] = type;
  let response;
  try {
    // With the origin: a path that starts with two slashes would name another host.
    response = await fetch(`${location.origin}${PAGE_PATH}/api/v1${path}`, { method, headers, body, signal, cache: "no-store" });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ProblemError({
      title: "takt does not answer",
      detail: "It may have stopped. This page keeps trying.",
      status: 0,
      code: "unreachable",
    });
  }
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (response.status === 401 && session.isSignedIn && session.token === token) session.refused();
  throw new ProblemError(problem);
}

async function readProblem(response) {
  try {
    return await response.json();
  } catch {
    return { title: `HTTP status ${response.status}`, status: response.status, code: "unknown" };
  }
}

async function sendJSON(method, path, options) {
  return (await send(method, path, options)).json();
}

/** A path whose query leaves out what is undefined or empty. */
function withQuery(path, query) {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

const onlyTrue = (flags) => Object.fromEntries(Object.entries(flags).filter(([, value]) => value));
const jobPath = (name) => `/jobs/${encodeURIComponent(name)}`;
const asJSON = (value) => ({ body: JSON.stringify(value), type: "application/json" });

const api = {
  status: (query, signal) => sendJSON("GET", withQuery("/status", query), { signal }),
  jobs: (query, signal) => sendJSON("GET", withQuery("/jobs", query), { signal }),
  job: (name, signal) => sendJSON("GET", jobPath(name), { signal }),
  trigger: (name, parameters, force) =>
    sendJSON("POST", `${jobPath(name)}/trigger`, asJSON({ parameters, force })),
  suspend: (name, suspension) => sendJSON("POST", `${jobPath(name)}/suspend`, asJSON(suspension)),
  resume: (name) => sendJSON("POST", `${jobPath(name)}/resume`),
  cancelJob: (name) => sendJSON("POST", `${jobPath(name)}/cancel`),
  runs: (query, signal) => sendJSON("GET", withQuery("/runs", query), { signal }),
  slots: (query, signal) => sendJSON("GET", withQuery("/slots", query), { signal }),
  agenda: (query, signal) => sendJSON("GET", withQuery("/agenda", query), { signal }),
  heatMap: (query, signal) => sendJSON("GET", withQuery("/heatmap", query), { signal }),
  run: (run, signal) => sendJSON("GET", `/runs/${run}`, { signal }),
  cancelRun: (run) => sendJSON("POST", `/runs/${run}/cancel`),
  output: (run, { attempt, ...options }, signal) =>
    send(
      "GET", withQuery(`/runs/${run}/output`, { attempt, ...onlyTrue(options) }),
      { accept: options.records ? "application/x-ndjson" : "text/plain", signal }),
  cluster: (signal) => sendJSON("GET", "/cluster", { signal }),
  clusterJobs: (query, signal) => sendJSON("GET", withQuery("/cluster/jobs", query), { signal }),
  filePlan: () => sendJSON("GET", "/plan"),
  plan: (text) => sendJSON("POST", "/plan", { body: text, type: "application/yaml" }),
  reload: () => sendJSON("POST", "/reload"),
  timeline: (query, signal) => sendJSON("GET", withQuery("/timeline", query), { signal }),
  events: (after, signal) =>
    send("GET", withQuery("/events", { after }), { accept: "text/event-stream", signal }),
};
