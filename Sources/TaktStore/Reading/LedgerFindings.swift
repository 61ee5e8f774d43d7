package import TaktCore
package import TaktTime

/// What a daemon that starts finds in the ledger.
package struct LedgerFindings: Sendable {
  /// Where it goes on.
  package var former = FormerBooks()
  /// Daemons of this start of the machine whose leftover processes have not been searched for.
  package var daemons: [PreviousDaemon] = []
  /// Processes without a recorded end that a daemon of an earlier version has started, which
  /// recorded neither a mark nor itself.
  package var unmarked: [LeftProcess] = []
  /// When the previous daemon wrote last; nil when there was none.
  package var lastSeen: WallInstant?

  /// How many rows made no sense and were passed over.
  package var badRows = 0

  /// Nothing.
  package init() {}

  /// A daemon that has used this ledger, or the one that it is a copy of.
  package struct PreviousDaemon: Hashable, Sendable {
    /// Its row.
    package var id: Int64
    /// Its process.
    package var pid: Int32
    /// When its process started, in clock ticks; nil in a row of an earlier version.
    package var startTicks: UInt64?
    /// The namespace of its process numbers.
    package var pidSpace: String?
    /// Whether it used the state folder in which the ledger is now. A copy has another identity.
    package var isOfThisFolder: Bool
    /// The processes of its attempts that have no recorded end.
    package var processes: [LeftProcess] = []
  }

  /// The process of an attempt that has no recorded end.
  package struct LeftProcess: Hashable, Sendable {
    /// Whose attempt it was.
    package var job: JobName
    /// See `job`.
    package var run: RunID
    /// What it is known by.
    package var identity: ProcessIdentity
  }
}
