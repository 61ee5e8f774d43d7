import Testing
import TimerMachineTesting

@testable import TimerMachine
import TaktTime

private final class Number: Sendable {
  let value: Int
  init(_ value: Int) { self.value = value }
}

struct WakeTableTests {
  private struct Window {
    var due: Int64
    var latest: Int64
  }

  /// The fewest moments that touch every window: by dynamic programming over all candidates, not
  /// by the greedy rule that the table follows.
  private func optimum(_ windows: [Window]) -> Int {
    let candidates = Set(windows.map(\.latest)).sorted()
    var best = [Int](repeating: .max, count: candidates.count)
    var answer = windows.isEmpty ? 0 : Int.max
    for (index, moment) in candidates.enumerated() {
      // No window may lie wholly between the previous moment chosen and this one.
      let before = [-1] + Array(0..<index)
      for previous in before {
        let after = previous < 0 ? Int64.min : candidates[previous]
        if windows.contains(where: { $0.due > after && $0.latest < moment }) { continue }
        let cost = previous < 0 ? 1 : (best[previous] == .max ? .max : best[previous] + 1)
        best[index] = min(best[index], cost)
      }
      if !windows.contains(where: { $0.due > moment }) { answer = min(answer, best[index]) }
    }
    return answer
  }

  @Test(arguments: UInt64(0)..<40)
  func `one-shot windows are served with the fewest wakes there can be`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = WakeTable<Number>()
    var windows: [Window] = []
    for number in 0..<40 {
      let due = Int64.random(in: 0..<1_000_000_000, using: &generator)
      let leeway = Int64.random(in: 0..<200_000_000, using: &generator)
      windows.append(
        Window(due: due, latest: WakeTable<Number>.latestStart(due: due, leeway: leeway)))
      _ = table.arm(
        Number(number), lastSlot: .max,
        TimerArming(
          deadline: MonotonicInstant(nanoseconds: due), leeway: .nanoseconds(leeway),
          ticket: UInt64(number)))
    }
    var wakes = 0
    while let wake = table.nextWake {
      wakes += 1
      var previous = Int64.min
      while let served = table.popDue(at: wake) {
        let window = windows[served.owner.value]
        #expect(window.due <= wake.nanoseconds && wake.nanoseconds <= window.latest)
        #expect(window.due >= previous, "out of due order")
        previous = window.due
      }
      #expect(table.isConsistent)
    }
    #expect(table.count == 0)
    #expect(wakes == optimum(windows))
  }

  @Test func `the guard is a tenth of the leeway and at most five milliseconds`() {
    #expect(WakeTable<Number>.latestStart(due: 100, leeway: 0) == 100)
    #expect(WakeTable<Number>.latestStart(due: 100, leeway: 1_000) == 1_000)
    #expect(
      WakeTable<Number>.latestStart(due: 0, leeway: 1_000_000_000) == 1_000_000_000 - 5_000_000)
  }

  @Test func `an owner whose slot was given to another gets its own`() {
    var table = WakeTable<Number>()
    let first = Number(1)
    let second = Number(2)
    let arming = TimerArming(deadline: MonotonicInstant(nanoseconds: 1), ticket: 1)
    let slot = table.arm(first, lastSlot: .max, arming)
    #expect(table.popDue(at: .distantFuture)?.owner === first)
    #expect(table.arm(second, lastSlot: .max, arming) == slot)
    table.disarm(first, lastSlot: slot)
    #expect(table.count == 1)
    #expect(table.arm(first, lastSlot: slot, arming) != slot)
    #expect(table.count == 2)
    #expect(table.isConsistent)
  }

  @Test func `a second leeway among many of one kind finds its place`() {
    var table = WakeTable<Number>()
    for number in 0..<20 {
      _ = table.arm(
        Number(number), lastSlot: .max,
        TimerArming(
          deadline: MonotonicInstant(nanoseconds: Int64(100 - number)), leeway: .nanoseconds(50),
          ticket: UInt64(number)))
      #expect(table.isConsistent)
    }
    // Due among the others, and before all of them at its latest.
    let strict = Number(20)
    _ = table.arm(
      strict, lastSlot: .max,
      TimerArming(deadline: MonotonicInstant(nanoseconds: 90), ticket: 20))
    #expect(table.isConsistent)
    #expect(table.nextWake == MonotonicInstant(nanoseconds: 90))
    var served: [Int] = []
    while let next = table.popDue(at: MonotonicInstant(nanoseconds: 90)) {
      served.append(next.owner.value)
    }
    #expect(served.last == 20 && served.count == 11)
    #expect(table.isConsistent)
    while table.popDue(at: .distantFuture) != nil {}
    #expect(table.isConsistent && table.nextWake == nil)
  }

  @Test func `slots are used again`() {
    var table = WakeTable<Number>()
    var seen: Set<UInt32> = []
    for round in 0..<1_000 {
      let arming = TimerArming(
        deadline: MonotonicInstant(nanoseconds: Int64(round)), ticket: UInt64(round))
      seen.insert(table.arm(Number(round), lastSlot: .max, arming))
      seen.insert(table.arm(Number(round), lastSlot: .max, arming))
      while table.popDue(at: .distantFuture) != nil {}
    }
    #expect(seen.count == 2)
  }
}
