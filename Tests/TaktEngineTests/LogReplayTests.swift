import Testing

@testable import TaktEngine

/// What `takt verify --log` is given.
@Suite struct LogReplayTests {
  @Test func `a line without an end is refused at a bound`() throws {
    var log = LogReplay()
    try log.feed(Array("{\"event\":\"timer\"}\n".utf8)[...])
    let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)[...]
    var count = 0
    var line: Int?
    while line == nil, count <= LogReplay.lineBytesMax {
      do throws(LogReplay.NoLog) {
        try log.feed(part)
        count += part.count
      } catch {
        line = error.line
      }
    }
    #expect(line == 2)
    #expect(count == LogReplay.lineBytesMax)
  }

  @Test func `a line as long as it may be is read`() throws {
    var log = LogReplay()
    let text = String(repeating: "x", count: LogReplay.lineBytesMax - 100)
    try log.feed(Array("{\"event\":\"output\",\"line\":\"\(text)\"}\n".utf8)[...])
    // Nothing is left that would count as cut off.
    let notes = log.finish().notes
    #expect(notes.isEmpty)
  }
}
