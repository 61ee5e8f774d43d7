@testable import TaktCore
import TaktTesting
import TaktTime
import Testing

/// The engine fails over to a server that lacks the newest records.
struct ClusterFailoverTests {
  /// The first slot of a job each minute.
  private static let slot = 60_000 - ClusterWorld.start.milliseconds % 60_000

  /// One machine's world with a run that is active, and the engine as it was before its claim.
  private static func worldWithRun(
    _ delivery: Delivery, behind: Duration = .zero
  ) -> (ClusterWorld, MemoryEngine) {
    var world = ClusterWorld(jobs: [
      .shared {
        $0.timing.schedule.every = Every(.seconds(60), from: .epoch)
        $0.delivery = delivery
      }
    ])
    world.runTime = .seconds(40)
    world.pass(.milliseconds(slot - 500) - behind)
    let copy = world.engine
    world.pass(behind + .milliseconds(2500))
    return (world, copy)
  }

  @Test(
    arguments: [Delivery.bestEffort, .atLeastOnce, .atMostOnce],
    [Duration.zero, .seconds(16), .seconds(39)])
  func `an active run goes on, and its slot stays its own`(delivery: Delivery, behind: Duration) {
    var (world, copy) = Self.worldWithRun(delivery, behind: behind)
    let slot = world.wall(Self.slot)
    #expect(world.starts.count == 1)
    world.engine.failOver(to: copy)
    world.pass(.seconds(10))
    #expect(world.signals.isEmpty)
    #expect(world.engine.state(of: slot, world.name) == "claimed")
    world.pass(.seconds(30))
    #expect(world.engine.state(of: slot, world.name) == "ran succeeded")
    #expect(world.starts.count == 1)
    #expect(world.messages.contains { $0.contains("has failed over to another server") })
    #expect(world.messages.contains { $0.contains("has lost the claim of a run") })
  }

  @Test(arguments: [Delivery.bestEffort, .atLeastOnce, .atMostOnce])
  func `what has ended stays ended`(delivery: Delivery) {
    var world = ClusterWorld(jobs: [.shared { $0.delivery = delivery }])
    world.runTime = .seconds(1)
    world.pass(.seconds(14))
    let copy = world.engine
    world.pass(.seconds(10))
    let count = world.starts.count
    let known = world.engine.jobs[world.name]?.slots.keys.sorted() ?? []
    world.engine.failOver(to: copy)
    world.pass(.seconds(40))
    for slot in known { #expect(world.engine.state(of: slot, world.name) == "ran succeeded") }
    #expect(Set(world.starts.map { $0.prefix { $0 != "f" } }).count == world.starts.count)
    #expect(world.starts.count > count)
  }

  @Test func `a slot of a fixed delay has one verdict`() {
    var world = ClusterWorld(jobs: [
      .shared { $0.timing.schedule.every = Every(.seconds(3), from: .end) }
    ])
    world.runTime = .milliseconds(200)
    world.pass(.seconds(20))
    let copy = world.engine
    world.pass(.seconds(5))
    world.engine.failOver(to: copy)
    world.pass(.seconds(60))
    let slots = world.verdicts.map { $0.split(separator: " ")[1] }
    #expect(Set(slots).count == slots.count, "\(world.verdicts)")
    #expect(world.starts.count > 15)
  }

  @Test func `an engine that has forgotten the machine stops nothing`() {
    var (world, _) = Self.worldWithRun(.atMostOnce)
    world.engine = MemoryEngine()
    world.pass(.seconds(90))
    #expect(world.signals.isEmpty)
    #expect(world.starts.count == 2)
    #expect(world.messages.contains { $0.contains("joins again and tells it of its runs") })
    #expect(!world.messages.contains { $0.contains("taken this machine for lost") })
  }

  @Test func `what a killed daemon had is decided as soon as the next one has joined`() {
    var world = ClusterWorld(jobs: [.shared()])
    let former = world.joinOther(named: "one")
    let slot = world.wall(-5000)
    var claim = world.claim(0)
    claim.slot = slot
    claim.isAtLeastOnce = false
    world.otherAsks([.claim(claim)], as: former, at: 0, named: "one")
    #expect(world.engine.state(of: slot, world.name) == "claimed")
    world.restart(jobs: [.shared()], after: [former])
    world.pass(.milliseconds(10))
    #expect(world.engine.state(of: slot, world.name) == "ran interrupted")
    world.pass(.seconds(6))
    #expect(world.starts.count == 1)
  }

  @Test func `a step of the engine's clock stops nothing`() {
    var (world, _) = Self.worldWithRun(.atMostOnce)
    _ = world.joinOther()
    world.engineAhead = .seconds(3600)
    world.pass(.seconds(60))
    #expect(world.signals.isEmpty)
    #expect(world.engine.state(of: world.wall(Self.slot), world.name) == "ran succeeded")
  }

  @Test func `a run whose slot was given to another machine meanwhile is stopped`() {
    var (world, copy) = Self.worldWithRun(.atMostOnce)
    let slot = world.wall(Self.slot)
    var claim = world.claim(0)
    claim.slot = slot
    // By rules that do not know that they may have been set back.
    copy.plant = .setBack
    world.engine.failOver(to: copy)
    let two = world.joinOther()
    world.otherAsks([.claim(claim)], as: two, at: Self.slot + 2000)
    world.pass(.seconds(10))
    #expect(world.signals == ["job TERM"])
    #expect(world.messages.contains { $0.contains("its slot was given to another machine") })
  }
}
