import TaktTesting
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

  @Test func `once a line is refused the rest is counted`() {
    let (lines, skipped) = split([Array("a\nb\nc\nd\ne".utf8)], accept: 2)
    #expect(lines == [[97], [98]])
    #expect(skipped == 3)
  }
}
