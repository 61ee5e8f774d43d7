import TaktTime
import Testing

@testable import TaktCore

/// Tables for a terminal.
@Suite struct TextTableTests {
  private func lines(_ rows: [[String]], width: Int? = nil, least: Int = 0) -> [String] {
    var table = TextTable(titles: ["NAME", "X"], emptyCell: "-")
    for row in rows { table.add(row: row) }
    let text = table.text(width: width, narrowing: [.init(0, to: least)])
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
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

  @Test func `rows come in the order of their ranks, and else as they were added`() {
    var table = TextTable(titles: ["NAME"])
    for name in ["calm", "stale", "bad", "worse", "still"] { table.add(row: [name]) }
    let text = table.text(width: nil, narrowing: [], ranks: [9, 1, 0, 0, 9])
    #expect(String(decoding: text, as: UTF8.self) == "NAME\nbad\nworse\nstale\ncalm\nstill\n")
    let empty = TextTable(titles: ["NAME"]).text(width: nil, narrowing: [], ranks: [])
    #expect(String(decoding: empty, as: UTF8.self) == "NAME\n")
  }

  @Test func `columns are cut in turn, and a colour takes no room`() {
    var table = TextTable(titles: ["RUN", "JOB", "REASON"])
    for text in ["1", "nightly-backup", "exit(128)"] {
      table.add(in: text == "1" ? .none : .red) { $0.append(utf8: text) }
    }
    let text = String(
      decoding: table.text(width: 18, narrowing: [.init(1, to: 6), .init(2, to: 4)]),
      as: UTF8.self)
    #expect(
      text == "RUN  JOB     REAS…\n1    \u{1b}[31mnight…\u{1b}[0m  \u{1b}[31mexit…\u{1b}[0m\n",
      "\(text)")
  }
}
