import GRDB

/// Why a ledger cannot be used at all.
package enum LedgerOpenFailure: Error, Hashable, Sendable {
  /// A newer takt has written it.
  case newer(path: String)
  /// A file of it may be another user's work.
  case refused(StateFolderProblem)
}

/// What is in the way of a ledger, in words for people.
enum LedgerFailure {
  static func text(of error: any Error) -> String {
    if case StateFolderLock.Failure.held(let holder) = error {
      return "the state folder is in use by \(holder)"
    }
    if case StateFolderLock.Failure.refused(let problem) = error { return problem.sentence }
    if let problem = error as? StateFolderProblem { return problem.sentence }
    if case LedgerFile.Failure.replaced = error {
      return "the state folder was replaced while takt opened it"
    }
    guard let error = error as? DatabaseError else { return "\(error)" }
    let text = error.message ?? "\(error.resultCode)"
    return switch error.resultCode {
    case .SQLITE_FULL: "the disk is full"
    case .SQLITE_READONLY: "it is read-only"
    case .SQLITE_BUSY, .SQLITE_LOCKED: "another process has locked it"
    case .SQLITE_CANTOPEN: "it cannot be opened (\(text))"
    case .SQLITE_IOERR: "disk error, as on a full disk (\(text))"
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: "it is damaged (\(text))"
    default: text
    }
  }
}

extension DatabaseError {
  /// Whether it lies with the disk or with others, and may be well again.
  var isOfDisk: Bool {
    switch resultCode {
    case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN,
      .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CORRUPT, .SQLITE_NOTADB:
      true
    default: false
    }
  }

  /// Whether the file itself is not what it should be.
  var isDamage: Bool {
    switch resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
    // Somebody has laid another file over it.
    case .SQLITE_ERROR: message?.hasPrefix("no such ") == true
    default: false
    }
  }
}
