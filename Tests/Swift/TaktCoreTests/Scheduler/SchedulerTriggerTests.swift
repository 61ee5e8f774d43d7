import Testing

@testable import TaktCore

/// A run by hand follows the job's overlap, unless it is forced.
@Suite struct SchedulerTriggerTests: MakesJobs {
  private func world(_ overlap: Overlap, maxRunning: Int = 16) throws -> SchedulerWorld {
    var spec = try job("a", every(10))
    spec.overlap = overlap
    return SchedulerWorld(starting: [spec], maxRunning: maxRunning)
  }

  private func trigger(force: Bool = false) throws -> SchedulerCommand {
    .trigger(try #require(JobName("a")), isForced: force)
  }

  @Test func `under skip a trigger is refused while a run has not ended, and says which`() throws {
    var world = try world(.skip)
    #expect(world.perform(try trigger()) == .done(runs: [RunID(1)]))
    #expect(world.perform(try trigger()) == .overlapping(RunID(1)))
    #expect(world.starts.count == 1)
    // A slot's run is in the way as well, and a slot is skipped for a run by hand.
    world.pass(.seconds(10))
    #expect(world.verdicts == ["a 10000 skipped(overlap)"])
    world.endRuns()
    world.pass(.seconds(10))
    #expect(world.perform(try trigger()) == .overlapping(RunID(2)))
    world.endRuns()
    #expect(world.perform(try trigger()) == .done(runs: [RunID(3)]))
  }

  @Test func `a job becomes one that only runs by hand at a reload, and back`() throws {
    let (timed, manual) = (try job("a", every(10)), try job("a", Schedule()))
    let plan = ReloadPlan(from: Snapshot(jobs: [timed]), to: Snapshot(jobs: [manual]))
    #expect(plan.steps.map(\.change) == [.rearmed])
    var world = SchedulerWorld(starting: [timed])
    world.pass(.seconds(10), ending: .exited(0))
    world.reload([timed], to: [manual])
    world.pass(.seconds(100))
    #expect(world.verdicts == ["a 10000 ran"] && world.armed("a") == nil)
    #expect(world.perform(try trigger()) == .done(runs: [RunID(2)]))
    world.endRuns()
    let name = try #require(JobName("a"))
    let view = try #require(world.core.view(of: name, at: world.now))
    #expect(view.state == .idle && view.next == nil)
    world.restart([manual], after: .seconds(50))
    world.pass(.seconds(50))
    #expect(world.verdicts == [])
    world.reload([manual], to: [timed])
    for _ in 0..<2 { world.pass(.seconds(10), ending: .exited(0)) }
    #expect(world.verdicts.count == 2 && world.verdicts.allSatisfy { $0.hasSuffix(" ran") })
  }

  @Test func `under skip a run that waits for its next attempt is in the way`() throws {
    var spec = try job("a", every(100))
    spec.execution.retry = RetryPolicy(attempts: 2, delay: .seconds(5))
    var world = SchedulerWorld(starting: [spec])
    _ = world.perform(try trigger())
    world.endRuns(.exited(1))
    #expect(world.perform(try trigger()) == .overlapping(RunID(1)))
  }

  @Test func `under queue a trigger waits for the run in progress`() throws {
    var world = try world(.queue)
    _ = world.perform(try trigger())
    #expect(world.perform(try trigger()) == .done(runs: [RunID(2)]))
    #expect(world.starts.count == 1)
    world.endRuns()
    #expect(world.starts.count == 2)
  }

  @Test func `under queue no more than 64 wait`() throws {
    var world = try world(.queue, maxRunning: 1000)
    for _ in 0...SchedulerCore.waitingRunsPerJobMax { _ = world.perform(try trigger()) }
    #expect(world.perform(try trigger()) == .tooMany)
  }

  @Test func `under replace a trigger stops the run in progress`() throws {
    var world = try world(.replace)
    _ = world.perform(try trigger())
    #expect(world.perform(try trigger()) == .done(runs: [RunID(2)]))
    world.endRuns(.signalled(15))
    #expect(world.ends == ["a cancelled"])
    #expect(world.running == [RunID(2)])
  }

  @Test func `under replace the slot of a run that waits is cancelled`() throws {
    var spec = try job("a", every(10))
    spec.overlap = .replace
    var world = SchedulerWorld(starting: [spec, try job("b", every(5))], maxRunning: 1)
    world.pass(.seconds(10))
    // `b` has the only place.
    #expect(world.perform(try trigger()) == .done(runs: [RunID(3)]))
    #expect(world.verdicts.contains("a 10000 cancelled(operator)"))
  }

  @Test func `under allow a trigger runs beside the run in progress`() throws {
    var world = try world(.allow)
    _ = world.perform(try trigger())
    #expect(world.perform(try trigger()) == .done(runs: [RunID(2)]))
    #expect(world.starts.count == 2)
  }

  @Test(arguments: [Overlap.skip, .queue, .replace, .allow])
  func `a forced trigger runs beside the run in progress`(overlap: Overlap) throws {
    var world = try world(overlap)
    _ = world.perform(try trigger())
    #expect(world.perform(try trigger(force: true)) == .done(runs: [RunID(2)]))
    #expect(world.starts.count == 2 && world.ends.isEmpty)
  }

  @Test func `each attempt's output goes to the ledger once`() throws {
    var spec = try job("a", every(100))
    spec.execution.retry = RetryPolicy(attempts: 3, delay: .seconds(1))
    var world = SchedulerWorld(starting: [spec])
    var entries: [String] = []
    func end(_ text: String, _ world: inout SchedulerWorld) {
      let run = RunID(1)
      var facts = OutputFacts()
      facts.kept = KeptOutput(head: Array(text.utf8))
      let effects = world.scheduler.send(
        .actionEnded(run, AttemptReport(.exited(1), output: facts)))
      for case .record(let entry) in effects {
        switch entry {
        case .attemptOutput(_, let attempt, let output, _):
          entries.append("\(attempt) \(String(decoding: output.head, as: UTF8.self))")
        case .ended(let record):
          entries.append(
            "end \(record.attempts) \(String(decoding: record.totals.output.head, as: UTF8.self))")
        default: break
        }
      }
    }
    _ = world.perform(try trigger())
    end("one", &world)
    world.pass(.seconds(2))
    end("two", &world)
    world.pass(.seconds(3))
    end("three", &world)
    #expect(entries == ["1 one", "2 two", "end 3 three"])
  }

  @Test func `the output of a run that is cancelled between attempts is there once`() throws {
    var spec = try job("a", every(100))
    spec.execution.retry = RetryPolicy(attempts: 3, delay: .seconds(50))
    var world = SchedulerWorld(starting: [spec])
    _ = world.perform(try trigger())
    var facts = OutputFacts()
    facts.kept = KeptOutput(head: Array("one".utf8))
    _ = world.scheduler.send(.actionEnded(RunID(1), AttemptReport(.exited(1), output: facts)))
    let effects = world.scheduler.perform(.cancelRun(RunID(1))).effects
    let ends = effects.compactMap { effect -> RunRecord? in
      if case .record(.ended(let record)) = effect { record } else { nil }
    }
    #expect(ends.count == 1 && ends[0].attempts == 1 && ends[0].totals.output.isEmpty)
  }
}
