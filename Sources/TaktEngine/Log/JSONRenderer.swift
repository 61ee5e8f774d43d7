import TaktCore

/// One JSON object a line: `ts`, `level`, `event`, then the facts by the names of `LogKey`.
struct JSONRenderer: LogRenderer {
  /// Routine records are always there, so that a program finds every transition.
  func shows(_ record: LogRecord, at level: LogLevel) -> Bool {
    record.level >= level || (record.isRoutine && level <= .info)
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    bytes += #"{"ts":""#.utf8
    bytes += record.at.rfc3339().utf8
    bytes += #"","level":""#.utf8
    bytes += record.level.rawValue.utf8
    bytes += #"","event":""#.utf8
    bytes += record.event.rawValue.utf8
    bytes.append(UInt8(ascii: "\""))
    for field in record.fields {
      bytes += #",""#.utf8
      bytes += field.key.rawValue.utf8
      bytes += #"":"#.utf8
      Self.append(field.value, to: &bytes)
    }
    bytes += "}\n".utf8
  }

  private static func append(_ value: LogValue, to bytes: inout [UInt8]) {
    switch value {
    case .text(let text): appendString(text.utf8, to: &bytes)
    case .bytes(let raw): appendString(String(decoding: raw, as: UTF8.self).utf8, to: &bytes)
    case .number(let number): bytes += String(number).utf8
    case .milliseconds(let duration): bytes += duration.millisecondsText.utf8
    case .instant(let instant): appendString(instant.rfc3339().utf8, to: &bytes)
    }
  }

  private static func appendString(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
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

extension Duration {
  /// Milliseconds with three places: `0.104`.
  var millisecondsText: String {
    let microseconds = nanosecondsSaturated / 1000
    let digits = String(abs(microseconds) % 1000)
    return (microseconds < 0 ? "-" : "") + String(abs(microseconds) / 1000) + "."
      + String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }
}
