import CTaktTransfer

/// A request on its way. It exists on the thread of the transfers alone.
final class HTTPExchange: Exchange {
  /// What the heads of all answers may hold together, interim answers and trailers included.
  static let headBytesMax = 256 * 1024

  private let request: HTTPRequest
  private let running: RunningTransfer<HTTPReply>
  private var reply = HTTPReply(status: 0, headers: [], body: [], bodyBytes: 0)
  private var headBytes = 0
  /// A line of a status begins a head, an empty one ends it. What comes later are trailers.
  private var isInHead = false
  private var isEnough = false
  /// Whether the body is what was asked for, and no error.
  private var isAccepted = false
  /// The server, as the library calls it.
  private var host = ""
  /// How long the body is to be; the library passes over a length that it cannot read.
  private var length: Int?

  init(_ request: HTTPRequest, for running: RunningTransfer<HTTPReply>) {
    self.request = request
    self.running = running
  }

  var reportsCommands: Bool { false }

  func configure(_ easy: EasyHandle, timeout: Duration) throws(TransferFailure) {
    try easy.setCommon(
      protocols: "http,https", mask: CURLPROTO_HTTP | CURLPROTO_HTTPS, timeout: timeout,
      trust: request.trust)
    host = try request.address.hostName()
    try easy.set(CURLOPT_URL, try request.address.text() + request.target)
    try easy.set(CURLOPT_PATH_AS_IS, true)
    try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    // On a connection that was kept, the library sends a request again if the server closes it
    // without an answer, which may be after the server has acted.
    if !request.isRepeatable, !Self.safe.contains(request.method) {
      try easy.set(CURLOPT_FRESH_CONNECT, true)
    }
    if let path = request.socketPath { try easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if request.ignoresProxy { try easy.set(CURLOPT_NOPROXY, "*") }
    if let (path, keyPath) = request.certificate {
      try easy.set(CURLOPT_SSLCERT, path)
      try easy.set(CURLOPT_SSLKEY, keyPath)
    }
    // The answer of a proxy is not the server's.
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    if request.method == "HEAD" { try easy.set(CURLOPT_NOBODY, true) }
    if let body = request.body ?? (Self.alwaysHasBody.contains(request.method) ? [] : nil) {
      try easy.setBody(body)
    }
    try easy.set(CURLOPT_CUSTOMREQUEST, request.method)
    try easy.set(CURLOPT_HTTPHEADER, list: headers())
  }

  /// Methods that change nothing on a server (RFC 9110).
  private static let safe: Set = ["GET", "HEAD", "OPTIONS"]

  /// A request without a body says so with these methods.
  private static let alwaysHasBody: Set = ["POST", "PUT", "PATCH"]

  private func headers() -> [String] {
    let names = Set(request.headers.map { $0.name.lowercased() })
    // The library counts the body itself: another count would let the server read two requests.
    let given = request.headers.filter {
      !["content-length", "transfer-encoding"].contains($0.name.lowercased())
    }
    let lines = given.map { name, value in
      // Without a value the library would leave the header out.
      value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)"
    }
    // What the library would add by itself.
    let unwanted = ["Accept", "Content-Type", "Expect"].filter { !names.contains($0.lowercased()) }
    return lines + unwanted.map { "\($0):" }
  }

  func receive(head bytes: UnsafeRawBufferPointer, _ easy: EasyHandle) -> Bool {
    headBytes += bytes.count
    guard headBytes <= Self.headBytesMax else { return false }
    let line = String(decoding: bytes, as: UTF8.self).trimmed
    if line.isEmpty {
      isInHead = false
    } else if line.hasPrefix("HTTP/"), !isInHead, reply.bodyBytes == 0 {
      isInHead = true
      isAccepted = Self.isAcceptance(line)
      reply.headers = []
      length = nil
    } else if isInHead, let colon = line.firstIndex(of: ":") {
      let value = String(line[line.index(after: colon)...]).trimmed
      reply.headers.append((String(line[..<colon]), value))
      if line[..<colon].lowercased() == "content-length" { return receive(length: value) }
    }
    return true
  }

  /// Whether the line of a status says that what was asked for follows: 2xx, or 101.
  private static func isAcceptance(_ line: String) -> Bool {
    guard let space = line.utf8.firstIndex(of: UInt8(ascii: " ")) else { return false }
    let status = line.utf8[line.utf8.index(after: space)...].prefix(3)
    return status.first == UInt8(ascii: "2") || status.elementsEqual("101".utf8)
  }

  private func receive(length text: String) -> Bool {
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber, let new = Int(text), length ?? new == new else { return false }
    length = new
    return true
  }

  func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    reply.bodyBytes += bytes.count
    if isAccepted, let onBody = request.onBody {
      isEnough = !onBody(bytes)
      return !isEnough
    }
    let room = request.keptBytesMax - reply.body.count
    reply.body.append(contentsOf: bytes.prefix(max(0, room)))
    isEnough = reply.bodyBytes > request.keptBytesMax + request.discardedBytesMax
    return !isEnough
  }

  func next(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }

  func sent(command: UnsafeRawBufferPointer, _ easy: EasyHandle) {}

  func end(_ code: CURLcode, _ easy: EasyHandle) {
    guard code == CURLE_OK || isEnough else {
      // A refusal of ours is a write error to the library.
      let isOurs = code == CURLE_WRITE_ERROR
      return fail(
        isOurs
          ? TransferFailure(.badProtocol, "the response header is too long or inconsistent")
          : failure(code, easy))
    }
    // A head that breaks off is an answer to the library.
    guard !isInHead else {
      return fail(TransferFailure(.closed, "the response header is incomplete"))
    }
    reply.status = easy.number(CURLINFO_RESPONSE_CODE)
    guard reply.status > 0 else {
      return fail(TransferFailure(.badProtocol, "the response has no status"))
    }
    // The library reads both forms, seconds and a date.
    let seconds = easy.size(CURLINFO_RETRY_AFTER)
    if seconds > 0 { reply.retryAfter = .seconds(seconds) }
    running.settle(.success(reply))
  }

  private func failure(_ code: CURLcode, _ easy: EasyHandle) -> TransferFailure {
    let failure = easy.failure(code)
    // `Failed to connect to HOST port 80 ...`: another host than the server's is the proxy's.
    let words = failure.detail.split(separator: " ")
    guard code == CURLE_COULDNT_CONNECT, words.count > 6, words[3] == "to", words[5] == "port",
      words[4] != host
    else { return failure }
    return TransferFailure(.proxy, failure.detail)
  }

  func fail(_ failure: TransferFailure) { running.settle(.failure(failure)) }
}

extension String {
  /// Without white space and line ends around it.
  fileprivate var trimmed: String {
    let isSpace = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
    let bytes = utf8.drop(while: isSpace)
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(bytes[...last]) ?? ""
  }
}
