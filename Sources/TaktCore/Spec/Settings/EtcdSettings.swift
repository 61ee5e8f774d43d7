/// The address of a cluster's etcd, and takt's credentials for it.
package struct EtcdSettings: Hashable, Sendable {
  package struct Endpoint: Hashable, Sendable {
    /// `http` or `https`
    package var scheme: String
    /// A name or an address, without brackets.
    package var host: String
    package var port: Int

    package init(scheme: String, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }
  }

  /// At least one.
  package var endpoints: [Endpoint]
  /// The absolute path of the certificates that sign the servers'. Nil (the default) for the
  /// system's.
  package var authority: String?
  /// The absolute paths of the certificate that takt shows, and of its key. Default none.
  package var certificate: String?
  package var key: String?
  package var user: String?
  package var password: Secret?

  package init(
    endpoints: [Endpoint], authority: String? = nil, certificate: String? = nil,
    key: String? = nil, user: String? = nil, password: Secret? = nil
  ) {
    self.endpoints = endpoints
    self.authority = authority
    self.certificate = certificate
    self.key = key
    self.user = user
    self.password = password
  }
}

extension EtcdSettings.Endpoint {
  private static let defaultPort = 2379

  /// Nil for any text but `http://HOST:PORT` or `https://HOST:PORT`. etcd's port may be left out.
  package init?(_ text: String) {
    guard let scheme = ["http", "https"].first(where: { text.hasPrefix("\($0)://") }) else {
      return nil
    }
    var rest = text.dropFirst(scheme.utf8.count + 3)
    if rest.last == "/" { rest.removeLast() }
    var port = Self.defaultPort
    guard let host = rest.takeHost() else { return nil }
    if !rest.isEmpty {
      guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
      port = Int(number)
    }
    self.init(scheme: scheme, host: host, port: port)
  }

  package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
