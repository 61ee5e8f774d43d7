package import TaktCore

/// The archive of a takt that runs: opened when somebody first asks, since the file may come later.
///
/// Safe from any thread; blocks while it reads.
package final class OpenedArchive: RunArchive {
  private let folder: String

  /// The ledger of this folder.
  package init(folder: String) { self.folder = folder }

  /// See `RunArchive`.
  package func runs(_ query: RunQuery) throws(ArchiveTrouble) -> [StoredRun] {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.runs(query) }
  }

  /// See `RunArchive`.
  package func run(_ number: RunID) throws(ArchiveTrouble) -> StoredRun? {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.run(number) }
  }

  /// See `RunArchive`.
  package func outputs(of number: RunID) throws(ArchiveTrouble) -> [StoredOutput] {
    try read { (archive) throws(LedgerArchive.Failure) in try archive.outputs(of: number) }
  }

  /// A ledger that was lost is another file later: none is held open between two questions.
  private func read<Value>(
    _ body: (LedgerArchive) throws(LedgerArchive.Failure) -> Value
  ) throws(ArchiveTrouble) -> Value {
    do throws(LedgerArchive.Failure) {
      return try body(LedgerArchive(folder: folder))
    } catch {
      throw ArchiveTrouble(error.sentence)
    }
  }
}

extension LedgerArchive.Failure {
  /// What it is, in words for people.
  package var sentence: String {
    switch self {
    case .missing(let path): "there is no ledger at \(path)"
    case .newer(let path): "\(path) was written by a newer takt; use that one"
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
    }
  }
}
