import ArgumentParser

extension ExitCode {
  /// A jobs file with errors, missing or unreadable: `EX_CONFIG`.
  static let configuration = ExitCode(78)
  /// The command line asks for what does not exist: `EX_USAGE`.
  static let usage = ExitCode(64)
  /// The system refuses what takt cannot do without: `EX_OSERR`.
  static let system = ExitCode(71)
}
