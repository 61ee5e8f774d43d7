/// libpq's text about a failed connection.
///
/// libpq gives no SQLSTATE for these, only text; in its verbose form the server's errors bear it:
/// `FATAL:  28P01: password authentication failed`.
package enum PostgresMessage {
  package enum Kind {
    case notPostgres, noPassword, tls
    /// libpq does not even try to connect.
    case badOption
    case other
  }

  /// The last error: its SQLSTATE if the server has sent one, and its words on one line.
  package static func read(
    _ text: String, clean: (String) -> String
  ) -> (state: String?, words: String) {
    var words = ""
    var state: String?
    for line in text.split(separator: "\n") {
      // Hints of libpq's are indented; the server's place in its own source is no help.
      guard line.first != "\t", !line.hasPrefix("LOCATION:") else { continue }
      if let found = serverError(line) {
        (state, words) = (found.state, String(found.words))
      } else if state == nil {
        // A second sentence of the same error.
        words = line.hasPrefix("Either ") ? "\(words). \(line)" : String(withoutPlace(line))
      }
    }
    return (state, clean(words))
  }

  /// Classifies an error of libpq's own. libpq translates its words only if a program sets a
  /// locale, which takt does not.
  package static func kind(of words: String) -> Kind {
    let signs: [(String, Kind)] = [
      ("expected authentication request from server", .notPostgres),
      ("received invalid response to SSL negotiation", .notPostgres),
      ("received invalid response to GSSAPI negotiation", .notPostgres),
      ("received invalid protocol negotiation message", .notPostgres),
      ("received unencrypted data after SSL response", .notPostgres),
      ("invalid message format", .notPostgres),
      ("no password supplied", .noPassword),
      // The network's fault, not the certificate's.
      ("SSL SYSCALL", .other),
      ("SSL", .tls), ("certificate", .tls),
    ]
    if isOfOption(words) { return .badOption }
    return signs.first { words.contains($0.0) }?.1 ?? .other
  }

  /// True if libpq rejects a setting, from whatever source.
  private static func isOfOption(_ words: String) -> Bool {
    let signs = [
      "invalid port number", "invalid integer value", "definition of service", "service file",
      "nested service specifications", "could not match", "invalid SSL protocol version range",
      " invalid when SSL support is not compiled in", "weak sslmode",
    ]
    return signs.contains { words.contains($0) }
      // `invalid sslmode value: "x"`
      || (words.hasPrefix("invalid ") && words.contains(" value: \""))
  }

  /// `…FATAL:  28P01: words`
  private static func serverError(_ line: Substring) -> (state: String, words: Substring)? {
    let bytes = line.utf8
    var index = bytes.startIndex
    while let colon = bytes[index...].firstIndex(of: UInt8(ascii: ":")) {
      index = bytes.index(after: colon)
      let rest = bytes[index...]
      let state = rest.dropFirst(2).prefix(5)
      guard rest.prefix(2).elementsEqual("  ".utf8), state.count == 5,
        state.allSatisfy(isStateByte), rest.dropFirst(7).prefix(2).elementsEqual(": ".utf8)
      else { continue }
      return (String(decoding: state, as: UTF8.self), Substring(rest.dropFirst(9)))
    }
    return nil
  }

  private static func isStateByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  /// Without `connection to server at "127.0.0.1", port 5432 failed: `, which newer libraries add.
  private static func withoutPlace(_ line: Substring) -> Substring {
    guard line.hasPrefix("connection to server "), let range = line.firstRange(of: " failed: ")
    else { return line }
    return line[range.upperBound...]
  }
}
