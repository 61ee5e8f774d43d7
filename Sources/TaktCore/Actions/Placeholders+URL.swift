/// Placeholders in URLs: a value of a job or a server is put into a path or a query, encoded, and
/// never decides the target of a request.
extension Placeholders {
  /// The first name that could change the scheme or the host of a URL; nil for none. After a
  /// secret, the end of the host is unknown until the secret is read.
  package static func misplaced(in parts: [Part]) -> Name? {
    var url = ""
    for part in parts {
      switch part {
      case .text(let text): url += text
      case .secret: return nil
      case .name(let name, _):
        if !name.mayStand(behind: url) { return name }
        url += "x"
      }
    }
    return nil
  }

  /// The URL with each fact's value encoded in its place, and each secret as it is or as its
  /// filters make it.
  ///
  /// - Parameter secret: the value of a secret, with the filters applied.
  /// - Returns: The URL; nil if a fact would change its scheme or its host.
  package static func url<Failure>(
    _ parts: [Part], _ values: [Name: String],
    secret: (String, [Filter]) throws(Failure) -> String
  ) throws(Failure) -> String? {
    var url = ""
    for part in parts {
      switch part {
      case .text(let text): url += text
      case .secret(let name, let filters): url += try secret(name, filters)
      case .name(let name, var filters):
        guard name.mayStand(behind: url) else { return nil }
        // Values that a file encodes itself are not encoded twice.
        if filters.last != .url { filters.append(.url) }
        url += filters.applied(to: values[name] ?? "")
      }
    }
    return url
  }
}

extension Placeholders.Name {
  /// True if its value may follow: names of jobs and of this machine may be part of a host,
  /// anything else only comes after the host's end.
  fileprivate func mayStand(behind url: String) -> Bool {
    switch self {
    case .job, .host: return true
    case .run, .slot, .attempt, .fence, .hook, .outcome, .reason, .streak, .attempts, .output,
      .runURL, .durationMilliseconds, .latenessMilliseconds, .cpu, .memory:
      return url.hasWholeHost
    }
  }
}

extension String {
  /// True after the end of a URL's host, so that no further text changes it.
  package var hasWholeHost: Bool {
    let bytes = Array(utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[(colon + 1)...].starts(with: "//".utf8)
    else { return false }
    return bytes[(colon + 3)...].contains { "/?#".utf8.contains($0) }
  }

  /// The port that a URL names, if it cannot be one: no number from 1 to 65535. Nil for a URL without a
  /// port, and for one whose port is left empty.
  package var wrongURLPort: String? {
    guard let start = firstRange(of: "://")?.upperBound else { return nil }
    let server = self[start...].prefix { !"/?#".contains($0) }
    let host = server.lastIndex(of: "@").map { server[server.index(after: $0)...] } ?? server
    // The colons of an address of IPv6 are in brackets.
    let rest = host.lastIndex(of: "]").map { host[$0...] } ?? host
    guard let colon = rest.firstIndex(of: ":") else { return nil }
    let port = rest[colon...].dropFirst()
    let isPort = port.utf8.allSatisfy(\.isDigit) && (1...65_535).contains(Int(port) ?? 0)
    return port.isEmpty || isPort ? nil : String(port)
  }

  /// Encodes each byte that could have a meaning in a URL (RFC 3986, section 2.3).
  package var percentEncodedPart: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
      default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
