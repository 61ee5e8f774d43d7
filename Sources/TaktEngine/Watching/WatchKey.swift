import Glibc
import TaktCore
import TaktTime
import TimerMachine

/// One path that is watched for an owner.
struct WatchKey: Hashable, Sendable {
  enum ChangeKind: Hashable, Sendable {
    /// A file or folder arrives there or is written, or arrives in a folder there or is written in
    /// it. Removals and changes of rights or times do not count.
    case arrivals
    /// The file there is not the same as before: another file, another size, another time of its
    /// last change, or none. A file that is being written is checked when its writer closes it.
    case differences
  }

  /// The receiver of changes, such as the name of a job.
  var owner: String
  /// The file or folder; absolute. It need not exist. Symbolic links are followed.
  var path: String
  /// The time for which a change settles before it is reported, so that a burst of changes makes
  /// one call.
  ///
  /// Counted from the last change, but the report comes at the latest after ten times as long,
  /// counted from the first. Zero, or less, reports at once.
  var debounce: Duration
  var changeKind = ChangeKind.arrivals
  /// The entries of a folder that count; empty for all.
  var patterns: [PathPattern] = []
  /// True if the folders below a folder are watched, too.
  var isRecursive = false
}

extension WatchKey {
  init(_ watch: PathWatch, owner: String) {
    self.init(
      owner: owner, path: watch.path, debounce: watch.debounce, patterns: watch.patterns,
      isRecursive: watch.isRecursive)
  }

  var watch: PathWatch {
    PathWatch(path: path, debounce: debounce, patterns: patterns, isRecursive: isRecursive)
  }

  /// True if folders below the one at the path matter.
  var reachesBelow: Bool { isRecursive || patterns.contains(where: \.reachesBelow) }

  /// True if the entries of a folder have to be read: not all of them count, or deeper ones do as
  /// well.
  var hasOwnEntries: Bool { !patterns.isEmpty || isRecursive }

  /// - Parameter path: relative to the key's path.
  func counts(entry path: [CChar]) -> Bool {
    patterns.isEmpty || patterns.match(path.map { UInt8(bitPattern: $0) })
  }
}

extension WatchKey {
  /// The longest wait of a change, so that a file that never stops growing is still reported.
  var debounceLongest: Duration {
    // Within the limit of a timer, so that the product cannot overflow.
    min(max(debounce, .zero), TimerSchedule.longest) * 10
  }
}

extension WatchKey.ChangeKind {
  /// The `IN_` bits that a watch of a path needs besides those that every watch has.
  var bits: Int32 {
    switch self {
    case .arrivals: IN_MODIFY
    case .differences: IN_ATTRIB | IN_DELETE | IN_MOVED_FROM
    }
  }

  func counts(_ event: InotifyEvent) -> Bool {
    switch self {
    case .arrivals: event.has(IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE)
    // Writes to files in a folder make no difference to the folder.
    case .differences where event.name.isEmpty: event.has(IN_CLOSE_WRITE | IN_ATTRIB)
    case .differences: event.has(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    }
  }
}

/// The state of one key. Touched only on the queue of its `PathWatches`.
final class KeyWatch {
  /// Never reused for another key.
  let id: UInt64
  /// The key; one that replaces it differs only in the debounce.
  var key: WatchKey
  /// The folder at the path and those below it, by their watches: each with its path below the
  /// first.
  private(set) var folders: [Int32: [CChar]] = [:]
  /// The watches that it needs, those on the way and that of its target.
  var uses: Set<WatchUse> = []
  /// Reports a change when it has settled; made with the first change.
  var debouncer: Debouncer?

  /// The time of the owner's reading; nil for a key that is not read before.
  private let readAt: WallInstant?
  /// The identity of the file at that reading, if it could be read.
  private let fileRead: FileIdentity?
  /// The file or folder at the path, or the last one there if it is somewhere else now.
  private var observation: PathObservation?
  private var isHere = false
  private var isKnown = false
  /// The changed paths since the last report.
  private var changes = ChangedPaths()
  /// True if it was written while it was uncertain that it is at the path.
  private var wasTouched = false

  init(id: UInt64, key: WatchKey, read: FilesRead? = nil) {
    self.id = id
    self.key = key
    readAt = read?.readAt
    fileRead = read?.identities[key.path]
  }

  /// Records a change at the path, or at an entry of the folder there.
  func note(entry name: [CChar] = []) {
    let folder = Array(key.path.utf8)
    if name.isEmpty {
      changes.add(folder)
    } else {
      changes.add(folder + [UInt8(ascii: "/")] + name.map { UInt8(bitPattern: $0) })
    }
  }

  /// Called when the system has not reported all changes.
  func noteLoss() { changes.markCut() }

  /// The changed paths since the last call: the key's path itself if no more is known.
  func popChanges() -> ChangedPaths {
    if changes.lines.isEmpty { note() }
    defer { changes = ChangedPaths() }
    return changes
  }

  /// The folders whose entries are known, as in `folders`; nil before the first walk has ended.
  var knownFolders: [Int32: [CChar]]? { isKnown ? folders : nil }

  /// The path of an entry of a watched folder, relative to the folder at the key's path.
  func path(of name: [CChar], in watch: Int32) -> [CChar] {
    guard let folder = folders[watch], !folder.isEmpty else { return name }
    return folder + [CChar(47)] + name
  }

  /// The watch of a target that has left the path: if it comes back, it is known whether it was
  /// written.
  var leftBehind: Int32? { isHere ? nil : observation?.watch }

  /// Called when the target was written, or an entry of it came. Returns true if that is a change
  /// now; while the place of the target is `uncertain`, the next walk decides.
  func wasWritten(uncertain: Bool) -> Bool {
    if isHere && !uncertain { return true }
    wasTouched = true
    return false
  }

  func watchEnded(_ watch: Int32) {
    folders[watch] = nil
    uses = uses.filter { $0.watch != watch }
    // Differences are found by comparison with the last target.
    guard key.changeKind == .arrivals, observation?.watch == watch else { return }
    observation = nil
    isHere = false
  }

  /// Takes the result of a walk: folders, and entries in folders that were not known.
  ///
  /// Returns true if that is a change.
  func found(_ walk: PathWalk) -> Bool {
    let hadFolders = !folders.isEmpty
    folders = walk.folders
    guard key.hasOwnEntries, hadFolders || !folders.isEmpty else { return found(walk.observation) }
    // In a folder only its entries count.
    let wasTouched = wasTouched
    _ = found(walk.observation)
    for entry in walk.arrivals { note(entry: entry) }
    return !walk.arrivals.isEmpty || wasTouched && isHere
  }

  /// Takes the target that a walk has found at the path, or nil. Returns true if that is a change:
  /// a new target, or any difference. The first one found counts as the previous state, unless it
  /// has changed since it was read.
  func found(_ found: PathObservation?) -> Bool {
    defer { isKnown = true }
    if key.changeKind == .differences {
      defer { (observation, isHere) = (found, found != nil) }
      if isKnown { return observation?.stamp != found?.stamp }
      if let fileRead, found?.stamp.identity != fileRead { return true }
      guard let readAt, let found else { return false }
      return found.changed >= readAt
    }
    guard let found else {
      isHere = false
      return false
    }
    let isSame = observation.map { $0.isSame(as: found) } ?? false
    let isChange = isKnown && (!isSame || wasTouched)
    observation = found
    isHere = true
    wasTouched = false
    return isChange
  }
}
