import TaktAPI

/// Parses the events in the parts of a stream from `GET /api/v1/events`.
struct EventStream {
  private static let prefix = Array("data: ".utf8)

  private var unread: [UInt8] = []

  /// The events that a further part completes.
  mutating func events(in part: [UInt8]) -> [API.Event] {
    unread += part
    var lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    unread = Array(lines.removeLast())
    return lines.compactMap { line in
      guard line.starts(with: Self.prefix) else { return nil }
      return try? APIReader.read(API.Event.self, from: Array(line.dropFirst(Self.prefix.count)))
    }
  }
}
