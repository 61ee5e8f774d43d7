/// The address of a daemon's API for other machines: `http://HOST:PORT` or `https://HOST`, without
/// a path.
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

  /// Nil for any other text. One slash at its end does not count.
  package init?(_ text: String) {
    guard text.utf8.count <= 300, let colon = text.firstIndex(of: ":"),
      let scheme = Scheme(rawValue: text[..<colon].lowercased()),
      text[colon...].hasPrefix("://")
    else { return nil }
    var authority = text[colon...].dropFirst(3)
    if authority.hasSuffix("/") { authority = authority.dropLast() }
    guard let host = authority.takeHost(), host.contains(":") || host.utf8.count <= 253 else {
      return nil
    }
    self.scheme = scheme
    self.host = host
    guard let colon = authority.popFirst() else {
      port = nil
      return
    }
    guard colon == ":", (1...5).contains(authority.utf8.count),
      authority.utf8.allSatisfy(\.isDigit), let number = Int(authority),
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
}

extension Substring {
  /// Takes the host off what follows `://` in a URL: a name, or an address of IPv6, without its
  /// brackets. Nil where there is none.
  mutating func takeHost() -> String? {
    if first == "[" {
      guard let end = firstIndex(of: "]") else { return nil }
      let host = self[index(after: startIndex)..<end]
      self = self[index(after: end)...]
      let isAddress = host.utf8.allSatisfy { $0.isHexDigit || $0 == 0x3a || $0 == 0x2e }
      return isAddress && host.contains(":") ? String(host) : nil
    }
    let host = prefix { $0 != ":" }
    self = self[host.endIndex...]
    return !host.isEmpty && host.utf8.allSatisfy(\.isNameByte) ? String(host) : nil
  }
}

extension HTTPSettings {
  /// The address of this machine's API for others; nil if only this machine can connect, or the
  /// port is not known beforehand.
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
