import TaktCore
import Testing

@Suite struct PrintableTextTests {
  private static let hidden: [Unicode.Scalar] = [
    "\u{0}", "\u{1b}", "\r", "\u{7f}", "\u{80}", "\u{9b}", "\u{9f}", "\u{061c}", "\u{200e}",
    "\u{200f}", "\u{2028}", "\u{2029}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}",
  ]

  @Test func `every character that steers a terminal is shown, and others stay`() {
    for scalar in Self.hidden {
      let text = "a\(Character(scalar))b"
      #expect(text.printable == "a\u{fffd}b", "\(scalar.value)")
      #expect(text.printableLines == "a\u{fffd}b", "\(scalar.value)")
    }
    #expect("a\n\tb".printable == "a\u{fffd}\u{fffd}b")
    #expect("a\n\tb".printableLines == "a\n\tb")
    // A line end of two characters is one for Swift.
    #expect("a\r\nb".printableLines == "a\u{fffd}\nb")
    let plain = "é → … 日本 👩‍👩‍👧 \u{a0}"
    #expect(plain.printable == plain)
  }

  @Test func `a string in JSON keeps its value`() {
    #expect(
      "{\"a\":\"\u{202e}\u{9b}\u{1b}\"}\n".printableJSON == "{\"a\":\"\\u202e\\u009b\\u001b\"}\n")
    #expect("{\"a\":\"é\"}".printableJSON == "{\"a\":\"é\"}")
  }

  @Test func `a progress bar is drawn over itself, and CRLF ends a line`() {
    let text = "a\r\n10%\r20%\r\u{1b}[K30%\nend\r\n"
    let bytes = Array(text.utf8)
    var stream = PrintableStream()
    #expect(String(decoding: stream.add(bytes), as: UTF8.self) == "a\n30%\nend\n")
    for cut in 0...bytes.count {
      var stream = PrintableStream()
      let shown = String(
        decoding: stream.add(Array(bytes[..<cut])) + stream.add(Array(bytes[cut...])),
        as: UTF8.self)
      // What was drawn before is erased.
      let last = shown.split(separator: "\n").map { line in
        line.replacing("\u{1b}[K", with: "").split(separator: "\r").last ?? ""
      }
      #expect(last == ["a", "30%", "end"], "\(cut): \(shown.debugDescription)")
    }
  }

  @Test func `a character that is cut into two parts is shown once`() {
    let text = "aé→👩\u{1b}\u{202e}b"
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var stream = PrintableStream()
      let shown = stream.add(Array(bytes[..<cut])) + stream.add(Array(bytes[cut...]))
      #expect(String(decoding: shown, as: UTF8.self) == "aé→👩\u{fffd}\u{fffd}b", "\(cut)")
    }
    var stream = PrintableStream()
    #expect(
      String(decoding: stream.add([0x61, 0xff, 0x9b, 0x62]), as: UTF8.self) == "a\u{fffd}\u{fffd}b")
  }
}
