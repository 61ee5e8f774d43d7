@testable import TaktCore
import TaktTime
import Testing

/// Runs, and their slots, when a lease is lost.
struct ClusterLeaseTests {
  /// A job each five minutes, whose slots may be late for ten.
  private static func seldom(_ change: (inout JobSpec) -> Void = { _ in }) -> JobSpec {
    .shared {
      $0.timing.schedule.every = Every(.seconds(300), from: .epoch)
      $0.missed.within = .seconds(600)
      change(&$0)
    }
  }

  /// The first slot of that.
  private static let firstSeldom = 300_000 - ClusterWorld.start.milliseconds % 300_000

  /// One that has started, and whose run is stopped with the lease: the engine is away for so long
  /// that the lease is lost, but nobody has decided for the machine yet.
  private static func worldWithStoppedRun(_ delivery: Delivery) -> ClusterWorld {
    var world = ClusterWorld(jobs: [
      seldom {
        $0.delivery = delivery
        $0.hooks = [.onSuccess: [Step(.shell("hook"))]]
      }
    ])
    world.runTime = .seconds(60)
    world.pass(.milliseconds(firstSeldom))
    world.isReachable = false
    world.pass(.seconds(16))
    world.isReachable = true
    world.runTime = .seconds(1)
    world.pass(.seconds(10))
    return world
  }

  @Test
  func `a run that was stopped with the lease is made up for where it is to run at least once`() {
    let world = Self.worldWithStoppedRun(.atLeastOnce)
    let slot = world.wall(Self.firstSeldom)
    #expect(world.signals == ["job TERM"])
    #expect(
      world.starts == [
        "job \(Self.firstSeldom) fence 1", "job \(Self.firstSeldom) fence 2", "hook",
      ])
    #expect(world.engine.state(of: slot, world.name) == "ran succeeded")
    #expect(world.messages.count { $0.contains("its slot runs again") } == 1)
  }

  @Test func `a run that was stopped with the lease is the last where it is to run at most once`() {
    let world = Self.worldWithStoppedRun(.atMostOnce)
    #expect(world.starts == ["job \(Self.firstSeldom) fence 1"])
    #expect(world.engine.state(of: world.wall(Self.firstSeldom), world.name) == "ran cancelled")
  }

  @Test(arguments: Delivery.allCases)
  func `a command that ended while takt was stopped has its own outcome`(delivery: Delivery) {
    var next = JobSpec.shared("next")
    next.timing.schedule = Schedule()
    next.timing.schedule.after = [Following(ClusterWorld.name("job"), on: .success)]
    var world = ClusterWorld(jobs: [Self.seldom { $0.delivery = delivery }, next])
    world.runTime = .seconds(8)
    world.pass(.milliseconds(Self.firstSeldom))
    world.freeze(for: .seconds(16))
    world.pass(.seconds(10))
    #expect(world.engine.state(of: world.wall(Self.firstSeldom), world.name) == "ran succeeded")
    #expect(world.starts.count { $0.hasPrefix("job ") } == 1)
    #expect(world.starts.count { $0.hasPrefix("next ") } == 1)
  }

  @Test(arguments: [AttemptResult.signalled(9), .exited(1)])
  func `what the guard has ended while takt was stopped is made up for`(result: AttemptResult) {
    var world = ClusterWorld(jobs: [
      Self.seldom {
        $0.delivery = .atLeastOnce
        $0.execution.stop.grace = .seconds(1)
        $0.execution.retry.attempts = 3
      }
    ])
    world.runTime = .milliseconds(17_600)
    world.result = result
    world.pass(.milliseconds(Self.firstSeldom))
    world.freeze(for: .milliseconds(17_800))
    (world.runTime, world.result) = (.seconds(1), .exited(0))
    world.pass(.seconds(10))
    #expect(world.engine.state(of: world.wall(Self.firstSeldom), world.name) == "ran succeeded")
    #expect(world.starts.count == 2, "\(world.starts)")
  }

  @Test func `a run that may finish keeps its slot over an outage of the engine`() {
    var world = ClusterWorld(jobs: [Self.seldom { $0.onLeaseLost = .finish }])
    let other = world.joinOther(lease: .seconds(15))
    world.runTime = .seconds(120)
    world.pass(.milliseconds(Self.firstSeldom))
    world.isReachable = false
    world.otherAsks([], as: other, at: Self.firstSeldom, lease: .seconds(15))
    world.pass(.seconds(60))
    // The other one is back first.
    world.otherAsks([], as: other, at: Self.firstSeldom + 60_000, lease: .seconds(15))
    world.isReachable = true
    world.pass(.seconds(100))
    #expect(world.engine.state(of: world.wall(Self.firstSeldom), world.name) == "ran succeeded")
    #expect(
      !world.messages.contains { $0.contains("another machine") || $0.contains("joins again") })
  }

  @Test func `an engine that has lost what it knew is named as the cause`() {
    var world = ClusterWorld(jobs: [.shared()])
    world.pass(.seconds(4))
    world.engine = MemoryEngine()
    world.pass(.seconds(10))
    #expect(
      world.messages.count { $0.contains("its lease holds: what it knew was lost or set back") }
        == 1, "\(world.messages)")
    #expect(!world.messages.contains { $0.contains("renewed in time") || $0.contains("for lost") })
  }

  @Test func `a claimed slot that the ledger does not keep in time runs later, with one verdict`() {
    var world = ClusterWorld(jobs: [Self.seldom { $0.delivery = .atMostOnce }])
    world.keeps = false
    world.pass(.milliseconds(Self.firstSeldom + 1500))
    world.keeps = true
    world.pass(.seconds(20))
    let verdicts = world.verdicts.filter { $0.hasPrefix("job \(Self.firstSeldom) ") }
    #expect(verdicts == ["job \(Self.firstSeldom) skipped(elsewhere)"], "\(world.verdicts)")
    #expect(world.starts.count == 1, "\(world.starts)")
    #expect(world.engine.state(of: world.wall(Self.firstSeldom), world.name) == "ran succeeded")
  }

  /// It is notified by its ledger before its timer fires.
  @Test func `a machine that stood still past its lease starts nothing that it had claimed`() {
    var world = ClusterWorld(jobs: [Self.seldom { $0.delivery = .atMostOnce }])
    world.keeps = false
    world.pass(.milliseconds(Self.firstSeldom))
    world.freeze(for: .seconds(40))
    world.send(.kept(RunID(1)))
    #expect(world.starts.isEmpty, "\(world.starts)")
  }

  @Test func `a machine without a lease does not say that no machine may run a job`() {
    var world = ClusterWorld(jobs: [.shared { $0.machines = .labelled(["disk": "fast"]) }])
    world.pass(.seconds(30))
    #expect(world.verdicts.last?.hasSuffix("skipped(unplaced)") == true, "\(world.verdicts)")
    world.isReachable = false
    world.pass(.seconds(30))
    #expect(world.verdicts.last?.hasSuffix("skipped(elsewhere)") == true, "\(world.verdicts)")
    world.isReachable = true
    world.pass(.seconds(30))
    #expect(world.verdicts.last?.hasSuffix("skipped(unplaced)") == true, "\(world.verdicts)")
  }
}
