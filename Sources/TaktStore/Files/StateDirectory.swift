import Glibc
import TaktSystem

/// An open state folder. What is in it is looked up from its descriptor, without following links.
final class StateDirectory: Sendable {
  /// Which folder it is: a copy is another one, a folder that was moved within its file system is
  /// the same.
  struct Identity: Hashable, Sendable {
    /// Nil where it is not recorded.
    var device: Int64?
    var inode: Int64?
  }

  let path: String
  let descriptor: Int32

  /// Opens a folder that is known to be takt's own. Nil with `errno` when it cannot be opened.
  init?(path: String, isLinkFollowed: Bool = true) {
    self.path = path
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isLinkFollowed ? 0 : O_NOFOLLOW)
    descriptor = Glibc.open(path, flags)
    if descriptor < 0 { return nil }
  }

  /// Opens, or makes, a folder in this one, whatever is said of this one.
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

  var identity: Identity { status.map(Identity.init) ?? Identity() }

  var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// What a name in the folder stands for; nil where there is nothing.
  func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Whether the path still leads here.
  var isInPlace: Bool {
    var status = stat()
    return stat(path, &status) == 0 && Identity(status) == identity
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
  init(_ status: stat) {
    device = Int64(bitPattern: UInt64(status.st_dev))
    inode = Int64(bitPattern: UInt64(status.st_ino))
  }
}

// MARK: - Files

extension StateDirectory {
  /// Names the processes that the ledger cannot record.
  static let processesName = "processes"

  /// What takt itself puts into the folder and opens again.
  static let ownFiles =
    [
      "lock", LedgerFile.name, LedgerFile.name + "-wal", LedgerFile.name + "-shm",
      LedgerFile.name + "-journal", LossNote.name, processesName, "token",
    ]

  /// Whether a daemon has had a ledger here: it reserves space beside it, and SQLite logs its writes.
  var hasBeenUsed: Bool {
    [LossNote.name, Self.processesName, LedgerFile.name + "-wal"].contains { name in
      status(of: name).map { $0.st_size > 0 } ?? false
    }
  }

  /// Refuses a file that is not takt's own and takt's alone. What does not exist is no problem.
  ///
  /// The right of its group to write is taken away: a volume that is mounted for a group may have
  /// given it to each file.
  func check(_ name: String) throws(StateFolderProblem) {
    guard let found = status(of: name) else { return }
    let problem = FileTrust.stateFile.problem(
      of: FileFact(found, path: path + "/" + name), for: FileParties(own: geteuid()))
    guard let problem else { return }
    if case .writable(let mode) = problem.reason, mode & 0o002 == 0, restrict(name) { return }
    throw StateFolderProblem(problem)
  }

  /// Takes the right to write away from all but the owner.
  private func restrict(_ name: String) -> Bool {
    let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    return fstat(file, &status) == 0 && status.st_uid == geteuid()
      && fchmod(file, status.st_mode & 0o7755) == 0
  }
}

// MARK: - The folder itself

extension StateDirectory {
  /// Where takt keeps its state within a folder that is not its own.
  static let ownName = "takt-state"

  /// A state folder that has been checked.
  struct Opened {
    var directory: StateDirectory
    /// Whether it is takt's own folder within the one that was asked for.
    var isWithin: Bool
    /// Whether its group could write to it until now.
    var wasRestricted: Bool
  }

  /// Opens the state folder, makes it where it is missing, and checks that nobody else can have
  /// made or changed it.
  ///
  /// - Parameter trusted: users besides root who may own folders above it. Matters to root alone.
  static func checked(
    _ path: String, trusting trusted: Set<uid_t> = []
  ) throws(StateFolderLock.Failure) -> Opened {
    let parties = FileParties(own: geteuid(), above: trusted)
    // What is not there yet has no link at its end.
    if parties.own == 0,
      let trail = FileOpener.trail(of: path) ?? FileOpener.trail(of: folder(of: path)),
      let problem = FileTrust.stateFolder.problem(ofLinksOn: trail, for: parties)
    {
      throw .refused(StateFolderProblem(problem, isParent: true))
    }
    // Without links from here on: each folder of these paths is one that was judged.
    let parts = try locate(path)
    for parent in parts.parents where parties.own == 0 {
      // Whoever may rename in one of them may put another state folder in the place of takt's.
      guard let trail = FileOpener.trail(of: parent),
        let problem = FileTrust.stateFolder.problem(ofFoldersAbove: trail.facts, for: parties)
      else { continue }
      throw .refused(StateFolderProblem(problem, isParent: true))
    }
    // Only the last part: a path that is mistyped is not to leave folders behind.
    if mkdir(parts.path, 0o700) != 0, errno != EEXIST { throw .unwritable(errno: errno) }
    guard let folder = StateDirectory(path: parts.path, isLinkFollowed: false) else {
      let number = errno
      // Another user's daemon may use it.
      if number == EACCES, let owner = owner(of: parts.path) {
        throw .refused(StateFolderProblem(path: path, kind: .closed(owner: owner)))
      }
      guard number == ENOTDIR || number == ELOOP else { throw .unwritable(errno: number) }
      throw .refused(
        StateFolderProblem(path: path, kind: number == ELOOP ? .link : .wrongType))
    }
    guard let status = folder.status else { throw .unwritable(errno: errno) }
    let mode = status.st_mode & 0o7777
    if FileTrust.stateFolder.problem(of: FileFact(status, path: path), for: parties) == nil {
      // One that takt has made here while the folder was not its own.
      let own = StateDirectory(ownName, in: folder, isMade: false)
      if let own, own.status(of: "lock") != nil, own.status?.st_uid == geteuid() {
        return Opened(
          directory: own, isWithin: true, wasRestricted: try own.restrict(to: 0o700))
      }
      return Opened(directory: folder, isWithin: false, wasRestricted: false)
    }
    if folder.isPlaceForOwn(status) {
      guard let own = StateDirectory(ownName, in: folder, isMade: true) else {
        let number = errno
        if number == EACCES {
          if let own = folder.status(of: ownName) {
            throw .refused(
              StateFolderProblem(path: "\(path)/\(ownName)", kind: .closed(owner: own.st_uid)))
          }
          // The state of its owner, not a place for others.
          if folder.status(of: "lock") != nil {
            throw .refused(StateFolderProblem(path: path, kind: .closed(owner: status.st_uid)))
          }
        }
        guard number == ENOTDIR || number == ELOOP else { throw .unwritable(errno: number) }
        throw .refused(
          StateFolderProblem(
            path: "\(path)/\(ownName)", kind: number == ELOOP ? .link : .wrongType))
      }
      return Opened(directory: own, isWithin: true, wasRestricted: try own.restrict(to: 0o700))
    }
    guard status.st_uid == geteuid() else {
      if faccessat(folder.descriptor, ".", W_OK, AT_EACCESS) != 0, errno != EINVAL {
        guard errno == EACCES else { throw .unwritable(errno: errno) }
        throw .refused(StateFolderProblem(path: path, kind: .closed(owner: status.st_uid)))
      }
      throw .refused(StateFolderProblem(path: path, kind: .owner(status.st_uid)))
    }
    // Only a folder that holds nothing else is changed.
    guard mode & (0o002 | 0o1000) == 0, folder.status(of: "lock") != nil || folder.isEmpty else {
      throw .refused(StateFolderProblem(path: path, kind: .writable(mode: mode)))
    }
    return Opened(
      directory: folder, isWithin: false, wasRestricted: try folder.restrict(to: 0o7755))
  }

  /// The real paths of the folders above, and the path of the folder. A link in the place of the
  /// folder counts only when takt's own user or root has made it.
  private static func locate(
    _ path: String
  ) throws(StateFolderLock.Failure) -> (parents: [String], path: String) {
    var place = path
    while place.count > 1, place.hasSuffix("/") { place.removeLast() }
    guard let parent = real(folder(of: place)) else { throw .unwritable(errno: errno) }
    var status = stat()
    if lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      let isOwn = status.st_uid == geteuid() || status.st_uid == 0
      guard isOwn, let target = real(place) else {
        throw .refused(StateFolderProblem(path: path, kind: .link))
      }
      return ([parent, folder(of: target)], target)
    }
    let name = place.lastIndex(of: "/").map { String(place[place.index(after: $0)...]) } ?? place
    return ([parent], parent == "/" ? "/" + name : parent + "/" + name)
  }

  /// Who has made what is at a path; nil where nothing is.
  private static func owner(of path: String) -> uid_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
  }

  private static func folder(of path: String) -> String {
    guard let cut = path.lastIndex(of: "/") else { return "." }
    return cut == path.startIndex ? "/" : String(path[..<cut])
  }

  private static func real(_ path: String) -> String? {
    realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
  }

  /// Whether it is the place for a folder of takt's own, such as a volume: what is mounted here, or
  /// what root has made for others to write.
  private func isPlaceForOwn(_ status: stat) -> Bool {
    let isMount = self.status(of: "..").map { $0.st_dev != status.st_dev } ?? false
    if geteuid() == 0 { return isMount && status.st_uid == 0 }
    return isMount || status.st_uid == 0 || status.st_uid == FileParties.unmappedUser
  }

  /// Leaves these rights where others than the owner, who must be takt's user, may write. Returns
  /// whether they could.
  private func restrict(to mask: mode_t) throws(StateFolderLock.Failure) -> Bool {
    guard let status else { throw .unwritable(errno: errno) }
    guard status.st_uid == geteuid() else {
      throw .refused(StateFolderProblem(path: path, kind: .owner(status.st_uid)))
    }
    guard status.st_mode & 0o022 != 0 else { return false }
    guard fchmod(descriptor, status.st_mode & mask) == 0 else {
      throw .refused(
        StateFolderProblem(path: path, kind: .writable(mode: status.st_mode & 0o7777)))
    }
    return true
  }
}
