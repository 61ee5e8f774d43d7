import TaktCore

extension String {
  /// The text with `%41` and the like decoded.
  var percentDecoded: String {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        bytes.append(UInt8(digits[0] * 16 + digits[1]))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text of a URL, or of a reference, with each character encoded that no URL can contain.
  /// Encoded characters are kept, and so are international host names.
  ///
  /// Foundation, given a URL with one such character, encodes all that looks encoded again.
  var percentEncoded: String {
    let bytes = Array(utf8)
    var result = Array(bytes[..<Self.authorityEnd(bytes)])
    var hasFragment = false
    for index in result.count..<bytes.count {
      let byte = bytes[index]
      let isKept =
        switch byte {
        case UInt8(ascii: "%"):
          index + 2 < bytes.count && bytes[index + 1...index + 2].allSatisfy(\.isHexDigit)
        case UInt8(ascii: "#"): !hasFragment
        default: Self.urlBytes.contains(byte)
        }
      if byte == UInt8(ascii: "#") { hasFragment = true }
      if isKept {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The start of the path: after `scheme://host` or `//host`; 0 without a host.
  private static func authorityEnd(_ bytes: [UInt8]) -> Int {
    let slashes = Array("//".utf8)
    let scheme = bytes.prefix { !"/?#".utf8.contains($0) }
    let isAbsolute = scheme.isEmpty || scheme.last == UInt8(ascii: ":")
    guard isAbsolute, bytes.dropFirst(scheme.count).starts(with: slashes) else { return 0 }
    let host = bytes.dropFirst(scheme.count + slashes.count)
    return host.firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
  private static let urlBytes = Set(
    "-._~:/?@!$&'()*+,;=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
}
