package import Dispatch
import Synchronization
package import TaktCore
import TaktSystem
package import TaktTime

/// The archive of a daemon: opened at the first query, since the file may come later, and open
/// until the daemon stops.
///
/// It is not opened for each query: the queue of a database that is closed is cleaned up on the
/// system's shared pool of threads, whose first use starts a timer that wakes the process once a
/// second from then on.
///
/// Safe from any thread; blocks while it reads.
package final class OpenedArchive: RunArchive {
  private struct Opened {
    let archive: LedgerArchive
    let identities: [FileStatus.Identity?]
  }

  private struct State {
    var opened: Opened?
    var isClosed = false
  }

  private let folder: String
  private var path: String { folder + "/" + LedgerFile.name }
  private let state = Mutex(State())
  /// For queries that walk through much of the ledger, so that no other query waits for them.
  private let walks = Mutex(State())

  package init(folder: String) { self.folder = folder }

  package func runs(_ query: RunQuery) throws(ArchiveError) -> [StoredRun] {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.runs(query) }
  }

  package func run(_ number: RunID) throws(ArchiveError) -> StoredRun? {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.run(number) }
  }

  package func outputs(of number: RunID) throws(ArchiveError) -> [StoredOutput] {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.outputs(of: number) }
  }

  package func verdicts(_ query: VerdictQuery) throws(ArchiveError) -> [VerdictRecord] {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.verdicts(query) }
  }

  package func slots(_ query: SlotQuery) throws(ArchiveError) -> [DecidedSlot] {
    let answer = { (archive: LedgerArchive) throws(LedgerArchive.Failure) in
      try archive.slots(query)
    }
    return try query.walks ? read(by: walks, answer) : read(by: state, answer)
  }

  package func heat(_ query: HeatQuery) throws(ArchiveError) -> HeatMap {
    try read(by: walks) { (archive) throws(LedgerArchive.Failure) in try archive.heat(query) }
  }

  package func meanDurations() throws(ArchiveError) -> [JobName: Duration] {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.meanDurations() }
  }

  package func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(ArchiveError) -> [DaemonAbsence] {
    try read { (archive) throws(LedgerArchive.Failure) in
      try archive.absences(from: first, to: last)
    }
  }

  /// Closes the file; no query is answered from now on. The last process to close it moves the
  /// write-ahead log into the database, which only one that may write can do.
  ///
  /// - Parameter timeout: the longest wait for a query in progress: its disk may never answer.
  package func close(timeout: DispatchTimeInterval = .seconds(2)) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "takt.archive.close", qos: .utility).async { [self] in
      let opened = [Self.close(state), Self.close(walks)]
      // A reader that has it finishes first, and the next one finds it closed.
      for archive in opened { archive?.close() }
      done.signal()
    }
    _ = done.wait(timeout: .now() + timeout)
  }

  private static func close(_ state: borrowing Mutex<State>) -> LedgerArchive? {
    state.withLock { state in
      state.isClosed = true
      defer { state.opened = nil }
      return state.opened?.archive
    }
  }

  private func read<Value: Sendable>(
    _ body: (LedgerArchive) throws(LedgerArchive.Failure) -> Value
  ) throws(ArchiveError) -> Value {
    try read(by: state, body)
  }

  private func read<Value: Sendable>(
    by state: borrowing Mutex<State>,
    _ body: (LedgerArchive) throws(LedgerArchive.Failure) -> Value
  ) throws(ArchiveError) -> Value {
    do throws(LedgerArchive.Failure) {
      let archive = try archive(by: state)
      let value = try body(archive)
      // Queries are rare: SQLite's cache for the next one is not worth its memory.
      archive.releaseMemory()
      return value
    } catch {
      // After a failure the file is opened again for the next query.
      state.withLock { $0.opened = nil }
      throw ArchiveError(error.sentence)
    }
  }

  /// After a loss the ledger is another file, which is opened then.
  private func archive(
    by state: borrowing Mutex<State>
  ) throws(LedgerArchive.Failure) -> LedgerArchive {
    try state.withLock { (state) throws(LedgerArchive.Failure) in
      guard !state.isClosed else { throw .unreadable(path: path, reason: "takt is stopping") }
      let before = LedgerFile.identities(of: path)
      if let opened = state.opened, opened.identities == before { return opened.archive }
      state.opened = nil
      let archive = try LedgerArchive(folder: folder)
      let after = LedgerFile.identities(of: path)
      // The write-ahead log may have been created by the opening. If the database was replaced
      // meanwhile, the next query notices.
      state.opened = Opened(
        archive: archive, identities: before.first == after.first ? after : before)
      return archive
    }
  }
}
