import TaktTime

extension LogRecord {
  /// Appends the record as one JSON object: `ts`, `level`, `event`, then the facts by the names of
  /// `LogKey`.
  ///
  /// - Parameter number: stands first, as `id`; nil for a record without one.
  package func appendJSON(to bytes: inout [UInt8], number: UInt64? = nil) {
    bytes.append(UInt8(ascii: "{"))
    if let number { bytes += #""id":\#(number),"#.utf8 }
    bytes += #""ts":""#.utf8
    bytes += at.rfc3339().utf8
    bytes += #"","level":""#.utf8
    bytes += level.rawValue.utf8
    bytes += #"","event":""#.utf8
    bytes += event.rawValue.utf8
    bytes.append(UInt8(ascii: "\""))
    for field in fields {
      bytes += #",""#.utf8
      bytes += field.key.rawValue.utf8
      bytes += #"":"#.utf8
      field.value.appendJSON(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension LogValue {
  package func appendJSON(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text): JSONText.append(text, to: &bytes)
    case .bytes(let raw): JSONText.append(String(decoding: raw, as: UTF8.self), to: &bytes)
    case .number(let number): bytes += String(number).utf8
    case .milliseconds(let duration): bytes += duration.millisecondsText.utf8
    case .instant(let instant): JSONText.append(instant.rfc3339(), to: &bytes)
    case .machine(let machine): JSONText.append(machine.description, to: &bytes)
    }
  }
}

extension Duration {
  /// Milliseconds with three places: `0.104`.
  package var millisecondsText: String {
    let microseconds = nanosecondsSaturated / 1000
    let digits = String(abs(microseconds) % 1000)
    return (microseconds < 0 ? "-" : "") + String(abs(microseconds) / 1000) + "."
      + String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }
}

/// Texts as JSON writes them.
package enum JSONText {
  /// Appends a text in quotes, with what JSON does not allow in it escaped.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
      case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
      case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
      case 0..<32, 127:
        bytes += (byte < 16 ? #"\u000"# : #"\u00"#).utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
