import TaktCore
import TaktTesting
import TaktTime
import Testing

extension PastSlots.Range {
  fileprivate var slots: [WallInstant] {
    let step = count > 1 ? (last.nanoseconds - first.nanoseconds) / Int64(count - 1) : 0
    return (0..<count).map { WallInstant(nanoseconds: first.nanoseconds + Int64($0) * step) }
  }
}

/// Decided slots in short are the same set as in full.
@Suite struct PastSlotsTests {
  private func slot(_ second: Int) -> WallInstant {
    WallInstant(milliseconds: Int64(second) * 1000)
  }

  @Test func `slots at equal distances are one range for each kind of verdict`() {
    var past = PastSlots()
    for second in 0..<1000 { past.insert(slot(second), second % 2 == 0 ? .ran : .skipped) }
    #expect(past.ranges.map(\.count) == [500, 500])
    #expect(past.contains(slot(999)) && !past.contains(slot(1000)) && !past.contains(slot(-2)))
    #expect(!past.contains(WallInstant(milliseconds: 500)))
    #expect(past.ranges[1].slots.prefix(2) == [slot(1), slot(3)])
  }

  @Test(arguments: UInt64(1)...20)
  func `what was inserted is contained, and nothing else`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var past = PastSlots()
    var known: [WallInstant: Verdict.Kind] = [:]
    var second = -500
    while second < 500 {
      second += Int.random(in: 1...3, using: &random)
      // Some come late.
      let late = Int.random(in: 0..<8, using: &random) == 0
      let slot = slot(late ? second - Int.random(in: 0...40, using: &random) : second)
      guard known[slot] == nil else { continue }
      let kind = Verdict.Kind.allCases.randomElement(using: &random) ?? .ran
      past.insert(slot, kind)
      known[slot] = kind
    }
    for second in -600...600 {
      #expect(past.contains(slot(second)) == (known[slot(second)] != nil), "\(second)")
    }
    let all = past.ranges.flatMap { range in range.slots.map { ($0, range.kind) } }
    #expect(all.count == known.count && all.allSatisfy { known[$0.0] == $0.1 })
    for second in stride(from: -600, through: 600, by: 7) {
      #expect(
        past.ranges.reduce(0) { $0 + $1.count(after: slot(second)) }
          == known.keys.count { $0 > slot(second) }, "\(second)")
    }
    #expect(
      PastSlots(past.ranges.shuffled(using: &random)).ranges.map(\.first)
        == past.ranges.map(\.first))
  }

  @Test func `the oldest ranges are dropped, and say until when`() throws {
    var past = PastSlots()
    for second in [0, 1, 3, 7, 15, 31] { past.insert(slot(second), .ran) }
    let count = past.ranges.count
    #expect(past.drop(to: count) == nil)
    let dropped = past.drop(to: count - 1)
    let end = try #require(dropped)
    #expect(!past.contains(end) && past.ranges.allSatisfy { $0.last > end })
    #expect(past.contains(slot(31)))
  }

  @Test func `slots at the ends of the clock`() {
    var past = PastSlots()
    for instant in [Int64.min, -1, 0, .max] {
      past.insert(WallInstant(nanoseconds: instant), .missed)
    }
    for instant in [Int64.min, -1, 0, .max] {
      #expect(past.contains(WallInstant(nanoseconds: instant)))
    }
    #expect(!past.contains(WallInstant(nanoseconds: 1)))
  }
}
