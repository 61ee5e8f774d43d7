/// The facts that a record may carry; the raw value is the key of a JSON line.
package enum LogKey: String, CaseIterable, Hashable, Sendable {
  case machine, seq, job, from, to, cause, slot, due
  case lateMilliseconds = "late_ms"
  case run, attempt, verdict, outcome, reason, stream, line, change, count
  case slotLast = "slot_last"
  case hook, parent, step, descendants
  case durationMilliseconds = "duration_ms"
  case retryMilliseconds = "retry_in_ms"
  case dropped
  case plugin, percent, metric, value, unit
  case pid
  case message

  /// One sentence for the reference.
  package var summary: String {
    switch self {
    case .machine:
      "the machine that moved: `timer:JOB`, `pause-timer:JOB`, `run-timer:N`, `expected-timer:N`, `shutdown-timer`, `run:N`, or [another timer](#machines)"
    case .seq:
      "the transition's number within its machine, from 1 without a gap; a job that was removed and comes back has a new machine"
    case .job: "the job's name"
    case .from: "the state that was left, or for a plan what was"
    case .to: "the state that was entered, or for a plan what is"
    case .cause: "what made the machine move, or the triggers that made the slot"
    case .slot: "the slot's nominal instant (RFC 3339, ms); of a series the first"
    case .due: "the instant from which the slot may start (RFC 3339, ms)"
    case .lateMilliseconds: "start minus due, in milliseconds"
    case .run: "the run's number; with a state folder no other takt gives it to another run"
    case .attempt: "the attempt's number within its run, from 1"
    case .verdict: "`ran`, `skipped`, `coalesced`, `missed` or `cancelled`"
    case .outcome: "`succeeded`, `failed`, `timed_out`, `cancelled` or `interrupted`"
    case .reason: "why: of a run's outcome, of a verdict, of a refused operation"
    case .stream: "`stdout` or `stderr`"
    case .line: "what the run printed, without the line end"
    case .change: "`kept`, `updated`, `rearmed`, `added` or `removed`"
    case .count: "how many: slots of a series, jobs of a plan, lines dropped"
    case .slotLast: "of a series of slots the last nominal instant"
    case .hook: "of a run that is a hook: `on_failure`, `on_success`, `on_recover` or `on_late`"
    case .parent: "of a run that is a hook: the run that it is for"
    case .step:
      "of a job with `steps`: the place of the step, from 1; of a run that has failed, of the "
        + "first step that did"
    case .descendants:
      "how many processes the run has left behind and outlived it; of one that is stopped, who they are"
    case .durationMilliseconds: "how long the run took, from its first start, in milliseconds"
    case .retryMilliseconds: "how long until the next attempt, in milliseconds"
    case .dropped: "how many bytes or lines of output were not kept or not logged"
    case .plugin: "the name of the plugin whose service it is about"
    case .percent: "how far a run of a plugin is"
    case .metric: "the name of a value that a run of a plugin has measured"
    case .value: "the value"
    case .unit: "the value's unit, where it has one"
    case .pid: "the number of takt's process; it stands in the first line of each takt alone"
    case .message: "one sentence for people"
    }
  }
}
