package import TaktTime

extension LogRecord {
  /// Appends the record as one JSON object: `ts`, `level`, `event`, then the facts by the names of
  /// `LogKey`.
  ///
  /// - Parameter number: stands first, as `id`; nil for a record without one.
  package func appendJSON(to bytes: inout [UInt8], number: UInt64? = nil) {
    bytes.append(UInt8(ascii: "{"))
    if let number {
      bytes.append(utf8: #""id":"#)
      bytes.append(decimal: number)
      bytes.append(UInt8(ascii: ","))
    }
    bytes.append(utf8: #""ts":""#)
    at.appendRFC3339(to: &bytes)
    bytes.append(utf8: #"","level":""#)
    bytes.append(utf8: level.rawValue)
    bytes.append(utf8: #"","event":""#)
    bytes.append(utf8: event.rawValue)
    bytes.append(UInt8(ascii: "\""))
    var fields = JSONFields()
    // Swapped, so that the bytes have one holder at any time and are never copied.
    swap(&fields.bytes, &bytes)
    content.put(into: &fields)
    swap(&fields.bytes, &bytes)
    bytes.append(UInt8(ascii: "}"))
  }
}

/// Appends fields to the bytes of a JSON object that has a member already.
private struct JSONFields: FieldSink {
  var bytes: [UInt8] = []

  mutating func put(_ key: LogKey, text: String) {
    name(key)
    JSONText.append(text, to: &bytes)
  }

  mutating func put(_ key: LogKey, bytes raw: [UInt8]) {
    name(key)
    JSONText.append(raw, to: &bytes)
  }

  mutating func put(_ key: LogKey, number: Int64) {
    name(key)
    bytes.append(decimal: number)
  }

  mutating func put(_ key: LogKey, milliseconds duration: Duration) {
    name(key)
    duration.appendMilliseconds(to: &bytes)
  }

  mutating func put(_ key: LogKey, instant: WallInstant) {
    name(key)
    JSONText.append(instant, to: &bytes)
  }

  mutating func put(_ key: LogKey, machine: MachineID) {
    name(key)
    JSONText.append(machine, to: &bytes)
  }

  private mutating func name(_ key: LogKey) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(utf8: key.rawValue)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }
}

extension LogValue {
  package func appendJSON(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text): JSONText.append(text, to: &bytes)
    case .bytes(let raw): JSONText.append(raw, to: &bytes)
    case .number(let number): bytes.append(decimal: number)
    case .milliseconds(let duration): duration.appendMilliseconds(to: &bytes)
    case .instant(let instant): JSONText.append(instant, to: &bytes)
    case .machine(let machine): JSONText.append(machine, to: &bytes)
    }
  }
}

extension Duration {
  /// Appends milliseconds with three places: `0.104`.
  package func appendMilliseconds(to bytes: inout [UInt8]) {
    let microseconds = nanosecondsSaturated / 1000
    if microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: abs(microseconds) / 1000)
    bytes.append(UInt8(ascii: "."))
    bytes.append(Int(abs(microseconds) % 1000), padded: 3)
  }
}

extension MachineID {
  /// Appends its name in the log.
  package func appendName(to bytes: inout [UInt8]) {
    switch self {
    case .timer(.job(let name)):
      bytes.append(utf8: "timer:")
      bytes.append(utf8: name.text)
    case .timer(.pause(let name)):
      bytes.append(utf8: "pause-timer:")
      bytes.append(utf8: name.text)
    case .timer(.freshness(let name)):
      bytes.append(utf8: "freshness-timer:")
      bytes.append(utf8: name.text)
    case .timer(.run(let run)): Self.append("run-timer:", run, to: &bytes)
    case .timer(.expected(let run)): Self.append("expected-timer:", run, to: &bytes)
    case .timer(.other(let name)): bytes.append(utf8: name)
    case .timer(.cluster): bytes.append(utf8: "cluster-timer")
    case .timer(.shutdown): bytes.append(utf8: "shutdown-timer")
    case .run(let run): Self.append("run:", run, to: &bytes)
    }
  }

  private static func append(_ kind: String, _ run: RunID, to bytes: inout [UInt8]) {
    bytes.append(utf8: kind)
    bytes.append(decimal: run.number)
  }
}

/// Texts as JSON writes them.
package enum JSONText {
  /// Appends a text in quotes, with what JSON does not allow in it escaped.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(utf8: $0, to: &bytes) }
  }

  /// Appends bytes that are probably text; what is not UTF-8 becomes U+FFFD.
  static func append(_ raw: [UInt8], to bytes: inout [UInt8]) {
    if raw.allSatisfy({ $0 < 128 }) {
      // The pointer does not leave the call.
      raw.withUnsafeBufferPointer { append(utf8: $0, to: &bytes) }
    } else {
      append(String(decoding: raw, as: UTF8.self), to: &bytes)
    }
  }

  /// Appends an instant in UTC, in quotes.
  package static func append(_ instant: WallInstant, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    instant.appendRFC3339(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// A job's name, the one part that users choose, has no character that JSON escapes.
  static func append(_ machine: MachineID, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    machine.appendName(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies what needs no escape in stretches.
  private static func append(utf8 text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    var index = plainWords(in: text)
    while index < text.count {
      if needsEscape(text[index]) {
        bytes.append(contentsOf: text[start..<index])
        appendEscaped(text[index], to: &bytes)
        start = index + 1
      }
      index += 1
    }
    bytes.append(contentsOf: text[start...])
    bytes.append(UInt8(ascii: "\""))
  }

  /// How many bytes at the beginning need no escape, looked at by eights: nearly all texts are plain.
  private static func plainWords(in text: UnsafeBufferPointer<UInt8>) -> Int {
    let raw = UnsafeRawBufferPointer(text)
    let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
    var index = 0
    // Each load is of eight bytes that lie within the buffer.
    while index + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let (quotes, slashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5c))
      // A top bit for a byte below 32, for a zero byte, that is a hit, and for one of 127 or above.
      let hits =
        (word &- ones &* 32) | (quotes &- ones) | (slashes &- ones) | (word &+ ones) | word
      if hits & tops != 0 { return index }
      index += 8
    }
    return index
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 127
  }

  private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case UInt8(ascii: "\n"): bytes.append(utf8: #"\n"#)
    case UInt8(ascii: "\t"): bytes.append(utf8: #"\t"#)
    case UInt8(ascii: "\r"): bytes.append(utf8: #"\r"#)
    default:
      bytes.append(utf8: byte < 16 ? #"\u000"# : #"\u00"#)
      bytes.append(utf8: String(byte, radix: 16))
    }
  }
}
