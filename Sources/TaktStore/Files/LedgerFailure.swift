import GRDB

/// The reason why a ledger cannot be used at all.
package enum LedgerOpenFailure: Error, Hashable, Sendable {
  case newer(path: String)
  /// A file of it may have been made by another user.
  case refused(StateFolderProblem)
}

/// Classifies what is in the way of a ledger, and puts it in words for people.
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
  /// True if the disk or another process is the cause, so that it may pass.
  var isOfDisk: Bool {
    switch resultCode {
    case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN,
      .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CORRUPT, .SQLITE_NOTADB:
      true
    default: false
    }
  }

  /// True if the file itself is damaged.
  var isDamage: Bool {
    switch resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
    // Another file was put over it.
    case .SQLITE_ERROR: message?.hasPrefix("no such ") == true
    default: false
    }
  }
}
