/// A request of HTTP. Redirections are not followed; the proxy is that of the environment, by
/// curl's rules.
package struct HTTPRequest: Sendable {
  package var address: TransferAddress
  /// The path and the query, as they are sent.
  package var target: String
  package var method: String
  /// Checked: no name and no value begins another line.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
  package var trust: TransferTrust
  package var timeout: Duration
  /// How much of the answer's body is kept.
  package var keptBytesMax: Int
  /// How much more of it is read before the connection is dropped.
  package var discardedBytesMax: Int
  /// Whether the server may act on it twice, so that a connection that was kept will do for it.
  package var isRepeatable = false
  /// Whether it goes to the server itself, whatever the environment says of proxies.
  package var ignoresProxy = false
  /// The Unix socket on which the server listens, whatever the address says; nil for none.
  package var socketPath: String?
  /// Gets the body of an answer that is no error, part by part, in place of the reply; false ends
  /// the transfer. It is called on the thread of the transfers, which it is not to block.
  package var onBody: (@Sendable (UnsafeRawBufferPointer) -> Bool)?
  /// The files, in PEM, with the certificate and the key that the client shows.
  package var certificate: (path: String, keyPath: String)?

  package init(
    address: TransferAddress, target: String, method: String,
    headers: [(name: String, value: String)], body: [UInt8]?, trust: TransferTrust,
    timeout: Duration, keptBytesMax: Int, discardedBytesMax: Int
  ) {
    self.address = address
    self.target = target
    self.method = method
    self.headers = headers
    self.body = body
    self.trust = trust
    self.timeout = timeout
    self.keptBytesMax = keptBytesMax
    self.discardedBytesMax = discardedBytesMax
  }
}

/// What a server has answered.
package struct HTTPReply: Sendable {
  package var status: Int
  /// In the order of the answer, without white space around the values.
  package var headers: [(name: String, value: String)]
  /// The beginning of the body.
  package var body: [UInt8]
  /// How long the body was, as far as it was read.
  package var bodyBytes: Int
  /// What the header `Retry-After` asks for; nil without it, and for a date that is over.
  package var retryAfter: Duration?

  /// The value of the first header of this name, in any case of letters.
  package func first(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
