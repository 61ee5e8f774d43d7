import TaktCore
import TaktTime
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

  @Test(arguments: ["é", "€", "𝄞"])
  func `no character is cut in two where bytes are gone`(unit: String) throws {
    let text = String(repeating: unit, count: 40)
    for keepBytes in 0...text.utf8.count {
      let kept = kept([text], keepBytes)
      #expect(kept.head.count + kept.droppedBytes + kept.tail.count == text.utf8.count)
      #expect(kept.head.count + kept.tail.count >= keepBytes - 6)
      for part in [kept.head, kept.tail] where kept.droppedBytes > 0 {
        #expect(String(validating: part, as: UTF8.self) != nil, "\(keepBytes)")
      }
      let joined = kept.followed(by: kept, keepBytes: keepBytes)
      for part in [joined.head, joined.tail] where joined.droppedBytes > 0 {
        #expect(String(validating: part, as: UTF8.self) != nil, "\(keepBytes), twice")
      }
    }
  }

  private func marked(_ keepBytes: Int, _ pieces: [(String, OutputMark.Stream, Int64)]) -> [String]
  {
    var buffer = KeptOutputBuffer(keepBytes: keepBytes)
    for (text, stream, milliseconds) in pieces {
      let mark = OutputMark(stream: stream, at: WallInstant(milliseconds: milliseconds))
      Array(text.utf8).withUnsafeBytes { buffer.append($0, mark) }
    }
    return buffer.kept.pieces.map { piece in
      let text = String(decoding: piece.bytes, as: UTF8.self)
      let mark = piece.mark.map { "\($0.stream) \($0.at.milliseconds)" } ?? "unknown"
      return "\(piece.droppedBefore > 0 ? "\(piece.droppedBefore)… " : "")\(text) \(mark)"
    }
  }

  @Test func `what comes shortly after and from the same stream is one piece`() {
    #expect(
      marked(100, [("a", .stdout, 0), ("b", .stdout, 50), ("c", .stderr, 60), ("d", .stdout, 70)])
        == ["ab stdout 0", "c stderr 60", "d stdout 70"])
    #expect(
      marked(100, [("a", .stdout, 0), ("b", .stdout, 200)]) == ["a stdout 0", "b stdout 200"])
    // The clock was set back.
    #expect(
      marked(100, [("a", .stdout, 900), ("b", .stdout, 0)]) == ["a stdout 900", "b stdout 0"])
  }

  @Test func `where bytes are gone the rest keeps its streams`() {
    #expect(
      marked(8, [("abcdef", .stdout, 0), ("ghij", .stderr, 10), ("kl", .stdout, 20)])
        == ["abcd stdout 0", "4… ij stderr 10", "kl stdout 20"])
    #expect(
      marked(4, [("abcdef", .stdout, 0), ("ghij", .stderr, 10)])
        == ["ab stdout 0", "6… ij stderr 10"])
  }

  @Test func `of very many changes the marks are bounded, and no line is given a wrong stream`() {
    let pieces = (0..<20_000).map { number in
      ("\(number % 10)", number % 2 == 0 ? OutputMark.Stream.stdout : .stderr, Int64(number))
    }
    let shown = marked(20_000, pieces)
    #expect(shown.count < 10_000)
    for piece in shown where piece.split(separator: " ")[0].count == 1 {
      let digit = Int(String(piece.prefix(1))) ?? 0
      #expect(!piece.contains(digit % 2 == 0 ? "stderr" : "stdout"), "\(piece)")
    }
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
