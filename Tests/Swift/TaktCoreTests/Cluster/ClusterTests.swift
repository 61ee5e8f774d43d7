@testable import TaktCore
import TaktTime
import Testing

/// One machine's reactions to the engine's answers, step by step.
struct ClusterTests {
  @Test func `a slot runs when the engine has given it, with its token`() throws {
    var world = ClusterWorld(jobs: [.shared()])
    world.pass(.seconds(5))
    #expect(world.starts == ["job 5000 fence 1"])
    #expect(world.verdicts == ["job 5000 ran"])
  }

  @Test func `a slot that another machine has is skipped, and is no warning`() throws {
    var world = ClusterWorld(jobs: [.shared()])
    let other = world.joinOther()
    world.otherAsks([.claim(world.claim(5000))], as: other, at: 5000)
    world.pass(.seconds(6))
    #expect(world.starts == [])
    #expect(world.verdicts == ["job 5000 skipped(elsewhere)"])
  }

  @Test func `a slot that another machine runs keeps the job fresh here`() throws {
    let job = JobSpec.shared { $0.policies.freshFor = .seconds(7) }
    var world = ClusterWorld(jobs: [job])
    let other = world.joinOther()
    world.otherAsks([.claim(world.claim(5000))], as: other, at: 5000)
    world.pass(.seconds(9))
    #expect(world.verdicts == ["job 5000 skipped(elsewhere)"])
    #expect(!world.messages.contains { $0.hasPrefix("stale") })
    // Without a run on any machine it is stale.
    var alone = ClusterWorld(jobs: [job])
    alone.isReachable = false
    alone.pass(.seconds(9))
    #expect(alone.messages.contains { $0.hasPrefix("stale") })
  }

  @Test func `without an engine a slot waits, and runs once when it is back`() throws {
    var world = ClusterWorld(jobs: [.shared()])
    world.isReachable = false
    world.pass(.seconds(12))
    #expect(world.starts == [])
    #expect(world.verdicts == [])
    world.isReachable = true
    world.pass(.seconds(3))
    #expect(world.starts == ["job 10000 fence 2", "job 15000 fence 3"])
    #expect(world.verdicts == ["job 5000 missed(engine)", "job 10000 ran", "job 15000 ran"])
  }

  @Test func `a slot that has passed is not displaced by a new schedule that names it too`() throws
  {
    let new = JobSpec.shared {
      $0.timing.schedule.every = Every(.milliseconds(2500), from: .epoch)
    }
    var world = ClusterWorld(jobs: [.shared()])
    world.pass(.seconds(1))
    let other = world.joinOther()
    world.otherAsks(
      [.declare(world.name, schedule: new.sharedHash, isChanged: true)], as: other, at: 2000)
    world.freeze(for: .milliseconds(4010))
    world.restart(jobs: [new], after: [], hasLedger: true)
    world.pass(.seconds(3))
    let verdicts = world.verdicts.filter { $0.hasPrefix("job 5000 ") }
    #expect(verdicts == ["job 5000 ran"], "\(world.verdicts)")
  }

  @Test func `a slot that a short failure has held up runs as soon as the engine answers`() throws {
    var world = ClusterWorld(jobs: [
      .shared { $0.timing.schedule.every = Every(.seconds(3600), from: .epoch) }
    ])
    world.pass(.milliseconds(3_599_000 - Self.sinceHour))
    world.isReachable = false
    world.pass(.seconds(3))
    #expect(world.starts == [])
    world.isReachable = true
    world.pass(.seconds(3))
    #expect(world.starts.count == 1)
  }

  /// The start of the tests after the full hour.
  private static let sinceHour = ClusterWorld.start.milliseconds % 3_600_000

  @Test func `a job that runs anyway waits for its window alone`() throws {
    var world = ClusterWorld(jobs: [.shared { $0.onPartition = .run }])
    world.pass(.seconds(1))
    world.isReachable = false
    world.pass(.seconds(10))
    #expect(world.starts == ["job 5000", "job 10000"])
    world.isReachable = true
    world.pass(.seconds(3))
    #expect(world.engine.state(of: world.wall(5000), world.name) == "ran")
    #expect(world.messages.contains { $0.contains("without a claim") })
  }

  @Test func `a run is stopped when the lease cannot be renewed, unless it may finish`() throws {
    var world = ClusterWorld(jobs: [
      .shared(), .shared("finisher") { $0.onLeaseLost = .finish },
    ])
    world.runTime = .seconds(60)
    world.pass(.seconds(5))
    #expect(world.starts.count == 2)
    world.isReachable = false
    world.pass(.seconds(20))
    #expect(world.signals == ["job TERM"])
  }

  @Test func `who comes back to a slot that was taken over runs no hooks`() throws {
    var world = ClusterWorld(jobs: [
      .shared {
        $0.onLeaseLost = .finish
        $0.delivery = .atLeastOnce
        $0.missed.within = .seconds(600)
        $0.hooks = [.onSuccess: [Step(.shell("hook"))]]
      }
    ])
    world.runTime = .seconds(45)
    let other = world.joinOther()
    world.pass(.seconds(5))
    world.isReachable = false
    world.pass(.seconds(30))
    // Others find the machine lost and take its slot over.
    world.otherAsks([.claim(world.claim(5000))], as: other, at: 35_000)
    world.isReachable = true
    world.pass(.seconds(30))
    #expect(!world.starts.contains("hook"))
    #expect(world.messages.contains { $0.contains("after another machine had taken") })
  }

  @Test func `a suspension holds on all machines, and so does its end`() throws {
    var world = ClusterWorld(jobs: [.shared()])
    let other = world.joinOther()
    world.otherAsks(
      [.suspend(world.name, Suspension(since: world.wall(0), reason: "deploy"))], as: other, at: 0)
    world.pass(.seconds(12))
    #expect(world.starts == [])
    #expect(world.suspension == "deploy")
    world.otherAsks([.suspend(world.name, nil)], as: other, at: 12_000)
    world.pass(.seconds(10))
    #expect(world.suspension == nil)
    #expect(world.starts.count == 1, "\(world.messages) \(world.verdicts)")
  }

  @Test func `an older schedule claims nothing, and says so once`() throws {
    var world = ClusterWorld(jobs: [.shared()])
    let other = world.joinOther()
    world.pass(.seconds(1))
    world.otherAsks([.declare(world.name, schedule: 99, isChanged: true)], as: other, at: 1000)
    world.pass(.seconds(30))
    #expect(world.starts == [])
    #expect(world.messages.count { $0.contains("newer schedule") } == 1, "\(world.messages)")
  }

  @Test func `a job with labels that no machine has is a problem until one has them`() throws {
    let labelled = JobSpec.shared { $0.machines = .labelled(["disk": "fast", "site": "east"]) }
    let off = JobSpec.shared("off") {
      $0.machines = .labelled(["disk": "slow"])
      $0.timing.isEnabled = false
    }
    var world = ClusterWorld(jobs: [labelled, off])
    let problem =
      "no machine of the cluster has the labels disk=fast, site=east, so 1 job does not run: job; "
      + "machines: 'one' (no labels)"
    #expect(world.problems == [problem])
    world.pass(.seconds(4))
    #expect(!world.messages.contains(problem), "a machine that restarts is away for a moment")
    world.pass(.seconds(30))
    #expect(world.messages.count { $0 == problem } == 1, "\(world.messages)")
    #expect(world.starts == [])
    #expect(world.verdicts.first?.hasSuffix("skipped(elsewhere)") == true, "not known yet")
    #expect(world.verdicts.last?.hasSuffix("skipped(unplaced)") == true, "\(world.verdicts)")
    #expect(world.missingLabels(of: "job") == ["disk": "fast", "site": "east"])
    #expect(world.missingLabels(of: "off") == nil)
    // Changes are reported again.
    let moved = JobSpec.shared { $0.machines = .labelled(["disk": "fast"]) }
    world.reload(from: [labelled, off], to: [moved, off])
    world.pass(.seconds(30))
    let now = problem.replacing(", site=east", with: "")
    #expect(world.problems == [now])
    #expect(world.messages.count { $0 == now } == 1, "\(world.messages)")
    let other = world.joinOther(labels: ["disk": "fast"])
    world.pass(.seconds(6))
    let resolved = "resolved: a machine of the cluster has the labels disk=fast; job runs again"
    #expect(world.problems == [])
    #expect(world.messages.last == resolved, "\(world.messages)")
    #expect(world.missingLabels(of: "job") == nil)
    world.pass(.seconds(10))
    #expect(world.verdicts.last?.hasSuffix("skipped(elsewhere)") == true, "\(world.verdicts)")
    world.leave(other)
    world.pass(.seconds(30))
    #expect(world.messages.count { $0 == now } == 2, "\(world.messages)")
    // Of a job that is gone there is nothing to say.
    world.reload(from: [moved, off], to: [off])
    world.pass(.seconds(30))
    #expect(world.problems == [])
    #expect(world.messages.count { $0 == resolved } == 1)
  }

  @Test func `while the engine does not answer nothing is said of labels`() throws {
    var world = ClusterWorld(jobs: [.shared { $0.machines = .labelled(["disk": "fast"]) }])
    world.pass(.seconds(1))
    world.isReachable = false
    world.pass(.seconds(30))
    #expect(world.problems == ["the engine does not answer: unreachable"])
    #expect(!world.messages.contains { $0.contains("disk=fast") }, "\(world.messages)")
  }

  @Test func `a machine that was away while the schedule changed runs nothing of the old one`()
    throws
  {
    let old = JobSpec.shared()
    let new = JobSpec.shared { $0.timing.schedule.every = Every(.seconds(7), from: .epoch) }
    var world = ClusterWorld(jobs: [old])
    let other = world.joinOther()
    world.pass(.seconds(6))
    world.isReachable = false
    world.otherAsks(
      [.declare(world.name, schedule: new.sharedHash, isChanged: true)], as: other, at: 7000)
    world.pass(.seconds(11))
    world.reload(from: [old], to: [new])
    world.isReachable = true
    world.pass(.seconds(2))
    #expect(world.verdicts.contains("job 10000 cancelled"))
    #expect(world.verdicts.contains("job 15000 cancelled"))
    #expect(!world.starts.contains { $0.hasPrefix("job 15000") })
  }

  @Test func `the log says when a machine is lost, and that its slot runs here`() {
    var world = ClusterWorld(jobs: [
      .shared {
        $0.delivery = .atLeastOnce
        $0.missed.within = .seconds(600)
      }
    ])
    let other = world.joinOther(lease: .seconds(5))
    world.otherAsks([.claim(world.claim(5000))], as: other, at: 5000, lease: .seconds(5))
    world.pass(.seconds(30))
    #expect(world.messages.contains { $0.contains("'two' (member 2) has joined") })
    #expect(world.messages.contains { $0.contains("'two' (member 2) has not renewed its lease") })
    #expect(world.messages.contains { $0.contains("'two' (member 2) is lost") })
    #expect(world.messages.contains { $0.contains("runs the slot again, attempt 2") })
    #expect(
      world.messages.contains {
        $0.contains("perhaps on 'two' (member 2), which has not renewed its lease")
      })
  }

  @Test func `an outage of the engine is the reason for slots that were too late`() {
    var world = ClusterWorld(jobs: [.shared { $0.missed.within = .seconds(1) }])
    world.pass(.milliseconds(4000))
    world.delay = .seconds(2)
    world.pass(.seconds(5))
    world.delay = .zero
    world.pass(.seconds(6))
    #expect(world.verdicts.contains("job 5000 missed(engine)"))
  }

  @Test(arguments: [true, false])
  func `the clock that is wrong is named`(isEngine: Bool) {
    var world = ClusterWorld(jobs: [.shared()])
    world.engineAhead = .seconds(5)
    _ = world.joinOther(clockOffset: isEngine ? .seconds(-5) : .zero)
    world.pass(.seconds(20))
    let words = world.messages.filter { $0.contains("clock") }
    #expect(
      words == [
        isEngine
          ? "the engine's clock is 5s ahead of the clocks of 2 machines; set the engine's by NTP"
          : "this machine's clock is 5s behind the engine's; set it by NTP"
      ])
  }

  @Test func `an engine that has forgotten a claim hears of the run`() throws {
    var world = ClusterWorld(jobs: [.shared { $0.overlap = .allow }])
    world.runTime = .seconds(20)
    world.pass(.seconds(1))
    let joined = world.engine
    world.pass(.milliseconds(4500))
    #expect(world.starts == ["job 5000 fence 1"])
    // It has failed over to a server that was behind.
    #expect(joined.state(of: world.wall(5000), world.name) == nil)
    world.engine = joined
    world.pass(.seconds(6))
    #expect(world.engine.state(of: world.wall(5000), world.name) == "claimed")
    #expect(world.messages.count { $0.contains("lost the claim") } == 1, "\(world.messages)")
    #expect(world.signals == [])
  }

  @Test(arguments: [Delivery.atMostOnce, .atLeastOnce])
  func `an engine that has forgotten an end hears of it again`(delivery: Delivery) throws {
    var world = ClusterWorld(jobs: [.shared { $0.delivery = delivery }])
    world.runTime = .seconds(1)
    world.pass(.milliseconds(5500))
    let claimed = world.engine
    #expect(claimed.state(of: world.wall(5000), world.name) == "claimed")
    world.pass(.seconds(1))
    #expect(world.engine.state(of: world.wall(5000), world.name) == "ran succeeded")
    // It fails over to a server that was behind.
    world.engine = claimed
    world.pass(.seconds(20))
    #expect(world.engine.state(of: world.wall(5000), world.name) == "ran succeeded")
    #expect(world.starts.count { $0.hasPrefix("job 5000 ") } == 1, "\(world.starts)")
  }

  @Test func `a stop gives back what has not started, and leaves`() throws {
    var world = ClusterWorld(jobs: [.shared()])
    world.pass(.milliseconds(4999))
    world.delay = .milliseconds(100)
    world.pass(.milliseconds(50))
    world.send(.stop)
    world.pass(.seconds(2))
    #expect(world.isFinished)
    #expect(world.starts == [])
    #expect(world.engine.state(of: world.wall(5000), world.name) == "open")
  }

  private static func resting(_ change: (inout JobSpec) -> Void = { _ in }) -> JobSpec {
    .shared {
      $0.timing.schedule.every = Every(.seconds(10), from: .end)
      change(&$0)
    }
  }

  @Test func `a fixed delay counts from the end of a run on any machine`() throws {
    var world = ClusterWorld(jobs: [Self.resting()])
    world.runTime = .seconds(3)
    world.pass(.seconds(24))
    #expect(world.starts == ["job 10000 fence 1", "job 23000 fence 2"])
    let other = world.joinOther()
    // It ends at 26,000; the next slot is another machine's.
    world.pass(.seconds(11))
    world.otherAsks([.claim(world.claim(36_000))], as: other, at: 36_000)
    world.pass(.seconds(5))
    #expect(world.starts.count == 2)
    #expect(world.verdicts.last == "job 36000 skipped(elsewhere)")
    world.otherAsks([.end(ClaimToken(3), .succeeded, reason: "")], as: other, at: 41_000)
    world.pass(.seconds(20))
    #expect(world.starts.dropFirst(2) == ["job 51000 fence 4"])
    #expect(Set(world.verdicts).count == world.verdicts.count)
  }

  @Test func `a machine that starts takes a fixed delay up where the others are`() throws {
    var world = ClusterWorld(jobs: [])
    let other = world.joinOther()
    let schedule = Self.resting().sharedHash
    world.otherAsks(
      [
        .declare(world.name, schedule: schedule, isChanged: true, rest: .seconds(10)),
        .decide(world.name, SlotSeries(world.wall(0)), .missed(.down)),
      ], as: other, at: 3000)
    world.pass(.seconds(5))
    world.reload(to: [Self.resting()])
    world.pass(.seconds(20))
    #expect(world.starts == ["job 13000 fence 1", "job 23000 fence 2"])
  }

  @Test func `a fixed delay goes on without an engine where the job runs anyway`() throws {
    var world = ClusterWorld(jobs: [
      Self.resting { $0.onPartition = .run },
      .shared("waits") { $0.timing.schedule.every = Every(.seconds(10), from: .end) },
    ])
    world.pass(.seconds(11))
    #expect(world.starts.count == 2)
    world.isReachable = false
    world.pass(.seconds(30))
    #expect(world.starts.dropFirst(2).allSatisfy { $0.hasPrefix("job ") && !$0.contains("fence") })
    #expect(world.starts.count >= 4)
    world.isReachable = true
    world.pass(.seconds(20))
    #expect(world.starts.contains { $0.hasPrefix("waits") && $0.hasSuffix("fence 4") })
    #expect(Set(world.verdicts).count == world.verdicts.count)
  }

  @Test func `a fixed delay passes over what is suspended`() throws {
    var world = ClusterWorld(jobs: [Self.resting()])
    let other = world.joinOther()
    world.pass(.seconds(11))
    world.otherAsks(
      [.suspend(world.name, Suspension(since: world.wall(0), reason: "deploy"))], as: other,
      at: 11_000)
    world.pass(.seconds(34))
    #expect(world.starts.count == 1)
    world.otherAsks([.suspend(world.name, nil)], as: other, at: 45_000)
    world.pass(.seconds(16))
    #expect(world.starts.count == 2)
    #expect(Set(world.verdicts).count == world.verdicts.count, "\(world.verdicts)")
  }

  @Test func `what happens on a machine needs no claim`() throws {
    let world = ClusterWorld(jobs: [.shared { $0.timing.schedule.on = [.start] }])
    #expect(world.starts.first?.hasSuffix("fence") == false)
    #expect(world.starts.count == 1)
  }
}
