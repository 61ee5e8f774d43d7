import TaktCore
import Testing

@Suite struct PrintableTextTests {
  private static let hidden: [Unicode.Scalar] = [
    "\u{0}", "\u{1b}", "\r", "\u{7f}", "\u{80}", "\u{9b}", "\u{9f}", "\u{061c}", "\u{200e}",
    "\u{200f}", "\u{2028}", "\u{2029}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}",
  ]

  @Test func `every character that controls a terminal is shown, and others stay`() {
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
      // Earlier text is erased.
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

  private static let coloured: [(text: String, shown: String, plain: String)] = [
    ("a\u{1b}[31mred\u{1b}[0m b\n", "a\u{1b}[0;31mred\u{1b}[0m b\n", "ared b\n"),
    // Each line is plain again at its end.
    (
      "\u{1b}[1mtwo\nlines\u{1b}[m\n",
      "\u{1b}[0;1mtwo\u{1b}[0m\n\u{1b}[0;1mlines\u{1b}[0m\n", "two\nlines\n"
    ),
    ("\u{9b}38;5;208mo\n", "\u{1b}[0;38;5;208mo\u{1b}[0m\n", "o\n"),
    // A text that is hidden, a mode of the keyboard, a title and a cleared screen.
    ("\u{1b}[8mx\u{1b}[>4;1mk\n", "x\u{fffd}[>4;1mk\n", "x\u{fffd}[>4;1mk\n"),
    (
      "\u{1b}]0;t\u{7}\u{1b}[2J\n", "\u{fffd}]0;t\u{fffd}\u{fffd}[2J\n",
      "\u{fffd}]0;t\u{fffd}\u{fffd}[2J\n"
    ),
  ]

  @Test func `a terminal gets colours if it wants them, and no other control sequence`() {
    for (text, shown, plain) in Self.coloured {
      for (isColoured, expected) in [(true, shown), (false, plain)] {
        var stream = PrintableStream(isColoured: isColoured)
        #expect(String(decoding: stream.add(Array(text.utf8)), as: UTF8.self) == expected)
        for cut in 0...text.utf8.count {
          var stream = PrintableStream(isColoured: isColoured)
          let bytes = Array(text.utf8)
          let parts = stream.add(Array(bytes[..<cut])) + stream.add(Array(bytes[cut...]))
          // The style may be set again behind the cut.
          #expect(
            Self.cells(String(decoding: parts, as: UTF8.self)) == Self.cells(expected),
            "\(text.debugDescription) cut at \(cut)")
        }
      }
    }
  }

  /// Each character with the last style before it.
  private static func cells(_ text: String) -> [String] {
    var style = "\u{1b}[0m"
    var cells: [String] = []
    var rest = text[...]
    while let character = rest.first {
      if character == "\u{1b}", let end = rest.firstIndex(of: "m") {
        style = String(rest[...end])
        rest = rest[rest.index(after: end)...]
      } else {
        cells.append("\(style)\(character)")
        rest = rest.dropFirst()
      }
    }
    return cells
  }
}
