import ArgumentParser

extension ExitCode {
  /// A jobs file with errors, missing or unreadable: `EX_CONFIG`.
  static let configuration = ExitCode(78)
  /// The command line asks for what does not exist: `EX_USAGE`.
  static let usage = ExitCode(64)
  /// The state folder is in use, of a newer version, or not takt's own: `EX_CANTCREAT`.
  static let stateInUse = ExitCode(73)
  /// No takt runs, or none answers: `EX_UNAVAILABLE`.
  static let unreachable = ExitCode(69)
  /// Books that do not balance.
  static let unbalanced = ExitCode(1)
  /// The system refuses what takt cannot do without: `EX_OSERR`.
  static let system = ExitCode(71)
  /// A trigger that the job's `overlap` refuses: `EX_TEMPFAIL`.
  static let overlap = ExitCode(75)
  /// Output that cannot be written: `EX_IOERR`.
  static let unwritable = ExitCode(74)
}
