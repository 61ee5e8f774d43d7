import Testing

@testable import TaktCore

/// Events that make a job due some time later: each slot has one verdict, whatever happens meanwhile.
@Suite struct SchedulerDelayTests: MakesJobs {
  private func delayed(
    _ delays: [LifecycleEvent: Duration], on events: Set<LifecycleEvent>? = nil
  ) throws -> JobSpec {
    var schedule = Schedule(on: events ?? Set(delays.keys))
    schedule.delays = delays
    return try job("a", schedule)
  }

  @Test func `a start makes a job due after its delay, under the name of that instant`() throws {
    var world = SchedulerWorld(starting: [try delayed([.start: .seconds(300)])])
    #expect(world.starts == [] && world.armed("a") == 300_000)
    world.pass(.seconds(299))
    #expect(world.starts == [])
    world.pass(.seconds(2))
    #expect(world.starts == ["a 300000 #1"] && world.verdicts == ["a 300000 ran"])
  }

  @Test func `events with one delay make one slot, with two delays two`() throws {
    var world = SchedulerWorld(starting: [try delayed([.start: .seconds(60), .boot: .seconds(60)])])
    world.pass(.seconds(100))
    #expect(world.starts == ["a 60000 #1"])
    world = SchedulerWorld()
    world.start([try delayed([.start: .seconds(10), .boot: .seconds(60)])])
    world.pass(.seconds(20), ending: .exited(0))
    world.pass(.seconds(60))
    #expect(world.starts == ["a 10000 #1", "a 60000 #1"])
    world = SchedulerWorld()
    world.start([try delayed([.boot: .seconds(60)], on: [.start, .boot])])
    #expect(world.starts == ["a 0 #1"])
    world.endRuns()
    world.pass(.seconds(61))
    #expect(world.starts == ["a 0 #1", "a 60000 #1"])
  }

  @Test func `a restart within the delay keeps the slot at its time`() throws {
    let spec = try delayed([.boot: .seconds(300)])
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(100))
    world.restart([spec], after: .seconds(50))
    #expect(world.starts == [])
    world.pass(.seconds(149))
    #expect(world.starts == [])
    world.pass(.seconds(2))
    #expect(world.starts == ["a 300000 #1"] && world.verdicts == ["a 300000 ran"])
    #expect(world.ledger.audit() == [])
  }

  @Test func `a slot whose time passes while takt is down follows 'missed'`() throws {
    var spec = try delayed([.boot: .seconds(300)])
    spec.missed.choice = .skip
    var world = SchedulerWorld(starting: [spec])
    world.restart([spec], after: .seconds(400))
    world.pass(.seconds(100))
    #expect(world.verdicts == ["a 300000 missed(down)"])
  }

  @Test func `suspending, disabling and removing decide a slot that waits`() throws {
    let spec = try delayed([.start: .seconds(300)])
    var world = SchedulerWorld(starting: [spec])
    _ = world.perform(.suspend(spec.name, until: nil, reason: ""))
    #expect(world.verdicts == ["a 300000 skipped(suspended)"])
    world = SchedulerWorld()
    world.start([spec])
    var disabled = spec
    disabled.timing.isEnabled = false
    world.reload([spec], to: [disabled])
    #expect(world.verdicts == ["a 300000 skipped(suspended)"])
    world = SchedulerWorld()
    world.start([spec])
    world.reload([spec], to: [])
    world.pass(.seconds(400))
    #expect(world.verdicts == ["a 300000 cancelled(removed)"] && world.starts == [])
  }

  @Test func `a reload that changes the delay leaves a slot that waits at its time`() throws {
    let spec = try delayed([.start: .seconds(300)])
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(10))
    world.reload([spec], to: [try delayed([.start: .seconds(20), .reload: .seconds(30)])])
    world.pass(.seconds(31))
    #expect(world.starts == ["a 40000 #1"])
    world.endRuns()
    world.pass(.seconds(300))
    #expect(world.starts == ["a 40000 #1", "a 300000 #1"])
    #expect(world.ledger.audit() == [])
  }

  @Test func `a grid that names the same instant has one slot with it`() throws {
    var spec = try delayed([.start: .seconds(30)])
    spec.timing.schedule.every = Every(.seconds(10))
    var world = SchedulerWorld(starting: [spec])
    for _ in 0..<5 {
      world.pass(.seconds(10), ending: .exited(0))
    }
    #expect(world.starts == ["a 10000 #1", "a 20000 #1", "a 30000 #1", "a 40000 #1", "a 50000 #1"])
    #expect(world.ledger.audit() == [])
  }

  @Test func `a long delay keeps no slot of a clock waiting`() throws {
    var spec = try delayed([.start: .seconds(3600)])
    spec.timing.schedule.every = Every(.seconds(100))
    spec.timing.spread = Spread(over: .seconds(50), seed: "a")
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(160))
    #expect(world.starts == ["a 100000 #1"])
  }

  @Test func `an event gets no name that a waiting slot has`() throws {
    var spec = try delayed([.start: .seconds(5)])
    spec.timing.schedule.watch = [PathWatch(path: "/in")]
    var world = SchedulerWorld(starting: [spec])
    _ = world.perform(.suspend(spec.name, until: nil, reason: ""))
    world.pass(.seconds(5))
    _ = world.perform(.resume(spec.name))
    world.send(.changed(spec.name, PathWatch(path: "/in")))
    #expect(world.verdicts == ["a 5000 skipped(suspended)", "a 5001 ran"])
    #expect(world.ledger.audit() == [])
  }

  @Test func `a run gets the changes since the one before`() throws {
    var schedule = Schedule()
    schedule.watch = [PathWatch(path: "/in")]
    let spec = try job("a", schedule)
    var world = SchedulerWorld(starting: [spec])
    func change(_ paths: String...) {
      var changed = ChangedPaths()
      for path in paths { changed.add(path.utf8) }
      world.send(.changed(spec.name, PathWatch(path: "/in"), paths: changed))
    }
    change("/in/a")
    // Skipped, because the first one runs; the next gets the change.
    change("/in/b", "/in/a")
    world.endRuns()
    change("/in/c")
    #expect(world.requests.map { $0.changes?.lines } == [["/in/a"], ["/in/b", "/in/a", "/in/c"]])
    world.endRuns()
    _ = world.perform(.trigger(spec.name, isForced: false))
    #expect(world.requests.last?.changes == nil)
  }

  @Test func `changed paths are bounded, and a line is never half a path`() {
    var paths = ChangedPaths()
    paths.add("/in/a b\\c".utf8)
    paths.add("/in/x\ny'z".utf8)
    paths.add([0x2f, 0xff, 0x09])
    paths.add("/in/é→".utf8)
    #expect(paths.lines == ["/in/a b\\c", "$'/in/x\\ny\\'z'", "$'/\\377\\t'", "/in/é→"])
    #expect(!paths.isCut)
    for number in 0..<200 { paths.add("/in/\(number)".utf8) }
    #expect(paths.lines.count == 100 && paths.isCut)
    var long = ChangedPaths()
    for number in 0..<20 { long.add(("/" + String(repeating: "\(number % 10)", count: 4000)).utf8) }
    #expect(long.lines.count == 4 && long.isCut)
  }
}
