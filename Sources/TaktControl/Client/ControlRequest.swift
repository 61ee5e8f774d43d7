import NIOHTTP1

/// What a command asks of the daemon.
struct ControlRequest: Sendable {
  var method: String
  /// The path and the query.
  var target: String
  var accept: String
  var body: [UInt8]?
  /// Gets the body of a successful answer piece by piece; without it the body is collected.
  var take: (@Sendable ([UInt8]) -> Void)?

  var head: HTTPRequestHead {
    var headers: HTTPHeaders = ["Host": "localhost", "Accept": accept, "Connection": "close"]
    if let body { headers.add(name: "Content-Length", value: "\(body.count)") }
    return HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: headers)
  }
}
