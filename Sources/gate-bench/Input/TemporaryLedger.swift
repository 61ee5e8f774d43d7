import Glibc
import TaktCore
import TaktStore

/// A ledger in a folder of its own, written on the thread that calls. The folder goes with it.
final class TemporaryLedger {
  let folder: String
  private let scribe: LedgerScribe

  init() throws {
    var template = Array("/tmp/takt-gate-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw WorkloadFailure("no temporary folder: \(String(cString: strerror(errno)))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    scribe = LedgerScribe(
      lock: try StateFolderLock(folder: folder, holder: "gate"),
      writer: SQLiteLedger.Writer(instance: "gate", boot: "gate", version: "1", file: "jobs.yaml"),
      history: History(), checkAfter: .seconds(86_400), zones: FixedZones(),
      observer: SilentObserver(), time: FixedTime(), onRenewed: {})
    _ = try scribe.begin()
  }

  deinit {
    scribe.close()
    for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "lock"] {
      unlink("\(folder)/\(name)")
    }
    rmdir(folder)
  }

  /// Writes entries in one transaction.
  func write(_ entries: [LedgerEntry]) throws {
    scribe.take(entries, [])
    guard scribe.write(taking: { LedgerLosses() }) else {
      throw WorkloadFailure("not written: \(scribe.failure ?? "")")
    }
  }

  /// Compares the ledger with the slots that there should have been.
  func audit() throws -> LedgerAuditReport {
    try LedgerArchive(folder: folder).audit(zones: FixedZones())
  }
}
