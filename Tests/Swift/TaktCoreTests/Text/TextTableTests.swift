import Testing

@testable import TaktCore

/// Tables for a terminal.
@Suite struct TextTableTests {
  private func lines(_ rows: [[String]], width: Int? = nil, least: Int = 0) -> [String] {
    var table = TextTable(titles: ["NAME", "X"], emptyCell: "-")
    for row in rows { table.add(row: row) }
    return String(decoding: table.text(width: width, narrowingFirstTo: least), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  @Test func `columns are as wide as their widest cell on a terminal`() {
    #expect(
      lines([["日本", "1"], ["e\u{301}", "2"], ["✅", "3"], ["❤\u{fe0f}", "4"], ["ab", ""]]) == [
        "NAME  X", "日本  1", "e\u{301}     2", "✅    3", "❤\u{fe0f}    4", "ab    -",
      ])
  }

  @Test func `what does not fit is cut at the first column`() {
    #expect(lines([["abcdefgh", "1"]], width: 8) == ["NAME   X", "abcd…  1"])
    #expect(lines([["日本日本", "1"]], width: 9) == ["NAME    X", "日本…   1"])
    #expect(lines([["abcdefgh", "1"]], width: 2, least: 6) == ["NAME    X", "abcde…  1"])
  }
}
