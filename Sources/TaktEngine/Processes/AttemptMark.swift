import Glibc
import TaktCore

/// How a process says which attempt it descends from: by an environment variable that descendants
/// inherit.
///
/// Not by `TAKT_RUN`: of a hook that is the run that it is for, and of a job of a takt within takt
/// the number would be the same as of some run out here. A mark alone proves nothing, since others
/// hand environments on: a process is an attempt's only if takt has adopted it as well.
package enum AttemptMark {
  /// The variable that names this process of takt.
  static let instanceVariable = "TAKT_INSTANCE"
  /// The variable that names an attempt, of all that there have ever been.
  static let attemptVariable = "TAKT_ATTEMPT_ID"

  /// What takt says of a run in its environment; nobody else can say it.
  static let ownVariables: Set<String> = [
    attemptVariable, instanceVariable, "TAKT_JOB", "TAKT_SLOT", "TAKT_RUN", "TAKT_ATTEMPT",
    "TAKT_HOOK", "TAKT_OUTCOME", "TAKT_REASON", "TAKT_DURATION_MS", "TAKT_LATE_MS",
    "TAKT_STREAK", "TAKT_OUTPUT",
  ]

  /// A random word of this process's own.
  package static let instance = word(UInt64.random(in: .min ... .max))

  /// A new mark: 128 random bits that nobody can guess.
  static func make() -> String {
    word(UInt64.random(in: .min ... .max)) + word(UInt64.random(in: .min ... .max))
  }

  private static func word(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// How much of an environment is looked through for the mark, which stands at its beginning
  /// unless a program has put it in an order of its own.
  private static let environmentBytesMax = 262_144

  private static let prefix = Array("\(attemptVariable)=".utf8)

  /// What a process's environment says.
  enum Finding: Equatable {
    case mark(String)
    /// It has an environment, and no mark in it.
    case unmarked
    /// It shows no environment: it has cleared it, it is just executing another program, or it has
    /// become another user's.
    case nothing
  }

  /// The mark that a process bears.
  ///
  /// The kernel reads the environment from the process's own memory, and gives nothing where that
  /// lies in a file: nobody can make this wait for a file system.
  static func of(_ pid: pid_t) -> Finding {
    guard
      let bytes = ProcessFile.read("/proc/\(pid)/environ", limitBytes: environmentBytesMax),
      !bytes.isEmpty
    else { return .nothing }
    return marks(in: bytes).first.map(Finding.mark) ?? .unmarked
  }

  /// All marks that a process bears, where a program has put one environment behind another.
  static func all(of pid: pid_t) -> [String] {
    ProcessFile.read("/proc/\(pid)/environ", limitBytes: environmentBytesMax).map(marks) ?? []
  }

  private static func marks(in environment: [UInt8]) -> [String] {
    environment.split(separator: 0).lazy.filter { $0.starts(with: prefix) }
      .map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
  }
}
