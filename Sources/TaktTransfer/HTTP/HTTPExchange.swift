import CTaktTransfer

/// A request until its reply. For the transfers' thread only.
final class HTTPExchange: Exchange {
  /// A bound on the heads of all answers together, interim answers and trailers included.
  static let headBytesMax = 256 * 1024

  private let request: HTTPRequest
  private let running: RunningTransfer<HTTPReply>
  private var reply = HTTPReply(status: 0, headers: [], body: [], bodyBytes: 0)
  private var headBytes = 0
  /// A status line starts a head, an empty line ends it. Later lines are trailers.
  private var isInHead = false
  private var isEnough = false
  /// True if the status announces the body that was asked for, and no error.
  private var isAccepted = false
  /// The host in the form that the library uses in its messages.
  private var host = ""
  /// The announced length of the body; the library ignores a length that it cannot read.
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
    // On a kept connection, the library repeats a request if the server closes it without an
    // answer, which may be after the server has acted.
    if !request.isRepeatable, !Self.safe.contains(request.method) {
      try easy.set(CURLOPT_FRESH_CONNECT, true)
    }
    if let path = request.socketPath { try easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if let bytes = request.bytesPerSecondMax {
      try easy.set(CURLOPT_MAX_RECV_SPEED_LARGE, bytes: bytes)
    }
    if request.ignoresProxy { try easy.set(CURLOPT_NOPROXY, "*") }
    if let (path, keyPath) = request.certificate {
      try easy.set(CURLOPT_SSLCERT, path)
      try easy.set(CURLOPT_SSLKEY, keyPath)
    }
    // A proxy's answer is not the server's.
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

  /// Methods whose requests say so if they have no body.
  private static let alwaysHasBody: Set = ["POST", "PUT", "PATCH"]

  private func headers() -> [String] {
    let names = Set(request.headers.map { $0.name.lowercased() })
    // The library counts the body itself: a second count would let the server read two requests.
    let given = request.headers.filter {
      !["content-length", "transfer-encoding"].contains($0.name.lowercased())
    }
    let lines = given.map { name, value in
      // The library would leave out a header without a value.
      value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)"
    }
    // The library would add these itself.
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

  /// True for 2xx and 101: the answer that was asked for follows.
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
      // A refusal by `receive` is a write error to the library.
      let isOurs = code == CURLE_WRITE_ERROR
      return fail(
        isOurs
          ? TransferFailure(.badProtocol, "the response header is too long or inconsistent")
          : failure(code, easy))
    }
    // The library takes a head that breaks off for an answer.
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
    // `Failed to connect to HOST port 80 ...`: a host other than the server's is the proxy's.
    let words = failure.detail.split(separator: " ")
    guard code == CURLE_COULDNT_CONNECT, words.count > 6, words[3] == "to", words[5] == "port",
      words[4] != host
    else { return failure }
    return TransferFailure(.proxy, failure.detail)
  }

  func fail(_ failure: TransferFailure) { running.settle(.failure(failure)) }
}

extension String {
  fileprivate var trimmed: String {
    let isSpace = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
    let bytes = utf8.drop(while: isSpace)
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(bytes[...last]) ?? ""
  }
}
