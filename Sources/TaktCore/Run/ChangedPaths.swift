/// The changed paths that a run gets: a line each, within bounds.
///
/// A path is absolute and unchanged. One with a line break, another control character, or bytes
/// that are no UTF-8 is quoted for a shell, `$'/a\nb'`, so that a line is never half a path.
package struct ChangedPaths: Hashable, Sendable {
  package static let countMax = 100
  package static let bytesMax = 16 << 10

  /// In the order of their first changes, no two alike.
  package private(set) var lines: [String] = []
  /// True if there are more, or not all of them are known.
  package private(set) var isCut = false
  private var byteCount = 0

  package init() {}

  package var isEmpty: Bool { lines.isEmpty && !isCut }

  package mutating func add(_ path: some Sequence<UInt8>) {
    if isCut, lines.count >= Self.countMax { return }
    add(line: Self.line(Array(path)))
  }

  package mutating func add(_ other: ChangedPaths) {
    for line in other.lines { add(line: line) }
    if other.isCut { isCut = true }
  }

  /// There are further, unknown paths.
  package mutating func markCut() { isCut = true }

  private mutating func add(line: String) {
    if lines.contains(line) { return }
    let length = line.utf8.count + 1
    guard lines.count < Self.countMax, byteCount + length <= Self.bytesMax else {
      isCut = true
      return
    }
    lines.append(line)
    byteCount += length
  }

  private static func line(_ path: [UInt8]) -> String {
    let isPlain = path.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    if isPlain, let text = String(validating: path, as: UTF8.self) { return text }
    var quoted = "$'"
    for byte in path {
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: "'"):
        quoted += "\\" + String(UnicodeScalar(byte))
      case 0x0a: quoted += "\\n"
      case 0x09: quoted += "\\t"
      case 0x20..<0x7f: quoted += String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 8)
        quoted += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return quoted + "'"
  }
}
