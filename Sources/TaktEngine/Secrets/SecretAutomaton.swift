import TaktSystem
/// All secret values of an attempt, ready for one pass over the output: an Aho–Corasick automaton.
///
/// One pass costs the same whatever the values are: no text, however like a value, makes it slow.
/// It takes about 24 bytes of memory for each byte of a value.
struct SecretAutomaton: Sendable {
  /// The start of one or more values; node 0 is the empty one.
  private struct Node {
    var byte: UInt8 = 0
    var depth: Int32 = 0
    /// The longest proper suffix that is the start of a value too.
    var failure: Int32 = 0
    var firstChild: Int32 = 0
    var nextSibling: Int32 = 0
    /// The length of the longest value that ends here; 0 for none.
    var matchBytes: Int32 = 0
  }

  private var nodes: [Node]
  private var roots: [Int32]
  /// The only first byte of a value; nil if there are several.
  private let soleFirstByte: UInt8?

  /// Includes the values without a byte order mark, blanks and line ends around them, since a
  /// program that trims a secret prints it so. Nil if there is nothing to mask.
  init?(withTrimmed values: [[UInt8]]) {
    self.init(values + values.map(Self.trimmed))
  }

  private static func trimmed(_ value: [UInt8]) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    var rest = value[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    rest = rest.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return Array(rest)
  }

  /// Nil if there is nothing to mask: no value, or only empty ones.
  init?(_ values: [[UInt8]]) {
    if values.isEmpty { return nil }
    let values = values.filter { !$0.isEmpty }
    // Most attempts have no secrets, and allocate nothing here.
    guard let first = values.first else { return nil }
    nodes = [Node()]
    roots = [Int32](repeating: 0, count: 256)
    soleFirstByte = values.allSatisfy { $0[0] == first[0] } ? first[0] : nil
    for value in values { add(value) }
    linkFailures()
  }

  private mutating func add(_ value: [UInt8]) {
    var node = 0
    for byte in value {
      if let child = child(of: node, byte) {
        node = child
        continue
      }
      let new = nodes.count
      nodes.append(
        Node(byte: byte, depth: nodes[node].depth + 1, nextSibling: nodes[node].firstChild))
      nodes[node].firstChild = Int32(new)
      if node == 0 { roots[Int(byte)] = Int32(new) }
      node = new
    }
    nodes[node].matchBytes = nodes[node].depth
  }

  /// Nearest nodes first, so that a node's failure is complete before it is needed.
  private mutating func linkFailures() {
    var queue = [0]
    var next = 0
    while next < queue.count {
      let node = queue[next]
      next += 1
      var child = Int(nodes[node].firstChild)
      while child != 0 {
        if node != 0 {
          let failure = follow(Int(nodes[node].failure), nodes[child].byte)
          nodes[child].failure = Int32(failure)
          if nodes[child].matchBytes == 0 { nodes[child].matchBytes = nodes[failure].matchBytes }
        }
        queue.append(child)
        child = Int(nodes[child].nextSibling)
      }
    }
  }

  private func child(of node: Int, _ byte: UInt8) -> Int? {
    if node == 0 { return roots[Int(byte)] == 0 ? nil : Int(roots[Int(byte)]) }
    var child = Int(nodes[node].firstChild)
    while child != 0, nodes[child].byte != byte { child = Int(nodes[child].nextSibling) }
    return child == 0 ? nil : child
  }

  func follow(_ node: Int, _ byte: UInt8) -> Int {
    var node = node
    while node != 0 {
      if let child = child(of: node, byte) { return child }
      node = Int(nodes[node].failure)
    }
    return Int(roots[Int(byte)])
  }

  /// The number of last bytes that may be the start of a value.
  func depth(_ node: Int) -> Int { Int(nodes[node].depth) }

  /// The length of the longest value that ends here; nil for none.
  func match(_ node: Int) -> Int? {
    nodes[node].matchBytes == 0 ? nil : Int(nodes[node].matchBytes)
  }

  /// The index of the first byte that may start a value.
  func firstCandidate(in bytes: UnsafeRawBufferPointer) -> Int? {
    if let soleFirstByte { return bytes.firstIndex(ofByte: soleFirstByte) }
    return roots.withUnsafeBufferPointer { roots in bytes.firstIndex { roots[Int($0)] != 0 } }
  }
}
