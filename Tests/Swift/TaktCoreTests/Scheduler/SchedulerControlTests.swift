import Testing

@testable import TaktCore
import TaktTime

/// Commands of operators.
@Suite struct SchedulerControlTests: MakesJobs {
  private func name(_ text: String) throws -> JobName { try #require(JobName(text)) }

  @Test func `a job that is triggered runs beside its schedule, with what it is given`() throws {
    var world = SchedulerWorld(starting: [try job("a", every(10))])
    let given = RunParameters(environment: ["TAKT_PARAM_X": "7"])
    #expect(world.perform(.trigger(try name("a"), parameters: given)) == .done(runs: [RunID(1)]))
    #expect(world.requests.last?.spec.execution.environment["TAKT_PARAM_X"] == "7")
    world.endRuns()
    world.pass(.seconds(10))
    #expect(world.verdicts == ["a 10000 ran"])
    #expect(world.requests.last?.spec.execution.environment.isEmpty == true)
  }

  @Test func `a retry is given what the first attempt was, also after a reload`() throws {
    var spec = try job("a", every(100))
    spec.execution.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    var world = SchedulerWorld(starting: [spec])
    _ = world.perform(
      .trigger(try name("a"), parameters: RunParameters(environment: ["TAKT_PARAM_X": "7"])))
    world.endRuns(.exited(1))
    var changed = spec
    changed.execution.timeout = .seconds(5)
    world.reload([spec], to: [changed])
    world.pass(.seconds(3))
    #expect(world.starts.count == 2)
    #expect(world.requests.last?.spec.execution.environment == ["TAKT_PARAM_X": "7"])
    #expect(world.requests.last?.spec.execution.timeout == .seconds(5))
  }

  @Test(arguments: [(before: "mail", after: "mail"), (before: "mail", after: "http")])
  func `a retry keeps its parameters only while the job keeps its action`(
    before: String, after: String
  ) throws {
    var spec = try job("a", every(100))
    spec.execution.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    spec.action = .use(before, ["to": .string("b@example.org")])
    var world = SchedulerWorld(starting: [spec])
    _ = world.perform(
      .trigger(try name("a"), parameters: RunParameters(values: ["subject": .string("given")])))
    world.endRuns(.exited(1))
    var changed = spec
    changed.action = .use(after, ["to": .string("c@example.org")])
    world.reload([spec], to: [changed])
    world.pass(.seconds(3))
    guard case .use(let name, let values)? = world.requests.last?.action else {
      Issue.record("no second attempt")
      return
    }
    #expect(name == after)
    #expect(values["to"] == .string("c@example.org"))
    #expect(values["subject"] == (before == after ? .string("given") : nil))
  }

  @Test
  func `a job's timer is suspended as long as the job is, and cancelled when no slot is left`()
    throws
  {
    var world = SchedulerWorld()
    var schedule = Schedule()
    schedule.after = [Following(try name("a"), on: .success)]
    var brief = Schedule()
    brief.at = [world.now.wall + .seconds(1)]
    world.start([try job("a", every(10)), try job("b", schedule), try job("c", brief)])
    func timer(_ job: String) throws -> TimerView? {
      world.core.view(of: try name(job), at: world.now)?.timer
    }
    #expect(try timer("a") == .running)
    #expect(try timer("b") == .idle)
    _ = world.perform(.suspend(try name("a"), until: nil, reason: ""))
    #expect(try timer("a") == .suspended)
    _ = world.perform(.resume(try name("a")))
    #expect(try timer("a") == .running)
    #expect(try timer("c") == .running)
    world.pass(.seconds(2))
    #expect(try timer("c") == .cancelled)
  }

  @Test func `a suspended job shows it, and its slots pass`() throws {
    var world = SchedulerWorld(starting: [try job("a", every(10))])
    let until = world.now.wall + .seconds(25)
    #expect(world.perform(.suspend(try name("a"), until: until, reason: "disk")) == .done())
    let view = try #require(world.core.view(of: name("a"), at: world.now))
    #expect(view.state == .suspended && view.suspension?.reason == "disk" && view.next == nil)
    world.pass(.seconds(26))
    #expect(world.verdicts == ["a 10000…20000 skipped(suspended)"])
    #expect(world.core.view(of: try name("a"), at: world.now)?.state == .waiting)
  }

  @Test func `what cannot be done is refused, and changes nothing`() throws {
    var world = SchedulerWorld()
    let a = try name("a")
    #expect(world.perform(.trigger(a)) == .unavailable)
    world.start([try job("a", every(10))])
    #expect(world.perform(.trigger(try name("b"))) == .unknownJob)
    #expect(world.perform(.resume(a)) == .notSuspended)
    #expect(world.perform(.suspend(a, until: world.now.wall, reason: "")) == .past)
    #expect(world.perform(.cancelRun(RunID(9))) == .unknownRun)
    #expect(world.perform(.cancelJob(a)) == .done(runs: []))
    world.send(.stop)
    #expect(world.perform(.trigger(a)) == .unavailable)
  }

  @Test func `cancelling ends runs in progress, and decides the slots of those that wait`() throws {
    var spec = try job("a", every(10))
    spec.overlap = .queue
    var world = SchedulerWorld(starting: [spec])
    world.pass(.seconds(20))
    #expect(world.verdicts == ["a 10000 ran"])
    #expect(world.perform(.cancelJob(try name("a"))) == .done(runs: [RunID(1), RunID(2)]))
    #expect(world.verdicts == ["a 10000 ran", "a 20000 cancelled(operator)"])
    world.endRuns(.signalled(15))
    #expect(world.ends == ["a cancelled", "a cancelled"])
    #expect(world.ledger.audit().isEmpty)
  }

  @Test func `the next slots are foreseen from where the job is`() throws {
    var schedule = every(10)
    schedule.limit = 3
    var world = SchedulerWorld(starting: [try job("a", schedule)])
    world.pass(.seconds(10), ending: .exited(0))
    let slots = world.core.previewInput(of: try name("a"), at: world.now)?.slots(count: 5) ?? []
    #expect(slots.map { ($0.nominal - SchedulerWorld.wall).milliseconds } == [20_000, 30_000])
  }
}
