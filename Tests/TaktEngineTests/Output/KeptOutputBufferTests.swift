import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

@Suite struct KeptOutputBufferTests {
  private func kept(_ pieces: [String], _ keepBytes: Int) -> KeptOutput {
    var buffer = KeptOutputBuffer(keepBytes: keepBytes)
    for piece in pieces { Array(piece.utf8).withUnsafeBytes { buffer.append($0) } }
    return buffer.kept
  }

  @Test(arguments: [
    "8 | abcdefgh | abcd…0…efgh", "8 | abcdefghi | abcd…1…fghi", "8 | abc | abc…0…",
    "7 | abcdefghi | abc…2…fghi", "1 | abc | …2…c", "0 | abc | …3…", "8 | abcd | abcd…0…",
  ])
  func `the first and the last bytes are kept, and the missing ones counted`(row: String) {
    let parts = row.split(separator: "|").map { $0.split(separator: " ")[0] }
    let kept = kept([String(parts[1])], Int(parts[0])!)
    let text = String(decoding: kept.head, as: UTF8.self)
    #expect(
      "\(text)…\(kept.droppedBytes)…\(String(decoding: kept.tail, as: UTF8.self))" == parts[2])
  }

  @Test(arguments: UInt64(0)..<100)
  func `any pieces are kept as the whole is`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let keepBytes = Int.random(in: 0...40, using: &random)
    let pieces = (0..<Int.random(in: 0...30, using: &random)).map { number in
      String(repeating: "abcdefghij", count: 4).prefix(Int.random(in: 0...30, using: &random))
        + "\(number)"
    }
    let text = Array(pieces.joined().utf8)
    let kept = kept(pieces.map { String($0) }, keepBytes)
    #expect(kept.head == Array(text.prefix(keepBytes / 2)))
    let rest = text.dropFirst(keepBytes / 2)
    #expect(kept.tail == Array(rest.suffix(keepBytes - keepBytes / 2)))
    #expect(kept.head.count + kept.droppedBytes + kept.tail.count == text.count)
  }
}
