/// Placeholders in URLs: what a job or a server has said stands in a path or a query, encoded, and
/// never decides where a request goes.
extension Placeholders {
  /// The first name that could change the scheme or the host of a URL; nil for none. Behind a secret
  /// nobody knows where that is before the secret is read.
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

  /// The URL with each fact's value encoded in its place, and each secret as it is or as its filters
  /// make it.
  ///
  /// - Parameter secret: the value of the secret of a name, with the filters applied.
  /// - Returns: The URL; nil where a fact would change its scheme or its host.
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
        // What a file encodes itself is not encoded twice.
        if filters.last != .url { filters.append(.url) }
        url += filters.applied(to: values[name] ?? "")
      }
    }
    return url
  }
}

extension Placeholders.Name {
  /// Whether its value may come next in a URL: names of jobs and of this machine may be part of a
  /// host, anything else only comes when the host is over.
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
  /// Whether a URL's host is over, so that nothing behind it changes it.
  package var hasWholeHost: Bool {
    let bytes = Array(utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[(colon + 1)...].starts(with: "//".utf8)
    else { return false }
    return bytes[(colon + 3)...].contains { "/?#".utf8.contains($0) }
  }

  /// The text with each byte encoded that could mean something in a URL (RFC 3986, section 2.3).
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
