import CTaktTransfer

/// A server's address in parts: no part can be read as another.
package struct TransferAddress: Hashable, Sendable {
  package var scheme: String
  /// A name, in any script, or an address without brackets.
  package var host: String
  /// Nil for the scheme's default.
  package var port: Int?

  package init(scheme: String, host: String, port: Int? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// `https://host:port`. Loads the library for names in other scripts.
  func text() throws(TransferFailure) -> String {
    "\(scheme)://\(Self.bracketed(try hostName()))\(port.map { ":\($0)" } ?? "")"
  }

  /// A host for a URL, with an IPv6 address in brackets.
  package static func bracketed(_ host: String) -> String {
    guard isAddress(host) else { return host }
    return "[\(host.split(separator: "%", maxSplits: 1).joined(separator: "%25"))]"
  }

  /// The name in ASCII, or the address.
  func hostName() throws(TransferFailure) -> String {
    if Self.isName(host) || Self.isAddress(host) { return host }
    guard Self.isInternational(host) else {
      throw TransferFailure(.noAddress, "'\(host)' is not a host name")
    }
    try CurlLibrary.load()
    var buffer = [CChar](repeating: 0, count: 256)
    let count = ctransfer_ascii_host(host, &buffer, buffer.count)
    let ascii = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard Self.isName(ascii) else {
      throw TransferFailure(
        .noAddress, "'\(host)' has no ASCII form; write it as xn--... yourself")
    }
    return ascii
  }

  /// True for a name, an address, or a name in another script.
  package static func isHost(_ host: String) -> Bool {
    isName(host) || isAddress(host) || isInternational(host)
  }

  private static func isName(_ host: String) -> Bool {
    !host.isEmpty && host.utf8.count <= 255 && host.utf8.allSatisfy(isNameByte)
  }

  private static func isInternational(_ host: String) -> Bool {
    host.utf8.count <= 255 && host.utf8.contains { $0 >= 0x80 }
      && host.utf8.allSatisfy { $0 >= 0x80 || isNameByte($0) }
  }

  /// True for an IPv6 address, with or without a zone.
  private static func isAddress(_ host: String) -> Bool {
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first, address.utf8.filter({ $0 == UInt8(ascii: ":") }).count > 1,
      host.utf8.count <= 255
    else {
      return false
    }
    return address.utf8.allSatisfy {
      isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
      && (parts.count == 1 || !parts[1].isEmpty && parts[1].utf8.allSatisfy(isNameByte))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

package enum TransferTrust: Hashable, Sendable {
  case system
  /// Those signed by these PEM certificates, which were read from `path`.
  case certificates([UInt8], path: String)
  case anything
}
