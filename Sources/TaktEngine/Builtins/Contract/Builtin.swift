import TaktCore

/// An action that is part of takt. It is a `QuickBuiltin` or a `LongBuiltin`.
///
/// Safe from any thread.
protocol Builtin: Sendable {
  /// The name that follows `use:`.
  var name: String { get }

  /// One sentence for the reference.
  var summary: String { get }

  /// What it takes under `with:`.
  var parameters: [ParameterSchema] { get }

  /// Why it fails, for the reference.
  var reasons: [BuiltinReason] { get }

  /// What is wrong with the parameters that are given, each of which is of its kind.
  func problems(in parameters: Parameters) -> [ParameterProblem]

  /// What the built-in does to the machine when it is called with these parameters.
  func traits(with parameters: Parameters) -> ActionTraits
}

extension Builtin {
  func problems(in parameters: Parameters) -> [ParameterProblem] { [] }
}

/// A built-in that never waits for anything and is done within microseconds: it runs in the
/// scheduler's own turn.
protocol QuickBuiltin: Builtin {
  /// Does the work; the parameters have been checked and expanded. Lines that it hands to `output`
  /// go to the log as a command's do.
  func run(
    _ parameters: Parameters, output: (_ level: LogLevel, _ line: String) -> Void
  ) -> AttemptResult
}

/// A built-in that may wait: for a network, a disk, a great many files. It runs on a thread of the
/// pool of its class.
protocol LongBuiltin: Builtin {
  /// Does the work, and gives up soon after the call has been cancelled.
  func run(_ call: BuiltinCall) -> BuiltinEnd

  /// What it does for most of its time.
  var kind: BuiltinKind { get }

  /// Other shapes in which a secret may stand in what it says, which are masked as well.
  func disguises(of secret: String) -> [String]
}

extension LongBuiltin {
  var kind: BuiltinKind { .work }

  func disguises(of secret: String) -> [String] { [] }
}

/// What a long built-in does for most of its time, which says how many of them may do so at once.
enum BuiltinKind: Hashable, Sendable {
  /// It works with files.
  case work
  /// It waits for a server.
  case network
  /// It waits for a container, perhaps for days. It passes signals on: KILL does not give it up.
  case container
}

/// What a long built-in has come to.
enum BuiltinEnd: Hashable, Sendable {
  case done
  /// It is not; a short machine-readable reason such as `status(500)`.
  case failed(String)
  /// What it has looked after has ended with an exit status.
  case exited(Int32, ranOutOfMemory: Bool)
  /// There is no work to do, for something could not be had at the start.
  case notStarted(StartStage, errno: Int32)
  /// A command does the rest.
  case command(BuiltinCommand)
}

/// A command that a built-in comes down to.
struct BuiltinCommand: Hashable, Sendable {
  /// The program and its arguments.
  var arguments: [String]
  var stdin: String
  /// How long it may take, whatever the job's own timeout is; it has failed with `timeout` then.
  var timeout: Duration
}

/// Why a built-in fails.
struct BuiltinReason: Hashable, Sendable {
  /// The reason as it stands in the log, `N` for a number.
  var text: String
  /// One sentence for the reference.
  var meaning: String

  init(_ text: String, _ meaning: String) {
    self.text = text
    self.meaning = meaning
  }
}
