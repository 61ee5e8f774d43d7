struct ContainerRequest: Sendable {
  var method: String
  /// Below the version of the API, with names encoded: `/containers/json`.
  var path: String
  var query: [(name: String, value: String)] = []
  var body: String?
  var timeout = Duration.seconds(30)
  /// A longer answer is refused.
  var bytesMax = 4 * 1024 * 1024
  /// The speed at which a stream is read; nil for no bound.
  var bytesPerSecondMax: Int?

  init(
    _ method: String, _ parts: [String], _ query: [(name: String, value: String)] = [],
    body: JSONDocument? = nil, timeout: Duration = .seconds(30)
  ) {
    self.method = method
    path = parts.map { "/" + $0.encodedForPath }.joined()
    self.query = query
    self.body = body?.text
    self.timeout = timeout
  }

  /// The request target without the version in front.
  var target: String {
    guard !query.isEmpty else { return path }
    let pairs = query.map { "\($0.name)=\($0.value.encodedForPath)" }
    return "\(path)?\(pairs.joined(separator: "&"))"
  }
}

extension String {
  /// The text encoded as one part of a path, or one value of a query, which nothing in it can end.
  fileprivate var encodedForPath: String {
    var bytes: [UInt8] = []
    for byte in utf8 {
      if Self.unreserved.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), Self.hex[Int(byte >> 4)], Self.hex[Int(byte & 15)]]
      }
    }
    // One or two dots alone would mean a folder.
    let text = String(decoding: bytes, as: UTF8.self)
    return text == "." || text == ".." ? text.replacing(".", with: "%2E") : text
  }

  private static let hex = Array("0123456789ABCDEF".utf8)
  private static let unreserved = Set(
    "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
}
