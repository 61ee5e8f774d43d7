import Synchronization
import TaktCore

/// Identifies one process that takt starts, with all its descendants.
package struct ProcessID: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)

  /// Never used twice in one process of takt.
  let number: UInt64

  package static func make() -> Self {
    Self(number: last.add(1, ordering: .relaxed).newValue)
  }
}

/// The stages in the life of a process.
enum ProcessEvent: Sendable {
  /// The process exists. Reported on the thread that starts processes; all else on the reactor's.
  case started(ProcessIdentity)
  /// It has ended, or there will be none. If descendants of it are left, `gone` follows.
  case ended(AttemptReport)
  /// No process of it is left.
  case gone(GroupReport)
}

/// A program to be started, with its arguments and files, its identity, and its observer.
package struct Command: Sendable {
  /// The origin of a start: none starts another process while one of its own hangs.
  struct Origin: Hashable, Sendable {
    /// A job or a plugin; each has a share of the threads for look-ups.
    var owner: String
    /// A hook has to report the failure of its job, so it counts on its own.
    var hook: HookKind?
  }

  let id = ProcessID.make()
  let origin: Origin
  var arguments: [String]
  /// A command executed in place of `arguments`, a shell and its text, with the same effect; nil to
  /// execute those.
  var direct: DirectStart?
  /// Folder, user, limits, environment, secrets, input and output of the command. Its values for
  /// shells, timeouts and attempts matter to the callers only.
  var execution: Execution {
    _read { yield sharedExecution.value }
    set { sharedExecution = Shared(newValue) }
  }
  private var sharedExecution: Shared<Execution>
  /// takt's own variables in its environment.
  var facts: [(TaktVariable, String)] = []
  /// The fields of each record of its output.
  var labels: [LogField]
  var run: RunID?
  /// Gets its output in place of the log; nil for the log.
  var passThrough: PassThrough?
  /// Values to mask in its output besides its secrets; it does not get them.
  var hidden: [[UInt8]] = []
  /// The time after which it is ended as its job is stopped, and has failed with `timeout`.
  var bound: Duration?
  /// The condition on which the guard ends it, because takt cannot; nil for never.
  var guarding: Guarding?
  var channel: (any ChildChannel)?
  /// Fills in what is still missing before it starts; it may block. Nil if nothing is.
  var complete: (@Sendable (inout Command) throws(StartFailure) -> Void)?
  var observe: @Sendable (ProcessEvent) -> Void = { _ in }
  /// The time since when its start has waited for resources of others; nil if it never has.
  var delayedSince: ContinuousClock.Instant?

  init(_ arguments: [String], _ execution: Execution, origin: Origin, labels: [LogField]) {
    self.init(arguments, Shared(execution), origin: origin, labels: labels)
  }

  init(_ arguments: [String], _ execution: Shared<Execution>, origin: Origin, labels: [LogField]) {
    self.arguments = arguments
    sharedExecution = execution
    self.origin = origin
    self.labels = labels
  }

  var output: OutputSource {
    OutputSource(
      facts: labels, run: run, policy: execution.output, success: execution.success)
  }

  /// True if its start needs a look-up that may be slow: the system may ask a server for users and
  /// groups, and secrets may be on one.
  var needsPreparation: Bool {
    complete != nil || !execution.identity.isOwn || !execution.secrets.isEmpty
  }
}
