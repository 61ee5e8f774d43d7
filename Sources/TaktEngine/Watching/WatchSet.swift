import TaktCore

/// The watched keys, with their uses and their refusals.
struct WatchSet {
  struct Replacement {
    var added: [KeyWatch] = []
    /// Those of which only the debounce differs.
    var renamed: [KeyWatch] = []
    var removed: [KeyWatch] = []
  }

  private(set) var watches: [UInt64: KeyWatch] = [:]
  var table = WatchTable()
  var refusals = WatchRefusals()
  private var idByKey: [WatchKey: UInt64] = [:]
  private var lastID: UInt64 = 0

  /// Replaces the keys. The uses of the removed ones are kept until they are set to none.
  mutating func replace(with keys: Set<WatchKey>, read: FilesRead? = nil) -> Replacement {
    var change = Replacement()
    var heirless: [WatchKey: UInt64] = [:]
    for (key, id) in idByKey where !keys.contains(key) {
      idByKey[key] = nil
      heirless[key.withoutDebounce] = id
    }
    for key in keys where idByKey[key] == nil {
      if let id = heirless.removeValue(forKey: key.withoutDebounce), let watch = watches[id] {
        watch.key = key
        idByKey[key] = id
        change.renamed.append(watch)
      } else {
        lastID += 1
        idByKey[key] = lastID
        let watch = KeyWatch(id: lastID, key: key, read: read)
        watches[lastID] = watch
        change.added.append(watch)
      }
    }
    let kept = Set(idByKey.values)
    change.removed = watches.values.filter { !kept.contains($0.id) }
    for watch in change.removed { watches[watch.id] = nil }
    return change
  }

  /// Sets the uses of a key. Returns the watches that no key needs any more.
  mutating func setUses(_ uses: Set<WatchUse>, of watch: KeyWatch) -> [Int32] {
    // The new ones first: a use that stays must not be released in between.
    for use in uses.subtracting(watch.uses) { table.add(use, of: watch.id) }
    defer { watch.uses = uses }
    return watch.uses.subtracting(uses).filter { table.remove($0, of: watch.id) }.map(\.watch)
  }
}

extension WatchKey {
  fileprivate var withoutDebounce: WatchKey {
    var key = self
    key.debounce = .zero
    return key
  }
}
