import TaktCore
import Testing

@testable import TaktEngine

@Suite struct LineSplitterTests {
  private func split(_ pieces: [[UInt8]], accept: Int = .max) -> (lines: [[UInt8]], skipped: Int) {
    var splitter = LineSplitter()
    var lines: [[UInt8]] = []
    let body = { (line: UnsafeRawBufferPointer) in
      if lines.count == accept { return false }
      lines.append(Array(line))
      return true
    }
    var skipped = 0
    for piece in pieces { skipped += piece.withUnsafeBytes { splitter.feed($0, body) } }
    skipped += splitter.finish(body)
    return (lines, skipped)
  }

  @Test func `lines come whole from any pieces, the last without its end too`() {
    let text = Array("one\n\ntwo\0\u{ff}\nthree".utf8)
    let whole = split([text]).lines
    #expect(whole == text.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) })
    #expect(split(text.map { [$0] }).lines == whole)
    #expect(split([Array("a\n".utf8)]).lines == [[97]])
  }

  @Test func `a longer line comes in pieces, and one of exactly that size whole`() {
    let long = [UInt8](repeating: 120, count: 20_000)
    #expect(split([long + [10]]).lines.map(\.count) == [8192, 8192, 3616])
    #expect(split([long]).lines.map(\.count) == [8192, 8192, 3616])
    #expect(split([Array(long.prefix(8192)) + [10, 97]]).lines.map(\.count) == [8192, 1])
  }

  @Test(arguments: ["€", "é", "𝄞", "\u{1b}[31mx", "\u{1b}]0;t\u{7}x"])
  func `no piece of a long line ends within a character or a sequence`(unit: String) {
    for lead in 0..<unit.utf8.count {
      let text = Array(
        (String(repeating: "x", count: lead) + String(repeating: unit, count: 9000)).utf8)
      for step in [text.count, 1000] {
        let pieces = stride(from: 0, to: text.count, by: step).map {
          Array(text[$0..<min($0 + step, text.count)])
        }
        let lines = split(pieces).lines
        #expect(lines.flatMap(\.self) == text)
        #expect(
          lines.allSatisfy { $0.count <= 8192 && String(validating: $0, as: UTF8.self) != nil })
        // The `x` behind a sequence may start a piece.
        #expect(
          lines.dropFirst().allSatisfy { $0.starts(with: unit.utf8) || $0.first == 0x78 },
          "\(unit), \(lead)")
      }
    }
  }

  @Test func `a progress bar is one line, however long it goes on`() {
    let text = (0...100_000).map { "\r\u{1b}[K\($0) of €" }.joined() + "\nend"
    let lines = split([Array(text.utf8)]).lines
    #expect(lines.count == 2)
    #expect(TerminalLine.lastState(of: lines[0]) == Array("100000 of €".utf8))
  }

  @Test func `once a line is refused the rest is counted`() {
    let (lines, skipped) = split([Array("a\nb\nc\nd\ne".utf8)], accept: 2)
    #expect(lines == [[97], [98]])
    #expect(skipped == 3)
  }
}
