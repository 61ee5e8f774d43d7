import Testing

@testable import TaktCore

@Suite struct TerminalLineTests {
  /// A program's output, and its final form on a terminal: `␍` stands for a carriage
  /// return, `␈` for a backspace, `␛` for ESC.
  @Test(arguments: [
    "plain | plain", "text␍ | text", "text␍␍ | text", "␍10%␍20%␍30% | 30%", "100%␍5 | 500%",
    "long text␍short | shorttext", "loading␍       ␍done | done", "␍ | ", "|␈/␈-␈done | done",
    "ab␈␈␈c | cb", "␍␛[Kfirst␍␛[K2 | 2", "abcdef␍␛[3Cx␛[K | abcx", "abc␍␛[2Kd | d",
    "abc␈␈␛[1Kx |  xc", "abc␍␛[5Gx | abc x", "ab␛[2Cx␍y | yb  x",
    "ab␍␛[4C\u{301}x | ab  \u{301}x", "abcd␛[1K␛[2K\u{301}␍e | e   \u{301}",
    "10%␛[2K␛[1G20% | 20%", "abc␛[3Dxy | xyc", "old text␍␛[Jnew | new", "abc␍␛[2Jx | x",
    "old␍␛[2Xn | n d", "old␍␛[Xn␛[9Xx | nx", "abcd␍␛[P | bcd", "abcd␍a␛[2Px | ax",
    "Downloading\t10%␍Done\t100% | Doneload100%    10%", "a\tb␍XYZ | XYZ     b", "abc␛[2K␍ | ",
    "abc␍␛[2@XY | XYabc", "abcdef␍abcd␛[99999999999999999999Dx | xbcdef",
    "␛[38:2::255:0:0mab␍c | ␛[0;38;2;255;0;0mcb", "␛[1;4:3;58;5;0mab␍c | ␛[0;1;4mcb",
    "␛[1;4m␛[4:0mab␍c | ␛[0;1mcb", "␛[31;58:2::1:2:3mab␍c | ␛[0;31mcb",
    "␛[31mred␛[0m | ␛[31mred␛[0m", "␛[>4;2ma␍b | b",
    "é€␍a | a€", "e\u{301}x␍a | ax", "␛[31mred␛[0m␍blue | ␛[0mblue",
    "␛[31m10%␛[0m␍␛[32m20%␛[0m | ␛[0;32m20%␛[0m", "␛[1;31mab␍c | ␛[0;1;31mcb",
    "␛[31ma␛[39mb␍␛[1mc | ␛[0;1mc␛[0mb␛[0;1m", "␛[38;5;9mab␍x | ␛[0;38;5;9mxb",
    "␛]0;title␇ab␛(B␛7␍c | cb", "a\u{9b}Kb␍c | cb",
  ])
  func `a line that is written over shows its last state`(row: String) {
    let (printed, shown) = Self.parts(row)
    #expect(Self.text(TerminalLine.lastState(of: printed)) == Self.text(shown))
  }

  @Test(arguments: [
    "plain é | plain é", "␛[31mred␛[0m | red", "a␛(Bb␛)0c | abc", "a␛7b␛8c␛=d␛>e␛cf␛Mg | abcdefg",
    "a␛#8b␛%Gc | abc", "a␛P1$r0m␛\\b␛_apc␛\\c␛^pm␛\\d␛Xsos␛\\e | abcde",
    "a␛]0;title␇b␛]8;;https://x.example␛\\c | abc", "a\u{9b}31mb\u{9d}0;t\u{9c}c\u{85}d | abcd",
    "a␛[?25lb␛[>0cc␛[1 qd | abcd", "a␛]0;open | a0;open", "a␛[31 | a", "a␛ | a", "a␛é | aé",
    "Ââ€ | Ââ€",
  ])
  func `all forms of sequences are removed, and nothing else`(row: String) {
    let (printed, shown) = Self.parts(row)
    #expect(Self.text(printed.withoutTerminalSequences) == Self.text(shown))
  }

  @Test func `a line that comes in pieces shows the same, wherever it is cut`() {
    let text = "␛[1mab␍é␛[Kc␈␛[31mde␛[0m␍␛]0;x␇f€␛[2Cg␍h"
    let line = Self.bytes(text)
    let whole = Self.text(TerminalLine.lastState(of: line))
    for cut in 0...line.count {
      let start = TerminalLine.open(Array(line[..<cut]))
      #expect(Self.text(TerminalLine.lastState(of: start + line[cut...])) == whole, "\(cut)")
    }
  }

  @Test func `a link is not cut in two where its line is written over`() throws {
    let link = "␛]8;;https://example.org/" + String(repeating: "u", count: 320) + "␛\\"
    let line = Self.bytes("␍step 1 " + link + "text␛]8;;␛\\␍step 2 ")
    for cut in line.count - 100..<line.count {
      let start = TerminalLine.open(Array(line[..<cut]))
      #expect(
        TerminalLine.lastState(of: start + line[cut...]) == Self.bytes("step 2 text"), "\(cut)")
    }
  }

  /// Each would cost seconds if its sequences were followed one by one. The log of the tests has
  /// their numbers, and not the texts.
  @Test(arguments: 0..<5)
  func `a line of very many sequences is shown at once`(number: Int) {
    let lines: [(printed: String, start: String)] = [
      ("␍" + String(repeating: "␛]", count: 50_000), ""),
      ("␍" + String(repeating: "␛P", count: 50_000), ""),
      (
        String(repeating: "x", count: 50_000) + String(repeating: "␛[1K", count: 50_000) + "␍y", "y"
      ),
      ("␍" + String(repeating: "␛[9999Cx␍␛[K", count: 10_000) + "y", "y"),
      (String(repeating: "x", count: 50_000) + String(repeating: "␍␛[P", count: 50_000), "x"),
    ]
    let shown = TerminalLine.lastState(of: Self.bytes(lines[number].printed))
    #expect(shown.starts(with: Self.bytes(lines[number].start)))
  }

  @Test func `no sequence makes a line longer than its bytes and the widest terminal`() {
    let line = Self.bytes("␍" + String(repeating: "␛[99999C", count: 2000) + "x")
    #expect(TerminalLine.lastState(of: line).count <= 8200)
  }

  private static func parts(_ row: String) -> ([UInt8], [UInt8]) {
    let parts = row.split(separator: " | ", maxSplits: 1, omittingEmptySubsequences: false)
    return (bytes(String(parts[0])), bytes(String(parts[1])))
  }

  private static func bytes(_ text: String) -> [UInt8] {
    let signs: [Unicode.Scalar: Unicode.Scalar] = [
      "␍": "\r", "␈": "\u{8}", "␛": "\u{1B}", "␇": "\u{7}",
    ]
    return Array(String(String.UnicodeScalarView(text.unicodeScalars.map { signs[$0] ?? $0 })).utf8)
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).debugDescription
  }
}
