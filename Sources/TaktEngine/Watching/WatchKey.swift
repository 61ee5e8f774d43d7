import Glibc
import TaktCore
import TaktTime
import TimerMachine

/// One path that is watched on behalf of somebody.
struct WatchKey: Hashable, Sendable {
  /// What a change at a path is.
  enum ChangeKind: Hashable, Sendable {
    /// Something arrives there or is written, or arrives in a folder there or is written in it.
    /// Nothing that goes is a change, nor are other rights or times.
    case arrivals
    /// What is there is not what was there: another file, another size, another time of its last
    /// change, or nothing. A file that is being written is looked at when its writer closes it.
    case differences
  }

  /// Who is told, such as the name of a job.
  var owner: String
  /// The file or folder; absolute. It need not be there. Its symbolic links are followed.
  var path: String
  /// How long a change settles before the owner is told, so that a burst of changes makes one call.
  ///
  /// Counted from the last change, but the owner is told at the latest after ten times as long,
  /// counted from the first. Zero, or less, tells at once.
  var debounce: Duration
  var changeKind = ChangeKind.arrivals
  /// Of a folder which entries count; empty for all.
  var patterns: [PathPattern] = []
  /// Whether the folders below a folder are watched, too.
  var isRecursive = false
}

extension WatchKey {
  init(_ watch: PathWatch, owner: String) {
    self.init(
      owner: owner, path: watch.path, debounce: watch.debounce, patterns: watch.patterns,
      isRecursive: watch.isRecursive)
  }

  /// The trigger that it was made of.
  var watch: PathWatch {
    PathWatch(path: path, debounce: debounce, patterns: patterns, isRecursive: isRecursive)
  }

  /// Whether folders below the one at the path matter.
  var reachesBelow: Bool { isRecursive || patterns.contains(where: \.reachesBelow) }

  /// Whether what a folder holds is looked through: not all that comes there counts, or more does.
  var hasOwnEntries: Bool { !patterns.isEmpty || isRecursive }

  /// Whether an entry below the path counts.
  func counts(entry path: [CChar]) -> Bool {
    patterns.isEmpty || patterns.match(path.map { UInt8(bitPattern: $0) })
  }
}

extension WatchKey {
  /// How long a change waits at most, lest a file that never stops growing is never told.
  var debounceLongest: Duration {
    // Within what a timer takes, and so within what can be multiplied.
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

  /// Whether an event of a watched path may be a change.
  func counts(_ event: InotifyEvent) -> Bool {
    switch self {
    case .arrivals: event.has(IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE)
    // What is written in a folder makes no difference to the folder.
    case .differences where event.name.isEmpty: event.has(IN_CLOSE_WRITE | IN_ATTRIB)
    case .differences: event.has(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    }
  }
}

/// What is known of one key. Touched on the queue of its `PathWatches` alone.
final class KeyWatch {
  /// A number that no other key ever gets.
  let id: UInt64
  /// The key; of the one that takes its place nothing but the debounce differs.
  var key: WatchKey
  /// The folder at the path and those below it, by their watches: each with its path below the first.
  private(set) var folders: [Int32: [CChar]] = [:]
  /// What it needs watches for, those on the way and that of its target.
  var uses: Set<WatchUse> = []
  /// Tells of a change when it has settled; made with the first change.
  var debouncer: Debouncer?

  /// When it was read by whoever wants to be told; nil for a key that nobody reads before.
  private let readAt: WallInstant?
  /// What was read then, where it could be.
  private let fileRead: FileIdentity?
  /// What stands at the path, or stood there last and is somewhere else now.
  private var observation: PathObservation?
  private var isHere = false
  private var isKnown = false
  /// Where something has changed since the owner was told.
  private var changes = ChangedPaths()
  /// Whether it was written when it was not certain that it stands at the path.
  private var wasTouched = false

  init(id: UInt64, key: WatchKey, read: FilesRead? = nil) {
    self.id = id
    self.key = key
    readAt = read?.readAt
    fileRead = read?.identities[key.path]
  }

  /// Something has changed at the path, or at an entry of the folder that it is.
  func note(entry name: [CChar] = []) {
    let folder = Array(key.path.utf8)
    if name.isEmpty {
      changes.add(folder)
    } else {
      changes.add(folder + [UInt8(ascii: "/")] + name.map { UInt8(bitPattern: $0) })
    }
  }

  /// The system has not told all of what has changed.
  func noteLoss() { changes.markCut() }

  /// Where something has changed since this was asked last: at the path itself where no more is known.
  func popChanges() -> ChangedPaths {
    if changes.lines.isEmpty { note() }
    defer { changes = ChangedPaths() }
    return changes
  }

  /// The folders whose entries are known, as `folders`; nil before the first walk has ended.
  var knownFolders: [Int32: [CChar]]? { isKnown ? folders : nil }

  /// The path of an entry of a watched folder, below the folder at the key's path.
  func path(of name: [CChar], in watch: Int32) -> [CChar] {
    guard let folder = folders[watch], !folder.isEmpty else { return name }
    return folder + [CChar(47)] + name
  }

  /// The watch of what has left the path: if it comes back, it is known whether it was written.
  var leftBehind: Int32? { isHere ? nil : observation?.watch }

  /// The target was written, or an entry of it came. Returns whether that is a change now; when the
  /// place of the target is `uncertain`, the next walk decides.
  func wasWritten(uncertain: Bool) -> Bool {
    if isHere && !uncertain { return true }
    wasTouched = true
    return false
  }

  func watchEnded(_ watch: Int32) {
    folders[watch] = nil
    uses = uses.filter { $0.watch != watch }
    // What was there last is what a difference is told from.
    guard key.changeKind == .arrivals, observation?.watch == watch else { return }
    observation = nil
    isHere = false
  }

  /// A walk has found these folders, and these entries in folders that were not known.
  ///
  /// Returns whether that is a change.
  func found(_ walk: PathWalk) -> Bool {
    let hadFolders = !folders.isEmpty
    folders = walk.folders
    guard key.hasOwnEntries, hadFolders || !folders.isEmpty else { return found(walk.observation) }
    // Of a folder only what it holds counts.
    let wasTouched = wasTouched
    _ = found(walk.observation)
    for entry in walk.arrivals { note(entry: entry) }
    return !walk.arrivals.isEmpty || wasTouched && isHere
  }

  /// A walk has found this at the path, or nothing. Returns whether that is a change: something
  /// that was not there, or any difference. What is found first is how it was before, unless it has
  /// changed since it was read.
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
