import TaktCore
import TaktTime

/// Which of the files found are to go.
struct PruneRules: Equatable {
  var olderThan: Duration?
  /// So many of the newest stay, whatever else is said.
  var keep: Int?
  /// The oldest go until the rest takes no more than this.
  var sizeBytesMax: Int?

  var isEmpty: Bool { olderThan == nil && keep == nil && sizeBytesMax == nil }

  /// The places of the files that go, the oldest first.
  func condemned(_ files: [PruneFile], at now: WallInstant) -> [Int] {
    // By name where the times are the same, so that the same files give the same answer.
    let byAge = files.indices.sorted {
      (files[$0].modified, files[$0].folder, files[$0].name)
        < (files[$1].modified, files[$1].folder, files[$1].name)
    }
    let free = byAge.dropLast(min(byAge.count, keep ?? 0))
    if olderThan == nil, sizeBytesMax == nil { return keep == nil ? [] : Array(free) }
    // Where the sum is beyond the range, too few go rather than too many.
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

/// A file that was found.
struct PruneFile: Equatable {
  /// The place of its folder in the walk.
  var folder: Int
  /// Its name, with the zero at its end that the system wants.
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
