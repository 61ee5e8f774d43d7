import Testing
import TimerMachineTesting

@testable import TimerMachine

struct IndexedHeapTests {
  @Test(arguments: UInt64(0)..<20)
  func `the heap agrees with a sorted list`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var heap = IndexedHeap()
    var model: [UInt32: Int64] = [:]
    for _ in 0..<2_000 {
      let slot = UInt32.random(in: 0..<64, using: &generator)
      if Int.random(in: 0..<3, using: &generator) == 0 {
        heap.remove(slot)
        model[slot] = nil
      } else {
        let key = Int64.random(in: -50..<50, using: &generator)
        heap.set(slot, key: key)
        model[slot] = key
      }
      #expect(heap.isConsistent)
      #expect(heap.count == model.count)
      #expect(heap.minKey == model.values.min())
      #expect(heap.key(of: slot) == model[slot])
    }
    var drained: [Int64] = []
    while let slot = heap.minSlot, let key = heap.minKey {
      drained.append(key)
      heap.remove(slot)
    }
    #expect(drained == model.values.sorted())
  }

  @Test func `equal keys leave in the order in which they were set`() {
    var heap = IndexedHeap()
    for slot in UInt32(0)..<100 { heap.set(slot, key: 7) }
    heap.set(3, key: 7)
    var drained: [UInt32] = []
    while let slot = heap.minSlot {
      drained.append(slot)
      heap.remove(slot)
    }
    #expect(drained == (0..<100).filter { $0 != 3 } + [3])
  }

  @Test func `an operation moves at most half of log2 n nodes and one`() {
    var generator = SeededGenerator(seed: 1)
    var heap = IndexedHeap()
    for slot in UInt32(0)..<4_096 {
      heap.set(slot, key: Int64.random(in: 0..<1_000_000, using: &generator))
    }
    for _ in 0..<10_000 {
      let before = heap.moves
      let slot = UInt32.random(in: 0..<4_096, using: &generator)
      heap.set(slot, key: Int64.random(in: 0..<1_000_000, using: &generator))
      #expect(heap.moves - before <= 12 / 2 + 1)
    }
  }
}
