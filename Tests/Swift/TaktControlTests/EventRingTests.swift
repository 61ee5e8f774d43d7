import Testing

@testable import TaktControl
@testable import TaktCore
import TaktTime

@Suite struct EventRingTests {
  private func record(_ text: String) -> LogRecord {
    LogRecord(
      at: WallInstant(milliseconds: 0), .info, .scheduler, [LogField(.message, .text(text))])
  }

  @Test func `events are numbered from 1 and read from any number on`() {
    var ring = EventRing()
    #expect(ring.first == 1 && ring.last == 0)
    for index in 1...5 { ring.append(record("\(index)")) }
    let (lines, upTo) = ring.read(after: 2, count: 2) { _ in true }
    #expect(lines.map(\.event.number) == [3, 4] && upTo == 4)
    #expect(
      String(decoding: lines[0].json, as: UTF8.self)
        == #"{"id":3,"ts":"1970-01-01T00:00:00.000Z","level":"info","event":"scheduler","message":"3"}"#
    )
    #expect(ring.read(after: 5, count: 2) { _ in true }.lines.isEmpty)
  }

  @Test func `the oldest go when there are too many, and a reader sees the gap`() {
    var ring = EventRing()
    for index in 0..<(EventRing.recordsMax + 10) { ring.append(record("\(index)")) }
    #expect(ring.first == 11 && ring.last == UInt64(EventRing.recordsMax + 10))
    let (lines, upTo) = ring.read(after: 3, count: 1) { _ in true }
    #expect(lines.map(\.event.number) == [11] && upTo == 11)
  }

  @Test func `long records go sooner`() {
    var ring = EventRing()
    let long = String(repeating: "x", count: 1 << 20)
    for _ in 0..<50 { ring.append(record(long)) }
    #expect(ring.last == 50 && ring.first > 40)
  }

  @Test func `what is read counts as well: readers do not make the ring larger`() {
    var (read, unread) = (EventRing(), EventRing())
    let text = String(repeating: "x", count: 4096)
    for index in 0..<4000 {
      read.append(record("\(index) \(text)"))
      unread.append(record("\(index) \(text)"))
      // A reader that reads each at once.
      #expect(read.read(after: read.last - 1, count: 10) { _ in true }.lines.count == 1)
    }
    #expect(unread.last - unread.first > 1000)
    let (lines, _) = read.read(after: 0, count: 5000) { _ in true }
    let bytes = lines.reduce(0) { $0 + $1.json.count + 4096 }
    #expect(bytes <= EventRing.bytesMax && bytes > EventRing.bytesMax / 2)
    // A reader of all of them at once gets them all, which makes room.
    let (all, _) = unread.read(after: 0, count: 5000) { _ in true }
    #expect(all.count > 1000 && unread.last - unread.first < UInt64(all.count))
  }

  @Test func `what is not wanted is passed over, and not read again`() {
    var ring = EventRing()
    for index in 1...9 { ring.append(record("\(index)")) }
    let (lines, upTo) = ring.read(after: 0, count: 100) { $0.number.isMultiple(of: 4) }
    #expect(lines.map(\.event.number) == [4, 8] && upTo == 9)
  }
}
