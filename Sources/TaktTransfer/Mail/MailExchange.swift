import CTaktTransfer

/// A mail until its reply. For the transfers' thread only.
final class MailExchange: Exchange {
  private let request: MailRequest
  private let running: RunningTransfer<Void>
  private var transcript: MailTranscript
  private var sentBytes = 0

  /// The library accepts at most about 24 days.
  private static let replyTimeoutMax = Duration.seconds(20 * 86_400)

  init(_ request: MailRequest, for running: RunningTransfer<Void>) {
    self.request = request
    self.running = running
    transcript = MailTranscript(
      needsTLS: request.security == .starttls, needsLogin: request.credentials != nil)
  }

  var reportsCommands: Bool { true }

  func configure(_ easy: EasyHandle, timeout: Duration) throws(TransferFailure) {
    try easy.setCommon(
      protocols: "smtp,smtps", mask: CURLPROTO_SMTP | CURLPROTO_SMTPS, timeout: timeout,
      trust: request.trust)
    let scheme = request.security == .tls ? "smtps" : "smtp"
    let address = TransferAddress(scheme: scheme, host: request.host, port: request.port)
    try easy.set(CURLOPT_URL, try address.text() + "/" + request.hello.percentEncoded)
    // By default the library waits two minutes for a reply; servers may take ten for some.
    try easy.set(
      ctransfer_reply_timeout, Int(min(timeout, Self.replyTimeoutMax) / .seconds(1)) + 1)
    // The environment's proxy is for the web.
    try easy.set(CURLOPT_PROXY, "")
    if request.security == .starttls { try easy.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
    if let credentials = request.credentials {
      try easy.set(CURLOPT_USERNAME, credentials.user)
      try easy.set(CURLOPT_PASSWORD, credentials.password)
      try easy.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
    }
    try easy.set(CURLOPT_MAIL_FROM, "<\(request.from)>")
    try easy.set(CURLOPT_MAIL_RCPT, list: request.to.map { "<\($0)>" })
    try easy.set(ctransfer_mail_recipients_may_fail, true)
    try easy.set(CURLOPT_UPLOAD, true)
    try easy.set(CURLOPT_INFILESIZE_LARGE, bytes: request.content.count)
    try easy.set(CURLOPT_FORBID_REUSE, true)
    easy.watchSockets()
  }

  func receive(head bytes: UnsafeRawBufferPointer, _ easy: EasyHandle) -> Bool {
    let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    let continues = transcript.received(line.first.map(String.init) ?? "")
    // PLAIN is one command, as always; LOGIN starts without the user's name, which not all servers
    // accept there.
    if case .hello = transcript.stage {
      try? easy.set(CURLOPT_SASL_IR, transcript.logins.contains(.plain))
    }
    if case .over = transcript.stage { easy.stopReading() }
    return continues
  }

  func receive(body bytes: UnsafeRawBufferPointer) -> Bool { true }

  func next(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = request.content[sentBytes...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    sentBytes += part.count
    return part.count
  }

  func sent(command: UnsafeRawBufferPointer, _ easy: EasyHandle) {
    transcript.sent(String(decoding: command, as: UTF8.self))
    // The library would wait for the answer to QUIT, and delay all other transfers.
    if case .over = transcript.stage { easy.stopReading() }
  }

  func end(_ code: CURLcode, _ easy: EasyHandle) {
    if code == CURLE_OK {
      return running.settle(transcript.refusedRecipients.map { .failure($0) } ?? .success(()))
    }
    if code == CURLE_OPERATION_TIMEDOUT { return fail(TransferFailure(.timeout)) }
    if let refusal = transcript.refusal ?? transcript.refusedRecipients { return fail(refusal) }
    // The server offered no method that the library knows.
    if code == CURLE_LOGIN_DENIED {
      return fail(TransferFailure(.authentication(nil), easy.message(for: code)))
    }
    fail(easy.failure(code))
  }

  func fail(_ failure: TransferFailure) { running.settle(.failure(failure)) }
}

extension String {
  fileprivate var percentEncoded: String {
    utf8.reduce(into: "") { text, byte in
      let scalar = UnicodeScalar(byte)
      let isPlain =
        byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
        || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
      let digits = Array("0123456789ABCDEF")
      text +=
        isPlain ? String(Character(scalar)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
  }
}
