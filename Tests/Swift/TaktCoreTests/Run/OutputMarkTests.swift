import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

/// Times and streams of an output.
@Suite struct OutputMarkTests {
  @Test(arguments: UInt64(0)..<50)
  func `marks are read as they were written`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var offset = 0
    let marks = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      offset += Int.random(in: 0...1 << 40, using: &random)
      return OutputMark(
        offset: offset, stream: OutputMark.Stream.allCases.randomElement(using: &random) ?? .other,
        // The clock may have been set to any time.
        at: WallInstant(milliseconds: Int64.random(in: 0...1 << 42, using: &random)))
    }
    #expect(OutputMarkText.decode(OutputMarkText.encode(marks)) == marks)
  }

  @Test(arguments: UInt64(0)..<200)
  func `damaged bytes are read without harm`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let marks = OutputMarkText.decode(bytes)
    let output = KeptOutput(head: Array(repeating: 65, count: 50), marks: marks)
    #expect(output.pieces.flatMap(\.bytes) == output.head)
  }

  @Test func `the output of a step that follows keeps its streams`() {
    let at = WallInstant(milliseconds: 1_790_000_000_000)
    let first = KeptOutput(head: Array("one\n".utf8), marks: [OutputMark(stream: .stdout, at: at)])
    let second = KeptOutput(
      head: Array("two\n".utf8), marks: [OutputMark(stream: .stderr, at: at + .seconds(1))])
    let both = first.followed(by: second, keepBytes: 100)
    #expect(both.pieces.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one\n", "two\n"])
    #expect(both.pieces.map(\.mark?.stream) == [.stdout, .stderr])
  }
}
