#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The client's side of sending one mail: a pure machine. Each function is an event and returns what
/// is to be done.
///
/// | state | waits for | then |
/// |---|---|---|
/// | greeting | 220 | EHLO |
/// | hello | 250 with what the server can | STARTTLS, AUTH or MAIL |
/// | startingTLS | 220 | TLS |
/// | securing | the end of the handshake | EHLO again |
/// | authenticating | 334s, 235 | MAIL |
/// | sender | 250 | RCPT for each recipient |
/// | recipient | 250, or a refusal that is remembered | DATA, when one is accepted |
/// | data | 354 | the mail |
/// | content | 250 | QUIT: over |
struct SMTPConversation {
  /// What is to be done.
  enum Action: Equatable {
    /// Send this line, or the mail.
    case send(String)
    /// Secure the connection, and call `secured` then.
    case startTLS
    /// It is over; nil for success, or the reason, with what the server said.
    case end(reason: String?, message: String)
  }

  /// When the connection becomes secret.
  enum Security: String, CaseIterable {
    case none, starttls, tls
  }

  private enum State: Equatable {
    case greeting, hello, startingTLS, securing, over
    case authenticating([String])
    case sender
    case recipient(Int)
    case data, content
  }

  private let security: Security
  private let hello: String
  private let credentials: (user: String, password: String)?
  private let from: String
  private let to: [String]
  private let content: String
  private var state = State.greeting
  private var isSecure: Bool
  private var refused: [(recipient: String, reply: SMTPReply)] = []

  /// A conversation that begins with the server's greeting, over TLS already where `security` is
  /// `tls`. `content` has CRLF as its line ends.
  init(
    security: Security, hello: String, credentials: (user: String, password: String)?, from: String,
    to: [String], content: String
  ) {
    self.security = security
    self.hello = hello
    self.credentials = credentials
    self.from = from
    self.to = to
    self.content = content
    isSecure = security == .tls
  }

  /// The connection is secure now.
  mutating func secured() -> [Action] {
    guard state == .securing else { return [] }
    isSecure = true
    return greet()
  }

  /// The server has answered.
  mutating func received(_ reply: SMTPReply) -> [Action] {
    switch state {
    case .greeting: return reply.isPositive ? greet() : fail(reply)
    case .hello: return reply.isPositive ? introduced(reply) : fail(reply)
    case .startingTLS: return reply.isPositive ? secure() : fail(reply, "starttls")
    case .authenticating(let rest): return authenticate(reply, rest)
    case .sender: return reply.isPositive ? offer(0) : fail(reply)
    case .recipient(let index): return answered(reply, index)
    case .data: return sendContent(reply)
    case .content: return reply.isPositive ? finish() : fail(reply)
    // Nothing is to come before the handshake, or after the end.
    case .securing, .over: return []
    }
  }

  private mutating func secure() -> [Action] {
    state = .securing
    return [.startTLS]
  }

  private mutating func greet() -> [Action] {
    state = .hello
    return [.send("EHLO \(hello)\r\n")]
  }

  private mutating func introduced(_ reply: SMTPReply) -> [Action] {
    let abilities = reply.lines.dropFirst().map { $0.uppercased() }
    if security == .starttls, !isSecure {
      guard abilities.contains(where: { $0 == "STARTTLS" || $0.hasPrefix("STARTTLS ") }) else {
        return end("starttls", "the server does not offer STARTTLS")
      }
      state = .startingTLS
      return [.send("STARTTLS\r\n")]
    }
    guard let credentials else { return envelope() }
    let methods = abilities.filter { $0.hasPrefix("AUTH ") || $0.hasPrefix("AUTH=") }
      .flatMap { $0.dropFirst(5).split(separator: " ") }
    let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
    if methods.contains("PLAIN") {
      state = .authenticating([])
      return [.send("AUTH PLAIN \(Self.base64([0] + user + [0] + password))\r\n")]
    }
    guard methods.contains("LOGIN") else {
      return end("auth", "the server offers neither AUTH PLAIN nor LOGIN")
    }
    state = .authenticating([Self.base64(user), Self.base64(password)])
    return [.send("AUTH LOGIN\r\n")]
  }

  private mutating func authenticate(_ reply: SMTPReply, _ rest: [String]) -> [Action] {
    if reply.isPositive, rest.isEmpty { return envelope() }
    guard reply.isIntermediate, let next = rest.first else { return fail(reply, "auth") }
    state = .authenticating(Array(rest.dropFirst()))
    return [.send(next + "\r\n")]
  }

  private mutating func envelope() -> [Action] {
    state = .sender
    return [.send("MAIL FROM:<\(from)>\r\n")]
  }

  private mutating func offer(_ index: Int) -> [Action] {
    state = .recipient(index)
    return [.send("RCPT TO:<\(to[index])>\r\n")]
  }

  private mutating func answered(_ reply: SMTPReply, _ index: Int) -> [Action] {
    if !reply.isPositive { refused.append((to[index], reply)) }
    if index + 1 < to.count { return offer(index + 1) }
    if refused.count == to.count { return refuse() }
    state = .data
    return [.send("DATA\r\n")]
  }

  private mutating func sendContent(_ reply: SMTPReply) -> [Action] {
    guard reply.isIntermediate else { return fail(reply) }
    state = .content
    return [.send(Self.stuffed(content) + ".\r\n")]
  }

  /// The mail is on its way, to those who were not refused.
  private mutating func finish() -> [Action] {
    refused.isEmpty ? end(nil, "") : refuse()
  }

  private mutating func refuse() -> [Action] {
    let first = refused[0]
    let names = refused.map(\.recipient).joined(separator: ", ")
    return end(
      "recipient(\(first.reply.code))", "\(names) refused: \(first.reply.lines.first ?? "")")
  }

  private mutating func fail(_ reply: SMTPReply, _ stage: String = "smtp") -> [Action] {
    end("\(stage)(\(reply.code))", reply.lines.joined(separator: " "))
  }

  private mutating func end(_ reason: String?, _ message: String) -> [Action] {
    state = .over
    return [.send("QUIT\r\n"), .end(reason: reason, message: message)]
  }

  /// A line that begins with a dot gets another one, so that none ends the mail.
  static func stuffed(_ content: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.utf8.count + 64)
    var isLineStart = true
    for byte in content.utf8 {
      if isLineStart, byte == UInt8(ascii: ".") { bytes.append(byte) }
      bytes.append(byte)
      isLineStart = byte == 10
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
