import Glibc
import TaktSystem

extension StateDirectory {
  /// The name of takt's state folder within a folder that is not its own.
  static let ownName = "takt-state"

  struct Opened {
    var directory: StateDirectory
    /// True if it is takt's own folder within the one that was asked for.
    var isWithin: Bool
    /// True if its group could write to it until now.
    var wasRestricted: Bool
  }

  /// Opens the state folder, creates it if it is missing, and checks that nobody else can have made
  /// or changed it.
  ///
  /// - Parameter trusted: users besides root who may own folders above it. Matters to root alone.
  static func checked(
    _ path: String, trusting trusted: Set<uid_t> = []
  ) throws(StateFolderLock.Failure) -> Opened {
    let parties = FileParties(own: geteuid(), above: trusted)
    let place = try checkedPlace(path, for: parties)
    // Only the last part: a mistyped path must not leave folders behind.
    if mkdir(place, 0o700) != 0, errno != EEXIST { throw .unwritable(errno: errno) }
    guard let folder = StateDirectory(path: place, isLinkFollowed: false) else {
      let number = errno
      let owner = (try? FileStatus(at: place, followsLink: false))?.owner
      throw refusal(number, path, ownedBy: owner)
    }
    guard let status = folder.status else { throw .unwritable(errno: errno) }
    let own = folder.ownWithin
    switch folder.finding(status, own).verdict(for: parties) {
    case .use: return Opened(directory: folder, isWithin: false, wasRestricted: false)
    case .useWithin: return try within(own)
    case .makeWithin: return try within(try folder.makeWithin(path, status))
    case .restrict:
      return Opened(
        directory: folder, isWithin: false, wasRestricted: try folder.restrict(to: 0o7755))
    case .refuse(.owner(let owner)): throw try folder.refusal(path, of: owner)
    case .refuse(let kind): throw .refused(StateFolderProblem(path: path, kind: kind))
    }
  }

  /// The path without links of a folder whose way is checked.
  private static func checkedPlace(
    _ path: String, for parties: FileParties
  ) throws(StateFolderLock.Failure) -> String {
    guard parties.own == 0 else { return try locate(path).path }
    // A path that does not exist has no link at its end.
    let trail = FileOpener.trail(of: path) ?? FileOpener.trail(of: folder(of: path))
    if let trail, let problem = FileTrust.stateFolder.problem(ofLinksOn: trail, for: parties) {
      throw .refused(StateFolderProblem(problem, isParent: true))
    }
    // Without links from here on: each folder of these paths was checked.
    let parts = try locate(path)
    for parent in parts.parents {
      // A user who may rename in one of them could replace takt's state folder.
      guard let trail = FileOpener.trail(of: parent),
        let problem = FileTrust.stateFolder.problem(ofFoldersAbove: trail.facts, for: parties)
      else { continue }
      throw .refused(StateFolderProblem(problem, isParent: true))
    }
    return parts.path
  }

  /// The real paths of the folders above, and the path of the folder. A link in the place of the
  /// folder counts only if takt's own user or root has made it.
  private static func locate(
    _ path: String
  ) throws(StateFolderLock.Failure) -> (parents: [String], path: String) {
    var place = path
    while place.count > 1, place.hasSuffix("/") { place.removeLast() }
    guard let parent = SmallFile.realPath(folder(of: place)) else {
      throw .unwritable(errno: errno)
    }
    if let status = try? FileStatus(at: place, followsLink: false), status.type == .link {
      let isOwn = status.owner == geteuid() || status.owner == 0
      guard isOwn, let target = SmallFile.realPath(place) else {
        throw .refused(StateFolderProblem(path: path, kind: .link))
      }
      return ([parent, folder(of: target)], target)
    }
    let name = place.lastIndex(of: "/").map { String(place[place.index(after: $0)...]) } ?? place
    return ([parent], parent == "/" ? "/" + name : parent + "/" + name)
  }

  private static func folder(of path: String) -> String {
    guard let cut = path.lastIndex(of: "/") else { return "." }
    return cut == path.startIndex ? "/" : String(path[..<cut])
  }

  /// Takt's own folder within this one, made while this one was not takt's.
  private var ownWithin: StateDirectory? {
    guard let own = StateDirectory(Self.ownName, in: self, isMade: false),
      own.status(of: "lock") != nil, own.status?.owner == geteuid()
    else { return nil }
    return own
  }

  private func finding(_ status: FileStatus, _ own: StateDirectory?) -> StateFolderFinding {
    StateFolderFinding(
      owner: status.owner, mode: status.mode,
      contents: self.status(of: "lock") != nil ? .state : isEmpty ? .nothing : .other,
      isMount: self.status(of: "..").map { $0.identity.device != status.identity.device } ?? false,
      hasOwnWithin: own != nil)
  }

  private func makeWithin(
    _ path: String, _ status: FileStatus
  ) throws(StateFolderLock.Failure) -> StateDirectory {
    if let own = StateDirectory(Self.ownName, in: self, isMade: true) { return own }
    let number = errno
    let within = "\(path)/\(Self.ownName)"
    if number == EACCES, self.status(of: Self.ownName) == nil {
      // The state of its owner, not a place for others.
      guard self.status(of: "lock") != nil else { throw .unwritable(errno: number) }
      throw Self.refusal(number, path, ownedBy: status.owner)
    }
    throw Self.refusal(number, within, ownedBy: self.status(of: Self.ownName)?.owner)
  }

  private static func within(_ own: StateDirectory?) throws(StateFolderLock.Failure) -> Opened {
    guard let own else { throw .unwritable(errno: ENOENT) }
    return Opened(directory: own, isWithin: true, wasRestricted: try own.restrict(to: 0o700))
  }

  /// Restricts the rights to `mask` if others than the owner, who must be takt's user, may write.
  /// Returns true if they could.
  private func restrict(to mask: mode_t) throws(StateFolderLock.Failure) -> Bool {
    guard let status else { throw .unwritable(errno: errno) }
    guard status.owner == geteuid() else {
      throw .refused(StateFolderProblem(path: path, kind: .owner(status.owner)))
    }
    guard status.mode & 0o022 != 0 else { return false }
    guard fchmod(descriptor, status.mode & mask) == 0 else {
      throw .refused(StateFolderProblem(path: path, kind: .writable(mode: status.mode)))
    }
    return true
  }

  /// Explains the system's refusal to open a folder that exists.
  private static func refusal(
    _ number: Int32, _ path: String, ownedBy owner: uid_t?
  ) -> StateFolderLock.Failure {
    switch (number, owner) {
    // Another user's daemon may use it.
    case (EACCES, let owner?):
      .refused(StateFolderProblem(path: path, kind: .closed(owner: owner)))
    case (ELOOP, _): .refused(StateFolderProblem(path: path, kind: .link))
    case (ENOTDIR, _): .refused(StateFolderProblem(path: path, kind: .wrongType))
    default: .unwritable(errno: number)
    }
  }

  /// Explains why a folder of another user is not used: it is closed, cannot be written, or could
  /// hold anything.
  private func refusal(
    _ path: String, of owner: uid_t
  ) throws(StateFolderLock.Failure) -> StateFolderLock.Failure {
    guard faccessat(descriptor, ".", W_OK, AT_EACCESS) != 0, errno != EINVAL else {
      return .refused(StateFolderProblem(path: path, kind: .owner(owner)))
    }
    return Self.refusal(errno, path, ownedBy: owner)
  }
}
