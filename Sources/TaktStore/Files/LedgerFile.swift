internal import GRDB
import Glibc
import TaktSystem

/// The database file of a state folder, open for writing by one daemon.
final class LedgerFile {
  enum Failure: Error {
    case newer
    /// The state folder was put in the place of another while it was opened.
    case replaced
  }

  static let name = "ledger.sqlite"
  /// Suffixes that SQLite adds to the name of the database for its files.
  static let suffixes = ["", "-wal", "-shm", "-journal"]
  /// Seconds that one attempt waits for another process that has the database locked.
  private static let busyTimeout = 2.0

  let path: String
  let database: DatabaseQueue
  /// Of `database`, and used on its queue alone.
  let statements = LedgerStatements()
  /// Of the database itself and of its write-ahead log, which holds what is not in it yet.
  private let identities: [FileStatus.Identity?]

  /// Opens the file, creates it if it is missing, and migrates it.
  init(folder: String, name: String = LedgerFile.name) throws {
    path = folder + "/" + name
    guard let directory = StateDirectory(path: folder) else {
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: SystemError.text())
    }
    for suffix in Self.suffixes { try directory.check(name + suffix) }
    let status = directory.status(of: name)
    // An earlier start may have left an empty file.
    let isNew = status.map { $0.sizeBytes == 0 } ?? true
    if status == nil {
      // For its owner alone, before anything is in it.
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = openat(directory.descriptor, name, flags, 0o600)
      if descriptor >= 0 { Glibc.close(descriptor) }
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(Self.busyTimeout)
    // A disk that fails can leave a transaction open; the next write finds it, and the process need
    // not end for it.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { db in
      if isNew { try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
      try db.execute(
        sql: """
          PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
          PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -2048;
          PRAGMA foreign_keys = OFF
          """)
    }
    database = try DatabaseQueue(path: path, configuration: configuration)
    let migrator = LedgerSchema.migrator
    // The database opens by path what was checked by descriptor: it must be the same.
    guard directory.isInPlace else { throw Failure.replaced }
    if try database.read(migrator.hasBeenSuperseded) { throw Failure.newer }
    try migrator.migrate(database)
    identities = Self.identities(of: path)
  }

  /// True if the open file is still the one at the path.
  var isInPlace: Bool { Self.identities(of: path) == identities }

  /// Writes the contents of the open file to its path after the file there was removed.
  func restore() throws {
    let folder = String(path.dropLast(Self.name.count + 1))
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
    }
    // Next to it first: until the copy is whole, the files at the path stay.
    let place = path + ".restoring"
    Self.remove(place)
    let descriptor = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Glibc.close(descriptor) }
    do {
      let copy = try DatabaseQueue(path: place)
      try database.backup(to: copy)
      try copy.close()
    } catch {
      Self.remove(place)
      throw error
    }
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    guard rename(place, path) == 0 else { throw DatabaseError(resultCode: .SQLITE_IOERR) }
  }

  static func remove(_ path: String) {
    for suffix in suffixes { unlink(path + suffix) }
  }

  /// Releases the memory of SQLite and of prepared statements.
  func releaseMemory() {
    database.writeWithoutTransaction { db in
      statements.finalize()
      db.releaseMemory()
    }
  }

  func close() {
    database.writeWithoutTransaction { _ in statements.finalize() }
    try? database.close()
  }

  static func identities(of path: String) -> [FileStatus.Identity?] {
    ["", "-wal"].map { suffix in
      (try? FileStatus(at: path + suffix))?.identity
    }
  }
}
