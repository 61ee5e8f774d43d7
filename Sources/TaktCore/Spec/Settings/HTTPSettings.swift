/// takt's HTTP server over TCP.
package struct HTTPSettings: Hashable, Sendable {
  /// The address: a number such as `127.0.0.1` or `::1`.
  package var host: String
  /// The port; 0 for any that is free.
  package var port: Int
  /// The file with the token that each request must bear: an absolute path; nil (the default) for
  /// `token` in the state folder.
  package var tokenFile: String?
  /// The file with the token of clients that may only read: an absolute path; nil (the default) for
  /// none.
  package var readTokenFile: String?
  /// The file with the token of clients that may read and operate jobs: an absolute path; nil (the
  /// default) for none.
  package var operateTokenFile: String?
  /// Logins by a proxy; nil (the default) for none.
  package var proxy: ProxyLogin?
  /// The names by which others reach it, besides its own address: a proxy's, a machine's.
  package var names: [String] = []
  /// The page's URL for people, without a slash at its end; nil (the default) for `http://` and the
  /// address.
  package var publicURL: String?

  /// The path of `publicURL`, such as `/takt`, below which takt answers as it does at the root; empty for
  /// none.
  package var publicPath: String { publicURL.flatMap(Self.publicPath(of:)) ?? "" }

  package init(host: String, port: Int, tokenFile: String? = nil, names: [String] = []) {
    self.host = host
    self.port = port
    self.tokenFile = tokenFile
    self.names = names
  }

  /// `127.0.0.1:8080`, `[::1]:8080`.
  package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  var words: String {
    let tokens = [
      tokenFile.map { "token in \($0)" }, readTokenFile.map { "token for reading in \($0)" },
      operateTokenFile.map { "token for operating in \($0)" }, proxy?.words,
    ]
    let url = publicURL.map { ["at \($0)"] } ?? []
    return ([address] + tokens.compactMap(\.self) + names + url).joined(separator: ", ")
  }

  /// Reads `8080`, `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`; nil for anything else. Without
  /// a host it is this machine's own.
  package static func parse(_ text: String) -> (host: String, port: Int)? {
    var host = "127.0.0.1"
    var digits = Substring(text)
    if let colon = text.lastIndex(of: ":") {
      digits = text[text.index(after: colon)...]
      var name = text[..<colon]
      if name.hasPrefix("["), name.hasSuffix("]") {
        name = name.dropFirst().dropLast()
        guard name.contains(":") else { return nil }
      } else if name.contains(":") {
        return nil
      }
      host = name == "localhost" ? "127.0.0.1" : name == "*" ? "0.0.0.0" : String(name)
    }
    guard !host.isEmpty, !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = Int(digits), (0...65535).contains(port),
      host.utf8.allSatisfy({ Self.hostBytes.contains($0) })
    else { return nil }
    return (host, port)
  }

  /// The path of a URL without a slash at its end; empty for none, nil for one below which takt
  /// does not answer: whose names can be written in several ways, or that starts like a route of
  /// takt's own.
  package static func publicPath(of url: String) -> String? {
    let names = url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
    guard let first = names.first else { return "" }
    let isPlain = names.allSatisfy { name in
      !name.isEmpty && name != "." && name != ".." && name.utf8.allSatisfy(\.isNameByte)
    }
    return isPlain && !ownNames.contains(first) ? "/" + names.joined(separator: "/") : nil
  }

  /// The first names of takt's own paths.
  package static let ownNames: Set<Substring> = [
    "api", "calendar.ics", "healthz", "metrics", "readyz",
  ]

  private static let hostBytes = Set("0123456789abcdefABCDEF.:".utf8)
}
