import TaktCore
import Testing

@Suite struct TerminalStripperTests {
  private static let texts: [(text: String, stripped: String)] = [
    ("a\u{1b}[1;31mred\u{1b}[0m\nb", "ared\nb"),
    ("x\u{1b}]0;title\u{7}y\nz°§\u{9b}31mq", "xy\nz°§q"),
    ("\u{1b}P1$r0m\u{1b}\\ok\u{1b}(Bk\u{1b}7\u{1b}=!", "okk!"),
    ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\\n", "link\n"),
    // A sequence without an end hides neither its line nor another one.
    ("\u{1b}]0;never ends\nnext\u{7}\n", "0;never ends\nnext\u{7}\n"),
    ("end\u{1b}", "end"), ("end\u{1b}[31", "end"), ("\u{1b}\u{1b}[1mé", "é"),
  ]

  private func strip(_ parts: [[UInt8]]) -> String {
    var stripper = TerminalStripper()
    var stripped: [UInt8] = []
    for part in parts { stripped += part.withUnsafeBytes { stripper.strip($0) } }
    return String(decoding: stripped + stripper.finish(), as: UTF8.self)
  }

  @Test func `sequences are left out wherever a read cuts them`() {
    for (text, stripped) in Self.texts {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        #expect(
          strip([Array(bytes[..<cut]), Array(bytes[cut...])]) == stripped,
          "\(text.debugDescription) cut at \(cut)")
      }
      #expect(strip(bytes.map { [$0] }) == stripped, "\(text.debugDescription) byte by byte")
    }
  }

  @Test func `a title without an end does not hold output back for long`() {
    var stripper = TerminalStripper()
    let text = "\u{1b}]0;" + String(repeating: "x", count: 10_000)
    let stripped = Array(text.utf8).withUnsafeBytes { stripper.strip($0) }
    #expect(stripped.count == 10_002)
    #expect(!stripper.isWithinSequence)
  }
}
