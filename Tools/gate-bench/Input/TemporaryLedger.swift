import TaktCore
import TaktStore
import TaktTesting

/// A ledger in a folder of its own, written on the calling thread. The folder is removed with it.
final class TemporaryLedger {
  private let folder: TemporaryFolder
  private let ledgerWriter: LedgerWriter

  init() throws {
    folder = TemporaryFolder()
    ledgerWriter = LedgerWriter(
      lock: try StateFolderLock(folder: folder.path, holder: "gate"),
      writer: SQLiteLedger.Writer(instance: "gate", boot: "gate", version: "1", file: "jobs.yaml"),
      history: History(), checkAfter: .seconds(86_400), zones: FixedZones(),
      observer: SilentObserver(), time: FixedTime(), onRenewed: {})
    _ = try ledgerWriter.begin()
  }

  deinit { ledgerWriter.close() }

  func write(_ entries: [LedgerEntry]) throws {
    ledgerWriter.write(entries, [])
    guard ledgerWriter.write(taking: { LedgerLosses() }) else {
      throw WorkloadFailure("not written: \(ledgerWriter.failure ?? "")")
    }
  }

  /// Compares the ledger with the slots of its schedules.
  func audit() throws -> LedgerAuditReport {
    try LedgerArchive(folder: folder.path).audit(zones: FixedZones())
  }
}
