import TaktCore

/// What a takt that starts finds in the ledger.
public struct LedgerFindings: Sendable {
  /// Where it goes on.
  public var former = FormerBooks()
  /// Processes of attempts that may have outlived the takt that started them.
  public var processes: [LeftProcess] = []
  /// The words that marked the processes of takts that ended without a word.
  public var instances: [String] = []
  /// When the last takt wrote last; nil when there was none.
  public var lastSeen: WallInstant?

  /// How many rows made no sense and were passed over.
  public var badRows = 0

  /// Nothing.
  public init() {}

  /// A process that a former takt has started.
  public struct LeftProcess: Hashable, Sendable {
    /// Whose attempt it was.
    public var job: JobName
    /// See `job`.
    public var run: RunID
    /// What it is known by.
    public var identity: ProcessIdentity
  }
}
