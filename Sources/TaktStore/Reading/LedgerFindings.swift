import TaktCore

/// What a daemon that starts finds in the ledger.
public struct LedgerFindings: Sendable {
  /// Where it goes on.
  public var former = FormerBooks()
  /// Daemons of this start of the machine whose leftover processes have not been searched for.
  public var daemons: [PreviousDaemon] = []
  /// Processes without a recorded end that a daemon of an earlier version has started, which
  /// recorded neither a mark nor itself.
  public var unmarked: [LeftProcess] = []
  /// When the previous daemon wrote last; nil when there was none.
  public var lastSeen: WallInstant?

  /// How many rows made no sense and were passed over.
  public var badRows = 0

  /// Nothing.
  public init() {}

  /// A daemon that has used this ledger, or the one that it is a copy of.
  public struct PreviousDaemon: Hashable, Sendable {
    /// Its row.
    public var id: Int64
    /// Its process.
    public var pid: Int32
    /// When its process started, in clock ticks; nil in a row of an earlier version.
    public var startTicks: UInt64?
    /// The namespace of its process numbers.
    public var pidSpace: String?
    /// Whether it used the state folder in which the ledger is now. A copy has another identity.
    public var isOfThisFolder: Bool
    /// The processes of its attempts that have no recorded end.
    public var processes: [LeftProcess] = []
  }

  /// The process of an attempt that has no recorded end.
  public struct LeftProcess: Hashable, Sendable {
    /// Whose attempt it was.
    public var job: JobName
    /// See `job`.
    public var run: RunID
    /// What it is known by.
    public var identity: ProcessIdentity
  }
}
