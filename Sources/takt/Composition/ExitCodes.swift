import ArgumentParser

/// The exit codes that takt itself uses. A run's own result comes from `exec` and `trigger --wait`.
///
/// `docs/operating.md` has the same table; a test compares them.
extension ExitCode {
  /// `verify` found a problem.
  static let unbalanced = ExitCode(1)
  /// There was nothing to change.
  static let unchanged = ExitCode(2)
  /// `EX_USAGE`
  static let usage = ExitCode(64)
  /// `EX_DATAERR`
  static let invalidData = ExitCode(65)
  /// `EX_NOINPUT`
  static let unreadableLedger = ExitCode(66)
  /// `EX_UNAVAILABLE`
  static let unreachable = ExitCode(69)
  /// `EX_SOFTWARE`
  static let defect = ExitCode(70)
  /// `EX_OSERR`
  static let system = ExitCode(71)
  /// `EX_CANTCREAT`
  static let stateInUse = ExitCode(73)
  /// `EX_IOERR`
  static let unwritable = ExitCode(74)
  /// `EX_TEMPFAIL`
  static let overlap = ExitCode(75)
  /// `EX_NOPERM`
  static let forbidden = ExitCode(77)
  /// `EX_CONFIG`
  static let configuration = ExitCode(78)

  /// Each code with its meaning, a line each, for `takt --help`.
  static var table: String {
    meanings.map { code, meaning in
      let number = String(code.rawValue)
      return number + String(repeating: " ", count: 4 - number.count) + meaning
    }.joined(separator: "\n")
  }

  private static let meanings: [(code: ExitCode, meaning: String)] = [
    (.success, "success"),
    (
      .unbalanced,
      "verify: a problem in the ledger or the log; test: a test failed; cancel: nothing to cancel; --all: answered with no; "
        + "export: something is not kept; import: something that is not kept changes what runs"
    ),
    (.unchanged, "resume: the job is not suspended; drain --undo: takt is not draining"),
    (.usage, "wrong usage"),
    (.invalidData, "explain: an invalid expression; verify: not a JSON log"),
    (.unreadableLedger, "the ledger cannot be read"),
    (
      .unreachable,
      "takt is not running, or does not answer; drain: takt was stopped or killed first; verify --cluster: the database does not answer; "
        + "--cluster, --on: another machine does not answer"
    ),
    (.defect, "import: takt refuses the jobs file that it wrote, which is a bug"),
    (.system, "the system lacks or refuses something that takt needs"),
    (.stateInUse, "the state folder is in use or cannot be trusted; --log-file: cannot be opened"),
    (.unwritable, "output cannot be written"),
    (.overlap, "trigger: another run is active, and overlap is skip"),
    (.forbidden, "the state folder or the socket belongs to another user"),
    (
      .configuration,
      "an invalid jobs file or tests file, with check --strict one with warnings, or no ledger; "
        + "import: a source cannot be read"
    ),
  ]
}
