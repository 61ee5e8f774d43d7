package import Dispatch
internal import GRDB
import Glibc
import Synchronization
package import TaktCore
package import TaktTime
import TimerMachine

/// The ledger on disk. Entries are taken at once and written in batches, on a queue of its own: a
/// slow, full, read-only, damaged or vanished disk keeps no caller waiting.
///
/// Safe from any thread.
package final class SQLiteLedger: Ledger {
  /// The process that writes, for the table `daemons`.
  package struct Writer: Sendable {
    /// The word that marks the processes of this daemon.
    package var instance: String
    /// Identifies this boot of the machine.
    package var boot: String
    package var version: String
    package var file: String
    /// The start of this process, in clock ticks since the machine's; nil if unknown.
    package var startTicks: UInt64?
    /// The namespace of process numbers of this process; nil if unknown.
    package var pidSpace: String?

    package init(
      instance: String, boot: String, version: String, file: String, startTicks: UInt64? = nil,
      pidSpace: String? = nil
    ) {
      self.instance = instance
      self.boot = boot
      self.version = version
      self.file = file
      self.startTicks = startTicks
      self.pidSpace = pidSpace
    }
  }

  /// Limits of what is held while the ledger cannot be written.
  package struct Bounds: Sendable {
    /// Entries; of those beyond, verdicts are counted and the others are dropped.
    package var entriesMax = 200_000
    /// Bytes of the runs' output, four times as many while all is well; output beyond is dropped.
    package var outputBytesMax = 16 << 20
    /// The time from the start to the check of the whole file for damage that no query has met;
    /// then once a day.
    package var checkAfter = Duration.seconds(60)

    package init() {}
  }

  package struct Status: Hashable, Sendable, CustomStringConvertible {
    package var queued = 0
    /// The number of slots whose verdicts could not be kept so far.
    package var lostSlots = 0
    /// The number of other entries that could not be kept so far.
    package var lostEntries = 0
    /// The reason why nothing can be written at present; nil when all is well.
    package var failure: String?
    package var batches = 0

    /// `ledger: 0 entries wait, 812 batches written, lost: 0 slots, 0 other entries`
    package var description: String {
      "ledger: \(queued) entries wait, \(batches) batches written, lost: \(lostSlots) slots, "
        + "\(lostEntries) other entries" + (failure.map { "; \($0)" } ?? "")
    }
  }

  package struct Waiter {
    var done: @Sendable () -> Void
  }

  struct Buffer {
    var entries: [LedgerEntry] = []
    /// The number of entries that the queue has taken from here and could not write yet.
    var held = 0
    var heldWaiters = 0
    var outputBytes = 0
    /// The bytes of output in held entries.
    var heldOutputBytes = 0
    var waiters: [Waiter] = []
    var losses = LedgerLosses()
    /// Its thread writes. Nil only during `init`.
    var alarm: Alarm?
    var isScheduled = false
    /// True if the next flush is to come at once.
    var isUrgent = false
    /// While nothing can be written: the time of the next try, and true if there is a process to be
    /// named before.
    var retryAt: MonotonicInstant?
    var hasNewProcess = false
    var isClosed = false
    var status = Status()
  }

  private let buffer = Mutex(Buffer())
  private let bounds: Bounds
  /// All writing happens on it, most of it by the alarm's thread.
  private let queue = DispatchQueue(label: "takt.ledger", qos: .utility)
  /// Touched on `queue` alone; every call of its functions is made there.
  private nonisolated(unsafe) let ledgerWriter: LedgerWriter

  /// Opens the ledger of a folder that is locked, creates it if it is missing, and reads the state
  /// of previous daemons. Throws if a newer takt has written it; a ledger that cannot be read now
  /// is tried again, and takt starts without it.
  ///
  /// - Parameters:
  ///   - history: limits of age, number and size of its entries.
  ///   - onRenewed: called, on a queue of the ledger's own, when the ledger has started again and
  ///     needs the whole present state.
  package static func open(
    in lock: StateFolderLock, writer: Writer, history: History, bounds: Bounds = Bounds(),
    zones: any ZoneSource, observer: any Observer, time: any TimeSource,
    onRenewed: @escaping @Sendable () -> Void
  ) throws(LedgerOpenFailure) -> (ledger: SQLiteLedger, previous: LedgerFindings) {
    let ledgerWriter = LedgerWriter(
      lock: lock, writer: writer, history: history, checkAfter: bounds.checkAfter, zones: zones,
      observer: observer, time: time,
      onRenewed: onRenewed)
    let findings = try ledgerWriter.begin()
    return (SQLiteLedger(ledgerWriter: ledgerWriter, bounds: bounds), findings)
  }

  private init(ledgerWriter: LedgerWriter, bounds: Bounds) {
    self.ledgerWriter = ledgerWriter
    self.bounds = bounds
    ledgerWriter.onFailure = { [weak self] text in
      self?.buffer.withLock { $0.status.failure = text }
    }
    buffer.withLock {
      $0.alarm = Alarm(name: "takt-ledger", nice: 2) { [weak self] in self?.ring() }
    }
  }

  package var status: Status { buffer.withLock { $0.status } }

  /// Takes entries that belong together.
  package func record(_ entries: [LedgerEntry]) {
    buffer.withLock { buffer in
      add(entries, into: &buffer)
      buffer.status.queued = buffer.entries.count + buffer.held
      let isToBeNamed =
        buffer.status.failure != nil && !buffer.hasNewProcess && !isFull(buffer)
        && ProcessReserve.isNamed(in: entries)
      if isToBeNamed { buffer.hasNewProcess = true }
      if !buffer.isScheduled || isToBeNamed { Self.schedule(&buffer, after: Self.pace) }
    }
  }

  /// Records that the leftover processes of these daemons have been searched for, so that no later
  /// daemon searches again.
  package func settle(_ daemons: [LedgerFindings.PreviousDaemon]) {
    queue.async { [self, ids = daemons.compactMap(\.id)] in
      ledgerWriter.settle(ids)
      if !ids.isEmpty { flush() }
    }
  }

  /// Calls `done` once all earlier entries are on the disk.
  package func whenKept(_ done: @escaping @Sendable () -> Void) {
    buffer.withLock { buffer in
      // Callers give up long before there are so many of them.
      guard buffer.waiters.count + buffer.heldWaiters < Self.waitersMax else { return }
      buffer.waiters.append(Waiter(done: done))
      // A failed write is retried in its own time.
      guard buffer.status.failure == nil, !buffer.isUrgent else { return }
      buffer.isUrgent = true
      Self.schedule(&buffer, after: .zero)
    }
  }

  /// There is at most one flush to come: a new one replaces an earlier one.
  private static func schedule(_ buffer: inout Buffer, after delay: Duration) {
    buffer.isScheduled = true
    buffer.alarm?.set(after: delay)
  }

  private func ring() {
    queue.sync {
      let (isScheduled, retryAt) = buffer.withLock { ($0.isScheduled, $0.retryAt) }
      guard isScheduled else { return }
      if let wait = retryAt.map({ $0 - ledgerWriter.time.monotonic }), wait > .zero {
        noteEntries(retryingAfter: wait)
      } else {
        flush()
      }
    }
  }

  /// The time for which entries wait for others to be written with, so that a thousand runs a
  /// second make five transactions.
  private static let pace = Duration.milliseconds(200)
  private static let waitersMax = 10_000

  /// True if there is no room for more. While all is well, entries that the writer has taken do not
  /// count, nor does the number that comes at once.
  private func isFull(_ buffer: Buffer) -> Bool {
    guard buffer.status.failure == nil else {
      return buffer.entries.count + buffer.held >= bounds.entriesMax
    }
    return buffer.held > 0 && buffer.entries.count >= bounds.entriesMax
  }

  private func add(_ entries: [LedgerEntry], into buffer: inout Buffer) {
    let place = buffer.entries.count
    if isFull(buffer) {
      for entry in entries { addBeyondBounds(entry, into: &buffer) }
    } else if buffer.entries.isEmpty {
      // Shared, not copied: all that many new jobs record comes at once.
      buffer.entries = entries
    } else {
      buffer.entries += entries
    }
    for index in place..<buffer.entries.count { boundOutput(at: index, in: &buffer) }
  }

  /// Without room, verdicts and runs are counted, and checkpoints replace older ones.
  private func addBeyondBounds(_ entry: LedgerEntry, into buffer: inout Buffer) {
    switch entry {
    case .verdict(let record):
      buffer.losses.add(record)
      buffer.status.lostSlots += record.slots.count
    case .checkpoint(let checkpoint): buffer.losses.checkpoints[checkpoint.job] = checkpoint
    // A checkpoint that is kept takes these for known.
    case .schedule, .scheduleEnded, .pending, .claimed, .rare(.once), .rare(.onceRemoved),
      .rare(.ranUnclaimed), .rare(.reported):
      buffer.entries.append(entry)
    case .began, .attemptBegan, .backedOff, .attemptOutput, .attemptUse, .ended, .settled,
      .process, .rare(.clockStepped), .rare(.reloaded), .rare(.service), .rare(.serviceEnded),
      .rare(.parameters), .rare(.joined):
      buffer.losses.entryCount += 1
      buffer.status.lostEntries += 1
    }
  }

  private func boundOutput(at index: Int, in buffer: inout Buffer) {
    switch buffer.entries[index] {
    case .ended(var record) where !record.totals.output.isEmpty:
      record.totals.output = bounded(record.totals.output, in: &buffer)
      buffer.entries[index] = .ended(record)
    case .attemptOutput(let run, let attempt, let output, let at):
      let output = bounded(output, in: &buffer)
      buffer.entries[index] = .attemptOutput(run, attempt: attempt, output, at: at)
    default: break
    }
  }

  /// The ends of an output, as much as there is room for. While all is well, output that the writer
  /// has taken does not count.
  private func bounded(_ output: KeptOutput, in buffer: inout Buffer) -> KeptOutput {
    let isWell = buffer.status.failure == nil
    let room =
      isWell
      ? 4 * bounds.outputBytesMax - buffer.outputBytes
      : bounds.outputBytesMax - buffer.outputBytes - buffer.heldOutputBytes
    let output = output.cut(to: max(0, room))
    buffer.outputBytes += output.head.count + output.tail.count
    // Output that is written soon leaves room for others.
    if isWell, !buffer.isUrgent, buffer.outputBytes > bounds.outputBytesMax {
      buffer.isUrgent = true
      Self.schedule(&buffer, after: .zero)
    }
    return output
  }

  /// On `queue`.
  private func handOver() {
    let (entries, waiters) = buffer.withLock { buffer in
      defer {
        buffer.held += buffer.entries.count
        buffer.heldWaiters += buffer.waiters.count
        buffer.heldOutputBytes += buffer.outputBytes
        buffer.outputBytes = 0
        buffer.entries = []
        buffer.waiters = []
        buffer.isScheduled = false
        buffer.isUrgent = false
        buffer.hasNewProcess = false
      }
      return (buffer.entries, buffer.waiters)
    }
    ledgerWriter.write(entries, waiters)
  }

  private func noteEntries(retryingAfter wait: Duration) {
    handOver()
    ledgerWriter.noteEntries()
    buffer.withLock { buffer in
      guard !buffer.isClosed else { return }
      Self.schedule(&buffer, after: buffer.hasNewProcess ? min(wait, Self.pace) : wait)
    }
  }

  /// On `queue`.
  private func flush() {
    handOver()
    guard ledgerWriter.hasWork else { return }
    let isWritten = ledgerWriter.write {
      self.buffer.withLock { buffer in
        defer { buffer.losses = LedgerLosses() }
        return buffer.losses
      }
    }
    buffer.withLock { buffer in
      if isWritten {
        buffer.held = 0
        buffer.heldWaiters = 0
        buffer.heldOutputBytes = 0
        buffer.status.batches += 1
      }
      buffer.status.queued = buffer.entries.count + buffer.held
      var delay = isWritten ? ledgerWriter.upkeepDelay : ledgerWriter.retryDelay
      // Callers that came while it was still failing have not asked for a write at once.
      if isWritten, !buffer.waiters.isEmpty { delay = .zero }
      buffer.retryAt = isWritten ? nil : delay.map { ledgerWriter.time.monotonic + $0 }
      guard let delay, !buffer.isClosed, !buffer.isScheduled || !isWritten else { return }
      Self.schedule(&buffer, after: buffer.hasNewProcess ? min(delay, Self.pace) : delay)
    }
    // Only now: their next entries find the room that there is again.
    let finished = ledgerWriter.finished
    ledgerWriter.finished = []
    for waiter in finished { waiter.done() }
  }

  /// Writes the remaining entries and the end of the daemon, and closes the file. Waits at most for
  /// `timeout`, then logs the losses.
  package func close(timeout: DispatchTimeInterval) {
    buffer.withLock { $0.isClosed = true }
    let end = DispatchTime.now() + timeout
    let done = DispatchSemaphore(value: 0)
    queue.async { [self] in
      ledgerWriter.end = ledgerWriter.time.now
      flush()
      // A disk that is locked or full may be well again soon.
      while ledgerWriter.failure != nil, DispatchTime.now() < end {
        usleep(200_000)
        flush()
      }
      ledgerWriter.close()
      done.signal()
    }
    // A disk that does not answer at all is waited for no longer than that either.
    let isDone = done.wait(timeout: end + .seconds(3)) == .success
    let left = buffer.withLock { $0.held + $0.entries.count }
    if !isDone { noteStuck(left) }
    if !isDone || left > 0 { ledgerWriter.logLost(left) }
  }

  private func noteStuck(_ count: Int) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "takt.ledger.note").async { [self] in
      ledgerWriter.noteStuck(count)
      done.signal()
    }
    _ = done.wait(timeout: .now() + .seconds(1))
  }
}
