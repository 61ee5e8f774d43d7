import Synchronization
import TaktCore

/// One process that takt starts, with all that descends from it: no other ever has the same.
package struct ProcessID: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)

  /// Never given twice in one process of takt.
  let number: UInt64

  package static func make() -> Self {
    Self(number: last.add(1, ordering: .relaxed).newValue)
  }
}

/// What becomes of a process.
enum ProcessEvent: Sendable {
  /// There is one. Told on the thread that starts processes; all else on the reactor's.
  case started(ProcessIdentity)
  /// It has ended, or there will be none. Where descendants of it are left, `gone` follows.
  case ended(AttemptReport)
  /// Nothing of it is left.
  case gone(GroupReport)
}

/// A program to be started: what it gets, as what it runs, and who is told what becomes of it.
package struct Command: Sendable {
  /// Who starts processes: none starts another one on top of one that hangs.
  struct Origin: Hashable, Sendable {
    /// A job or a plugin; each has a share of the threads for look-ups.
    var owner: String
    /// A hook is to tell of what its job could not do.
    var hook: HookKind?
  }

  let id = ProcessID.make()
  let origin: Origin
  /// The program and its arguments.
  var arguments: [String]
  /// What is executed in place of `arguments`, a shell and its text, with the same effect; nil for
  /// those.
  var direct: DirectStart?
  /// How it is run: folder, user, limits, environment, secrets, input, output. What it says of
  /// shells, timeouts and attempts is for those who start it.
  var execution: Execution {
    _read { yield sharedExecution.value }
    set { sharedExecution = Shared(newValue) }
  }
  private var sharedExecution: Shared<Execution>
  /// What takt tells it in its environment besides.
  var facts: [(TaktVariable, String)] = []
  /// What stands in each record of its output.
  var labels: [LogField]
  /// The run whose output it prints; nil for none's.
  var run: RunID?
  /// Gets what it prints in place of the log; nil for the log.
  var passThrough: PassThrough?
  /// Values that must not be seen in what it prints, besides its secrets; it does not get them.
  var hidden: [[UInt8]] = []
  /// After so long it is ended as its job is stopped, and has failed with `timeout`.
  var bound: Duration?
  /// When the guard ends it, because takt cannot; nil for never.
  var guarding: Guarding?
  /// Who talks with it; nil for nobody.
  var channel: (any ChildChannel)?
  /// Finds out what is still missing before it starts; it may block. Nil where nothing is.
  var complete: (@Sendable (inout Command) throws(StartFailure) -> Void)?
  var observe: @Sendable (ProcessEvent) -> Void = { _ in }
  /// Since when its start waits for what others have to give back first; nil where it never has.
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

  /// Whether anything has to be looked up that may take its time: the system may ask a server for
  /// users and groups, and secrets may lie on one.
  var needsPreparation: Bool {
    complete != nil || !execution.identity.isOwn || !execution.secrets.isEmpty
  }
}
