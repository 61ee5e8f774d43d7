import TaktCore

/// An action that is part of takt: a `QuickBuiltin` or a `LongBuiltin`.
///
/// Safe from any thread.
protocol Builtin: Sendable {
  /// The name that follows `use:`.
  var name: String { get }

  /// One sentence for the reference.
  var summary: String { get }

  /// The parameters under `with:`.
  var parameters: [ParameterSchema] { get }

  var reasons: [BuiltinReason] { get }

  /// Checks the given parameters, each of which is of its kind.
  func problems(in parameters: Parameters) -> [ParameterProblem]

  /// The effects on the machine when it is called with these parameters.
  func traits(with parameters: Parameters) -> ActionTraits
}

extension Builtin {
  func problems(in parameters: Parameters) -> [ParameterProblem] { [] }
}

/// A built-in that never blocks and is done within microseconds: it runs in the scheduler's own
/// turn.
protocol QuickBuiltin: Builtin {
  /// Does the work; the parameters have been checked and expanded. Lines passed to `output` are
  /// logged like a command's.
  func run(
    _ parameters: Parameters, output: (_ level: LogLevel, _ line: String) -> Void
  ) -> AttemptResult
}

/// A built-in that may block: for a network, a disk, many files. It runs on a thread of the pool of
/// its class.
protocol LongBuiltin: Builtin {
  /// Does the work, and gives up soon after the call has been cancelled.
  func run(_ call: BuiltinCall) -> BuiltinEnd

  var kind: BuiltinKind { get }

  /// Other forms of a secret that its messages may contain, which are masked as well.
  func disguises(of secret: String) -> [String]
}

extension LongBuiltin {
  var kind: BuiltinKind { .work }

  func disguises(of secret: String) -> [String] { [] }
}

/// The work that takes most of a long built-in's time; it decides how many may run at once.
enum BuiltinKind: Hashable, Sendable {
  case work
  case network
  /// It waits for a container, perhaps for days. It passes signals on: KILL does not give it up.
  case container
}

enum BuiltinEnd: Hashable, Sendable {
  case done
  /// A short machine-readable reason such as `status(500)`.
  case failed(String)
  /// The command that it has waited for has ended with an exit status.
  case exited(Int32, ranOutOfMemory: Bool)
  /// It did no work, because something was not available at the start.
  case notStarted(StartStage, errno: Int32)
  case command(BuiltinCommand)
}

/// A command that completes the work of a built-in.
struct BuiltinCommand: Hashable, Sendable {
  var arguments: [String]
  var stdin: String
  /// The time limit, whatever the job's own timeout is; after it the run has failed with `timeout`.
  var timeout: Duration
}

struct BuiltinReason: Hashable, Sendable {
  /// The reason in the log, with `N` for a number.
  var text: String
  /// One sentence for the reference.
  var meaning: String

  init(_ text: String, _ meaning: String) {
    self.text = text
    self.meaning = meaning
  }
}
