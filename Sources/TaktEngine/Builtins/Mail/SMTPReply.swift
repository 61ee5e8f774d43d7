/// A server's answer: a code and its lines.
struct SMTPReply: Equatable {
  var code: Int
  var lines: [String]

  /// Whether it says yes.
  var isPositive: Bool { code / 100 == 2 }
  /// Whether it asks for more.
  var isIntermediate: Bool { code / 100 == 3 }
}

/// Puts the bytes that come from a server together to replies, within bounds.
struct SMTPReplyParser {
  /// What a server sends is no reply.
  struct Nonsense: Error {}

  static let lineBytesMax = 4096
  static let linesMax = 200

  private var partial: [UInt8] = []
  private var lines: [String] = []
  private var code: Int?

  /// Whether nothing has come that is not yet part of a whole reply.
  var isEmpty: Bool { partial.isEmpty && lines.isEmpty }

  /// The replies that are whole after these bytes.
  mutating func take(_ bytes: some Sequence<UInt8>) throws(Nonsense) -> [SMTPReply] {
    var replies: [SMTPReply] = []
    for byte in bytes {
      guard byte == 10 else {
        partial.append(byte)
        if partial.count > Self.lineBytesMax { throw Nonsense() }
        continue
      }
      if partial.last == 13 { partial.removeLast() }
      if let reply = try line(partial) { replies.append(reply) }
      partial = []
    }
    return replies
  }

  private mutating func line(_ bytes: [UInt8]) throws(Nonsense) -> SMTPReply? {
    guard bytes.count >= 3, bytes[..<3].allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(String(decoding: bytes[..<3], as: UTF8.self)), (200...599).contains(number),
      code == nil || code == number, lines.count < Self.linesMax,
      bytes.count == 3 || bytes[3] == 0x20 || bytes[3] == 0x2d
    else { throw Nonsense() }
    lines.append(String(decoding: bytes.dropFirst(4), as: UTF8.self))
    if bytes.count > 3, bytes[3] == 0x2d {
      code = number
      return nil
    }
    defer {
      lines = []
      code = nil
    }
    return SMTPReply(code: number, lines: lines)
  }
}
