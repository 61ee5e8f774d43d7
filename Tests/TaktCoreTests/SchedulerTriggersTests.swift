import Testing

@testable import TaktCore

/// What makes a job due besides the clock, and what holds a slot back.
@Suite struct SchedulerTriggersTests {
  private func job(_ name: String, _ schedule: Schedule) throws -> JobSpec {
    JobSpec(
      name: try #require(JobName(name)), timing: Timing(schedule: schedule),
      action: .argv(["true"]))
  }

  private func follower(
    _ name: String, of parent: String, on condition: Following.Condition = .success
  ) throws -> JobSpec {
    var schedule = Schedule()
    schedule.after = [Following(try #require(JobName(parent)), on: condition)]
    return try job(name, schedule)
  }

  private func every(_ seconds: Int) -> Schedule { Schedule(every: Every(.seconds(seconds))) }

  // MARK: After

  @Test(arguments: [
    (AttemptResult.exited(0), ["any 10000 ran", "ok 10000 ran"]),
    (.exited(1), ["any 10000 ran", "bad 10000 ran"]),
    (.signalled(9), ["any 10000 ran", "bad 10000 ran"]),
  ])
  func `a job follows the last end of another's run`(
    result: AttemptResult, expected: [String]
  ) throws {
    var world = SchedulerWorld()
    world.start([
      try job("parent", every(10)), try follower("ok", of: "parent"),
      try follower("bad", of: "parent", on: .failure),
      try follower("any", of: "parent", on: .any),
    ])
    world.pass(.seconds(10))
    world.verdicts = []
    world.endRuns(result)
    #expect(world.verdicts.sorted() == expected)
  }

  @Test func `an attempt that is tried again is no end, and a chain goes on`() throws {
    var world = SchedulerWorld()
    var parent = try job("a", every(100))
    parent.execution.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    world.start([parent, try follower("b", of: "a", on: .any), try follower("c", of: "b")])
    world.pass(.seconds(100))
    world.endRuns(.exited(1))
    #expect(world.starts == ["a 100000 #1"])
    world.pass(.seconds(1))
    world.endRuns(.exited(1))
    world.endRuns()
    #expect(
      world.starts == ["a 100000 #1", "a 100000 #2", "b 101000 #1", "c 101000 #1"])
  }

  @Test func `the slot of a follower is kept with the end that makes it`() throws {
    var world = SchedulerWorld()
    let jobs = [try job("a", every(10)), try follower("b", of: "a")]
    world.start(jobs, maxRunning: 1)
    world.send(.triggered(jobs[0].name, slot: nil))
    world.send(.triggered(jobs[0].name, slot: nil))
    // Its slot waits for the place that the second run has taken.
    let run = try #require(world.running.first)
    world.send(.attemptEnded(run, AttemptReport(.exited(0))))
    #expect(world.starts.count == 2 && world.books.pending[jobs[1].name]?.count == 1)
    world.restart(jobs, after: .seconds(5))
    world.pass(.seconds(1))
    #expect(world.starts.contains { $0.hasPrefix("b 0 ") })
  }

  @Test func `a follower that is suspended, or that takt's stop comes before, is skipped`() throws {
    var world = SchedulerWorld()
    let jobs = [try job("a", every(10)), try follower("b", of: "a")]
    world.start(jobs)
    world.send(.suspended(jobs[1].name, until: nil, reason: ""))
    world.pass(.seconds(10))
    world.endRuns()
    world.send(.resumed(jobs[1].name))
    world.pass(.seconds(10))
    world.send(.stop)
    world.endRuns()
    #expect(
      world.verdicts == [
        "a 10000 ran", "b 10000 skipped(suspended)", "a 20000 ran", "b 20000 skipped(stopping)",
      ])
    #expect(world.books.audit().isEmpty)
  }

  @Test func `who waits for any end hears of a run that a former takt did not end`() throws {
    var world = SchedulerWorld()
    let jobs = [
      try job("a", every(10)), try follower("b", of: "a"), try follower("c", of: "a", on: .any),
    ]
    world.start(jobs)
    world.pass(.seconds(10))
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts == ["c 11000 #1"])
  }

  // MARK: Boot, files

  @Test func `a boot is one start of the machine, however often takt starts`() throws {
    var world = SchedulerWorld()
    let jobs = [try job("a", Schedule(on: [.boot]))]
    world.start(jobs)
    #expect(world.starts == ["a 0 #1"])
    world.endRuns()
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts.isEmpty)
    world.books.reboot()
    world.restart(jobs, after: .seconds(1))
    #expect(world.starts == ["a 2000 #1"])
  }

  @Test func `a change of a file that the job does not watch any more is nothing`() throws {
    var world = SchedulerWorld()
    var schedule = Schedule()
    schedule.watch = [PathWatch(path: "/in")]
    let spec = try job("a", schedule)
    world.start([spec])
    world.send(.changed(spec.name, PathWatch(path: "/in")))
    world.send(.changed(spec.name, PathWatch(path: "/out")))
    #expect(world.verdicts == ["a 0 ran"])
  }

  @Test func `what happens twice in a moment, or after a step back, makes two slots`() throws {
    var world = SchedulerWorld()
    var schedule = Schedule()
    schedule.watch = [PathWatch(path: "/in")]
    var spec = try job("a", schedule)
    spec.overlap = .allow
    world.start([spec])
    for _ in 0..<3 { world.send(.changed(spec.name, PathWatch(path: "/in"))) }
    world.now.wall = world.now.wall - .seconds(1)
    world.send(.changed(spec.name, PathWatch(path: "/in")))
    #expect(world.verdicts == ["a 0 ran", "a 1 ran", "a 2 ran", "a 3 ran"])
    #expect(world.books.audit().isEmpty)
  }

  // MARK: Bounds

  @Test func `nothing is due before not_before, nor after until`() throws {
    var world = SchedulerWorld()
    var schedule = every(10)
    schedule.notBefore = SchedulerWorld.wall + .seconds(25)
    schedule.until = SchedulerWorld.wall + .seconds(40)
    world.start([try job("a", schedule)])
    for _ in 0..<10 {
      world.pass(.seconds(10))
      world.endRuns()
    }
    #expect(world.verdicts == ["a 30000 ran", "a 40000 ran"])
    #expect(world.armed("a") == nil)
    #expect(world.books.audit().isEmpty)
  }

  @Test func `after so many runs the rest is one record, and a higher limit goes on`() throws {
    var world = SchedulerWorld()
    var schedule = every(10)
    schedule.limit = 2
    let before = [try job("a", schedule)]
    world.start(before)
    for _ in 0..<5 {
      world.pass(.seconds(10))
      world.endRuns()
    }
    #expect(world.verdicts == ["a 10000 ran", "a 20000 ran"])
    world.restart(before, after: .seconds(10))
    #expect(world.verdicts == ["a 30000…60000 skipped(limit)"])
    schedule.limit = 3
    world.reload(before, to: [try job("a", schedule)])
    world.pass(.seconds(10))
    #expect(world.verdicts.last == "a 70000 ran")
    #expect(world.books.audit().isEmpty)
  }

  @Test func `excluded times are skipped, and do not stand for slots that are not`() throws {
    var world = SchedulerWorld()
    var schedule = every(10)
    // 1,790,000,000 is 14:13:20 UTC.
    let minute = try CalendarExpression("14:14:*")
    schedule.exclusions = [Exclusion(minute, isWholeDays: false, zone: .utc)]
    world.start([try job("a", schedule)])
    world.pass(.seconds(30))
    world.endRuns()
    world.verdicts = []
    // A stall over the border into the excluded minute: what stood before it runs.
    world.now = Now(
      wall: world.now.wall + .milliseconds(10_200),
      monotonic: world.now.monotonic + .milliseconds(10_200))
    world.pass(.milliseconds(1))
    #expect(world.verdicts == ["a 40000 skipped(excluded)"])
    world.pass(.seconds(70))
    world.endRuns()
    #expect(
      world.verdicts == (4...9).map { "a \($0)0000 skipped(excluded)" } + [
        "a 100000 ran", "a 110000 skipped(overlap)",
      ])
    #expect(world.books.audit().isEmpty)
  }

  @Test func `a whole day is left out by the zone's own clock`() throws {
    let text = "Sat,Sun"
    let expression = try CalendarExpression(text)
    let exclusion = Exclusion(
      expression, isWholeDays: Exclusion.namesWholeDays(text, expression),
      zone: Zone(name: "X", initialOffsetSeconds: 3600))
    // 2026-09-25 is a Friday.
    let friday = try #require(try InstantText("2026-09-25T22:59:59Z").instant).milliseconds
    #expect(!exclusion.contains(friday) && exclusion.contains(friday + 1000))
    #expect(exclusion.nextEdge(after: friday) == friday + 1000)
    let monday = friday + 1000 + 2 * 86_400_000
    #expect(exclusion.contains(monday - 1) && !exclusion.contains(monday))
    #expect(exclusion.nextEdge(after: friday + 1000) == friday + 1000 + 86_400_000)
  }

  @Test func `a new interval begins at the reload when its phase says so`() throws {
    for (phase, expected) in [(Every.Phase.keep, Int64(28_000)), (.restart, 32_000)] {
      var world = SchedulerWorld()
      let before = [try job("a", every(10))]
      world.start(before)
      world.pass(.seconds(25))
      var schedule = every(7)
      schedule.every?.phase = phase
      world.reload(before, to: [try job("a", schedule)])
      #expect(world.armed("a") == expected)
      world.pass(.seconds(20))
      #expect(world.books.audit().isEmpty)
    }
  }

  // MARK: Spread and jitter

  private func spread(_ name: String, _ seconds: Int, jitter: Int = 0) throws -> JobSpec {
    var spec = try job(name, every(100))
    spec.timing.spread = Spread(over: .seconds(seconds), seed: name)
    spec.timing.jitter = .seconds(jitter)
    return spec
  }

  @Test func `spread puts each job off alike, jitter each slot`() throws {
    var world = SchedulerWorld()
    let jobs = try (0..<20).map { try spread("j\($0)", 50) }
    world.start(jobs)
    let first = jobs.compactMap { world.armed($0.name.text) }
    #expect(Set(first).count > 15 && first.allSatisfy { 100_000 <= $0 && $0 < 150_000 })
    world.pass(.seconds(150))
    world.endRuns()
    #expect(jobs.compactMap { world.armed($0.name.text) } == first.map { $0 + 100_000 })

    world = SchedulerWorld()
    world.start([try spread("a", 0, jitter: 30)])
    var offsets: Set<Int64> = []
    for k in Int64(1)...20 {
      let due = try #require(world.armed("a"))
      offsets.insert(due - k * 100_000)
      world.pass(
        .milliseconds(k * 100_000 + 99_000)
          - (world.now.monotonic - MonotonicInstant(nanoseconds: 1_000_000_000)))
      world.endRuns()
    }
    #expect(offsets.count > 10 && offsets.allSatisfy { 0 <= $0 && $0 <= 30_000 })
    #expect(world.verdicts.count == 20 && world.books.audit().isEmpty)
  }

  @Test func `what is put off ends before the next slot, however much is asked`() throws {
    var world = SchedulerWorld()
    var spec = try spread("a", 5000, jitter: 5000)
    spec.timing.leeway = .duration(.seconds(5000))
    world.start([spec])
    let due = try #require(world.armed("a"))
    #expect(due < 200_000)
    world.pass(.seconds(1000))
    #expect(world.verdicts.first == "a 100000 ran")
    #expect(world.books.audit().isEmpty)
  }

  @Test(arguments: [false, true])
  func `a slot that is put off is served when a reload or a crash comes first`(
    crashes: Bool
  ) throws {
    var world = SchedulerWorld()
    let spec = try spread("a", 50)
    world.start([spec])
    let due = try #require(world.armed("a"))
    world.pass(.milliseconds(100_001))
    var changed = spec
    changed.timing.leeway = .duration(.seconds(1))
    changed.missed.choice = .skip
    if crashes {
      world.restart([changed], after: .zero)
    } else {
      world.reload([spec], to: [changed])
    }
    #expect(world.armed("a") == due)
    world.pass(.milliseconds(due - 100_001))
    #expect(world.verdicts == ["a 100000 ran"])
    #expect(world.books.audit().isEmpty)
  }

  // MARK: Slots that passed unserved

  @Test(arguments: [
    (MissedPolicy.Choice.skip, ["a 10000…30000 missed(stalled)"]),
    (.last, ["a 10000…20000 coalesced", "a 30000 ran"]),
    (.all, ["a 10000 ran", "a 20000 ran", "a 30000 ran"]),
  ])
  func `slots of a takt that stood still go by the job's policy`(
    choice: MissedPolicy.Choice, expected: [String]
  ) throws {
    var world = SchedulerWorld()
    var spec = try job("a", every(10))
    spec.missed.choice = choice
    spec.missed.within = .seconds(60)
    world.start([spec])
    world.now = Now(
      wall: world.now.wall + .seconds(35), monotonic: world.now.monotonic + .seconds(35))
    for _ in 0..<4 {
      world.pass(.seconds(1))
      world.endRuns()
    }
    #expect(world.verdicts.sorted() == expected)
    world.pass(.seconds(5))
    #expect(world.verdicts.last == "a 40000 ran")
    #expect(world.books.audit().isEmpty)
  }

  @Test(arguments: [(Duration.zero, "clock"), (.seconds(3600), "asleep")])
  func `slots over which the wall clock has gone say so`(slept: Duration, cause: String) throws {
    var world = SchedulerWorld()
    var spec = try job("a", Schedule(every: Every(.seconds(600), from: .epoch)))
    spec.missed.choice = .skip
    world.start([spec])
    world.now.wall = world.now.wall + .seconds(3600)
    world.send(.clockStepped(slept: slept))
    world.pass(.seconds(1))
    // The beginning is 20 s after a slot.
    let first = 600_000 - SchedulerWorld.wall.milliseconds % 600_000
    #expect(world.verdicts == ["a \(first)…\(first + 5 * 600_000) missed(\(cause))"])
    #expect(world.books.audit().isEmpty)
  }

  @Test func `many jobs that were kept waiting do not all start at once`() throws {
    var world = SchedulerWorld()
    world.start(try (0..<50).map { try job("j\($0)", every(100)) }, maxRunning: 100)
    world.now = Now(
      wall: world.now.wall + .seconds(130), monotonic: world.now.monotonic + .seconds(130))
    world.pass(.milliseconds(500))
    #expect((5...15).contains(world.starts.count))
    world.pass(.milliseconds(2500))
    #expect(world.starts.count == 50)
  }

  @Test func `times of the clock follow a step of the wall`() throws {
    var world = SchedulerWorld()
    let rule = ClockRule(
      .cron(try CronExpression("0 15 * * *"), days: .any), zone: .utc, dst: .cron)
    world.start([try job("a", Schedule(rules: [rule]))])
    // From 14:13:20.
    #expect(world.armed("a") == 2_800_000)
    world.now.wall = world.now.wall + .seconds(1000)
    world.send(.clockStepped(slept: .zero))
    #expect(world.armed("a") == 1_800_000)
  }

  // MARK: What comes together

  @Test func `a fixed delay goes on after slots that get no run`() throws {
    let days = try CalendarExpression("14:15:*")
    for (policy, exclusions) in [
      (MissedPolicy.Choice.skip, []), (.last, [Exclusion(days, isWholeDays: false, zone: .utc)]),
    ] as [(_, [Exclusion])] {
      var world = SchedulerWorld()
      var schedule = Schedule(every: Every(.seconds(60), from: .end))
      schedule.exclusions = exclusions
      var spec = try job("a", schedule)
      spec.missed.choice = policy
      world.start([spec])
      // A stall of a minute and a half over the first slot, or an excluded minute.
      if exclusions.isEmpty {
        world.now = Now(
          wall: world.now.wall + .seconds(150), monotonic: world.now.monotonic + .seconds(150))
      }
      for _ in 0..<10 {
        world.pass(.seconds(60))
        world.endRuns()
      }
      #expect(world.verdicts.count { $0.hasSuffix("ran") } > 6, "\(world.verdicts)")
      #expect(world.books.audit().isEmpty)
    }
  }

  @Test func `a bound that a reload sets holds for a delay that has begun`() throws {
    var world = SchedulerWorld()
    let before = [try job("a", Schedule(every: Every(.seconds(60), from: .end)))]
    world.start(before)
    var schedule = before[0].timing.schedule
    schedule.notBefore = SchedulerWorld.wall + .seconds(200)
    world.reload(before, to: [try job("a", schedule)])
    #expect(world.armed("a") == 200_000)
    var ended = schedule
    ended.notBefore = nil
    ended.until = SchedulerWorld.wall + .seconds(30)
    world.reload([try job("a", schedule)], to: [try job("a", ended)])
    #expect(world.armed("a") == nil)
  }

  @Test func `a stop leaves a slot that is put off to the next takt`() throws {
    var world = SchedulerWorld()
    let spec = try spread("a", 50)
    world.start([spec])
    let due = try #require(world.armed("a"))
    world.pass(.milliseconds(100_001))
    world.send(.stop)
    #expect(world.verdicts.isEmpty)
    world.restart([spec], after: .milliseconds(due - 100_001))
    world.pass(.milliseconds(1))
    #expect(world.verdicts == ["a 100000 ran"])
  }

  @Test func `late slots go with the limit`() throws {
    var world = SchedulerWorld()
    var schedule = every(10)
    schedule.limit = 3
    var spec = try job("a", schedule)
    spec.missed.choice = .all
    spec.missed.within = .seconds(1000)
    spec.overlap = .allow
    world.start([spec])
    world.pass(.seconds(10))
    world.restart([spec], after: .seconds(60))
    world.pass(.seconds(5))
    #expect(world.verdicts.count { $0.hasSuffix("ran") } == 2)
    #expect(!world.books.pending.values.contains { !$0.isEmpty })
    #expect(world.verdicts.contains { $0.hasSuffix("skipped(limit)") })
    #expect(world.books.audit().isEmpty)
  }

  @Test func `a long absence is divided at excluded hours in a moment`() throws {
    let noon = Exclusion(try CalendarExpression("12..13:*:*"), isWholeDays: false, zone: .utc)
    let rule = ClockRule(
      .calendar(try CalendarExpression("*:*:00")), zone: .utc, dst: DSTPolicy(gap: .skip))
    var schedule = Schedule(rules: [rule])
    schedule.exclusions = [noon]
    let track = schedule.wallTrack
    let begin = SchedulerWorld.wall.milliseconds
    let series = try #require(track.series(after: begin, through: begin + 30 * 86_400_000))
    let (excluded, others) = schedule.exclusions.divide(series, of: track)
    #expect(excluded.count == 30 && excluded.allSatisfy { $0.count == 120 })
    #expect(others.count == 31)
    #expect((excluded + others).reduce(0) { $0 + $1.count } == series.count)
  }

  @Test func `who had attempts before a restart is followed when it gives up after it`() throws {
    var world = SchedulerWorld()
    var parent = try job("p", every(40))
    parent.execution.retry = RetryPolicy(attempts: 5, delay: .seconds(30), end: .nextSlot)
    let jobs = [parent, try follower("c", of: "p", on: .failure)]
    world.start(jobs)
    world.pass(.seconds(40))
    world.endRuns(.exited(1))
    world.restart(jobs, after: .seconds(1))
    world.pass(.seconds(39))
    world.endRuns(.exited(1))
    world.pass(.seconds(1))
    #expect(world.ends.contains("p failed"))
    #expect(world.starts.contains { $0.hasPrefix("c ") }, "\(world.starts) \(world.ends)")
  }

  @Test func `a job that is new to a takt of this boot has had its boot`() throws {
    var world = SchedulerWorld()
    let old = try job("a", every(10))
    world.start([old])
    world.restart([old, try job("b", Schedule(on: [.boot]))], after: .seconds(1))
    #expect(world.starts.isEmpty)
  }

  @Test func `a reload serves no slot of an excluded time`() throws {
    var world = SchedulerWorld()
    var schedule = every(10)
    schedule.exclusions = [
      Exclusion(try CalendarExpression("*-*-*"), isWholeDays: true, zone: .utc)
    ]
    var before = try job("a", schedule)
    before.timing.leeway = .duration(.seconds(5))
    world.start([before])
    world.now = Now(
      wall: world.now.wall + .seconds(11), monotonic: world.now.monotonic + .seconds(11))
    var after = before
    after.timing.leeway = .duration(.seconds(6))
    world.reload([before], to: [after])
    #expect(world.verdicts == ["a 10000 skipped(excluded)"])
  }
}
