import TaktAPI
import TaktCore

/// A problem of a job besides the results of its runs.
enum JobProblem {
  /// No machine of the cluster has these labels.
  case unplaced(labels: [String: String])
  /// A hook, or the pings, failed and has not succeeded since.
  case alarmFailed(name: String, AlarmFailure)

  /// Short enough for a table.
  var words: String {
    switch self {
    case .unplaced: "no machine"
    case .alarmFailed(let name, _): "\(name) failed"
    }
  }
}

extension JobView {
  /// Worst first.
  var problems: [JobProblem] {
    // Nearly always empty; measured by the gate's `status`.
    if missingLabels == nil, alarmFailures.isEmpty { return [] }
    return (missingLabels.map { [.unplaced(labels: $0)] } ?? [])
      + alarmFailures.sorted { $0.key < $1.key }.map { .alarmFailed(name: $0.key, $0.value) }
  }
}

extension AlarmFailure {
  /// The words for an alarm that was, or may not have been, reported.
  static func telling(_ isReported: Bool) -> String {
    isReported ? "on_alarm_failed told of it" : "nobody may have been told"
  }
}

extension API.Job.Problem {
  init(_ problem: JobProblem) {
    self.init()
    switch problem {
    case .unplaced(let labels):
      kind = "unplaced"
      message =
        "No machine of the cluster has the labels \(JobMachines.labelled(labels).words): its slots run "
        + "nowhere."
    case .alarmFailed(let name, let failure):
      kind = "alarm_failed"
      let subject = name == AlarmFailure.ping ? "The ping" : "The hook \(name)"
      message = "\(subject) failed (\(failure.words)): \(AlarmFailure.telling(failure.isReported))."
      since = failure.at
      hook = name
      if failure.run.number > 0 { run = failure.run.number }
    }
  }
}
