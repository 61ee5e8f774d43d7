/// Where other machines reach a daemon's API: `http://HOST:PORT` or `https://HOST`, without a path.
package struct APIAddress: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Sendable {
    case http, https
  }

  package let scheme: Scheme
  /// A name or an address, without brackets.
  package let host: String
  /// Nil for the scheme's own.
  package let port: Int?

  package init(scheme: Scheme, host: String, port: Int?) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// Nil for a text that is no such URL. One slash at its end does not count.
  package init?(_ text: String) {
    guard text.utf8.count <= 300, let colon = text.firstIndex(of: ":"),
      let scheme = Scheme(rawValue: text[..<colon].lowercased()),
      text[colon...].hasPrefix("://")
    else { return nil }
    var authority = text[colon...].dropFirst(3)
    if authority.hasSuffix("/") { authority = authority.dropLast() }
    var rest: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = String(authority[authority.index(after: authority.startIndex)..<end])
      rest = authority[authority.index(after: end)...]
      guard host.contains(":"), host.utf8.allSatisfy(Self.isAddressByte) else { return nil }
    } else {
      let end = authority.firstIndex(of: ":") ?? authority.endIndex
      host = String(authority[..<end])
      rest = authority[end...]
      guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(Self.isNameByte) else {
        return nil
      }
    }
    self.scheme = scheme
    guard rest.popFirst() != nil else {
      port = nil
      return
    }
    guard authority.dropLast(rest.count).hasSuffix(":"), (1...5).contains(rest.utf8.count),
      rest.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(rest),
      (1...65_535).contains(number)
    else { return nil }
    port = number
  }

  /// The host as a request names it, in lower case: addresses of IPv6 in brackets.
  package var hostName: String {
    let name = host.lowercased()
    return name.contains(":") ? "[\(name)]" : name
  }

  package var description: String {
    "\(scheme.rawValue)://\(hostName)\(port.map { ":\($0)" } ?? "")"
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_": true
    default: false
    }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "A"..."F", "a"..."f", "0"..."9", ":", ".": true
    default: false
    }
  }
}

extension HTTPSettings {
  /// Where other machines reach this one; nil where only this machine can connect, or the port is
  /// not known beforehand.
  ///
  /// - Parameter hostName: this machine's own, for a daemon that listens at all its addresses.
  package func apiAddress(hostName: String) -> APIAddress? {
    guard !isLoopback, port > 0 else { return nil }
    let isAny = ["0.0.0.0", "::"].contains(host)
    // Parsed once more, since a host name may be anything.
    return APIAddress(
      APIAddress(scheme: .http, host: isAny ? hostName : host, port: port).description)
  }
}
