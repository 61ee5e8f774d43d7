/// Requests to the APIs of other machines of the cluster.
package protocol MachineAPI: Sendable {
  /// Returns at once; `reply` is called once, on any thread.
  func send(
    _ request: MachineRequest,
    reply: @escaping @Sendable (Result<MachineReply, MachineFailure>) -> Void)
}

package struct MachineRequest: Sendable {
  package var address: APIAddress
  /// Percent-encoded, as it is sent.
  package var target: String
  package var method: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
  package var timeout: Duration
  /// An answer with more bytes is cut off.
  package var bytesMax: Int

  package init(
    address: APIAddress, target: String, method: String,
    headers: [(name: String, value: String)], body: [UInt8]?, timeout: Duration, bytesMax: Int
  ) {
    self.address = address
    self.target = target
    self.method = method
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.bytesMax = bytesMax
  }
}

package struct MachineReply: Sendable {
  package var status: Int
  /// By their names in lower case.
  package var headers: [String: String]
  package var body: [UInt8]
  /// True if the body was longer than `bytesMax`.
  package var isCut: Bool

  package init(status: Int, headers: [String: String], body: [UInt8], isCut: Bool = false) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isCut = isCut
  }
}

/// The reason why there is no answer.
package struct MachineFailure: Error, Hashable, Sendable {
  /// A part of a sentence for people: "nothing listens on the port".
  package var message: String
  /// True if the request may have been carried out.
  package var isUncertain: Bool

  package init(_ message: String, isUncertain: Bool = false) {
    self.message = message
    self.isUncertain = isUncertain
  }
}
