import Foundation
import GRDB
import Synchronization
import TaktCore
import TestSupport
import Testing

@testable import TaktStore
import TaktTime

/// Universal time alone.
struct TestZones: ZoneSource {
  func zone(named name: String) -> Zone? { name == "UTC" ? .utc : nil }
  var zoneNames: [String] { ["UTC"] }
}

/// A ledger in a folder of its own, and all that is said about it.
final class LedgerBench {
  /// The ledger's messages. It holds this and not the bench, whose folder goes with it.
  final class Said: Observer {
    let messages = Mutex<[String]>([])
    let renewals = Mutex(0)

    func observe(_ records: [LogRecord]) {
      messages.withLock { messages in
        for case .text(let text)? in records.map({ $0[.message] }) { messages.append(text) }
      }
    }
  }

  let folder: URL
  let said = Said()
  private(set) var ledger: SQLiteLedger?
  private(set) var findings = LedgerFindings()
  private var lock: StateFolderLock?

  /// Far longer than anything takes: who waits this long has failed.
  static let patience = DispatchTimeInterval.seconds(60)

  init(_ folder: URL? = nil) throws {
    if let folder {
      self.folder = folder
    } else {
      self.folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("takt-ledger-\(UUID().uuidString)")
    }
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
  }

  deinit {
    // One that still writes would make the folder again.
    ledger = nil
    try? FileManager.default.removeItem(at: folder)
  }

  func open(
    boot: String = "this", history: History = History(),
    bounds: SQLiteLedger.Bounds = SQLiteLedger.Bounds(), startTicks: UInt64? = nil
  ) throws {
    let writer = SQLiteLedger.Writer(
      instance: "test", boot: boot, version: "test", file: "test", startTicks: startTicks,
      pidSpace: "pid:[1]")
    let lock = try self.lock ?? StateFolderLock(folder: folder.path, holder: "test")
    self.lock = lock
    let (ledger, findings) = try SQLiteLedger.open(
      in: lock, writer: writer, history: history, bounds: bounds, zones: TestZones(),
      observer: said,
      time: SystemTimeSource(), onRenewed: { [said] in said.renewals.withLock { $0 += 1 } })
    self.ledger = ledger
    self.findings = findings
  }

  func close() {
    ledger?.close(timeout: Self.patience)
    ledger = nil
  }

  /// Waits until all that was recorded is on the disk; false when that does not happen in time.
  func isKept(within timeout: DispatchTimeInterval = patience) -> Bool {
    let done = DispatchSemaphore(value: 0)
    ledger?.whenKept { done.signal() }
    return done.wait(timeout: .now() + timeout) == .success
  }

  /// Waits until something is said that contains this text.
  func hasLogged(_ text: String) -> Bool {
    let end = Date(timeIntervalSinceNow: 60)
    while Date() < end {
      if said.messages.withLock({ $0.contains { $0.contains(text) } }) { return true }
      usleep(5000)
    }
    return false
  }

  var path: String { folder.appendingPathComponent(LedgerFile.name).path }

  /// Looks into, or meddles with, the file by another connection.
  func sql<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction(body)
  }

  /// Makes the file of an earlier version, from its text under Tests/Data/ledgers.
  func makeFile(_ name: String) throws {
    let text = try Repository.text("Tests/Data/ledgers/\(name).sql")
    try sql { try $0.execute(sql: "PRAGMA journal_mode = WAL; " + text) }
  }

  func audit() throws -> LedgerAuditReport {
    try LedgerArchive(folder: folder.path).audit(zones: TestZones())
  }
}

/// A job with an even grid of slots, and a world that goes through them.
struct GridJob {
  static let begin = WallInstant(milliseconds: 1_790_000_000_000)
  let name: JobName
  let interval: Int64

  init(_ name: String, everyMilliseconds interval: Int64 = 1000) throws {
    self.name = try #require(JobName(name))
    self.interval = interval
  }

  func slot(_ index: Int) -> WallInstant {
    WallInstant(milliseconds: Self.begin.milliseconds + Int64(index) * interval)
  }

  func mark(after index: Int) -> LedgerEntry {
    let instant = ScheduleInstant(slot(index))
    return .checkpoint(
      JobCheckpoint(
        job: name,
        cursor: CursorState(
          clockReading: ScheduleInstant(Self.begin), clockInstant: MonotonicInstant(nanoseconds: 1),
          anchor: ScheduleInstant(Self.begin), clockMark: instant, wallMark: instant)))
  }

  /// The first load of the job, before its first slot.
  var load: [LedgerEntry] {
    let edge = ScheduleEdge(
      clock: ScheduleInstant(Self.begin), wall: ScheduleInstant(Self.begin), at: Self.begin)
    return [
      .schedule(
        ScheduleVersion(
          job: name, schedule: Schedule(every: Every(.milliseconds(interval))), isEnabled: true,
          anchor: ScheduleInstant(Self.begin), from: edge, instantsFrom: nil)), mark(after: 0),
    ]
  }

  /// A slot that runs, as the scheduler tells it.
  func begins(_ index: Int, run: UInt64, delivery: Delivery = .bestEffort) -> [LedgerEntry] {
    [
      .began(RunBeginning(head(index, run: run, delivery: delivery), attempt: 1, at: slot(index))),
      .verdict(
        VerdictRecord(
          job: name, slots: SlotSeries(slot(index)), verdict: .ran, at: slot(index),
          run: RunID(run))),
      mark(after: index),
    ]
  }

  func ends(
    _ index: Int, run: UInt64, _ end: RunEnd = RunEnd(.succeeded, .exit(0)),
    output: KeptOutput = KeptOutput()
  ) -> [LedgerEntry] {
    [
      .ended(
        RunRecord(
          head(index, run: run), attempts: 1, end: end, endedAt: slot(index) + .milliseconds(10),
          duration: .milliseconds(10), totals: RunTotals(output: output)))
    ]
  }

  /// The first attempt has failed, and another follows.
  func waits(_ index: Int, run: UInt64, _ end: RunEnd) -> LedgerEntry {
    .backedOff(
      RunID(run), RetryPosition(attempt: 1, until: slot(index) + .seconds(3600), end: end),
      at: slot(index))
  }

  func head(_ index: Int, run: UInt64, delivery: Delivery = .bestEffort) -> RunHead {
    RunHead(run: RunID(run), job: name, slot: slot(index), delivery: delivery)
  }

  func runs(_ index: Int, run: UInt64) -> [LedgerEntry] {
    begins(index, run: run) + ends(index, run: run)
  }
}
