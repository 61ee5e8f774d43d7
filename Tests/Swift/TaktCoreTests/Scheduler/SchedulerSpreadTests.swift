import Testing

@testable import TaktCore
import TaktTime

/// Slots that are put off.
@Suite struct SchedulerSpreadTests: MakesJobs {
  @Test func `spread puts each job off alike, jitter each slot`() throws {
    let jobs = try (0..<20).map { try spread("j\($0)", 50) }
    var world = SchedulerWorld(starting: jobs)
    let first = jobs.compactMap { world.armed($0.name.text) }
    #expect(Set(first).count > 15 && first.allSatisfy { 100_000 <= $0 && $0 < 150_000 })
    world.pass(.seconds(150), ending: .exited(0))
    #expect(jobs.compactMap { world.armed($0.name.text) } == first.map { $0 + 100_000 })

    world = SchedulerWorld()
    world.start([try spread("a", 0, jitter: 30)])
    var offsets: Set<Int64> = []
    for k in Int64(1)...20 {
      let due = try #require(world.armed("a"))
      offsets.insert(due - k * 100_000)
      world.pass(
        .milliseconds(k * 100_000 + 99_000)
          - (world.now.monotonic - MonotonicInstant(nanoseconds: 1_000_000_000)))
      world.endRuns()
    }
    #expect(offsets.count > 10 && offsets.allSatisfy { 0 <= $0 && $0 <= 30_000 })
    #expect(world.verdicts.count == 20 && world.ledger.audit().isEmpty)
  }

  @Test func `a delay ends before the next slot, even if more is configured`() throws {
    var spec = try spread("a", 5000, jitter: 5000)
    spec.timing.leeway = .duration(.seconds(5000))
    var world = SchedulerWorld(starting: [spec])
    let due = try #require(world.armed("a"))
    #expect(due < 200_000)
    world.pass(.seconds(1000))
    #expect(world.verdicts.first == "a 100000 ran")
    #expect(world.ledger.audit().isEmpty)
  }

  @Test(arguments: [false, true])
  func `a delayed slot is served when a reload or a crash comes first`(
    crashes: Bool
  ) throws {
    let spec = try spread("a", 50)
    var world = SchedulerWorld(starting: [spec])
    let due = try #require(world.armed("a"))
    world.pass(.milliseconds(100_001))
    var changed = spec
    changed.timing.leeway = .duration(.seconds(1))
    changed.missed.choice = .skip
    if crashes {
      world.restart([changed], after: .zero)
    } else {
      world.reload([spec], to: [changed])
    }
    #expect(world.armed("a") == due)
    world.pass(.milliseconds(due - 100_001))
    #expect(world.verdicts == ["a 100000 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a stop leaves a delayed slot to the next daemon`() throws {
    let spec = try spread("a", 50)
    var world = SchedulerWorld(starting: [spec])
    let due = try #require(world.armed("a"))
    world.pass(.milliseconds(100_001))
    world.send(.stop)
    #expect(world.verdicts.isEmpty)
    world.restart([spec], after: .milliseconds(due - 100_001))
    world.pass(.milliseconds(1))
    #expect(world.verdicts == ["a 100000 ran"])
  }
}
