import TaktEngine

/// The streams of an engine of containers: frames of output, and JSON objects.
struct ContainerTarget: FuzzTarget {
  static let name = "container"
  static let summary = "output and events that a container engine streams"

  mutating func read(_ bytes: [UInt8]) {
    // In one piece and in two: the end of a read has no meaning.
    let middle = bytes.first.map { Int($0) % bytes.count } ?? 0
    let halves = [bytes[..<middle], bytes[middle...]]
    precondition(frames([bytes[...]]) == frames(halves), "a cut has changed the output")
    let (whole, parts) = (objects([bytes[...]]), objects(halves))
    precondition(whole == parts, "a cut has changed the objects")
    precondition(whole.allSatisfy { $0.count <= Self.objectBytesMax }, "an object is too long")
  }

  private static let objectBytesMax = 64

  /// The bytes of each stream up to the first error.
  private func frames(_ parts: [ArraySlice<UInt8>]) -> [StandardStream: [UInt8]] {
    var frames = ContainerFrames()
    var streams: [StandardStream: [UInt8]] = [:]
    for part in parts {
      let isRight = part.withUnsafeBytes { bytes in
        (try? frames.feed(bytes) { streams[$0, default: []] += $1 }) != nil
      }
      guard isRight else { break }
    }
    return streams.filter { !$0.value.isEmpty }
  }

  private func objects(_ parts: [ArraySlice<UInt8>]) -> [[UInt8]] {
    var splitter = JSONObjectSplitter(bytesMax: Self.objectBytesMax)
    var objects: [[UInt8]] = []
    for part in parts {
      let isRight = part.withUnsafeBytes { bytes in
        (try? splitter.feed(bytes) { objects.append($0) }) != nil
      }
      guard isRight else { break }
    }
    return objects
  }
}
