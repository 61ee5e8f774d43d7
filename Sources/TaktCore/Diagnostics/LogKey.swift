/// The facts that a record may carry; the raw value is the key of a JSON line.
package enum LogKey: String, CaseIterable, Hashable, Sendable {
  case machine, seq, job, from, to, cause, slot, due
  case lateMilliseconds = "late_ms"
  case run, attempt, verdict, outcome, reason, stream, line, change, count
  case slotLast = "slot_last"
  case hook, parent, step, descendants
  case durationMilliseconds = "duration_ms"
  case retryMilliseconds = "retry_in_ms"
  case cpuMilliseconds = "cpu_ms"
  case memoryPeak = "memory_peak"
  case readBytes = "read_bytes"
  case writtenBytes = "written_bytes"
  case dropped
  case plugin, percent, metric, value, unit
  case pid
  case message

  /// One sentence for the reference.
  package var summary: String {
    switch self {
    case .machine:
      "the state machine: `timer:JOB`, `pause-timer:JOB`, `freshness-timer:JOB`, `run-timer:N`, `expected-timer:N`, `cluster-timer`, `shutdown-timer`, `run:N`, or [another timer](#machines)"
    case .seq:
      "the transition's number within its machine, from 1 without a gap; a job that is removed and added again has a new machine"
    case .job: "the job's name"
    case .from: "the previous state; in a plan, the previous value"
    case .to: "the new state; in a plan, the new value"
    case .cause: "the cause of the transition, or the triggers of the slot"
    case .slot: "the slot's nominal time (RFC 3339, ms); for a series, that of the first slot"
    case .due: "the earliest time at which the slot may start (RFC 3339, ms)"
    case .lateMilliseconds: "start minus due, in milliseconds"
    case .run: "the run's number, unique within a state folder"
    case .attempt: "the attempt's number within its run, from 1"
    case .verdict: "`ran`, `skipped`, `coalesced`, `missed` or `cancelled`"
    case .outcome: "`succeeded`, `failed`, `timed_out`, `cancelled` or `interrupted`"
    case .reason: "the reason for an outcome, a verdict or a refusal"
    case .stream: "`stdout` or `stderr`; absent where both are one (`merge: true`)"
    case .line: "a line of the run's output, without its line end"
    case .change: "`kept`, `updated`, `rearmed`, `added` or `removed`"
    case .count:
      "the number of slots in a series, of jobs in a plan, of dropped lines, or of logged transitions"
    case .slotLast: "the nominal time of the last slot in a series"
    case .hook:
      "the hook that the run belongs to: `on_start`, `on_failure`, `on_success`, `on_recover`, `on_late`, "
        + "`on_stale` or `on_alarm_failed`"
    case .parent: "for the run of a hook: the run that it reports on"
    case .step:
      "in a job with `steps`: the number of the step, from 1; for a failed run, the first step "
        + "that failed"
    case .descendants:
      "the number of processes that outlived the run; when a run is stopped, their names and process IDs"
    case .durationMilliseconds: "the length of the run since its first start, in milliseconds"
    case .retryMilliseconds: "the time until the next attempt, in milliseconds"
    case .cpuMilliseconds:
      "the processor time of the run's processes (of the attempt's, if another one follows), user "
        + "and system together, in milliseconds"
    case .memoryPeak:
      "their [peak memory](../runs.md#what-a-run-costs) in bytes; absent where it is not known"
    case .readBytes: "what they read from block devices, in bytes"
    case .writtenBytes: "what they wrote to block devices, in bytes"
    case .dropped: "the number of bytes or lines of output that were not kept or not logged"
    case .plugin: "the plugin whose service the line is about"
    case .percent: "the progress of a plugin's run"
    case .metric: "the name of a value that a plugin measured"
    case .value: "the value"
    case .unit: "the value's unit, if it has one"
    case .pid: "the daemon's process ID; only in its first line"
    case .message: "one sentence for people"
    }
  }
}
