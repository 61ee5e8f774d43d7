import TaktSystem
import Testing

@testable import TaktEngine

/// The receivers of the signal that stops a run.
@Suite struct StopRoundTests {
  @Test func `who was there gets the signal once, and what comes after it gets none`() {
    let before = ProcessStatus.ticksNow() - 100
    var round = StopRound()
    #expect(round.isEmpty && round.misses(10, parent: 1, startTicks: before))
    round.add(10, startTicks: before)
    let after = ProcessStatus.ticksNow() + 100
    #expect(!round.isEmpty && round.contains(10, startTicks: before))
    #expect(!round.misses(10, parent: 1, startTicks: before))
    // A child of a process that has had it: born before, or to clean up.
    #expect(round.misses(11, parent: 10, startTicks: before + 50))
    #expect(!round.misses(12, parent: 10, startTicks: after))
    // An orphan.
    #expect(round.misses(13, parent: 1, startTicks: before))
    #expect(!round.misses(14, parent: 1, startTicks: after))
    // The number was another's before.
    #expect(!round.misses(10, parent: 1, startTicks: after))
  }
}
