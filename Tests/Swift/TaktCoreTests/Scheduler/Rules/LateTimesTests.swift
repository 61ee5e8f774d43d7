import TaktTime
import Testing

@testable import TaktCore

/// Jobs whose missed slots start late only at some times. The world begins at 14:13:20 UTC.
struct LateTimesTests: MakesJobs {
  private func job(
    _ times: String?, every interval: Int = 3600, within: Int? = nil,
    policy: MissedPolicy.Choice = .last
  ) throws -> JobSpec {
    let times = try times.map { try Self.times($0) }
    return try job("a", every(interval)) { spec in
      spec.missed.choice = policy
      spec.missed.within = within.map { .seconds($0) }
      spec.missed.times = times
    }
  }

  static func times(_ expression: String) throws -> Shared<CalendarRules> {
    var rules = CalendarRules(in: .utc)
    rules.onlyOnTimes = [
      Exclusion(try CalendarExpression(expression), isWholeDays: false, zone: .utc)
    ]
    return Shared(rules)
  }

  /// The slot of 15:13:20 passes while takt is not there, which comes back at 15:15.
  private func restarted(_ spec: JobSpec) -> SchedulerWorld {
    var world = SchedulerWorld(starting: [spec])
    world.restart([spec], after: .seconds(3700))
    world.pass(.milliseconds(100))
    return world
  }

  @Test func `a slot that was missed waits for the times in which it may start late`() throws {
    var world = restarted(try job("*:40..44:*"))
    #expect(world.verdicts.isEmpty && world.starts.isEmpty)
    world.pass(.milliseconds(1_499_800))
    #expect(world.verdicts.isEmpty)
    world.pass(.milliseconds(200))
    #expect(world.verdicts == ["a 3600000 ran"])
    world.endRuns()
    world.pass(.seconds(2000))
    #expect(world.verdicts == ["a 3600000 ran", "a 7200000 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test(
    arguments: [
      // It is one of these times now.
      ("*:15..16:*", nil, ["a 3600000 ran"]),
      // They begin when the next slot is due, or later.
      ("*:14:*", nil, ["a 3600000 missed(only_on)"]),
      ("3..4:*:*", nil, ["a 3600000 missed(only_on)"]),
      ("*-12-24 3:*:*", nil, ["a 3600000 missed(only_on)"]),
      // They begin soon, and the slot is to be young.
      ("*:40..44:*", 1600, ["a 3600000 missed(only_on)"]),
      ("*:40..44:*", 1601, []),
      ("*:40..44:*", 60, ["a 3600000 missed(down)"]),
    ] as [(String, Int?, [String])])
  func `a slot that is too old when the times begin is missed at once`(
    times: String, within: Int?, verdicts: [String]
  ) throws {
    let world = restarted(try job(times, within: within))
    #expect(world.verdicts == verdicts)
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `where the newest slot may not start late, those that it stands for are missed`()
    throws
  {
    let spec = try job("3..4:*:*", within: 4000)
    var world = SchedulerWorld(starting: [spec])
    world.restart([spec], after: .seconds(7500))
    #expect(world.verdicts.sorted() == ["a 3600000 missed(only_on)", "a 7200000 missed(only_on)"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `late slots that have not had their turn when the times end wait for the next`() throws
  {
    let spec = try job("*:15:*", every: 600, within: 86_400, policy: .all)
    var world = restarted(spec)
    #expect(world.verdicts == ["a 600000 ran"])
    world.pass(.seconds(90), ending: .exited(0))
    for _ in 0..<350 { world.pass(.seconds(10), ending: .exited(0)) }
    #expect(!world.verdicts.contains("a 1200000 ran"))
    // Slots that are due meanwhile are in their own time.
    #expect(world.verdicts.contains("a 4200000 ran"))
    for _ in 0..<20 { world.pass(.seconds(1), ending: .exited(0)) }
    let late = [1200, 1800, 2400, 3000, 3600].map { "a \($0)000 ran" }
    #expect(Set(world.verdicts).isSuperset(of: late))
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `a step of the clock into these times lets the slot start`() throws {
    var world = restarted(try job("*:40..44:*"))
    world.now = Now(wall: world.now.wall + .seconds(1560), monotonic: world.now.monotonic)
    world.send(.clockStepped(slept: .zero))
    world.pass(.milliseconds(100))
    #expect(world.verdicts == ["a 3600000 ran"])
  }

  @Test func `a step of the clock back lets the slot wait on`() throws {
    var world = restarted(try job("*:40..44:*", within: 36_000))
    world.pass(.seconds(1000))
    world.now = Now(wall: world.now.wall - .seconds(3600), monotonic: world.now.monotonic)
    world.send(.clockStepped(slept: .zero))
    world.pass(.milliseconds(499_800))
    #expect(world.verdicts.isEmpty)
    world.pass(.milliseconds(200))
    #expect(world.verdicts == ["a 3600000 ran"])
  }

  @Test func `a reload that allows late runs at any time lets the slot start`() throws {
    let (old, new) = (try job("*:40..44:*"), try job(nil))
    var world = restarted(old)
    world.reload([old], to: [new])
    world.pass(.milliseconds(100))
    #expect(world.verdicts == ["a 3600000 ran"])
  }

  @Test func `what waits for its times is decided again by the next daemon`() throws {
    let spec = try job("*:40..44:*")
    var world = restarted(spec)
    world.restart([spec], after: .seconds(100))
    world.pass(.milliseconds(1_399_800))
    #expect(world.verdicts.isEmpty)
    world.pass(.milliseconds(200))
    #expect(world.verdicts == ["a 3600000 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `the next slot stands for one that still waits for its times`() throws {
    var world = restarted(try job("*:40..44:*", every: 1000, within: 36_000))
    // 15:20 comes before 15:40.
    world.pass(.seconds(400))
    #expect(
      world.verdicts.contains("a 3000000 coalesced") && world.verdicts.last == "a 4000000 ran")
  }

  @Test func `the simulator shows the same`() throws {
    let start = SchedulerWorld.wall
    var simulator = Simulator(
      Snapshot(jobs: [try job("*:40..44:*")]), from: start,
      faults: [SimulatedFault(.crash(down: .seconds(700)), at: start + .seconds(3000))])
    var decided: [Int64: Duration] = [:]
    simulator.run(for: .seconds(7000)) { event in
      if case .verdict(let record, _, _) = event, record.verdict == .ran {
        decided[(record.slots.first - start).milliseconds] = record.at - start
      }
      return true
    }
    #expect(decided.keys.sorted() == [3_600_000])
    #expect(decided[3_600_000].map { $0 >= .seconds(5200) && $0 < .seconds(5260) } == true)
  }

  /// The engine cannot be reached while slots pass.
  @Test(arguments: [true, false])
  func `a shared slot keeps to the times on the machine that makes it up`(isOpen: Bool) throws {
    let times = try Self.times(isOpen ? "*:*:*" : "3..4:*:*")
    var world = ClusterWorld(jobs: [.shared { $0.missed.times = times }])
    world.isReachable = false
    world.pass(.seconds(12))
    world.isReachable = true
    world.pass(.seconds(4))
    #expect(world.starts.contains { $0.hasPrefix("job 10000") } == isOpen)
    #expect(world.verdicts.contains("job 10000 missed(only_on)") == !isOpen)
    #expect(world.verdicts.contains("job 15000 ran"))
  }
}
