/// The dialogue of the library with a mail server, as far as it decides the result: a pure state
/// machine that gets every command and every line of the server.
///
/// The library reports only the last code; this knows which command a refusal answers, and which
/// recipients were refused while others got the mail.
package struct MailTranscript {
  /// Bounds on a server's reply.
  static let lineBytesMax = 4096
  static let replyLinesMax = 200

  /// The subject of the next reply.
  enum Stage: Equatable {
    case greeting, hello, startTLS, authentication, sender, recipient(String), data, content, over
  }

  enum Login { case plain, login }

  private(set) var stage = Stage.greeting
  /// The methods in the server's last offer.
  private(set) var logins: Set<Login> = []
  /// The refusal that ends the exchange; nil for none.
  package private(set) var refusal: TransferFailure?

  private let needsTLS: Bool
  private let needsLogin: Bool
  private var isSecure = false
  private var offersTLS = false
  private var lines = 0
  private var refused: [(recipient: String, code: Int, text: String)] = []

  /// - Parameters:
  ///   - needsTLS: true if STARTTLS is to be used.
  ///   - needsLogin: true if there are credentials.
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
    // Later lines of a login have no verb.
    default: break
    }
  }

  /// Takes a line; false if `refusal` ends the exchange.
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
    // The mail itself comes next, and no command announces it.
    case .data where asksForMore: stage = .content
    case .content where isPositive: stage = .over
    case .greeting where isPositive, .sender where isPositive: break
    // A server without EHLO may know HELO, which clears this refusal.
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

  /// The failure for recipients that were refused; nil if all were accepted.
  package var refusedRecipients: TransferFailure? {
    guard let first = refused.first else { return nil }
    let names = refused.map(\.recipient).joined(separator: ", ")
    return TransferFailure(.recipient(first.code), "\(names) refused: \(first.text)")
  }

  private struct Reply {
    var code: Int
    var text: String
    var isLast: Bool

    /// Nil for anything but `250-text`, `250 text` or `250`.
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
