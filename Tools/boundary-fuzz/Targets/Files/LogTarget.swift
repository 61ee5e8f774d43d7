import TaktEngine

/// A log, as `takt verify --log` reads it.
struct LogTarget: FuzzTarget {
  static let name = "log"
  static let summary = "a JSON log, replayed by takt verify --log"

  mutating func read(_ bytes: [UInt8]) {
    let whole = notes(on: [bytes[...]])
    let middle = bytes.count / 2
    precondition(
      whole == notes(on: [bytes[..<middle], bytes[middle...]]),
      "where a read ends has changed what the log says")
  }

  /// Nil if it is not a log.
  private func notes(on parts: [ArraySlice<UInt8>]) -> [String]? {
    var log = LogReplay()
    do {
      for part in parts { try log.feed(part) }
      return try log.finish().notes
    } catch {
      return nil
    }
  }
}
