import TaktTime

struct PruneRules: Equatable {
  var olderThan: Duration?
  /// The number of the newest that are kept, whatever the other rules.
  var keep: Int?
  /// The oldest are deleted until the rest takes no more than this.
  var sizeBytesMax: Int?

  var isEmpty: Bool { olderThan == nil && keep == nil && sizeBytesMax == nil }

  /// The indices of the files to delete, the oldest first.
  func condemned(_ files: [PruneFile], at now: WallInstant) -> [Int] {
    // By name if the times are equal, so that the same files give the same result.
    let byAge = files.indices.sorted {
      (files[$0].modified, files[$0].folder, files[$0].name)
        < (files[$1].modified, files[$1].folder, files[$1].name)
    }
    let free = byAge.dropLast(min(byAge.count, keep ?? 0))
    if olderThan == nil, sizeBytesMax == nil { return keep == nil ? [] : Array(free) }
    // If the sum overflows, too few are deleted rather than too many.
    var left = files.reduce(0) { sum, file in
      let (total, isOver) = sum.addingReportingOverflow(max(0, file.bytes))
      return isOver ? Int.max : total
    }
    return free.filter { index in
      let file = files[index]
      let isOld = olderThan.map { file.modified < now - $0 } ?? false
      let isTooMuch = sizeBytesMax.map { left > $0 } ?? false
      guard isOld || isTooMuch else { return false }
      left -= min(left, max(0, file.bytes))
      return true
    }
  }
}

struct PruneFile: Equatable {
  /// The index of its folder in the walk.
  var folder: Int
  /// Ends with the zero that the system needs.
  var name: Name
  var modified: WallInstant
  var bytes: Int
  var inode: UInt64

  /// Any bytes but a slash, ordered by them.
  struct Name: Comparable {
    var bytes: [CChar]

    var text: String {
      String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func < (left: Self, right: Self) -> Bool {
      left.bytes.lexicographicallyPrecedes(right.bytes)
    }
  }
}
