/// A priority queue of numbered slots whose keys can be changed in place.
///
/// Four children to a node: half the levels of a binary heap, and the children of a node share a
/// cache line. Keys are in the heap itself, so a comparison touches no other memory. Equal keys
/// leave in the order in which they were set.
package struct IndexedHeap: Sendable {
  private struct Node {
    var key: Int64
    var slot: UInt32
    /// Breaks ties; it wraps, so the order of ties holds within 2³¹ settings.
    var order: UInt32

    static func < (left: Node, right: Node) -> Bool {
      left.key < right.key
        || (left.key == right.key && Int32(bitPattern: left.order &- right.order) < 0)
    }

    /// `<` as a number, 1 or 0.
    @inline(__always)
    func precedes(_ other: Node) -> Int {
      let isSmaller = key < other.key ? 1 : 0
      let isEqual = key == other.key ? 1 : 0
      let isEarlier = Int32(bitPattern: order &- other.order) < 0 ? 1 : 0
      return isSmaller | (isEqual & isEarlier)
    }
  }

  private static let absent = UInt32.max

  private var nodes: [Node] = []
  /// The position of each slot in `nodes`.
  private var positions: [UInt32] = []
  private var lastOrder: UInt32 = 0
  /// Nodes moved since the start, a measure of the work done.
  package private(set) var moves: UInt64 = 0

  package init() {}

  /// The number of slots with a key.
  package var count: Int { nodes.count }

  /// The smallest key.
  package var minKey: Int64? { nodes.first?.key }

  /// The slot with the smallest key.
  package var minSlot: UInt32? { nodes.first?.slot }

  /// The key of a slot; `nil` if it has none.
  package func key(of slot: UInt32) -> Int64? {
    guard let position = position(of: slot) else { return nil }
    return nodes[position].key
  }

  /// Gives a slot its key, or another one.
  package mutating func set(_ slot: UInt32, key: Int64) {
    lastOrder &+= 1
    let node = Node(key: key, slot: slot, order: lastOrder)
    if let position = position(of: slot) {
      place(node, at: position)
    } else {
      while positions.count <= Int(slot) { positions.append(Self.absent) }
      nodes.append(node)
      place(node, at: nodes.count - 1)
    }
  }

  /// Removes a slot's key; does nothing if it has none.
  package mutating func remove(_ slot: UInt32) {
    guard let position = position(of: slot) else { return }
    positions[Int(slot)] = Self.absent
    let last = nodes.removeLast()
    if position < nodes.count { place(last, at: position) }
  }

  /// Takes over another heap's slots with other keys, which must be in the same order.
  package mutating func copy(_ other: IndexedHeap, key: (Int64) -> Int64) {
    nodes = other.nodes
    positions = other.positions
    for index in nodes.indices { nodes[index].key = key(nodes[index].key) }
  }

  /// True if parents precede children and positions agree, for tests.
  package var isConsistent: Bool {
    nodes.indices.allSatisfy { index in
      positions[Int(nodes[index].slot)] == UInt32(index)
        && (index == 0 || !(nodes[index] < nodes[(index - 1) / 4]))
    } && positions.count { $0 != Self.absent } == nodes.count
  }

  private func position(of slot: UInt32) -> Int? {
    guard Int(slot) < positions.count, positions[Int(slot)] != Self.absent else { return nil }
    return Int(positions[Int(slot)])
  }

  /// Puts `node` where it belongs, starting from a hole at `position`.
  private mutating func place(_ node: Node, at position: Int) {
    // Every index below is smaller than `nodes.count`, every slot of a node smaller than
    // `positions.count` since `set` made it so; both arrays stay as they are meanwhile.
    moves += nodes.withUnsafeMutableBufferPointer { nodes in
      positions.withUnsafeMutableBufferPointer { positions in
        var tree = Tree(nodes: nodes, positions: positions)
        return tree.place(node, at: position)
      }
    }
  }

  /// The tree while it is reordered; without an array's checks at every step, for the gate's
  /// `wakes`.
  private struct Tree {
    let nodes: UnsafeMutableBufferPointer<Node>
    let positions: UnsafeMutableBufferPointer<UInt32>
    var moves: UInt64 = 1

    init(nodes: UnsafeMutableBufferPointer<Node>, positions: UnsafeMutableBufferPointer<UInt32>) {
      self.nodes = nodes
      self.positions = positions
    }

    /// Returns the number of nodes moved.
    mutating func place(_ node: Node, at position: Int) -> UInt64 {
      // Fetched already, since every other node goes down.
      let child = 4 &* position &+ 1
      if child < nodes.count, let base = nodes.baseAddress { Prefetch.lines(1, from: base + child) }
      var hole = raise(node, from: position)
      if hole == position { hole = lower(node, from: position) }
      nodes[hole] = node
      positions[Int(node.slot)] = UInt32(truncatingIfNeeded: hole)
      return moves
    }

    /// Moves the hole up past every parent that is larger than `node`.
    private mutating func raise(_ node: Node, from start: Int) -> Int {
      var hole = start
      while hole > 0 {
        let parent = (hole &- 1) >> 2
        guard node < nodes[parent] else { break }
        move(from: parent, to: hole)
        hole = parent
      }
      return hole
    }

    /// Moves the hole down past every smallest child that is smaller than `node`.
    private mutating func lower(_ node: Node, from start: Int) -> Int {
      let count = nodes.count
      var hole = start
      while true {
        let first = 4 &* hole &+ 1
        guard first < count else { return hole }
        let end = min(first &+ 4, count)
        // The sixteen grandchildren, one of which is compared next, are adjacent.
        let grandchild = 4 &* first &+ 1
        if grandchild < count, let base = nodes.baseAddress {
          Prefetch.lines(4, from: base + grandchild)
        }
        let child = smallest(from: first, to: end)
        guard nodes[child] < node else { return hole }
        move(from: child, to: hole)
        hole = child
      }
    }

    /// The smallest of at most four siblings; of four, without a branch, since no processor can
    /// predict which it is: `make bench ONLY=timers`.
    @inline(__always)
    private func smallest(from first: Int, to end: Int) -> Int {
      if end &- first == 4 {
        let left = first &+ nodes[first &+ 1].precedes(nodes[first])
        let right = first &+ 2 &+ nodes[first &+ 3].precedes(nodes[first &+ 2])
        return left &+ (right &- left) &* nodes[right].precedes(nodes[left])
      }
      var child = first
      for other in (first &+ 1)..<end where nodes[other] < nodes[child] { child = other }
      return child
    }

    private mutating func move(from source: Int, to hole: Int) {
      let node = nodes[source]
      nodes[hole] = node
      positions[Int(node.slot)] = UInt32(truncatingIfNeeded: hole)
      moves &+= 1
    }
  }
}
