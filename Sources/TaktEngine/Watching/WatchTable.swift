import Glibc

/// Who uses which watched inode: so that one watch serves many keys, and an event finds those that
/// it is about by one look at a dictionary.
struct WatchTable {
  /// A key that comes by a folder.
  struct EntryUser: Hashable {
    /// The key's number.
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

  /// How many inodes are watched.
  var count: Int { inodes.count }

  /// Those who come by the entry `name` of a folder.
  func entryUsers(of watch: Int32, by name: [CChar]) -> Set<EntryUser> {
    inodes[watch]?.entryUsers[name] ?? []
  }

  /// Those who watch this very inode.
  func targetOf(_ watch: Int32) -> Set<UInt64> {
    inodes[watch]?.targetOf ?? []
  }

  /// Those who watch a folder above this one with all that is below.
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

  /// Enters a use; once is enough.
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

  /// Strikes a use out. Returns whether the inode has none left, so that its watch is to end.
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

  /// The system has ended a watch. Returns those who used it.
  mutating func forget(_ watch: Int32) -> Set<UInt64> {
    defer { inodes[watch] = nil }
    return users(of: watch)
  }
}

/// What one key needs a watched inode for.
enum WatchUse: Hashable {
  /// The inode is a folder on the way, whose entry `name` leads on. `isLast` tells that nothing of
  /// the path is left behind it: the entry is what the key watches, or a link to it.
  case step(watch: Int32, name: [CChar], isLast: Bool)
  /// The inode is what the key watches.
  case target(watch: Int32)
  /// The inode is a folder below what the key watches.
  case folder(watch: Int32)

  var watch: Int32 {
    switch self {
    case .step(let watch, _, _): watch
    case .target(let watch), .folder(let watch): watch
    }
  }
}

/// What one reading of events comes to, before the paths are walked again.
struct WatchTurn {
  private(set) var changed: Set<UInt64> = []
  /// The keys whose next walk decides whether they have changed: their paths may lead somewhere
  /// else now.
  private(set) var uncertain: Set<UInt64> = []

  /// Takes the next event, in the order in which they came. A watch that the system has ended is
  /// struck out of the table.
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

  /// Something has happened to what a key watches, or to an entry of a folder of it.
  private mutating func addEntry(_ event: InotifyEvent, _ watch: KeyWatch) {
    // A folder that comes is to be watched, and one that goes is not.
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
      // Of a folder that comes, what is in it may be all that counts.
      if hasCome, entryUser.isLast, let watch = watches[entryUser.id], !watch.key.hasOwnEntries {
        note(watch)
      }
    }
  }

  /// Whether it makes a difference, the next walk sees.
  private mutating func note(_ watch: KeyWatch) {
    switch watch.key.changeKind {
    case .arrivals: changed.insert(watch.id)
    case .differences: uncertain.insert(watch.id)
    }
  }
}
