import TaktTime
import Testing

@testable import TaktCore

/// A job that waits for the ends of several others.
@Suite struct AfterAllTests: MakesJobs {
  private func gatherer(
    _ name: String, of parents: [(String, Following.Condition)], within: Duration? = nil
  ) throws -> JobSpec {
    var schedule = Schedule()
    schedule.afterAll = AfterAll(
      try parents.map { Following(try #require(JobName($0.0)), on: $0.1) }, within: within)
    return try job(name, schedule)
  }

  /// Parents that run by hand alone.
  private func parents(_ names: String...) throws -> [JobSpec] {
    try names.map { try job($0, Schedule(on: [.reload])) }
  }

  private func run(
    _ name: String, _ result: AttemptResult = .exited(0), in world: inout SchedulerWorld
  ) throws {
    world.send(.commanded(.trigger(try #require(JobName(name)))))
    world.endRuns(result)
  }

  @Test func `a job is due when each has ended as asked, and then again`() throws {
    var world = SchedulerWorld(
      starting: try parents("a", "b", "c")
        + [try gatherer("all", of: [("a", .success), ("b", .failure), ("c", .any)])])
    for step in [("a", 0), ("a", 0), ("b", 0), ("c", 1), ("b", 1)] as [(String, Int32)] {
      #expect(world.verdicts == [])
      try run(step.0, .exited(step.1), in: &world)
    }
    #expect(world.verdicts == ["all 0 ran"])
    world.endRuns()
    world.pass(.seconds(1))
    for name in ["c", "a"] { try run(name, in: &world) }
    #expect(world.verdicts == ["all 0 ran"])
    try run("b", .exited(1), in: &world)
    #expect(world.verdicts == ["all 0 ran", "all 1000 ran"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `an end that is older than the job allows does not count`() throws {
    var world = SchedulerWorld(
      starting: try parents("a", "b")
        + [try gatherer("all", of: [("a", .success), ("b", .success)], within: .seconds(60))])
    try run("a", in: &world)
    world.pass(.seconds(61))
    try run("b", in: &world)
    #expect(world.verdicts == [])
    try run("a", in: &world)
    #expect(world.verdicts == ["all 61000 ran"])
  }

  @Test func `the ends survive a restart, and what is missing is said`() throws {
    let jobs =
      try parents("a", "b") + [try gatherer("all", of: [("a", .success), ("b", .success)])]
    var world = SchedulerWorld(starting: jobs)
    try run("a", in: &world)
    world.restart(jobs, after: .seconds(9))
    let ends = try #require(world.core.view(of: jobs[2].name, at: world.now)?.gatheredEnds)
    #expect(ends.missing.map(\.job.text) == ["b"])
    #expect(ends.ended.map(\.job.text) == ["a"])
    #expect(ends.ended.map(\.at) == [SchedulerWorld.wall])
    try run("b", in: &world)
    #expect(world.verdicts == ["all 9000 ran"])
  }

  @Test func `a run that a previous daemon did not end counts as any end`() throws {
    let jobs = try parents("a") + [try gatherer("all", of: [("a", .any)])]
    var world = SchedulerWorld(starting: jobs)
    world.send(.commanded(.trigger(jobs[0].name)))
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts == ["all 1000 #1"])
  }

  @Test func `an end that was not written before a crash has not been`() throws {
    let jobs =
      try parents("a", "b") + [try gatherer("all", of: [("a", .success), ("b", .success)])]
    var world = SchedulerWorld(starting: jobs)
    world.ledgerWorks = false
    try run("a", in: &world)
    world.ledgerWorks = true
    world.restart(jobs, after: .seconds(1))
    try run("b", in: &world)
    #expect(world.verdicts == [])
    try run("a", in: &world)
    #expect(world.verdicts == ["all 1000 ran"])
  }

  @Test func `a reload keeps the ends that are still asked for in the same way`() throws {
    let parents = try parents("a", "b", "c")
    let before =
      parents + [try gatherer("all", of: [("a", .success), ("b", .success), ("c", .any)])]
    let after = parents + [try gatherer("all", of: [("a", .success), ("b", .any), ("c", .any)])]
    var world = SchedulerWorld(starting: before)
    for name in ["a", "b"] { try run(name, in: &world) }
    world.reload(before, to: after)
    try run("c", in: &world)
    #expect(world.verdicts == [])
    try run("b", .exited(1), in: &world)
    #expect(world.verdicts == ["all 0 ran"])
  }

  @Test func `a job that went and came back starts from nothing`() throws {
    let parents = try parents("a", "b")
    let all = parents + [try gatherer("all", of: [("a", .success), ("b", .success)])]
    var world = SchedulerWorld(starting: all)
    try run("a", in: &world)
    world.reload(all, to: parents)
    world.reload(parents, to: all)
    try run("b", in: &world)
    #expect(world.verdicts == [])
  }

  @Test func `one end that makes a job due in two ways makes one slot`() throws {
    var spec = try gatherer("all", of: [("a", .success)])
    spec.timing.schedule.after = [Following(try #require(JobName("a")), on: .any)]
    var world = SchedulerWorld(starting: try parents("a") + [spec])
    try run("a", in: &world)
    #expect(world.verdicts == ["all 0 ran"])
  }

  @Test func `a suspended job gathers on, and its slot is skipped`() throws {
    let jobs =
      try parents("a", "b") + [try gatherer("all", of: [("a", .success), ("b", .success)])]
    var world = SchedulerWorld(starting: jobs)
    world.send(.commanded(.suspend(jobs[2].name, until: nil, reason: "")))
    for name in ["a", "b"] { try run(name, in: &world) }
    #expect(world.verdicts == ["all 0 skipped(suspended)"])
  }

  @Test func `ends are kept as text beside alarms, which earlier versions pass over`() {
    var alarms = JobAlarms(text: "on_failure.c0ffee=1790000000000+ fresh=1790000000000//")
    alarms.ended = ["a.b-c": WallInstant(milliseconds: 5), "x": WallInstant(milliseconds: 7)]
      .reduce(
        into: [:]
      ) { ended, end in
        if let name = JobName(end.key) { ended[name] = end.value }
      }
    #expect(
      alarms.text
        == "on_failure.c0ffee=1790000000000+ fresh=1790000000000// ended.a.b-c=5 ended.x=7")
    #expect(JobAlarms(text: alarms.text) == alarms)
    #expect(!alarms.isEmpty)
  }
}
