/// Paths of requests, normalized so that every correct form of one means the same.
package enum RequestTarget {
  /// A target whose path has no unnecessary percent-encoding: letters, digits, `-`, `.`, `_` and
  /// `~` are literal (RFC 3986, section 6.2.2.2). Names of jobs, plugins and tags consist only of
  /// these. Other encoded bytes stay encoded, with capital digits.
  ///
  /// - Returns: nil if a `%` of the path is not followed by two hexadecimal digits. The query stays
  ///   as it is.
  package static func normalized(_ target: String) -> String? {
    let bytes = Array(target.utf8)
    let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    guard bytes[..<end].contains(UInt8(ascii: "%")) else { return target }
    var result: [UInt8] = []
    var index = 0
    while index < end {
      guard bytes[index] == UInt8(ascii: "%") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      guard index + 2 < end, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
      else { return nil }
      let byte = high << 4 | low
      if isUnreserved(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), hexadecimal[Int(high)], hexadecimal[Int(low)]]
      }
      index += 3
    }
    result += bytes[end...]
    return String(decoding: result, as: UTF8.self)
  }

  /// A target without the path prefix of a proxy. One without that prefix stays as it is.
  ///
  /// - Parameter prefix: a path from `normalized`, without a slash at its end; empty for none.
  /// - Returns: the target, and true if it was that path without the slash after it.
  package static func removing(_ prefix: String, from target: String) -> (
    target: String, lacksSlash: Bool
  ) {
    guard !prefix.isEmpty, target.utf8.starts(with: prefix.utf8) else { return (target, false) }
    let rest = target.utf8.dropFirst(prefix.utf8.count)
    switch rest.first {
    case UInt8(ascii: "/"): return (String(decoding: rest, as: UTF8.self), false)
    case nil, UInt8(ascii: "?"): return ("/" + String(decoding: rest, as: UTF8.self), true)
    default: return (target, false)
    }
  }

  /// The decoded text; nil for an invalid encoding.
  package static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// A text for one part of a path, or for a value of a query or of a header.
  package static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
