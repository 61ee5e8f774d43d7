import Glibc
import TaktCore

/// How a process says which attempt of which takt it descends from: by an environment variable that
/// descendants inherit.
///
/// Not by `TAKT_RUN`: of a hook that is the run that it is for, and of a job of a takt within takt
/// the number would be the same as of some run out here.
public enum AttemptMark {
  /// The variable that names this process of takt.
  static let instanceVariable = "TAKT_INSTANCE"
  /// The variable that names an attempt, of all that are in progress on this machine.
  static let attemptVariable = "TAKT_ATTEMPT_ID"

  /// What takt says of a run in its environment; nobody else can say it.
  static let ownVariables: Set<String> = [
    attemptVariable, instanceVariable, "TAKT_JOB", "TAKT_SLOT", "TAKT_RUN", "TAKT_ATTEMPT",
    "TAKT_HOOK", "TAKT_OUTCOME", "TAKT_REASON", "TAKT_DURATION_MS", "TAKT_LATE_MS",
    "TAKT_STREAK", "TAKT_OUTPUT",
  ]

  /// A random word of this process's own.
  public static let instance: String = {
    let number = UInt64.random(in: .min ... .max)
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }()

  /// The value of `attemptVariable` for a run: it has one attempt at a time.
  static func value(_ run: RunID) -> String { "\(instance)-\(run.number)" }

  /// How much of an environment is looked through for the mark, which stands at its beginning
  /// unless a program has put it in an order of its own.
  private static let environmentBytesMax = 262_144

  private static let prefix = Array("\(attemptVariable)=\(instance)-".utf8)

  /// The run whose mark a process bears. Nil without a mark, and where the system does not tell: a
  /// process that has cleared its environment, or that has become another user's.
  ///
  /// The kernel reads the environment from the process's own memory, and gives nothing where that
  /// lies in a file: nobody can make this wait for a file system.
  static func run(of pid: pid_t) -> RunID? {
    guard
      let bytes = ProcessFile.read("/proc/\(pid)/environ", limitBytes: environmentBytesMax)
    else { return nil }
    return run(in: bytes)
  }

  /// Whether a process bears the mark of one of these takts.
  static func isMarked(_ pid: pid_t, byOneOf instances: Set<String>) -> Bool {
    guard
      let bytes = ProcessFile.read("/proc/\(pid)/environ", limitBytes: environmentBytesMax)
    else { return false }
    let name = Array("\(instanceVariable)=".utf8)
    return bytes.split(separator: 0).contains { entry in
      entry.starts(with: name)
        && instances.contains(String(decoding: entry.dropFirst(name.count), as: UTF8.self))
    }
  }

  static func run(in environment: [UInt8]) -> RunID? {
    for entry in environment.split(separator: 0) where entry.starts(with: prefix) {
      let digits = String(decoding: entry.dropFirst(prefix.count), as: UTF8.self)
      return UInt64(digits).map { RunID($0) }
    }
    return nil
  }
}
