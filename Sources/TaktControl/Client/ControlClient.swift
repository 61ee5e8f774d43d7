import NIOCore
import NIOHTTP1

/// Talks to the daemon over its Unix socket.
///
/// For the commands: calls block. Safe from any thread, except from within `take` of ``follow(_:accept:_:)``.
package final class ControlClient: Sendable {
  package struct Answer: Sendable {
    /// The status of HTTP.
    package var status: Int
    /// The whole body.
    package var bytes: [UInt8]
    /// How much of a run's output is not in it.
    package var droppedBytes = 0
    /// Whether what was done is in the ledger, so that a crash does not undo it.
    package var isKept = true
  }

  /// What a call takes at most.
  struct Bounds: Sendable {
    /// How long the daemon may take to accept a connection.
    var connect = TimeAmount.seconds(5)
    /// How long the daemon may send nothing, beside what a request makes it wait.
    var silence = TimeAmount.seconds(30)
    /// After so much of that the one who waits is notified.
    var notice = TimeAmount.seconds(2)
    /// How long a body may be that is collected.
    var bodyBytes = 1 << 30
  }

  /// A daemon that has sent nothing for a while.
  package struct Silence: Sendable {
    /// Its process; nil where the system does not say.
    package var pid: Int32?
    /// How long it has been silent, and for how long the client waits, in seconds.
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

  /// Asks, and waits for the whole answer.
  ///
  /// - Parameters:
  ///   - target: The path and the query.
  ///   - waitSeconds: For how long the request asks the daemon to wait.
  package func ask(
    _ method: String, _ target: String, body: [UInt8]? = nil, accept: String = "application/json",
    waitSeconds: Int64 = 0
  ) throws(ControlError) -> Answer {
    try answer(
      to: ControlRequest(
        method: method, target: target, accept: accept, body: body, wait: .seconds(waitSeconds),
        receive: nil, onSilence: onSilence))
  }

  /// Asks, and hands on what comes until the stream ends. The body of a refusal is collected
  /// instead.
  ///
  /// - Parameter receive: Nothing more is read from the socket until it returns.
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

/// What a command asks of the daemon.
struct ControlRequest: Sendable {
  var method: String
  /// The path and the query.
  var target: String
  var accept: String
  var body: [UInt8]?
  /// For how long it asks the daemon to wait.
  var wait: TimeAmount
  /// Gets the body of a successful answer piece by piece; without it the body is collected.
  var receive: (@Sendable ([UInt8]) -> Void)?
  var onSilence: (@Sendable (ControlClient.Silence) -> Void)?

  var head: HTTPRequestHead {
    var headers: HTTPHeaders = ["Host": "localhost", "Accept": accept, "Connection": "close"]
    if let body { headers.add(name: "Content-Length", value: "\(body.count)") }
    return HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: headers)
  }
}
