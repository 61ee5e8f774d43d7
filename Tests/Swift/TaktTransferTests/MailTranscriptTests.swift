import Testing

@testable import TaktTransfer

/// Exchanges of SMTP commands and replies, line by line.
@Suite struct MailTranscriptTests {
  /// `>` before a command, `<` before a reply of the server. False as soon as the exchange ends.
  private func play(
    _ lines: [String], needsTLS: Bool = false, needsLogin: Bool = false
  ) -> (transcript: MailTranscript, continues: Bool) {
    var transcript = MailTranscript(needsTLS: needsTLS, needsLogin: needsLogin)
    for line in lines {
      if line.hasPrefix(">") {
        transcript.sent(line.dropFirst() + "\r\n")
      } else if !transcript.received(String(line.dropFirst())) {
        return (transcript, false)
      }
    }
    return (transcript, true)
  }

  private let envelope = [
    "<220-hi", "<220 there", ">EHLO me", "<250-x", "<250 8BITMIME", ">MAIL FROM:<a@b>", "<250 ok",
    ">RCPT TO:<c@d>",
  ]

  @Test func `a mail that is taken ends the exchange before QUIT`() {
    let whole = envelope + ["<250 ok", ">DATA", "<354 go", "<250 taken"]
    let (transcript, continues) = play(whole)
    #expect(continues)
    #expect(transcript.stage == .over)
    #expect(transcript.refusal == nil)
    #expect(transcript.refusedRecipients == nil)
  }

  @Test(
    arguments: [
      (["<554 no"], .mail(554)),
      (["<220 hi", ">EHLO me", "<502 what", ">HELO me", "<502 no"], .mail(502)),
      (["<220 hi", ">EHLO me", "<250 x", ">MAIL FROM:<a@b>", "<451 later"], .mail(451)),
      (["<220 hi", ">EHLO me", "<250 STARTTLS", ">STARTTLS", "<454 no"], .startTLS(454)),
      (
        ["<220 hi", ">EHLO me", "<250 AUTH PLAIN", ">AUTH PLAIN AHUAcA==", "<535 no"],
        .authentication(535)
      ),
      (
        [
          "<220 hi", ">EHLO me", "<250 AUTH LOGIN", ">AUTH LOGIN", "<334 x", ">dQ==", "<334 y",
          ">cA==", "<535 no",
        ], .authentication(535)
      ),
    ] as [([String], TransferFailure.Cause)])
  func `a refusal at each stage has its cause`(lines: [String], cause: TransferFailure.Cause) {
    #expect(play(lines).transcript.refusal?.cause == cause)
  }

  @Test(arguments: [["<452 full"], ["<354 go", "<552 big"]])
  func `a mail that is refused after its recipients has its cause`(replies: [String]) {
    let (transcript, _) = play(envelope + ["<250 ok", ">DATA"] + replies)
    #expect(transcript.refusal?.cause == .mail(replies.last == "<452 full" ? 452 : 552))
  }

  @Test func `a server that knows HELO alone is no failure`() {
    let (transcript, continues) = play(["<220 hi", ">EHLO me", "<502 what", ">HELO me", "<250 x"])
    #expect(continues && transcript.refusal == nil)
  }

  @Test func `recipients that are refused are named, and the others get the mail`() {
    let (transcript, continues) = play(
      envelope + [
        "<550 who", ">RCPT TO:<e@f>", "<250 ok", ">RCPT TO:<g@h>", "<553 never", ">DATA", "<354 go",
        "<250 taken",
      ])
    #expect(continues && transcript.stage == .over && transcript.refusal == nil)
    #expect(
      transcript.refusedRecipients == TransferFailure(.recipient(550), "c@d, g@h refused: who"))
  }

  @Test func `without STARTTLS or a way to log in, nothing of the mail is said`() {
    let hello = ["<220 hi", ">EHLO me", "<250-x", "<250 SIZE 1000"]
    let (plain, continues) = play(hello, needsTLS: true)
    #expect(!continues && plain.refusal?.cause == .startTLS(nil))
    let (anonymous, alsoContinues) = play(hello, needsLogin: true)
    #expect(!alsoContinues && anonymous.refusal?.cause == .authentication(nil))
  }

  @Test func `what a server offers before TLS does not count after it`() {
    let (transcript, continues) = play(
      [
        "<220 hi", ">EHLO me", "<250-STARTTLS", "<250 AUTH PLAIN", ">STARTTLS", "<220 go",
        ">EHLO me", "<250 x",
      ], needsTLS: true, needsLogin: true)
    #expect(!continues && transcript.refusal?.cause == .authentication(nil))
  }

  @Test(arguments: ["<hello", "<99 x", "<2x0 x", "<220_x", "<", "<700 x"])
  func `what is no reply ends the exchange`(line: String) {
    let (transcript, continues) = play([line])
    #expect(!continues && transcript.refusal?.cause == .badProtocol)
  }

  @Test func `a reply without an end ends the exchange`() {
    #expect(!play(Array(repeating: "<220-x", count: 500)).continues)
    #expect(!play(["<220 " + String(repeating: "x", count: 5000)]).continues)
    #expect(play(Array(repeating: "<220-x", count: 150) + ["<220 x"]).continues)
  }
}
