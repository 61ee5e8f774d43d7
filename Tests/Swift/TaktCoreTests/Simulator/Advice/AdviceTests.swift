import Testing

@testable import TaktCore
import TaktTime

/// Each rule: a proposal for jobs that need it, silence for others, and the effect that it claims.
@Suite struct AdviceTests: MakesJobs {
  private static let midnight = WallInstant(milliseconds: 1_767_225_600_000)  // 2026-01-01T00:00Z

  private func runs(_ count: Int, _ run: (Int) -> PastRun) -> JobRunHistory {
    var history = JobRunHistory(of: "a")
    for index in 0..<count { history.add(run(index)) }
    return history
  }

  /// Runs of about this many seconds.
  private func steady(_ seconds: Double, count: Int = 100, cores: Double = 0.1) -> JobRunHistory {
    runs(count) { index in
      let time = Int64(seconds * (1 + Double(index * 7 % 11) / 100) * 1e6)
      return PastRun(
        microseconds: time, cpuMicroseconds: Int64(Double(time) * cores), memoryBytes: 1 << 20,
        hour: index % 24)
    }
  }

  private func epoch(_ seconds: Int) -> Schedule {
    Schedule(every: Every(.seconds(seconds), from: .epoch))
  }

  private func input(
    _ jobs: [JobSpec], _ histories: [JobRunHistory], maxRunning: Int = 16, cores: Int = 4,
    knownSince: WallInstant? = nil
  ) -> AdviceInput {
    var plan = Forecast.Plan(from: Self.midnight, for: .seconds(86_400))
    plan.seeds = 3
    let runs = zip(jobs, histories).filter { $0.1.count > 0 }.map { ($0.0.name, $0.1) }
    var known: [JobName: WallInstant] = [:]
    if let knownSince { for job in jobs { known[job.name] = knownSince } }
    return AdviceInput(
      Snapshot(settings: SchedulerSettings(maxRunning: maxRunning), jobs: jobs),
      RunHistory(Dictionary(uniqueKeysWithValues: runs)), plan, knownSince: known, cores: cores)
  }

  private func proposals(_ rule: String, _ input: AdviceInput) -> [Proposal] {
    Advice.proposals(for: input).filter { $0.rule == rule }
  }

  private func only(_ rule: String, _ input: AdviceInput) throws -> Proposal {
    let found = proposals(rule, input)
    #expect(found.count == 1, "\(found)")
    return try #require(found.first)
  }

  @Test func `nothing is proposed for a tidy fleet`() throws {
    let jobs = try (0..<6).map { number in
      try job("job\(number)", epoch(3600)) {
        $0.execution.timeout = .seconds(60)
        $0.timing.leeway = .duration(.seconds(60))
        $0.execution.retry.attempts = 3
      }
    }
    let input = input(
      jobs, jobs.map { _ in steady(10) }, knownSince: Self.midnight - .seconds(30 * 86_400))
    #expect(Advice.proposals(for: input) == [])
  }

  @Test func `little history is no reason for a proposal`() throws {
    let input = input([try job("a", epoch(3600))], [steady(10, count: 19)])
    #expect(Advice.proposals(for: input) == [])
  }

  @Test func `a timeout that is missing or far away is proposed, and stops a run that hangs`()
    throws
  {
    for timeout in [nil, Duration.seconds(86_400)] {
      let spec = try job("a", epoch(3600)) { $0.execution.timeout = timeout }
      let input = input([spec], [steady(10)])
      let found = try only("timeout", input)
      #expect(found.change == .init(.timeout, "35s"), "\(found)")
      #expect(found.reason.contains("99 % of the 100 runs that succeeded"))
      var changed = spec
      changed.execution.timeout = .seconds(35)
      // No run of the history is cut off, and one that hangs is.
      for (lasts, outcome) in [(10, Outcome.succeeded), (3000, .timedOut)] {
        var ends: Set<Outcome> = []
        var script = SimulatedRuns()
        script.length = .seconds(lasts)
        var simulator = Simulator(
          Snapshot(jobs: [changed]), from: Self.midnight, runs: [spec.name: script])
        simulator.run(for: .seconds(7200)) { event in
          if case .ended(_, _, let end, _) = event { ends.insert(end.outcome) }
          return true
        }
        #expect(ends == [outcome])
      }
    }
  }

  @Test func `a timeout counts attempts, and the runs that its percentile is of`() throws {
    let history = runs(100) { index in
      switch index % 10 {
      // Two attempts of 10 s, and a pause of an hour.
      case 0: PastRun(microseconds: 3_620_000_000, attempt: 10_000_000, attempts: 2)
      case 1: PastRun(microseconds: 1_000_000, end: .failed)
      default: PastRun(microseconds: 10_000_000 + Int64(index))
      }
    }
    let found = try only("timeout", input([try job("a", epoch(86_400))], [history]))
    #expect(found.change == .init(.timeout, "35s") || found.change == .init(.timeout, "30s"))
    #expect(
      found.reason.contains("99 % of the last attempts of 90 runs that succeeded"), "\(found)")
    #expect(found.reason.contains("of all 100"))
  }

  @Test func `a timeout that cuts runs off is raised`() throws {
    let history = runs(100) { index in
      index % 10 == 0
        ? PastRun(microseconds: 12_000_000, end: .timedOut)
        : PastRun(microseconds: 11_000_000 + Int64(index))
    }
    let spec = try job("a", epoch(3600)) { $0.execution.timeout = .seconds(12) }
    let found = try only("timeout", input([spec], [history]))
    #expect(found.reason.contains("10 of 100 runs exceeded"))
    #expect(found.change == .init(.timeout, "35s"), "\(found)")
    // A simulated run that timed out would have taken twice as long, for which the timeout then
    // suffices.
    func timeouts(_ timeout: Duration) -> Int {
      var changed = spec
      changed.execution.timeout = timeout
      var count = 0
      var plan = Forecast.Plan(from: Self.midnight, for: .seconds(7 * 86_400))
      plan.seeds = 1
      _ = Forecast(of: Snapshot(jobs: [changed]), RunHistory([spec.name: history]), plan) {
        if case .ended(_, _, let end, _) = $1, end.outcome == .timedOut { count += 1 }
        return true
      }
      return count
    }
    #expect(timeouts(.seconds(12)) > 0 && timeouts(.seconds(35)) == 0)
  }

  @Test func `an expected length is proposed where on_late needs one`() throws {
    let spec = try job("a", epoch(3600)) {
      $0.execution.timeout = .seconds(60)
      $0.hooks = [.onLate: [Step(.argv(["true"]))]]
    }
    #expect(try only("expected", input([spec], [steady(10)])).change == .init(.expected, "20s"))
    var short = spec
    short.hooks = [:]
    short.expectedDuration = .seconds(5)
    #expect(try only("expected", input([short], [steady(10)])).change == .init(.expected, "20s"))
    short.expectedDuration = .seconds(20)
    #expect(proposals("expected", input([short], [steady(10)])) == [])
  }

  @Test func `a longer interval is proposed for runs that overlap, and they no longer do`() throws {
    let spec = try job("a", epoch(60))
    let before = input([spec], [steady(90)])
    let found = try only("interval", before)
    #expect(found.change == .init(.every, "2m"), "\(found)")
    var changed = spec
    changed.timing.schedule = epoch(120)
    let after = input([changed], [steady(90)])
    #expect(proposals("interval", after) == [])
    func skipped(_ input: AdviceInput) -> Int {
      input.forecast.spread { $0.report.verdictCounts[.skipped] }.median
    }
    #expect(skipped(before) > 600 && skipped(after) == 0)
  }

  @Test func `retries that never help are named, and without them runs end sooner`() throws {
    let history = runs(40) { index in
      index % 2 == 0
        ? PastRun(microseconds: 1_000_000 + Int64(index))
        : PastRun(microseconds: 60_000_000, attempts: 4, end: .failed)
    }
    let spec = try job("a", epoch(3600)) {
      $0.execution.timeout = .seconds(60)
      $0.execution.retry.attempts = 4
    }
    let found = try only("retry", input([spec], [history]))
    #expect(found.change == .init(.retry, "{attempts: 1}"))
    #expect(found.reason.contains("20 of 40 runs"))
    func busy(_ attempts: Int) -> Duration {
      var changed = spec
      changed.execution.retry.attempts = attempts
      var (begins, busy): ([RunID: WallInstant], Duration) = ([:], .zero)
      var plan = Forecast.Plan(from: Self.midnight, for: .seconds(86_400))
      plan.seeds = 1
      _ = Forecast(of: Snapshot(jobs: [changed]), RunHistory([spec.name: history]), plan) {
        if case .began(_, let run, let at) = $1 { begins[run] = at }
        if case .ended(_, let run, _, let at) = $1 { busy += at - (begins[run] ?? at) }
        return true
      }
      return busy
    }
    #expect(busy(1) < busy(4))
    let helps = runs(40) { index in
      PastRun(microseconds: 1_000_000, attempts: index % 2 + 1)
    }
    #expect(proposals("retry", input([spec], [helps])) == [])
  }

  @Test func `a limit on memory is above the highest seen`() throws {
    let history = runs(30) { index in
      PastRun(microseconds: 1_000_000, memoryBytes: Int64(index + 71) << 20)
    }
    let spec = try job("a", epoch(3600))
    let found = try only("memory", input([spec], [history]))
    #expect(found.reason.contains("any of 30 runs used is 100 MB"), "\(found)")
    #expect(found.change?.yaml == "limits: {memory_max: 256MB, enforce: if_possible}")
    // Beside other keys too, where takt may have no control groups.
    var limited = spec
    limited.execution.limits.files = 100
    #expect(try only("memory", input([limited], [history])).change == found.change)
    // Limits of a group that the file has already are not weakened.
    limited.execution.limits.group.tasksMax = 100
    #expect(
      try only("memory", input([limited], [history])).change?.yaml == "limits: {memory_max: 256MB}")
    limited.execution.limits.group.memoryMaxBytes = 1 << 30
    #expect(proposals("memory", input([limited], [history])) == [])
  }

  @Test func `a memory_max below what was seen is raised`() throws {
    let history = runs(30) { index in
      // Only some are measured.
      PastRun(microseconds: 1_000_000, memoryBytes: index < 20 ? 40 << 20 : -1)
    }
    var spec = try job("a", epoch(3600))
    spec.execution.limits.group.memoryMaxBytes = 32 << 20
    let found = try only("memory", input([spec], [history]))
    #expect(found.reason.hasPrefix("Its 'memory_max' is 32MB; the most that any of 20 runs used"))
    #expect(found.change?.yaml == "limits: {memory_max: 128MB}", "\(found)")
    spec.execution.limits.group.memoryMaxBytes = 128 << 20
    #expect(proposals("memory", input([spec], [history])) == [])
  }

  @Test func `jobs at one instant are spread where they keep one another waiting`() throws {
    let jobs = try (0..<12).map { number in
      try job("job\(number)", epoch(3600)) { $0.execution.timeout = .seconds(600) }
    }
    let histories = jobs.map { _ in steady(30) }
    let before = input(jobs, histories, maxRunning: 4)
    let found = proposals("crowd", before)
    #expect(found.count == 12)
    let value = try #require(found.first?.change?.value)
    let over = try DurationText.parse(value)
    let changed = jobs.map { spec in
      var spec = spec
      spec.timing.spread = Spread(over: over, seed: spec.name.text)
      return spec
    }
    let after = input(changed, histories, maxRunning: 4)
    func late(_ input: AdviceInput) -> Int { input.forecast.spread { $0.lateSlots }.median }
    #expect(late(before) > 100 && late(after) < late(before), "\(late(before)) \(late(after))")
    #expect(proposals("crowd", after) == [])
    // No job is harmed if there is room for all.
    #expect(proposals("crowd", input(jobs, histories, cores: 4)) == [])
    let busy = jobs.map { _ in steady(30, cores: 1) }
    #expect(proposals("crowd", input(jobs, busy, cores: 4)).count == 12)
  }

  @Test func `a tolerance is proposed for slots that are always a little late`() throws {
    let jobs = try (0..<2).map { number in
      try job("job\(number)", epoch(3600)) { $0.execution.timeout = .seconds(60) }
    }
    let histories = [steady(10), steady(10)]
    let before = input(jobs, histories, maxRunning: 1)
    let found = proposals("late_tolerance", before)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.change == .init(.lateTolerance, "15s") }, "\(found)")
    let changed = jobs.map { spec in
      var spec = spec
      spec.lateTolerance = .seconds(15)
      return spec
    }
    let after = input(changed, histories, maxRunning: 1)
    #expect(after.forecast.spread { $0.lateSlots }.high == 0)
    #expect(proposals("late_tolerance", after) == [])
  }

  @Test func `leeway is proposed where it saves wake-ups`() throws {
    let jobs = try (0..<12).map { number in
      try job("job\(number)", every(300 + 7 * number)) { $0.execution.timeout = .seconds(60) }
    }
    let histories = jobs.map { _ in steady(1) }
    let before = input(jobs, histories)
    let found = proposals("leeway", before)
    #expect(found.count == 12 && found[0].change == .init(.leeway, "10%"), "\(found)")
    let changed = jobs.map { spec in
      var spec = spec
      spec.timing.leeway = .percent(10)
      return spec
    }
    let after = input(changed, histories)
    func wakes(_ input: AdviceInput) -> Int { input.forecast.spread { $0.report.wakes }.median }
    #expect(wakes(after) * 5 <= wakes(before) * 4)
    #expect(proposals("leeway", after) == [])
  }

  @Test func `a job that was due and has not run is named`() throws {
    let old = Self.midnight - .seconds(30 * 86_400)
    let never = JobRunHistory(of: "a")
    let spec = try job("a", epoch(3600))
    let found = try only("never_run", input([spec], [never], knownSince: old))
    #expect(found.change == .init(.enabled, "false"))
    #expect(proposals("never_run", input([spec], [never])) == [])
    #expect(
      proposals("never_run", input([spec], [never], knownSince: Self.midnight - .seconds(3600)))
        == [])
    // A job that is not due before next year.
    let rare = try job("a", Schedule(at: [Self.midnight + .seconds(86_400 * 300)]))
    #expect(proposals("never_run", input([rare], [never], knownSince: old)) == [])
    #expect(proposals("never_run", input([spec], [steady(1)], knownSince: old)) == [])
  }

  @Test func `a job that others run after is not disabled, and they say what they await`() throws {
    let old = Self.midnight - .seconds(30 * 86_400)
    let (spec, never) = (try job("a", epoch(3600)), JobRunHistory(of: "a"))
    let after = try follower("b", of: "a")
    let found = proposals("never_run", input([spec, after], [never, never], knownSince: old))
    #expect(found.map(\.job.text) == ["a", "b"] && found.allSatisfy { $0.change == nil })
    #expect(found[0].effect.hasSuffix("; b runs after it"), "\(found)")
    #expect(found[1].effect.hasSuffix("; it runs after a, which has not run either"))
    // A follower that is disabled does not count.
    var disabled = after
    disabled.timing.isEnabled = false
    let alone = proposals("never_run", input([spec, disabled], [never, never], knownSince: old))
    #expect(alone.map(\.change) == [.init(.enabled, "false")])
  }

  @Test func `a job that waits for a failure is named only if there was one`() throws {
    let old = Self.midnight - .seconds(30 * 86_400)
    let spec = try job("a", epoch(3600))
    let after = try follower("b", of: "a", on: .failure)
    func found(_ history: JobRunHistory) -> [String] {
      let histories = [history, JobRunHistory(of: "b")]
      return proposals("never_run", input([spec, after], histories, knownSince: old))
        .map(\.job.text)
    }
    #expect(found(steady(1)) == [])
    let failing = runs(30) { PastRun(microseconds: 1_000_000, end: $0 == 3 ? .failed : .succeeded) }
    #expect(found(failing) == ["b"])
  }
}
