import Glibc
import TaktSystem

/// An open state folder. Its entries are looked up from its descriptor, without following links.
final class StateDirectory: Sendable {
  /// Identifies the folder: a copy is another one, a folder that was moved within its file system
  /// is the same.
  struct Identity: Hashable, Sendable {
    var device: Int64?
    var inode: Int64?
  }

  let path: String
  let descriptor: Int32

  /// Opens a folder that is known to be takt's own. Nil with `errno` if it cannot be opened.
  init?(path: String, isLinkFollowed: Bool = true) {
    self.path = path
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isLinkFollowed ? 0 : O_NOFOLLOW)
    descriptor = Glibc.open(path, flags)
    if descriptor < 0 { return nil }
  }

  /// Opens, or makes, a folder in this one without checking this one.
  init?(_ name: String, in parent: StateDirectory, isMade: Bool) {
    path = parent.path + "/" + name
    if isMade, mkdirat(parent.descriptor, name, 0o700) != 0, errno != EEXIST {
      descriptor = -1
      return nil
    }
    descriptor = openat(
      parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var identity: Identity { (status?.identity).map(Identity.init) ?? Identity() }

  var status: FileStatus? { try? FileStatus(of: descriptor) }

  /// Does not follow a link; nil if the name does not exist.
  func status(of name: String) -> FileStatus? { try? FileStatus(of: name, in: descriptor) }

  /// True if the path still leads here.
  var isInPlace: Bool {
    (try? FileStatus(at: path)).map { Identity($0.identity) == identity } ?? false
  }

  var isEmpty: Bool {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { return false }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { return false }
    }
    return true
  }
}

extension StateDirectory.Identity {
  init(_ identity: FileStatus.Identity) {
    device = Int64(bitPattern: identity.device)
    inode = Int64(bitPattern: identity.inode)
  }
}

extension StateDirectory {
  /// Names the processes that the ledger cannot record.
  static let processesName = "processes"

  /// Files that takt creates in the folder and opens again.
  static let ownFiles =
    [
      "lock", LedgerFile.name, LedgerFile.name + "-wal", LedgerFile.name + "-shm",
      LedgerFile.name + "-journal", LossNote.name, processesName, "token",
    ]

  /// True once a daemon has had a ledger here: it reserves space next to it, and SQLite logs its
  /// writes.
  var hasBeenUsed: Bool {
    [LossNote.name, Self.processesName, LedgerFile.name + "-wal"].contains { name in
      status(of: name).map { $0.sizeBytes > 0 } ?? false
    }
  }

  /// Refuses a file unless it is takt's own and takt's alone. A missing file is no problem.
  ///
  /// Its group loses the right to write: a volume that is mounted for a group may have given it to
  /// each file.
  func check(_ name: String) throws(StateFolderProblem) {
    guard let found = status(of: name) else { return }
    let problem = FileTrust.stateFile.problem(
      of: FileFact(found, path: path + "/" + name), for: FileParties(own: geteuid()))
    guard let problem else { return }
    if case .writable(let mode) = problem.reason, mode & 0o002 == 0, restrict(name) { return }
    throw StateFolderProblem(problem)
  }

  /// Takes the right to write from all but the owner.
  private func restrict(_ name: String) -> Bool {
    let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard let status = try? FileStatus(of: file) else { return false }
    return status.owner == geteuid() && fchmod(file, status.mode & 0o7755) == 0
  }
}
