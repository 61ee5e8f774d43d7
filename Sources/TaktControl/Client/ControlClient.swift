import NIOCore
import NIOHTTP1

/// A client of the daemon's Unix socket.
///
/// For the commands: calls block. Safe from any thread, except from within `take` of
/// ``follow(_:accept:_:)``.
package final class ControlClient: Sendable {
  package struct Answer: Sendable {
    package var status: Int
    /// The whole body.
    package var bytes: [UInt8]
    /// The number of bytes missing from a run's output.
    package var droppedBytes = 0
    /// True if the change is in the ledger, so that a crash does not undo it.
    package var isKept = true
  }

  struct Bounds: Sendable {
    /// The time to accept a connection.
    var connect = TimeAmount.seconds(5)
    /// The longest silence of the daemon, besides the wait that a request asks for.
    var silence = TimeAmount.seconds(30)
    /// `onSilence` is called after this part of it.
    var notice = TimeAmount.seconds(2)
    /// The most bytes of a body that is collected.
    var bodyBytes = 1 << 30
  }

  /// A daemon that has sent nothing for a while.
  package struct Silence: Sendable {
    /// Nil if the system does not tell.
    package var pid: Int32?
    /// The silence so far, and the longest that the client accepts, in seconds.
    package var seconds: Int64
    package var limitSeconds: Int64
  }

  private let path: String
  private let bounds: Bounds
  private let onSilence: (@Sendable (Silence) -> Void)?

  /// - Parameter onSilence: called, on another thread, for each request that takes long.
  package convenience init(socket path: String, onSilence: (@Sendable (Silence) -> Void)? = nil) {
    self.init(socket: path, bounds: Bounds(), onSilence: onSilence)
  }

  init(socket path: String, bounds: Bounds, onSilence: (@Sendable (Silence) -> Void)? = nil) {
    self.path = path
    self.bounds = bounds
    self.onSilence = onSilence
  }

  /// Sends a request, and waits for the whole answer.
  ///
  /// - Parameters:
  ///   - target: the path and the query.
  ///   - waitSeconds: the wait that the request asks for.
  package func ask(
    _ method: String, _ target: String, body: [UInt8]? = nil, accept: String = "application/json",
    waitSeconds: Int64 = 0
  ) throws(ControlError) -> Answer {
    try answer(
      to: ControlRequest(
        method: method, target: target, accept: accept, body: body, wait: .seconds(waitSeconds),
        receive: nil, onSilence: onSilence))
  }

  /// Sends a request, and passes on each part until the stream ends. The body of a refusal is
  /// collected instead.
  ///
  /// - Parameter receive: nothing more is read from the socket until it returns.
  package func follow(
    _ target: String, accept: String, _ receive: @escaping @Sendable ([UInt8]) -> Void
  ) throws(ControlError) -> Answer {
    try answer(
      to: ControlRequest(
        method: "GET", target: target, accept: accept, body: nil, wait: .zero, receive: receive,
        onSilence: onSilence))
  }

  private func answer(to request: ControlRequest) throws(ControlError) -> Answer {
    let loop = try ControlLoop.loop()
    do {
      return try ControlExchange.start(request, at: path, bounds, on: loop).wait()
    } catch {
      throw ControlError(error)
    }
  }
}

struct ControlRequest: Sendable {
  var method: String
  /// The path and the query.
  var target: String
  var accept: String
  var body: [UInt8]?
  /// The wait that it asks for.
  var wait: TimeAmount
  /// Receives the body of a successful answer piece by piece; nil to collect the body.
  var receive: (@Sendable ([UInt8]) -> Void)?
  var onSilence: (@Sendable (ControlClient.Silence) -> Void)?

  var head: HTTPRequestHead {
    var headers: HTTPHeaders = ["Host": "localhost", "Accept": accept, "Connection": "close"]
    if let body { headers.add(name: "Content-Length", value: "\(body.count)") }
    return HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: headers)
  }
}
