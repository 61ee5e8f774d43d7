@testable import TaktCore
import Testing

/// Runs without a claim, of a daemon that is killed before or after it has reported them.
struct ClusterUnclaimedTests {
  /// A machine that is member 1 and has run the slot at 5 s while it could not reach the engine.
  private func cutOff(_ change: (inout JobSpec) -> Void = { _ in }) -> (ClusterWorld, [JobSpec]) {
    let jobs = [
      JobSpec.shared {
        $0.onPartition = .run
        change(&$0)
      }
    ]
    var world = ClusterWorld(jobs: jobs)
    world.pass(.seconds(1))
    world.isReachable = false
    world.pass(.seconds(6))
    #expect(world.starts == ["job 5000"])
    return (world, jobs)
  }

  /// The engine gets the report of the run at 5 s, and the daemon gets no answer.
  private func report(_ world: inout ClusterWorld) {
    world.isReachable = true
    world.delay = .seconds(1)
    for _ in 0..<600 where world.engine.state(of: world.wall(5000), world.name) != "ran" {
      world.pass(.milliseconds(100))
    }
    #expect(world.engine.state(of: world.wall(5000), world.name) == "ran")
    #expect(!world.unreported.isEmpty)
    world.delay = .zero
  }

  @Test func `the next daemon reports what the killed one could not`() {
    var (world, jobs) = cutOff()
    world.restart(jobs: jobs, after: [MemberID(1)], hasLedger: true)
    world.pass(.seconds(1))
    // It is killed, too.
    world.restart(jobs: jobs, after: [MemberID(1)], hasLedger: true)
    world.isReachable = true
    world.pass(.seconds(2))
    #expect(world.engine.state(of: world.wall(5000), world.name) == "ran")
    #expect(world.engine.doubledCount == 0)
    #expect(world.unreported == [])
  }

  @Test func `a second run is counted once, whenever its daemon was killed`() {
    var (world, jobs) = cutOff()
    let other = world.joinOther()
    world.otherAsks([.claim(world.claim(5000))], as: other, at: 7000)
    world.restart(jobs: jobs, after: [MemberID(1)], hasLedger: true)
    world.isReachable = true
    world.pass(.seconds(2))
    #expect(world.engine.doubledCount == 1)
    #expect(world.messages.contains { $0.hasPrefix("ran twice") })
    world.restart(jobs: jobs, after: [MemberID(3)], hasLedger: true)
    world.pass(.seconds(2))
    #expect(world.engine.doubledCount == 1)
  }

  @Test func `a report whose answer was lost with its daemon is no second run`() {
    var (world, jobs) = cutOff()
    report(&world)
    world.restart(jobs: jobs, after: [MemberID(1)], hasLedger: true)
    world.pass(.seconds(3))
    #expect(world.engine.doubledCount == 0)
    #expect(world.unreported == [])
  }

  @Test func `nor is one of a membership that had taken the place of the first`() {
    var (world, jobs) = cutOff()
    let other = world.joinOther()
    world.pass(.seconds(35))
    // The other machine finds member 1 lost.
    world.otherAsks([], as: other, at: 42_000)
    report(&world)
    #expect(world.unreported.allSatisfy { $0.member == MemberID(3) }, "\(world.unreported)")
    world.restart(jobs: jobs, after: [], hasLedger: true)
    world.pass(.seconds(3))
    #expect(world.engine.doubledCount == 0)
    #expect(world.unreported == [])
  }

  @Test func `a slot that its machine was given without hearing so does not run again`() {
    let jobs = [
      JobSpec.shared {
        $0.onPartition = .run
        $0.delivery = .atLeastOnce
        $0.missed.within = .seconds(600)
      }
    ]
    var world = ClusterWorld(jobs: jobs)
    world.otherAsks(
      [.claim(world.claim(5000))], as: MemberID(1), at: 5000, lease: .seconds(15), named: "one")
    #expect(world.engine.state(of: world.wall(5000), world.name) == "claimed")
    world.isReachable = false
    world.pass(.seconds(7))
    #expect(world.starts == ["job 5000"])
    world.restart(jobs: jobs, after: [MemberID(1)], hasLedger: true)
    world.isReachable = true
    world.pass(.seconds(2))
    #expect(world.engine.state(of: world.wall(5000), world.name) == "ran")
    #expect(world.engine.doubledCount == 0)
    #expect(world.starts == ["job 5000"])
  }

  @Test func `a run that still waited when its daemon was killed is not reported`() {
    var (world, jobs) = cutOff {
      $0.overlap = .queue
      $0.missed.within = .seconds(600)
    }
    world.runTime = .seconds(60)
    world.pass(.seconds(9))
    // The one of 10 s is active, and the one of 15 s waits for it.
    #expect(world.starts == ["job 5000", "job 10000"])
    #expect(world.unreported.map(\.slot) == [5000, 10_000, 15_000].map(world.wall))
    world.restart(jobs: jobs, after: [MemberID(1)], hasLedger: true)
    #expect(world.unreported.map(\.slot) == [5000, 10_000].map(world.wall))
    world.isReachable = true
    world.pass(.seconds(2))
    #expect(world.unreported == [])
    #expect(world.engine.doubledCount == 0)
    #expect(world.starts.contains { $0.hasPrefix("job 15000 fence") }, "\(world.starts)")
  }

  @Test func `a stop keeps the reports that it could not make`() {
    var (world, jobs) = cutOff { $0.overlap = .queue }
    world.runTime = .seconds(60)
    world.pass(.seconds(9))
    world.send(.stop)
    // Longer than the grace of a stop.
    world.pass(.seconds(35))
    #expect(world.isFinished)
    // The one of 15 s has not begun.
    #expect(world.unreported.map(\.slot) == [5000, 10_000].map(world.wall))
    world.restart(jobs: jobs, after: [], hasLedger: true)
    world.isReachable = true
    world.pass(.seconds(2))
    #expect(world.unreported == [])
    #expect(world.engine.doubledCount == 0)
  }
}
