/// A filter over a stream of bytes that replaces every secret value with `***`.
///
/// It works on bytes only: a value may contain any, including line ends and NUL, be of any length
/// but 0, and come in any pieces. Values that overlap in the stream become one `***`. It holds back
/// the bytes that may be the start of a value, and never more than the longest value.
struct SecretMasker {
  static let mask = Array("***".utf8)

  /// A range of the bytes held back that belongs to a value.
  private struct Hidden {
    var start: Int
    var end: Int
    /// True if the mask for it has been written, for bytes before these.
    var isShown: Bool
  }

  private let automaton: SecretAutomaton
  private var node = 0
  private var held: [UInt8] = []
  private var hidden: [Hidden] = []

  init(_ automaton: SecretAutomaton) {
    self.automaton = automaton
  }

  /// Appends to `output` the bytes that are certain after these.
  mutating func mask(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      if node == 0 {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
        let start = automaton.firstCandidate(in: rest) ?? rest.count
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<start]))
        index += start
        if index == bytes.count { return }
      }
      let byte = bytes[index]
      index += 1
      node = automaton.follow(node, byte)
      held.append(byte)
      if let length = automaton.match(node) { hide(held.count - length) }
      if node == 0 { release(held.count, into: &output) }
    }
    release(held.count - automaton.depth(node), into: &output)
  }

  /// Appends the bytes held back: the stream has ended.
  mutating func finish(into output: inout [UInt8]) {
    release(held.count, into: &output)
    node = 0
  }

  /// Hides a value that ends with the last byte and started at `start`.
  private mutating func hide(_ start: Int) {
    var new = Hidden(start: start, end: held.count, isShown: false)
    while let last = hidden.last, last.end > new.start {
      new.start = min(new.start, last.start)
      new.isShown = new.isShown || last.isShown
      hidden.removeLast()
    }
    hidden.append(new)
  }

  /// Releases the first `count` bytes.
  private mutating func release(_ count: Int, into output: inout [UInt8]) {
    guard count > 0 else { return }
    var position = 0
    var done = 0
    for place in hidden.prefix(while: { $0.start < count }) {
      output.append(contentsOf: held[position..<max(position, place.start)])
      if !place.isShown { output.append(contentsOf: Self.mask) }
      position = min(place.end, count)
      if place.end > count {
        hidden[done] = Hidden(start: count, end: place.end, isShown: true)
      } else {
        done += 1
      }
    }
    output.append(contentsOf: held[position..<count])
    hidden.removeFirst(done)
    for index in hidden.indices {
      hidden[index].start -= count
      hidden[index].end -= count
    }
    held.removeFirst(count)
  }
}

extension SecretAutomaton {
  /// A whole text, such as the message of a built-in, with its secrets masked.
  func masked(_ text: String) -> String {
    String(decoding: masked(Array(text.utf8)), as: UTF8.self)
  }

  /// Bytes that belong together, with their secrets masked.
  func masked(_ bytes: [UInt8]) -> [UInt8] {
    var masker = SecretMasker(self)
    var output: [UInt8] = []
    bytes.withUnsafeBytes { masker.mask($0, into: &output) }
    masker.finish(into: &output)
    return output
  }
}
