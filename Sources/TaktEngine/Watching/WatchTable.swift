import Glibc

/// The uses of each watched inode: one watch serves many keys, and an event finds its keys by one
/// look-up in a dictionary.
struct WatchTable {
  /// A key whose path goes through a folder.
  struct EntryUser: Hashable {
    var id: UInt64
    /// See `WatchUse.step`.
    var isLast: Bool
  }

  private struct Inode {
    var entryUsers: [[CChar]: Set<EntryUser>] = [:]
    var targetOf: Set<UInt64> = []
    var folderOf: Set<UInt64> = []

    var isUnused: Bool { entryUsers.isEmpty && targetOf.isEmpty && folderOf.isEmpty }
  }

  private var inodes: [Int32: Inode] = [:]

  var count: Int { inodes.count }

  /// The keys whose paths go through the entry `name` of a folder.
  func entryUsers(of watch: Int32, by name: [CChar]) -> Set<EntryUser> {
    inodes[watch]?.entryUsers[name] ?? []
  }

  /// The keys that watch this very inode.
  func targetOf(_ watch: Int32) -> Set<UInt64> {
    inodes[watch]?.targetOf ?? []
  }

  /// The keys that watch a folder above this one with all folders below.
  func folderOf(_ watch: Int32) -> Set<UInt64> {
    inodes[watch]?.folderOf ?? []
  }

  func users(of watch: Int32) -> Set<UInt64> {
    guard let inode = inodes[watch] else { return [] }
    return inode.entryUsers.values.reduce(into: inode.targetOf.union(inode.folderOf)) {
      users, entryUsers in
      users.formUnion(entryUsers.lazy.map(\.id))
    }
  }

  /// Adds a use; adding it twice has no effect.
  mutating func add(_ use: WatchUse, of id: UInt64) {
    switch use {
    case .step(let watch, let name, let isLast):
      inodes[watch, default: Inode()].entryUsers[name, default: []]
        .insert(EntryUser(id: id, isLast: isLast))
    case .target(let watch):
      inodes[watch, default: Inode()].targetOf.insert(id)
    case .folder(let watch):
      inodes[watch, default: Inode()].folderOf.insert(id)
    }
  }

  /// Removes a use. Returns true if the inode has none left, so that its watch is to end.
  mutating func remove(_ use: WatchUse, of id: UInt64) -> Bool {
    let watch = use.watch
    guard inodes[watch] != nil else { return false }
    switch use {
    case .step(_, let name, let isLast):
      inodes[watch]?.entryUsers[name]?.remove(EntryUser(id: id, isLast: isLast))
      if inodes[watch]?.entryUsers[name]?.isEmpty == true {
        inodes[watch]?.entryUsers[name] = nil
      }
    case .target:
      inodes[watch]?.targetOf.remove(id)
    case .folder:
      inodes[watch]?.folderOf.remove(id)
    }
    guard inodes[watch]?.isUnused == true else { return false }
    inodes[watch] = nil
    return true
  }

  /// Called when the system has ended a watch. Returns the keys that used it.
  mutating func forget(_ watch: Int32) -> Set<UInt64> {
    defer { inodes[watch] = nil }
    return users(of: watch)
  }
}

/// The purpose for which a key needs a watched inode.
enum WatchUse: Hashable {
  /// The inode is a folder on the way, whose entry `name` comes next. `isLast` means that the path
  /// ends there: the entry is what the key watches, or a link to it.
  case step(watch: Int32, name: [CChar], isLast: Bool)
  /// The inode is the one at the key's path.
  case target(watch: Int32)
  /// The inode is a folder below the one at the key's path.
  case folder(watch: Int32)

  var watch: Int32 {
    switch self {
    case .step(let watch, _, _): watch
    case .target(let watch), .folder(let watch): watch
    }
  }
}

/// The result of one reading of events, before the paths are walked again.
struct WatchTurn {
  private(set) var changed: Set<UInt64> = []
  /// The keys whose next walk decides if they have changed, because their paths may lead somewhere
  /// else now.
  private(set) var uncertain: Set<UInt64> = []

  /// Adds the next event, in order of arrival. A watch that the system has ended is removed from
  /// the table.
  mutating func add(
    _ event: InotifyEvent, _ table: inout WatchTable, _ watches: [UInt64: KeyWatch]
  ) {
    if event.has(IN_Q_OVERFLOW) {
      uncertain.formUnion(watches.keys)
      for watch in watches.values {
        watch.noteLoss()
        note(watch)
      }
    } else if event.has(IN_IGNORED) {
      let users = table.forget(event.watch)
      for id in users { watches[id]?.watchEnded(event.watch) }
      uncertain.formUnion(users)
    } else if event.has(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) {
      uncertain.formUnion(table.users(of: event.watch))
    } else {
      addEntryUsers(event, table, watches)
      for id in table.targetOf(event.watch).union(table.folderOf(event.watch)) {
        if let watch = watches[id] { addEntry(event, watch) }
      }
    }
  }

  /// Adds an event of a key's target, or of an entry of one of its folders.
  private mutating func addEntry(_ event: InotifyEvent, _ watch: KeyWatch) {
    // A new folder is to be watched, and a removed one is not.
    if event.has(IN_ISDIR), watch.key.reachesBelow, !event.name.isEmpty {
      uncertain.insert(watch.id)
    }
    guard watch.key.changeKind.counts(event) else { return }
    let path = watch.path(of: event.name, in: event.watch)
    guard event.name.isEmpty || watch.key.counts(entry: path) else { return }
    watch.note(entry: path)
    if watch.wasWritten(uncertain: uncertain.contains(watch.id)) { note(watch) }
  }

  private mutating func addEntryUsers(
    _ event: InotifyEvent, _ table: WatchTable, _ watches: [UInt64: KeyWatch]
  ) {
    let hasCome = event.has(IN_CREATE | IN_MOVED_TO)
    guard hasCome || event.has(IN_MOVED_FROM | IN_DELETE) else { return }
    for entryUser in table.entryUsers(of: event.watch, by: event.name) {
      uncertain.insert(entryUser.id)
      // In a new folder, only its entries may count.
      if hasCome, entryUser.isLast, let watch = watches[entryUser.id], !watch.key.hasOwnEntries {
        note(watch)
      }
    }
  }

  /// For differences, the next walk decides.
  private mutating func note(_ watch: KeyWatch) {
    switch watch.key.changeKind {
    case .arrivals: changed.insert(watch.id)
    case .differences: uncertain.insert(watch.id)
    }
  }
}
