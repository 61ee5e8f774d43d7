import Testing

@testable import TaktCore

@Suite struct KeptOutputTests {
  /// Keeps the first and the last bytes of one text, as a buffer would.
  private func kept(_ text: String, _ keepBytes: Int) -> KeptOutput {
    let bytes = Array(text.utf8)
    let half = keepBytes / 2
    let head = Array(bytes.prefix(half))
    let rest = bytes.dropFirst(half)
    let tail = Array(rest.suffix(keepBytes - half))
    return KeptOutput(head: head, tail: tail, droppedBytes: rest.count - tail.count)
  }

  @Test func `two outputs after one another are kept as one would be`() {
    for keepBytes in [2, 7, 10, 40] {
      for first in 0...25 {
        for second in 0...25 {
          let all = String(
            "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix(first + second))
          let whole = kept(all, keepBytes)
          let joined = kept(String(all.prefix(first)), keepBytes)
            .followed(by: kept(String(all.suffix(second)), keepBytes), keepBytes: keepBytes)
          #expect(joined.head.count + joined.tail.count <= keepBytes)
          #expect(joined.tail.suffix(1) == whole.tail.suffix(1) || joined.tail.isEmpty)
          #expect(joined.head.count + joined.tail.count + joined.droppedBytes == first + second)
          if first + second <= keepBytes {
            #expect(joined.head + joined.tail == whole.head + whole.tail)
          }
        }
      }
    }
  }
}
