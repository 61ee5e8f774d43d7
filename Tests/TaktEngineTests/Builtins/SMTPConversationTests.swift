import Testing

@testable import TaktEngine

@Suite struct SMTPConversationTests {
  private func replies(_ text: String) throws -> [SMTPReply] {
    var parser = SMTPReplyParser()
    return try parser.take(Array(text.utf8))
  }

  @Test func `replies are put together however they come`() throws {
    let text = "220-a\r\n220 b\r\n250\n354 go\r\n"
    #expect(
      try replies(text) == [
        SMTPReply(code: 220, lines: ["a", "b"]), SMTPReply(code: 250, lines: [""]),
        SMTPReply(code: 354, lines: ["go"]),
      ])
    var parser = SMTPReplyParser()
    var pieces: [SMTPReply] = []
    for byte in text.utf8 { pieces += try parser.take([byte]) }
    #expect(try pieces == replies(text))
    #expect(parser.isEmpty)
  }

  @Test(arguments: ["hello\r\n", "220-a\r\n221 b\r\n", "99 x\r\n", "2x0 x\r\n", "220_x\r\n", "\n"])
  func `what is no reply is refused`(text: String) {
    #expect(throws: SMTPReplyParser.Nonsense.self) { try replies(text) }
  }

  @Test func `a reply without an end is refused`() {
    #expect(throws: SMTPReplyParser.Nonsense.self) {
      try replies(String(repeating: "2", count: 5000))
    }
    #expect(throws: SMTPReplyParser.Nonsense.self) {
      try replies(String(repeating: "250-x\r\n", count: 500))
    }
  }

  @Test func `dots at the beginning of lines are doubled`() {
    #expect(SMTPConversation.stuffed(".a\r\n..\r\nb.\r\n") == "..a\r\n...\r\nb.\r\n")
  }

  @Test func `a whole conversation`() throws {
    var conversation = SMTPConversation(
      security: .starttls, hello: "me", credentials: ("u", "p"), from: "a@b", to: ["c@d"],
      content: "x\r\n")
    func say(_ text: String) throws -> [SMTPConversation.Action] {
      try replies(text).flatMap { conversation.received($0) }
    }
    #expect(try say("220 hi\r\n") == [.send("EHLO me\r\n")])
    #expect(try say("250-x\r\n250 STARTTLS\r\n") == [.send("STARTTLS\r\n")])
    #expect(conversation.secured().isEmpty)
    #expect(try say("220 go\r\n") == [.startTLS])
    #expect(try say("250 too early\r\n").isEmpty)
    #expect(conversation.secured() == [.send("EHLO me\r\n")])
    #expect(try say("250-x\r\n250 AUTH PLAIN\r\n") == [.send("AUTH PLAIN AHUAcA==\r\n")])
    #expect(try say("235 in\r\n") == [.send("MAIL FROM:<a@b>\r\n")])
    #expect(try say("250 ok\r\n") == [.send("RCPT TO:<c@d>\r\n")])
    #expect(try say("250 ok\r\n") == [.send("DATA\r\n")])
    #expect(try say("354 go\r\n") == [.send("x\r\n.\r\n")])
    #expect(
      try say("250 taken\r\n") == [.send("QUIT\r\n"), .end(reason: nil, message: "")])
    #expect(try say("221 bye\r\n").isEmpty)
  }

  @Test func `refusals at each stage have their reasons`() throws {
    for (script, reason) in [
      ("554 no\r\n", "smtp(554)"), ("220 hi\r\n|502 no\r\n", "smtp(502)"),
      ("220 hi\r\n|250 x\r\n|451 later\r\n", "smtp(451)"),
      ("220 hi\r\n|250 x\r\n|250 y\r\n|550 who\r\n", "recipient(550)"),
      ("220 hi\r\n|250 x\r\n|250 y\r\n|250 z\r\n|452 full\r\n", "smtp(452)"),
      ("220 hi\r\n|250 x\r\n|250 y\r\n|250 z\r\n|354 go\r\n|552 big\r\n", "smtp(552)"),
    ] {
      var conversation = SMTPConversation(
        security: .none, hello: "me", credentials: nil, from: "a@b", to: ["c@d"], content: "x\r\n")
      var last: [SMTPConversation.Action] = []
      for part in script.split(separator: "|") {
        for reply in try replies(String(part)) { last = conversation.received(reply) }
      }
      guard case .end(let end, _) = last.last else {
        Issue.record("\(script): \(last)")
        continue
      }
      #expect(end == reason)
    }
  }
}
