import Testing

@testable import TaktEngine

/// Streams of an engine, cut anywhere.
@Suite struct ContainerStreamTests {
  private func frames(
    _ bytes: [UInt8], cutEvery count: Int
  ) throws -> (parts: [StandardStream: [UInt8]], isWithinFrame: Bool) {
    var frames = ContainerFrames()
    var parts: [StandardStream: [UInt8]] = [:]
    for start in stride(from: 0, to: bytes.count, by: count) {
      try Array(bytes[start..<min(start + count, bytes.count)]).withUnsafeBytes {
        try frames.feed($0) { parts[$0, default: []] += $1 }
      }
    }
    return (parts, frames.isWithinFrame)
  }

  private func frame(_ stream: UInt8, _ text: String) -> [UInt8] {
    [stream, 0, 0, 0, 0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  @Test(arguments: 1...20)
  func `frames are the same wherever they are cut`(count: Int) throws {
    let bytes = frame(1, "out") + frame(2, "an error") + frame(1, "") + frame(0, " put")
    let (parts, isWithinFrame) = try frames(bytes, cutEvery: count)
    #expect(parts == [.stdout: Array("out put".utf8), .stderr: Array("an error".utf8)])
    #expect(!isWithinFrame)
  }

  @Test func `a frame of 4 GB is handed on as it comes`() throws {
    let (parts, isWithinFrame) = try frames(
      [1, 0, 0, 0, 255, 255, 255, 255] + Array("text".utf8), cutEvery: 3)
    #expect(parts == [.stdout: Array("text".utf8)])
    #expect(isWithinFrame)
  }

  @Test(arguments: [[4, 0, 0, 0, 0, 0, 0, 1], [1, 0, 1, 0, 0, 0, 0, 1], Array("HTTP/1.1".utf8)])
  func `what has no frames is refused`(bytes: [UInt8]) {
    #expect(throws: ContainerFrames.Flaw.self) { try frames(bytes, cutEvery: 8) }
  }

  private func objects(_ text: String, cutEvery count: Int, bytesMax: Int = 1000) throws -> [String]
  {
    var splitter = JSONObjectSplitter(bytesMax: bytesMax)
    var objects: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: count) {
      try Array(bytes[start..<min(start + count, bytes.count)]).withUnsafeBytes {
        try splitter.feed($0) { objects.append(String(decoding: $0, as: UTF8.self)) }
      }
    }
    return objects
  }

  @Test(arguments: 1...12)
  func `objects are the same wherever they are cut`(count: Int) throws {
    let parts = [#"{"a":"}\"{","b":[{}]}"#, "{}", #"{"c":"\\"}"#]
    #expect(try objects(parts.joined(separator: "\r\n "), cutEvery: count) == parts)
    #expect(try objects(parts.joined(), cutEvery: count) == parts)
  }

  @Test func `an object without an end has a bound`() {
    #expect(throws: JSONObjectSplitter.Flaw.tooLong) {
      try objects(#"{"a":""# + String(repeating: "x", count: 2000), cutEvery: 7)
    }
    #expect(throws: JSONObjectSplitter.Flaw.notAnObject) { try objects("{} x", cutEvery: 9) }
  }

  @Test(
    arguments: [
      ("1.41", "1.24", "1.41"), ("1.40", "1.12", "1.40"), ("1.52", "1.44", "1.44"),
      ("1.47", nil, "1.41"), ("1.39", "1.12", nil), ("2.0", "1.12", "1.41"),
    ] as [(String, String?, String?)])
  func `a version is agreed on`(newest: String, oldest: String?, agreed: String?) throws {
    let version = ContainerAPIVersion.agreed(
      newest: try #require(ContainerAPIVersion(newest)),
      oldest: oldest.flatMap(ContainerAPIVersion.init))
    #expect(version?.description == agreed)
  }

  @Test(arguments: [
    "debian", "debian:12", "localhost/tiny", "registry.example.org:5000/a/b-c:1.0_x",
    "[::1]:5000/a", "a@sha256:" + String(repeating: "0a", count: 32),
  ])
  func `an image has a reference`(text: String) { #expect(ImageReference(text) != nil) }

  @Test(arguments: [
    "", "Debian", "debian:", "debian:-x", "a b", "../x", "a//b", "/a", "a/", "a@sha256:12", "a\nb",
    "a:b:c", "http://a/b",
  ])
  func `other texts are no reference of an image`(text: String) {
    #expect(ImageReference(text) == nil)
  }

  @Test(arguments: [
    "/srv/data:/data", "/srv/data:/data:ro", "cache:/var/cache:rw",
  ])
  func `a mount is read`(text: String) { #expect(ContainerMount(text) != nil) }

  @Test(arguments: [
    "/srv", "/srv:data", "./srv:/data", "/srv/../etc:/data", "/srv:/a/..", "/srv:/data:rx",
    "a:/b:ro:z", ":/data", "-x:/data",
  ])
  func `other texts are no mount`(text: String) { #expect(ContainerMount(text) == nil) }
}
