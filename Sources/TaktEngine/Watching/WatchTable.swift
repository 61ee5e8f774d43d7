/// Who uses which watched inode: so that one watch serves many keys, and an event finds those that
/// it is about by one look at a dictionary.
struct WatchTable {
  /// A key that comes by a folder.
  struct Passenger: Hashable {
    /// The key's number.
    var id: UInt64
    /// See `WatchUse.step`.
    var isLast: Bool
  }

  private struct Inode {
    var passengers: [[CChar]: Set<Passenger>] = [:]
    var targetOf: Set<UInt64> = []

    var isUnused: Bool { passengers.isEmpty && targetOf.isEmpty }
  }

  private var inodes: [Int32: Inode] = [:]

  /// How many inodes are watched.
  var count: Int { inodes.count }

  /// Those who come by the entry `name` of a folder.
  func passengers(of watch: Int32, by name: [CChar]) -> Set<Passenger> {
    inodes[watch]?.passengers[name] ?? []
  }

  /// Those who watch this very inode.
  func targetOf(_ watch: Int32) -> Set<UInt64> {
    inodes[watch]?.targetOf ?? []
  }

  /// All who have to do with an inode.
  func users(of watch: Int32) -> Set<UInt64> {
    guard let inode = inodes[watch] else { return [] }
    return inode.passengers.values.reduce(into: inode.targetOf) { users, passengers in
      users.formUnion(passengers.lazy.map(\.id))
    }
  }

  /// Enters a use; once is enough.
  mutating func add(_ use: WatchUse, of id: UInt64) {
    switch use {
    case .step(let watch, let name, let isLast):
      inodes[watch, default: Inode()].passengers[name, default: []]
        .insert(Passenger(id: id, isLast: isLast))
    case .target(let watch):
      inodes[watch, default: Inode()].targetOf.insert(id)
    }
  }

  /// Strikes a use out. Returns whether the inode has none left, so that its watch is to end.
  mutating func remove(_ use: WatchUse, of id: UInt64) -> Bool {
    let watch = use.watch
    guard inodes[watch] != nil else { return false }
    switch use {
    case .step(_, let name, let isLast):
      inodes[watch]?.passengers[name]?.remove(Passenger(id: id, isLast: isLast))
      if inodes[watch]?.passengers[name]?.isEmpty == true {
        inodes[watch]?.passengers[name] = nil
      }
    case .target:
      inodes[watch]?.targetOf.remove(id)
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
