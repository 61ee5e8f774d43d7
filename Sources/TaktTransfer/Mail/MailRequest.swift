/// One mail for one server. The environment's proxy does not apply to it.
package struct MailRequest: Sendable {
  /// The point at which the connection is encrypted.
  package enum Security: String, CaseIterable, Sendable {
    case none, starttls, tls
  }

  package var host: String
  package var port: Int
  package var security: Security
  package var trust: TransferTrust
  /// The name under which this machine greets the server.
  package var hello: String
  package var credentials: (user: String, password: String)?
  /// Addresses without names, checked: none contains more than an address.
  package var from: String
  package var to: [String]
  /// The whole mail with CRLF line ends; the library escapes leading dots.
  package var content: [UInt8]
  package var timeout: Duration

  package init(
    host: String, port: Int, security: Security, trust: TransferTrust, hello: String,
    credentials: (user: String, password: String)?, from: String, to: [String],
    content: [UInt8], timeout: Duration
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.trust = trust
    self.hello = hello
    self.credentials = credentials
    self.from = from
    self.to = to
    self.content = content
    self.timeout = timeout
  }
}
