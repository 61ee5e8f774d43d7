@testable import TaktCore
import Testing

/// Slots of a shared job that wait for its run.
struct ClusterQueueTests {
  @Test func `slots that wait in a queue run late, one after the other, and are not missed`() {
    var world = ClusterWorld(jobs: [.shared { $0.overlap = .queue }])
    world.runTime = .seconds(12)
    world.pass(.seconds(66))
    #expect(world.starts == (1...6).map { "job \($0 * 5000) fence \($0)" }, "\(world.verdicts)")
    #expect(world.waiting == 7)
    #expect(world.unsettled == 0)
    #expect(!world.verdicts.contains { $0.contains("missed") || $0.contains("coalesced") })
    // It catches up.
    world.runTime = .milliseconds(10)
    world.pass(.seconds(30))
    #expect(world.waiting == 0)
    #expect(Set(world.verdicts) == Set((1...19).map { "job \($0 * 5000) ran" }))
  }

  @Test func `slots wait for another machine's run, and are started when that has ended`() {
    var world = ClusterWorld(jobs: [.shared { $0.overlap = .queue }])
    let other = world.joinOther()
    world.otherAsks([.claim(world.claim(5000))], as: other, at: 5000)
    world.pass(.seconds(92))
    #expect(world.starts == [])
    #expect(world.verdicts == ["job 5000 skipped(elsewhere)"])
    world.otherAsks([.end(ClaimToken(1), .succeeded, reason: "")], as: other, at: 92_000)
    world.pass(.seconds(2))
    #expect(world.starts == (2...18).map { "job \($0 * 5000) fence \($0)" })
  }

  @Test func `a queue is as long as without a cluster`() {
    var world = ClusterWorld(jobs: [.shared { $0.overlap = .queue }])
    world.runTime = .seconds(3600)
    world.pass(.seconds(5 * 80 + 2))
    #expect(world.waiting == SchedulerCore.waitingRunsPerJobMax)
    #expect(world.verdicts.count { $0.hasSuffix("skipped(queue_full)") } == 15)
    #expect(world.engine.state(of: world.wall(400_000), world.name) == "skipped(queue_full)")
  }
}
