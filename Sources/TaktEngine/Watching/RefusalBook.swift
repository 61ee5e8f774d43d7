/// Which refusals stand, and for whom: so that each is told once, until it is over.
struct RefusalBook {
  private var usersByRefusal: [WatchRefusal: Set<UInt64>] = [:]
  private var refusalsByUser: [UInt64: Set<WatchRefusal>] = [:]

  /// The keys that are in trouble.
  var users: [UInt64] { refusalsByUser.keys.sorted() }

  /// Whether no key is in trouble.
  var isEmpty: Bool { refusalsByUser.isEmpty }

  /// Enters what was refused to a key now, in place of what was before. Returns what is new.
  mutating func replace(_ refusals: Set<WatchRefusal>, of id: UInt64) -> [WatchRefusal] {
    let former = refusalsByUser[id] ?? []
    refusalsByUser[id] = refusals.isEmpty ? nil : refusals
    for refusal in former.subtracting(refusals) {
      usersByRefusal[refusal]?.remove(id)
      if usersByRefusal[refusal]?.isEmpty == true { usersByRefusal[refusal] = nil }
    }
    return refusals.subtracting(former).filter { refusal in
      defer { usersByRefusal[refusal, default: []].insert(id) }
      return usersByRefusal[refusal] == nil
    }
  }
}
