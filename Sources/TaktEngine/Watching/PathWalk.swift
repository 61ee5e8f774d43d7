import CTaktSystem
import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// A walk from the root to the end of a path, which watches each folder before it reads an entry of
/// it.
///
/// So any later change makes an event, and the event another walk. Folders are named without links,
/// since each link is read and followed here.
struct PathWalk {
  /// The watches needed to notice anything that may change the result.
  var uses: Set<WatchUse> = []
  var refusals: Set<WatchRefusal> = []
  /// The file or folder at the end of the path; nil if there is none.
  private(set) var observation: PathObservation?
  /// The folder at the end of the path and those below it, as far as their entries matter: by their
  /// watches, each with its path below the first.
  var folders: [Int32: [CChar]] = [:]
  /// Entries that count, in folders that are new at their path; paths below the first folder.
  var arrivals: [[CChar]] = []

  /// As many as the system itself follows.
  private static let linksMax = 40
  static let slash = CChar(47)
  private static let dot = CChar(46)

  let key: WatchKey
  /// The folders whose entries are known, as in `folders`; nil before the first walk has ended.
  let known: [Int32: [CChar]]?
  private let inotify: Inotify
  /// File systems that do not answer: no path on them is touched.
  private let places: Set<[CChar]>
  private let progress: WalkProgress
  /// File systems that may not answer: a call to them must not keep takt from ending.
  private let uncertain = MountTable.uncertainPlaces()
  /// The present folder; empty for the root.
  private var folder: [CChar] = []
  /// The names still to be followed, the next one last.
  private var remainingNames: [[CChar]]
  private var links = 0
  /// The latest time at which a link on the way was set.
  private var linkSet: WallInstant?

  private enum Step {
    case onward
    case end
  }

  /// Walks along the path of `key` at once; blocks as long as a file system on the way does not
  /// answer.
  init(
    along key: WatchKey, knowing known: [Int32: [CChar]]? = nil, inotify: Inotify,
    avoiding places: Set<[CChar]>, progress: WalkProgress
  ) {
    self.inotify = inotify
    self.key = key
    self.known = known
    self.places = places
    self.progress = progress
    remainingNames = Self.names(in: Array(key.path.utf8CString.dropLast()))
    walk()
  }

  private mutating func walk() {
    while let name = remainingNames.popLast() {
      if name == [Self.dot, Self.dot] {
        folder = Array(folder.prefix(upTo: folder.lastIndex(of: Self.slash) ?? 0))
      } else if case .end = enter(name) {
        return
      }
    }
    // Only a folder is possible: a file has ended the walk.
    if let status = status(at: Self.named(folder)) { recordSighting(folder, status) }
  }

  private mutating func enter(_ name: [CChar]) -> Step {
    let isLast = remainingNames.isEmpty
    if let watch = self.watch(folder, for: Inotify.onTheWay) {
      uses.insert(.step(watch: watch, name: name, isLast: isLast))
    }
    let path = folder + [Self.slash] + name
    guard let status = status(at: path) else { return .end }
    switch status.type {
    case .folder:
      folder = path
      return .onward
    case .link:
      linkSet = linkSet.map { max($0, status.changed) } ?? status.changed
      return follow(path)
    default:
      // A file in the middle of a path counts as nothing.
      if isLast { recordSighting(path, status) }
      return .end
    }
  }

  private mutating func follow(_ link: [CChar]) -> Step {
    links += 1
    guard links <= Self.linksMax, mayTouch(link) else { return .end }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count =
      isUncertain(link)
      ? csystem_apart_readlink(link + [0], &target, target.count)
      : readlink(link + [0], &target, target.count)
    guard count > 0 else { return .end }
    target.removeSubrange(count...)
    if target.first == Self.slash { folder = [] }
    remainingNames += Self.names(in: target)
    return .onward
  }

  private mutating func recordSighting(_ path: [CChar], _ status: FileStatus) {
    let watch = self.watch(path, for: Inotify.content | key.changeKind.bits)
    if let watch { uses.insert(.target(watch: watch)) }
    observation = PathObservation(watch: watch, status: status, linkSet: linkSet)
    if let watch, status.type == .folder, key.hasOwnEntries { enterFolders(below: path, watch) }
  }

  private mutating func status(at path: [CChar]) -> FileStatus? {
    guard mayTouch(path) else { return nil }
    var status = stat()
    guard isUncertain(path) else {
      do throws(SystemError) {
        return try FileStatus(at: path + [0], followsLink: false)
      } catch {
        refuse(path, error.number)
        return nil
      }
    }
    let number = csystem_apart_lstat(path + [0], &status)
    if number == 0 { return FileStatus(status) }
    refuse(path, number)
    return nil
  }

  mutating func watch(_ path: [CChar], for bits: Int32) -> Int32? {
    guard mayTouch(path) else { return nil }
    switch inotify.add(Self.named(path), for: bits, isApart: isUncertain(path)) {
    case .success(let watch):
      return watch
    case .failure(let error):
      refuse(path, error.number)
      return nil
    }
  }

  func isUncertain(_ path: [CChar]) -> Bool {
    !uncertain.isEmpty && uncertain.contains { MountTable.contains(path, in: $0) }
  }

  /// To be called before each system call that may hang.
  private mutating func mayTouch(_ path: [CChar]) -> Bool {
    if let place = places.first(where: { MountTable.contains(path, in: $0) }) {
      refusals.insert(WatchRefusal(path: place, number: ETIMEDOUT))
      return false
    }
    progress.reached(path)
    return true
  }

  mutating func refuse(_ path: [CChar], _ number: Int32) {
    // Missing, or of another type than an instant ago: the watches so far report when that changes.
    guard number != ENOENT, number != ENOTDIR, number != ELOOP else { return }
    refusals.insert(WatchRefusal(path: path, number: number))
  }

  static func named(_ folder: [CChar]) -> [CChar] {
    folder.isEmpty ? [slash] : folder
  }

  /// The names in a path, the first one last; `.` is left out.
  private static func names(in path: [CChar]) -> [[CChar]] {
    path.split(separator: slash).map(Array.init).filter { $0 != [dot] }.reversed()
  }
}

/// The file or folder found at the end of a path.
struct PathObservation {
  /// The properties that can be seen without a watch.
  struct Stamp: Equatable {
    let identity: FileIdentity
    private let sizeBytes: Int
    private let modified: WallInstant

    fileprivate init(_ status: FileStatus) {
      identity = FileIdentity(
        device: status.identity.device, inode: status.identity.inode)
      sizeBytes = status.sizeBytes
      modified = status.modified
    }
  }

  /// The number of its watch; nil if that was refused.
  let watch: Int32?
  let stamp: Stamp
  /// The latest change of its contents, name or rights, or of a link that leads to it.
  let changed: WallInstant
  private let isFolder: Bool

  init(watch: Int32?, status: FileStatus, linkSet: WallInstant?) {
    self.watch = watch
    stamp = Stamp(status)
    changed = linkSet.map { max($0, status.changed) } ?? status.changed
    isFolder = status.type == .folder
  }

  /// True if both are the same file or folder, and nothing was added that no watch has reported:
  /// the times of a folder also change when an entry is removed.
  func isSame(as other: PathObservation) -> Bool {
    if let watch, let otherWatch = other.watch { return watch == otherWatch }
    return isFolder
      ? stamp.identity == other.stamp.identity
      : stamp == other.stamp
  }
}
