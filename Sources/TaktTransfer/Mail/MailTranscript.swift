/// What has been said between the library and a mail server, as far as it decides the end: a pure
/// machine that is told every command and every line of the server's.
///
/// The library reports the last code alone; which command a refusal answers, and which recipients
/// were refused while others got the mail, is known here.
package struct MailTranscript {
  /// Bounds on what a server may say at once.
  static let lineBytesMax = 4096
  static let replyLinesMax = 200

  /// What the next reply answers.
  enum Stage: Equatable {
    case greeting, hello, startTLS, authentication, sender, recipient(String), data, content, over
  }

  /// How a login is begun.
  enum Login { case plain, login }

  private(set) var stage = Stage.greeting
  /// The ways to log in that the server has offered last.
  private(set) var logins: Set<Login> = []
  /// The refusal that ends the exchange, if there is one.
  package private(set) var refusal: TransferFailure?

  private let needsTLS: Bool
  private let needsLogin: Bool
  private var isSecure = false
  private var offersTLS = false
  private var lines = 0
  private var refused: [(recipient: String, code: Int, text: String)] = []

  /// `needsTLS` where STARTTLS is to be used, `needsLogin` where there are credentials.
  package init(needsTLS: Bool, needsLogin: Bool) {
    self.needsTLS = needsTLS
    self.needsLogin = needsLogin
  }

  package mutating func sent(_ command: String) {
    let verb = command.prefix { !$0.isWhitespace }.uppercased()
    switch verb {
    case "EHLO", "HELO":
      stage = .hello
      logins = []
      offersTLS = false
    case "STARTTLS": stage = .startTLS
    case "AUTH": stage = .authentication
    case "MAIL": stage = .sender
    case "RCPT":
      let address = command.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
      stage = .recipient(String(address))
    case "DATA": stage = .data
    case "QUIT": stage = .over
    // What goes on with a login has no verb.
    default: break
    }
  }

  /// A line has come. False when the exchange is to end, for `refusal`.
  package mutating func received(_ line: String) -> Bool {
    guard stage != .over else { return true }
    lines += 1
    guard line.utf8.count <= Self.lineBytesMax, lines <= Self.replyLinesMax, let reply = Reply(line)
    else {
      refusal = TransferFailure(.badProtocol, "the reply is not SMTP")
      return false
    }
    if stage == .hello { note(reply.text) }
    guard reply.isLast else { return true }
    lines = 0
    return answered(reply)
  }

  private mutating func note(_ ability: String) {
    let words = ability.uppercased().split { $0 == " " || $0 == "=" }
    if words.first == "STARTTLS" { offersTLS = true }
    guard words.first == "AUTH" else { return }
    if words.contains("PLAIN") { logins.insert(.plain) }
    if words.contains("LOGIN") { logins.insert(.login) }
  }

  private mutating func answered(_ reply: Reply) -> Bool {
    let isPositive = reply.code / 100 == 2
    let asksForMore = reply.code / 100 == 3
    switch stage {
    case .hello where isPositive: return introduced()
    case .startTLS where isPositive: isSecure = true
    case .startTLS: refuse(.startTLS(reply.code), reply)
    case .authentication where isPositive || asksForMore: break
    case .authentication: refuse(.authentication(reply.code), reply)
    case .recipient where isPositive: break
    case .recipient(let address): refused.append((address, reply.code, reply.text))
    // The mail itself comes now, and no command announces it.
    case .data where asksForMore: stage = .content
    case .content where isPositive: stage = .over
    case .greeting where isPositive, .sender where isPositive: break
    // A server that does not know EHLO may know HELO, which clears this refusal.
    case .greeting, .hello, .sender, .data, .content: refuse(.mail(reply.code), reply)
    case .over: break
    }
    return true
  }

  private mutating func introduced() -> Bool {
    refusal = nil
    if needsTLS, !isSecure {
      guard !offersTLS else { return true }
      refusal = TransferFailure(.startTLS(nil), "the server does not offer STARTTLS")
      return false
    }
    guard needsLogin, logins.isEmpty else { return true }
    refusal = TransferFailure(
      .authentication(nil), "the server offers neither AUTH PLAIN nor LOGIN")
    return false
  }

  private mutating func refuse(_ cause: TransferFailure.Cause, _ reply: Reply) {
    refusal = TransferFailure(cause, reply.text)
  }

  /// The recipients that were refused; nil when all were accepted.
  package var refusedRecipients: TransferFailure? {
    guard let first = refused.first else { return nil }
    let names = refused.map(\.recipient).joined(separator: ", ")
    return TransferFailure(.recipient(first.code), "\(names) refused: \(first.text)")
  }

  /// One line of a reply.
  private struct Reply {
    var code: Int
    var text: String
    var isLast: Bool

    /// Nil for what is none: `250-text`, `250 text` or `250`.
    init?(_ line: String) {
      let bytes = Array(line.utf8)
      guard bytes.count >= 3, bytes[..<3].allSatisfy({ (0x30...0x39).contains($0) }),
        let code = Int(String(decoding: bytes[..<3], as: UTF8.self)), (200...599).contains(code),
        bytes.count == 3 || bytes[3] == 0x20 || bytes[3] == 0x2d
      else { return nil }
      self.code = code
      text = String(decoding: bytes.dropFirst(4), as: UTF8.self)
      isLast = bytes.count == 3 || bytes[3] == 0x20
    }
  }
}
