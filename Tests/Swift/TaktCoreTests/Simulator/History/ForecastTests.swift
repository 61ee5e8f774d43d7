import Testing

@testable import TaktCore
import TaktTime

/// Simulations whose runs are drawn from a history.
@Suite struct ForecastTests: MakesJobs {
  private static let midnight = WallInstant(milliseconds: 1_767_225_600_000)  // 2026-01-01T00:00Z

  /// A history in which each job's runs take this many seconds, by the hour of the day.
  private func history(
    _ jobs: [String: (Int) -> Double], cores: Double = 1, memoryBytes: Int64 = -1
  ) throws -> RunHistory {
    var histories: [JobName: JobRunHistory] = [:]
    for (name, seconds) in jobs {
      var history = JobRunHistory(of: name)
      for index in 0..<240 {
        let time = seconds(index % 24) * (1 + Double(index * 7 % 11) / 100)
        history.add(
          PastRun(
            microseconds: Int64(time * 1e6), cpuMicroseconds: Int64(time * cores * 1e6),
            memoryBytes: memoryBytes, hour: index % 24))
      }
      histories[try #require(JobName(name))] = history
    }
    return RunHistory(histories)
  }

  private func epoch(_ seconds: Int) -> Schedule {
    Schedule(every: Every(.seconds(seconds), from: .epoch))
  }

  private func forecast(
    _ jobs: [JobSpec], _ history: RunHistory, hours: Int = 24, seeds: Int = 3,
    maxRunning: Int = 16
  ) -> (Forecast, Snapshot) {
    let snapshot = Snapshot(settings: SchedulerSettings(maxRunning: maxRunning), jobs: jobs)
    var plan = Forecast.Plan(from: Self.midnight, for: .seconds(hours * 3600))
    plan.seeds = seeds
    return (Forecast(of: snapshot, history, plan), snapshot)
  }

  @Test func `the same seeds give the same, others give others`() throws {
    let history = try history(["a": { _ in 55 }])
    let jobs = [try job("a", epoch(60))]
    let (first, _) = forecast(jobs, history)
    let (again, _) = forecast(jobs, history)
    for (one, other) in zip(first.draws, again.draws) {
      #expect(one.report.verdictCounts == other.report.verdictCounts)
      #expect(one.load.parts == other.load.parts)
    }
    #expect(first.draws[0].load.parts != first.draws[1].load.parts)
  }

  @Test func `slots are skipped in the hours in which runs are too long`() throws {
    let history = try history(["a": { $0 == 2 ? 900 : 10 }])
    let (night, _) = forecast([try job("a", epoch(600))], history)
    let name = try #require(JobName("a"))
    let skipped = night.spread { $0.report.job(name).reasons["skipped(overlap)", default: 0] }
    #expect(skipped.median >= 3 && skipped.median <= 5, "\(skipped)")
    let (without, _) = forecast([try job("a", epoch(600))], RunHistory([:]))
    #expect(without.draws[0].report.verdictCounts[.skipped] == 0)
  }

  @Test func `runs fail, and are tried again as their job says`() throws {
    var failing = JobRunHistory(of: "a")
    for _ in 0..<20 { failing.add(PastRun(microseconds: 1_000_000, end: .failed)) }
    let name = try #require(JobName("a"))
    let spec = try job("a", epoch(3600)) { $0.execution.retry.attempts = 3 }
    var failures = 0
    var plan = Forecast.Plan(from: Self.midnight, for: .seconds(6 * 3600))
    plan.seeds = 1
    _ = Forecast(of: Snapshot(jobs: [spec]), RunHistory([name: failing]), plan) { _, event in
      if case .ended(_, _, let end, _) = event, end.outcome == .failed { failures += 1 }
      return true
    }
    #expect(failures == 5 || failures == 6, "\(failures)")
  }

  @Test func `the curve has runs, processors and memory by the hour`() throws {
    let history = try history(
      ["a": { $0 == 2 ? 1800 : 60 }, "b": { $0 == 2 ? 1800 : 60 }], cores: 2,
      memoryBytes: 1 << 30)
    let jobs = [try job("a", epoch(3600)), try job("b", epoch(3600))]
    let (day, _) = forecast(jobs, history)
    #expect(day.partCount == 24)
    for draw in day.draws {
      let part = draw.load.parts[2]
      #expect(part.runningMax == 2 && abs(part.coresMax - 4) < 0.01)
      #expect(part.memoryMaxBytes == 2 << 30)
      #expect(abs(part.coreSeconds - 4 * 1800) < 4 * 200, "\(part)")
      #expect(draw.load.parts[5].coreSeconds < 4 * 70)
    }
  }

  @Test func `new jobs make another late, and the comparison says when and by how much`() throws {
    var runs: [String: (Int) -> Double] = ["report": { _ in 10 }]
    let report = try job("report", epoch(3600))
    let added = try (0..<8).map { number in
      runs["new\(number)"] = { _ in 120 }
      // Before the report, in one hour alone.
      return try job(
        "new\(number)",
        Schedule(at: [Self.midnight + .seconds(2 * 3600 - 10 + number)]))
    }
    let history = try history(runs)
    let (before, old) = forecast([report], history, maxRunning: 2)
    let (after, new) = forecast([report] + added, history, maxRunning: 2)
    let comparison = ForecastComparison(before, of: old, after, of: new)
    #expect(comparison.added.count == 8 && comparison.removed.isEmpty)
    let change = try #require(comparison.changes.first)
    #expect(comparison.changes.count == 1 && change.job.text == "report")
    let later = try #require(change.later)
    #expect(later.median > .seconds(100) && later.median < .seconds(600), "\(later)")
    #expect(after.start(ofPart: later.part).hour(in: .utc) == 2)
    #expect(change.lateSlots == 1)
    let back = ForecastComparison(after, of: new, before, of: old)
    #expect(back.removed.count == 8 && back.changes.first?.earlier == later)
    let same = ForecastComparison(before, of: old, before, of: old)
    #expect(same.changes.isEmpty)
  }

  @Test func `what becomes of slots and runs is compared`() throws {
    let history = try history(["a": { _ in 90 }, "b": { _ in 10 }])
    let jobs = [try job("a", epoch(600)), try job("b", epoch(3600))]
    let changed = [
      try job("a", epoch(60)),
      try job("b", epoch(3600)) { $0.execution.timeout = .seconds(5) },
    ]
    let (before, old) = forecast(jobs, history)
    let (after, new) = forecast(changed, history)
    let comparison = ForecastComparison(before, of: old, after, of: new)
    let changes = Dictionary(uniqueKeysWithValues: comparison.changes.map { ($0.job.text, $0) })
    let (more, failing) = (try #require(changes["a"]), try #require(changes["b"]))
    // Every second slot of a minute overlaps the run before.
    #expect(more.ran > 500 && more.failures == 0, "\(more)")
    #expect(more.reasons == ["skipped(overlap)": more.notServed] && more.notServed > 500)
    #expect(failing.failures >= 23 && failing.ran == 0 && failing.reasons.isEmpty, "\(failing)")
    let wakes = [before, after].map { $0.spread { $0.report.wakes }.median }
    #expect(wakes[1] > wakes[0])
  }

  @Test func `a job without history takes what it expects`() throws {
    let (day, _) = forecast(
      [try job("a", epoch(60)) { $0.expectedDuration = .seconds(90) }], RunHistory([:]), seeds: 2)
    #expect(day.draws.allSatisfy { $0.report.verdictCounts[.skipped] > 600 })
  }

  @Test(arguments: [1, 60, 86_400, 7 * 86_400, 20 * 366 * 86_400])
  func `a range has a few parts, whatever its length`(seconds: Int) {
    let span = Duration.seconds(seconds)
    let curve = LoadCurve(from: Self.midnight, for: span, step: LoadCurve.step(for: span))
    #expect((1...32).contains(curve.parts.count), "\(curve.parts.count)")
    #expect(curve.place(of: Self.midnight + span) == curve.parts.count - 1)
    #expect(curve.place(of: Self.midnight - span) == 0)
  }
}
