package struct RunEnd: Hashable, Sendable {
  // The larger one first: then both are as large as the larger one alone.
  package var reason: RunReason
  package var outcome: Outcome

  package init(_ outcome: Outcome, _ reason: RunReason) {
    self.outcome = outcome
    self.reason = reason
  }

  /// `failed, exit(3)`: the outcome, and the reason if it adds anything.
  package var words: String { Self.words(outcome.rawValue, reason.description) }

  package static func words(_ outcome: String, _ reason: String?) -> String {
    self.reason(reason, of: outcome).map { "\(outcome), \($0)" } ?? outcome
  }

  /// The reason to show next to the outcome; nil if there is none, or the outcome implies it.
  package static func reason(_ reason: String?, of outcome: String?) -> String? {
    guard let reason, !reason.isEmpty, !(outcome.map { says($0, reason) } ?? false) else {
      return nil
    }
    return reason
  }

  /// True if the command had left work in the background, which ended with the run.
  package var hasEndedWork: Bool { if case .descendantsLeft = reason { true } else { false } }

  /// True if the outcome implies the reason.
  package static func says(_ outcome: String, _ reason: String) -> Bool {
    outcome == Outcome.timedOut.rawValue && reason == RunReason.Code.timeout.rawValue
  }
}

package enum Outcome: String, CaseIterable, Hashable, Sendable {
  case succeeded
  case failed
  case timedOut = "timed_out"
  /// Stopped, or given up before it started, on request.
  case cancelled
  /// takt ended before it did.
  case interrupted
}

/// The reason of a run's outcome.
package enum RunReason: Hashable, Sendable, CustomStringConvertible {
  case exit(Int32)
  /// A signal that takt did not send ended the process.
  case signal(Int32)
  /// No process was started: the failed step, and the system's error number.
  case notStarted(StartStage, errno: Int32)
  case done
  /// A built-in has failed with this message.
  indirect case reported(String)
  /// The output matches `fails_when`.
  case failsWhen(FailureSign)
  /// A newer run of the job has replaced it.
  case replaced
  /// A user has cancelled it.
  case byOperator
  case timeout
  /// A process needed more memory than `memory_max`, and the kernel ended it.
  case outOfMemory
  case removed
  case shutdown
  /// takt ended: killed, or the machine without power.
  case down
  /// The ledger could not record it in time, and the job must run at most once.
  case ledger
  /// The machine could not renew its lease: another one may take over the slot.
  case leaseLost
  /// The process succeeded and left this many descendants behind, which were ended.
  case descendantsLeft(Int)

  /// `exit(1)`, `signal(9)`, `not_started(cwd, ENOENT)`, `timeout` …
  package var description: String {
    switch self {
    case .exit(let status): "exit(\(status))"
    case .signal(let number): "signal(\(number))"
    case .notStarted(.stuck, _): "not_started(\(StartStage.stuck.rawValue))"
    case .notStarted(let stage, let number):
      "not_started(\(stage.rawValue), \(ErrorName.of(number)))"
    case .reported(let reason): reason
    case .failsWhen(let sign): "fails_when(\(sign.rawValue))"
    case .descendantsLeft(let count): "descendants_left(\(count))"
    case .done, .replaced, .byOperator, .timeout, .outOfMemory, .removed, .shutdown, .down,
      .ledger, .leaseLost:
      parts.code.rawValue
    }
  }
}

extension RunReason {
  /// The kind of reason, without its values.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    case exit, signal
    case notStarted = "not_started"
    case done, reported
    case failsWhen = "fails_when"
    case replaced
    case byOperator = "operator"
    case timeout, removed, shutdown, down, ledger
    case outOfMemory = "oom"
    case leaseLost = "lease_lost"
    case descendantsLeft = "descendants_left"
  }

  /// The columns of a reason.
  package struct Parts: Hashable, Sendable {
    package var code: Code
    /// The status, signal, error or count that belongs to the code.
    package var number: Int64?
    /// The stage, the sign or the words that belong to the code.
    package var text: String?

    package init(_ code: Code, number: Int64? = nil, text: String? = nil) {
      self.code = code
      self.number = number
      self.text = text
    }
  }

  package var parts: Parts {
    switch self {
    case .exit(let status): Parts(.exit, number: Int64(status))
    case .signal(let signal): Parts(.signal, number: Int64(signal))
    case .notStarted(let stage, let errno):
      Parts(.notStarted, number: Int64(errno), text: stage.rawValue)
    case .done: Parts(.done)
    case .reported(let words): Parts(.reported, text: words)
    case .failsWhen(let sign): Parts(.failsWhen, text: sign.rawValue)
    case .replaced: Parts(.replaced)
    case .byOperator: Parts(.byOperator)
    case .timeout: Parts(.timeout)
    case .outOfMemory: Parts(.outOfMemory)
    case .removed: Parts(.removed)
    case .shutdown: Parts(.shutdown)
    case .down: Parts(.down)
    case .ledger: Parts(.ledger)
    case .leaseLost: Parts(.leaseLost)
    case .descendantsLeft(let count): Parts(.descendantsLeft, number: Int64(count))
    }
  }

  /// Nil if a part is missing or invalid.
  package init?(_ parts: Parts) {
    let number = parts.number.flatMap { Int32(exactly: $0) }
    let reason: Self? =
      switch parts.code {
      case .exit: number.map { .exit($0) }
      case .signal: number.map { .signal($0) }
      case .notStarted:
        parts.text.flatMap(StartStage.init).flatMap { stage in
          number.map { .notStarted(stage, errno: $0) }
        }
      case .done: .done
      case .reported: parts.text.map { .reported($0) }
      case .failsWhen: parts.text.flatMap(FailureSign.init).map { .failsWhen($0) }
      case .replaced: .replaced
      case .byOperator: .byOperator
      case .timeout: .timeout
      case .outOfMemory: .outOfMemory
      case .removed: .removed
      case .shutdown: .shutdown
      case .down: .down
      case .ledger: .ledger
      case .leaseLost: .leaseLost
      case .descendantsLeft: number.map { .descendantsLeft(Int($0)) }
      }
    guard let reason else { return nil }
    self = reason
  }

  /// The reason that earlier versions kept as this text: `not_started(cwd, ENOENT)`. Any text that
  /// can be no reason of takt's own with this outcome is a message of a built-in or a plugin.
  package init(text: String, of outcome: Outcome) {
    let open = text.firstIndex(of: "(") ?? text.endIndex
    let inside = String(text[open...].dropFirst().dropLast())
    let code = Code(rawValue: String(text[..<open]))
    var parts: Parts?
    switch (outcome, code) {
    case (.failed, .notStarted?):
      let words = inside.split(separator: ", ", maxSplits: 1).map(String.init)
      let errno = words.count < 2 ? 0 : ErrorName.number(of: words[1])
      parts = Parts(.notStarted, number: errno.map(Int64.init), text: words.first)
    case (.succeeded, .exit?), (.succeeded, .done?), (.succeeded, .descendantsLeft?),
      (.failed, .exit?), (.failed, .signal?), (.failed, .failsWhen?), (.timedOut, .timeout?),
      (.cancelled, .replaced?), (.cancelled, .byOperator?), (.cancelled, .removed?),
      (.cancelled, .shutdown?), (.cancelled, .ledger?), (.cancelled, .leaseLost?),
      (.interrupted, .down?):
      parts = code.map { Parts($0, number: Int64(inside), text: inside) }
    default: break
    }
    // It must be shown as the same text.
    let reason = parts.flatMap { Self($0) }
    self = reason.flatMap { $0.description == text ? $0 : nil } ?? .reported(text)
  }
}

extension RunReason {
  /// Advice if the machine, not the job, was at fault; Linux error numbers.
  var advice: String? {
    switch self {
    case .notStarted(.process, errno: 24), .notStarted(.process, errno: 23):
      "out of descriptors: raise 'ulimit -n' or lower max_running"
    case .notStarted(.process, errno: 11):
      "too many processes: raise 'ulimit -u' or lower max_running"
    case .notStarted(.process, errno: 12): "out of memory"
    case .notStarted(.stuck, _):
      "check the file systems of the job's cwd, program and interpreter"
    case .outOfMemory:
      "the run needed more memory than limits.memory_max: raise it, or make the command need less"
    case .exit, .signal, .notStarted, .done, .reported, .failsWhen, .replaced, .byOperator,
      .timeout, .removed, .shutdown, .down, .ledger, .leaseLost, .descendantsLeft:
      nil
    }
  }
}

/// A sign in a command's output that makes it fail.
package enum FailureSign: String, CaseIterable, Hashable, Sendable {
  /// There is something on standard error.
  case stderr
  /// A line of standard output matches a pattern.
  case stdout
  /// There is nothing on standard output.
  case empty
}

/// The failed step of starting a process.
package enum StartStage: String, CaseIterable, Hashable, Sendable {
  /// The pipes or the process itself.
  case process
  /// Reading a secret, or handing it over.
  case secret
  /// Becoming the user and group that the job names.
  case user
  case limits
  case nice
  case inputOutput = "ionice"
  /// Entering the working directory.
  case directory = "cwd"
  case exec
  /// The process never executed the program, or one of the job before still has not: a file system
  /// does not answer, or somebody keeps the process stopped.
  case stuck = "spawn_stuck"
}

/// Names of the system's errors.
package enum ErrorName {
  /// `ENOENT` for 2, or `errno 123` for a number without a name here. Linux numbers.
  package static func of(_ number: Int32) -> String {
    names[number] ?? unnamed + String(number)
  }

  /// Reverses `of`; nil for any other name.
  static func number(of name: String) -> Int32? {
    if name.hasPrefix(unnamed) { return Int32(name.dropFirst(unnamed.count)) }
    return names.first { $0.value == name }?.key
  }

  private static let unnamed = "errno "
  private static let names: [Int32: String] = [
    1: "EPERM", 2: "ENOENT", 5: "EIO", 7: "E2BIG", 8: "ENOEXEC", 11: "EAGAIN", 12: "ENOMEM",
    13: "EACCES", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE",
    26: "ETXTBSY", 27: "EFBIG", 28: "ENOSPC", 36: "ENAMETOOLONG", 40: "ELOOP", 95: "EOPNOTSUPP",
    125: "ECANCELED",
  ]
}

extension Following {
  func isMet(by end: RunEnd) -> Bool {
    switch (condition, end.outcome) {
    case (.any, _), (.success, .succeeded), (.failure, .failed), (.failure, .timedOut): true
    case (.success, _), (.failure, _): false
    }
  }
}
