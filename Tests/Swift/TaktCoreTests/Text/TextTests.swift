import Foundation
import TaktCore
import Testing
import TaktTime

@Suite struct TextTests {
  @Test(arguments: [
    "500ms = 500ms", "1h30m = 1h30m", "90s = 1m30s", "1.5s = 1s500ms", "0.001s = 1ms",
    "2w = 14d", "0s = 0s", "1d1h1m1s1ms = 1d1h1m1s1ms", "30m1h = 1h30m",
  ])
  func `a duration is read and written`(row: String) throws {
    let parts = row.components(separatedBy: " = ")
    #expect(try DurationText.format(DurationText.parse(parts[0])) == parts[1])
  }

  @Test(arguments: [
    ("", DurationText.Problem.noNumber), ("5", .noUnit), ("s", .noNumber), ("-5s", .negative),
    ("5 s", .unknownUnit(" s")), ("5x", .unknownUnit("x")), ("1.5ms", .tooFine), ("1.s", .noNumber),
    ("0.0001s", .tooFine), ("101w9999999999w", .tooLong), ("99999999999999999999s", .tooLong),
    ("1s5", .noUnit), ("1e3s", .unknownUnit("e")),
  ])
  func `a text that is no duration is refused`(text: String, problem: DurationText.Problem) {
    #expect(throws: problem) { try DurationText.parse(text) }
  }

  @Test(
    arguments: [
      ("evry", "every"), ("leway", "leeway"), ("timout", "timeout"), ("nme", nil),
      ("Overlap", "overlap"),
      ("xyzzyx", nil),
    ] as [(String, String?)])
  func `the nearest key is found`(word: String, key: String?) {
    let keys = ["every", "leeway", "timeout", "overlap", "run"]
    #expect(NearestName.of(word, among: keys) == key)
  }

  @Test func `a caret stands under its character, also after tabs and in long lines`() {
    let place = SourceLocation(file: "f", line: 3, column: 3)
    let short = Diagnostic(.unknownKey, at: place, "wrong", sourceLine: "\täbc")
    #expect(short.text == "f:3:3: error: wrong\n  \täbc\n  \t ^")
    let long = Diagnostic(
      .unknownKey, at: SourceLocation(file: "f", line: 1, column: 5001), "wrong",
      sourceLine: String(repeating: "x", count: 5000) + "Y")
    let lines = long.text.split(separator: "\n")
    #expect(lines[1].hasSuffix("Y") && lines[1].count < 130)
    #expect(lines[1].count == lines[2].count)
  }
}
