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
  }

  /// What a call takes at most.
  struct Bounds: Sendable {
    /// How long the daemon may take to accept a connection.
    var connect = TimeAmount.seconds(5)
    /// How long the daemon may send nothing: twice as long as it makes any request wait.
    var silence = TimeAmount.seconds(120)
    /// How long a body may be that is collected.
    var bodyBytes = 1 << 30
  }

  private let path: String
  private let bounds: Bounds

  package convenience init(socket path: String) { self.init(socket: path, bounds: Bounds()) }

  init(socket path: String, bounds: Bounds) {
    self.path = path
    self.bounds = bounds
  }

  /// Asks, and waits for the whole answer.
  ///
  /// - Parameter target: The path and the query.
  package func ask(
    _ method: String, _ target: String, body: [UInt8]? = nil, accept: String = "application/json"
  ) throws(ControlError) -> Answer {
    try answer(
      to: ControlRequest(method: method, target: target, accept: accept, body: body, receive: nil))
  }

  /// Asks, and hands on what comes until the stream ends. The body of a refusal is collected
  /// instead.
  ///
  /// - Parameter receive: Nothing more is read from the socket until it returns.
  package func follow(
    _ target: String, accept: String, _ receive: @escaping @Sendable ([UInt8]) -> Void
  ) throws(ControlError) -> Answer {
    try answer(
      to: ControlRequest(method: "GET", target: target, accept: accept, body: nil, receive: receive)
    )
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
  /// Gets the body of a successful answer piece by piece; without it the body is collected.
  var receive: (@Sendable ([UInt8]) -> Void)?

  var head: HTTPRequestHead {
    var headers: HTTPHeaders = ["Host": "localhost", "Accept": accept, "Connection": "close"]
    if let body { headers.add(name: "Content-Length", value: "\(body.count)") }
    return HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: headers)
  }
}
