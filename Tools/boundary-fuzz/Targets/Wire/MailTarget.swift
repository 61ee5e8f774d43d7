import TaktTransfer

/// The replies of a mail server, line by line, to fixed commands.
struct MailTarget: FuzzTarget {
  static let name = "smtp"
  static let summary = "replies of a mail server"

  private static let commands = [
    "EHLO takt", "STARTTLS", "EHLO takt", "AUTH PLAIN", "MAIL FROM:<a@b>", "RCPT TO:<c@d>",
    "RCPT TO:<e@f>", "DATA", "QUIT",
  ]

  mutating func read(_ bytes: [UInt8]) {
    for needsTLS in [false, true] {
      var transcript = MailTranscript(needsTLS: needsTLS, needsLogin: needsTLS)
      var commands = Self.commands[...]
      for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
        guard transcript.received(String(decoding: line, as: UTF8.self)) else {
          precondition(transcript.refusal != nil, "it ends without a reason")
          break
        }
        // A line with a dash behind its code continues.
        guard line.count < 4 || line[line.startIndex + 3] != UInt8(ascii: "-") else { continue }
        if let command = commands.popFirst() { transcript.sent(command) }
      }
      _ = transcript.refusedRecipients
    }
  }
}
