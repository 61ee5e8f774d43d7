package import TaktTime

/// A transition of a run, as logged.
///
/// An object: it is large, handed from the scheduler to the log's thread, and never copied.
package final class RunMoveRecord: Sendable {
  package let subject: Subject
  /// Counted within the run.
  package let sequence: Int64
  package let attempt: Int
  package let from: RunState.Kind
  package let to: RunState
  package let cause: RunMove.Cause
  /// The time on the clock that back-offs are counted on.
  package let at: MonotonicInstant
  /// From 0; nil for a job without steps.
  package let step: Int?
  /// The failure of the step before, although the attempt continues.
  package let stepFailure: Shared<RunEnd>?

  package enum Subject: Sendable {
    /// A run in progress, with the resource use of its processes so far; nil if there were none.
    case going(RunHead, use: Shared<RunUse>?)
    case ended(RunRecord)
  }

  package var head: RunHead {
    switch subject {
    case .going(let head, _): head
    case .ended(let record): record.head
    }
  }

  package init(
    of subject: Subject, sequence: Int64, attempt: Int, from: RunState.Kind, to: RunState,
    cause: RunMove.Cause, at: MonotonicInstant, step: Int? = nil,
    stepFailure: Shared<RunEnd>? = nil
  ) {
    self.subject = subject
    self.sequence = sequence
    self.attempt = attempt
    self.from = from
    self.to = to
    self.cause = cause
    self.at = at
    self.step = step
    self.stepFailure = stepFailure
  }

  /// About how many bytes one takes.
  static let bytes =
    MemoryLayout<Subject>.stride + MemoryLayout<RunState>.stride + 10 * MemoryLayout<Int>.stride

  func put(into sink: inout some FieldSink) {
    let head = head
    sink.put(.machine, machine: .run(head.run))
    sink.put(.seq, number: sequence)
    sink.put(.job, text: head.job.text)
    sink.put(.run, number: Int64(head.run.number))
    if let hook = head.hook, let parent = head.parent {
      sink.put(.hook, text: hook.rawValue)
      sink.put(.parent, number: Int64(parent.number))
    }
    sink.put(.attempt, number: Int64(attempt))
    sink.put(.slot, instant: head.slot)
    sink.put(.from, text: from.rawValue)
    sink.put(.to, text: to.kind.rawValue)
    sink.put(.cause, text: cause.rawValue)
    if let step { sink.put(.step, number: Int64(step + 1)) }
    if let stepFailure { put(stepFailure.value, into: &sink) }
    switch to {
    case .queued, .running, .killing: break
    case .stopping(.descendants(let left), _):
      let shown = left.prefix(20).map(\.description).joined(separator: ", ")
      sink.put(.descendants, text: left.count > 20 ? shown + ", …" : shown)
    case .stopping: break
    case .backingOff(let until, let end):
      put(end, into: &sink)
      sink.put(.retryMilliseconds, milliseconds: until - at)
      if case .going(_, let use?) = subject { use.value.attempt?.put(into: &sink) }
    case .ended:
      if case .ended(let record) = subject { record.put(into: &sink) }
    }
  }

  private func put(_ end: RunEnd, into sink: inout some FieldSink) {
    sink.put(.outcome, text: end.outcome.rawValue)
    sink.put(.reason, text: end.reason.description)
  }

  static func level(of state: RunState, hasFailedStep: Bool) -> LogLevel {
    switch state {
    case .queued: .info
    case .running: hasFailedStep ? .warning : .info
    case .stopping, .killing: .notice
    case .backingOff: .warning
    case .ended(let end):
      switch end.outcome {
      case .succeeded: end.hasEndedWork ? .warning : .info
      case .cancelled: .notice
      case .interrupted: .warning
      case .failed, .timedOut: .error
      }
    }
  }
}
