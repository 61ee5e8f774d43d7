/// A request over HTTP. Redirections are not followed; the proxy is that of the environment, by
/// curl's rules.
package struct HTTPRequest: Sendable {
  package var address: TransferAddress
  /// The path and the query, exactly as they are sent.
  package var target: String
  package var method: String
  /// Checked: no name and no value starts another line.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
  package var trust: TransferTrust
  package var timeout: Duration
  /// The most of the answer's body that the reply keeps.
  package var keptBytesMax: Int
  /// The most that is read beyond that before the connection is dropped.
  package var discardedBytesMax: Int
  /// True if the server may act on it twice, so that a kept connection can carry it.
  package var isRepeatable = false
  /// True to go to the server itself, even if the environment names a proxy.
  package var ignoresProxy = false
  /// A Unix socket on which the server listens, in place of the address; nil for none.
  package var socketPath: String?
  /// Receives the body of an answer that is no error, part by part, in place of the reply; false
  /// ends the transfer. Called on the transfers' thread, which it must not block.
  package var onBody: (@Sendable (UnsafeRawBufferPointer) -> Bool)?
  /// The speed at which the answer is read, on average; the server waits meanwhile. Nil for no bound.
  package var bytesPerSecondMax: Int?
  /// PEM files with the client's certificate and its key.
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

package struct HTTPReply: Sendable {
  package var status: Int
  /// In the order of the answer, without white space around the values.
  package var headers: [(name: String, value: String)]
  /// The start of the body.
  package var body: [UInt8]
  /// The length of the body, as far as it was read.
  package var bodyBytes: Int
  /// The wait that `Retry-After` asks for; nil without that header, and for a past date.
  package var retryAfter: Duration?

  /// Compares names without regard to case.
  package func first(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
