import Testing

@testable import TaktEngine
import TaktTime

/// The small languages of the built-ins' parameters.
@Suite struct BuiltinTextTests {
  @Test(arguments: [
    ("200", 200, true), ("2xx", 299, true), ("2XX", 300, false), ("200..204", 204, true),
    ("200..204", 205, false),
  ])
  func `statuses are named in three ways`(word: String, status: Int, isIn: Bool) {
    #expect(StatusSet([word])?.contains(status) == isIn)
  }

  @Test(arguments: ["", "x", "6xx", "99", "600", "204..200", "200..", "1..2..3", "2x"])
  func `other words name no status`(word: String) { #expect(StatusSet([word]) == nil) }

  @Test(arguments: [
    (1_790_000_000_123, "Mon, 21 Sep 2026 14:13:20 +0000"), (0, "Thu, 01 Jan 1970 00:00:00 +0000"),
    (-1, "Wed, 31 Dec 1969 23:59:59 +0000"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
  ])
  func `dates of mails`(milliseconds: Int64, text: String) {
    #expect(MailHeader.date(WallInstant(milliseconds: milliseconds)) == text)
  }

  @Test func `encoded words are short and cut no character`() {
    let words = MailHeader.encoded(String(repeating: "ü", count: 100)).split(separator: "\r\n ")
    #expect(words.count > 1)
    #expect(words.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?UTF-8?B?") })
  }
}
