/// Logins by a proxy that names the user in a header, and the users' rights.
///
/// The header counts only if the proxy sends it: over a socket to which the proxy's user alone
/// connects, or with a secret. Never by an address, which all users of a machine share.
package struct ProxyLogin: Hashable, Sendable {
  /// The rights of a user; each includes those before it.
  package enum Right: String, Hashable, Sendable, CaseIterable {
    case read, operate, all
  }

  package static let defaultHeader = "Remote-User"
  /// The header with the proxy's secret.
  package static let secretHeader = "Takt-Proxy-Secret"
  /// The most bytes of a user's name.
  package static let nameBytesMax = 256

  /// The header that names the user.
  package var header = ProxyLogin.defaultHeader
  /// The absolute path of the Unix socket that takt opens for the proxy; nil for none.
  package var socket: String?
  /// The number of the user that the proxy runs as; nil without a socket.
  package var user: UInt32?
  /// The file with the proxy's secret: an absolute path; nil for none.
  package var secretFile: String?
  /// The rights of the users, by their names.
  package var users: [String: Right] = [:]
  /// The right of users that the table does not name; nil for none.
  package var others: Right? = .read

  package init() {}

  package func right(of user: String) -> Right? { users[user] ?? others }

  /// Checks a user's name: printable ASCII, without a comma, in which proxies join the values of
  /// two headers. Names then differ if their bytes do.
  package static func isName(_ text: String) -> Bool {
    (1...nameBytesMax).contains(text.utf8.count) && text.first != " " && text.last != " "
      && text.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: ",") }
  }

  /// Checks that a header can name the user: a token of HTTP without another meaning.
  package static func isHeader(_ text: String) -> Bool {
    let name = text.lowercased()
    return (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "-")
      } && !reserved.contains(name) && !name.hasPrefix("sec-")
  }

  private static let reserved: Set<String> = [
    "accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect",
    "host", "last-event-id", "origin", "referer", "te", "trailer", "transfer-encoding", "upgrade",
    "user-agent", secretHeader.lowercased(),
  ]

  var words: String {
    let ways = [socket.map { "on \($0)" }, secretFile.map { "with the secret in \($0)" }]
    let table = users.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.rawValue)" }
    return "login by \(header) "
      + (ways.compactMap(\.self) + table + ["others \(others?.rawValue ?? "none")"])
      .joined(separator: ", ")
  }
}
