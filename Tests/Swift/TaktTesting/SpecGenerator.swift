import TaktCore
import TaktTime

/// Makes random jobs. A job's first letter names its triggers, before and after a reload: `g` a
/// grid on the job's clock, `w` a grid or instants on the wall, `m` a grid and instants, `d` a
/// fixed delay, `o` occasions, `c` clock rules, some with instants, `f` the ends of other jobs'
/// runs, `a` the ends of several together, `p` a grid that a new interval restarts.
struct SpecGenerator {
  static let kinds: [Character] = ["g", "w", "m", "d", "o", "c", "f", "p", "a"]

  /// A set of up to eight jobs, with settings.
  static func snapshot(at now: Now, _ random: inout SplitMix64) -> Snapshot {
    let names = kinds.flatMap { kind in (0..<3).map { "\(kind)\($0)" } }.shuffled(using: &random)
    var chosen = Set(names.prefix(Int.random(in: 1...8, using: &random)))
    // Their parents, so that they have slots.
    if chosen.contains(where: { $0.hasPrefix("a") }) { chosen.formUnion(["g0", "d1"]) }
    let jobs = chosen.sorted().compactMap { name in
      JobName(name).map { spec(named: $0, at: now, &random) }
    }
    return Snapshot(settings: settings(&random), jobs: jobs)
  }

  /// The set with one to three jobs changed, added or removed.
  static func mutation(
    of snapshot: Snapshot, at now: Now, _ random: inout SplitMix64
  ) -> Snapshot {
    var jobs = snapshot.jobs
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      if random.oneIn(3), !jobs.isEmpty {
        jobs.remove(at: Int.random(in: 0..<jobs.count, using: &random))
      } else if random.oneIn(2) {
        guard let fresh = self.snapshot(at: now, &random).jobs.randomElement(using: &random) else {
          continue
        }
        jobs.removeAll { $0.name == fresh.name }
        jobs.append(fresh)
      } else if let index = jobs.indices.randomElement(using: &random) {
        change(&jobs[index], at: now, &random)
      }
    }
    return Snapshot(settings: random.oneIn(4) ? settings(&random) : snapshot.settings, jobs: jobs)
  }

  private static func settings(_ random: inout SplitMix64) -> SchedulerSettings {
    var settings = SchedulerSettings(
      maxRunning: Int.random(in: 1...5, using: &random),
      shutdownGrace: .milliseconds(Int.random(in: 0...2000, using: &random)))
    settings.concurrency = ["db": Int.random(in: 1...2, using: &random)]
    return settings
  }

  private static func change(_ spec: inout JobSpec, at now: Now, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: spec.timing = timing(of: spec.name, at: now, &random)
    case 1: spec.timing.isEnabled.toggle()
    case 2: spec.execution.timeout = .milliseconds(Int.random(in: 1...3000, using: &random))
    case 3: spec.execution.retry = retry(&random)
    case 4: spec.concurrencyGroup = spec.concurrencyGroup == nil ? "db" : nil
    default: spec.overlap = Overlap.allCases.randomElement(using: &random) ?? .skip
    }
  }

  private static func retry(_ random: inout SplitMix64) -> RetryPolicy {
    RetryPolicy(
      attempts: Int.random(in: 1...4, using: &random),
      delay: .milliseconds(Int.random(in: 0...2000, using: &random)),
      jitterPercent: random.oneIn(2) ? 50 : 0, end: random.oneIn(2) ? .nextSlot : .exhausted)
  }

  private static func spec(
    named name: JobName, at now: Now, _ random: inout SplitMix64
  ) -> JobSpec {
    let steps = (0..<3).map { _ in Step(.argv(["true"]), continues: random.oneIn(2)) }
    var spec = JobSpec(
      name: name, timing: timing(of: name, at: now, &random),
      action: random.oneIn(4) ? .steps(steps) : .argv(["true"]),
      execution: Execution(
        timeout: random.oneIn(2) ? .milliseconds(Int.random(in: 1...3000, using: &random)) : nil,
        stop: StopPolicy(grace: .milliseconds(Int.random(in: 0...1000, using: &random))),
        qos: QoS.allCases.randomElement(using: &random) ?? .default),
      overlap: Overlap.allCases.randomElement(using: &random) ?? .skip)
    if random.oneIn(2) { spec.execution.retry = retry(&random) }
    if random.oneIn(3) { spec.concurrencyGroup = "db" }
    for hook in HookKind.allCases where random.oneIn(4) {
      spec.hooks[hook] = [Step(steps[0].action, rule: rule(of: hook, &random))]
    }
    if random.oneIn(4) {
      spec.policies.freshFor = .milliseconds(Int.random(in: 100...20_000, using: &random))
    }
    // Always the same jobs, so that a reload never removes a condition.
    if name.text.last == "2" { spec.policies.onlyIf = condition(of: name) }
    spec.lateTolerance = .milliseconds(Int.random(in: 0...500, using: &random))
    if random.oneIn(4) { spec.expectedDuration = .milliseconds(100) }
    spec.removal = random.oneIn(2) ? .kill : .drain
    spec.delivery = Delivery.allCases.randomElement(using: &random) ?? .bestEffort
    spec.missed.choice = MissedPolicy.Choice.allCases.randomElement(using: &random) ?? .last
    if random.oneIn(2) {
      spec.missed.within = .milliseconds(Int.random(in: 0...20_000, using: &random))
    }
    spec.missed.countMax = Int.random(in: 1...20, using: &random)
    return spec
  }

  /// The condition of a job; some jobs wait until it holds.
  private static func condition(of name: JobName) -> Shared<Condition> {
    let waits = ["g", "c", "f", "o"].contains(name.text.first)
    return Shared(
      Condition(
        .argv(["true"]), timeout: .seconds(1), wait: waits ? .seconds(3) : nil,
        interval: .milliseconds(700)))
  }

  private static func rule(of hook: HookKind, _ random: inout SplitMix64) -> HookRule {
    let all: [HookRule.When] = [.every, .recovered, .output, .streak(least: 1), .streak(least: 3)]
    let when = all.filter { $0.hooks.contains(hook) }.randomElement(using: &random) ?? .every
    let interval = random.oneIn(2) ? Int.random(in: 1...9, using: &random) : nil
    return HookRule(when, interval: interval.map { .seconds($0) })
  }

  private static func timing(
    of name: JobName, at now: Now, _ random: inout SplitMix64
  ) -> Timing {
    let interval = Duration.milliseconds(Int.random(in: 1...300, using: &random) * 10)
    let first: Duration? =
      random.oneIn(2) ? .milliseconds(Int.random(in: 0...2000, using: &random)) : nil
    var schedule = Schedule()
    switch name.text.first {
    case "g": schedule.every = Every(interval, first: first)
    case "d": schedule.every = Every(interval, from: .end, first: first)
    case "m":
      schedule = Schedule(every: Every(interval, first: first), at: instants(after: now, &random))
    case "w":
      schedule = Schedule(
        every: random.oneIn(2)
          ? Every(interval, from: .epoch, first: random.oneIn(2) ? first : nil) : nil,
        at: instants(after: now, &random))
    case "c":
      schedule = Schedule(
        rules: rules(at: now, &random), at: random.oneIn(3) ? instants(after: now, &random) : [])
    case "p":
      schedule.every = Every(interval, first: first)
      schedule.every?.phase = .restart
    case "a": schedule.afterAll = afterAll(of: name)
    case "f":
      schedule.after = Set(
        ["g0", "d1", "c2"].compactMap(JobName.init).map {
          Following($0, on: Following.Condition.allCases.randomElement(using: &random) ?? .any)
        })
    default:
      schedule.on =
        [[.start, .reload], [.reload], [.boot, .start]].randomElement(using: &random) ?? []
      if random.oneIn(2) { schedule.delays = delays(&random) }
    }
    bound(&schedule, at: now, &random)
    let leeway: Leeway =
      random.oneIn(2)
      ? .percent(Double(Int.random(in: 0...100, using: &random)))
      : .duration(interval * Double.random(in: 0..<0.99, using: &random))
    var timing = Timing(
      schedule: schedule, leeway: random.oneIn(3) ? .none : leeway,
      isEnabled: !random.oneIn(6))
    if random.oneIn(4) { timing.jitter = interval / 3 }
    if random.oneIn(4) {
      // Sometimes longer than the interval.
      timing.spread = Spread(over: interval * (random.oneIn(4) ? 3 : 0.4), seed: name.text)
    }
    return timing
  }

  /// The same for each name, so that a reload never changes it.
  private static func afterAll(of name: JobName) -> AfterAll? {
    guard let grid = JobName("g0"), let delay = JobName("d1") else { return nil }
    return switch name.text.last {
    case "0": AfterAll([Following(grid, on: .any), Following(delay)])
    case "1": AfterAll([Following(grid)], within: .seconds(3))
    default: AfterAll([Following(grid, on: .any), Following(delay, on: .any)], within: .seconds(2))
    }
  }

  private static func bound(
    _ schedule: inout Schedule, at now: Now, _ random: inout SplitMix64
  ) {
    if random.oneIn(6) { schedule.limit = Int.random(in: 1...20, using: &random) }
    // In whole milliseconds, as a file has them.
    func bound(_ offsets: ClosedRange<Int64>) -> WallInstant? {
      guard random.oneIn(6) else { return nil }
      return WallInstant(
        milliseconds: now.wall.milliseconds + Int64.random(in: offsets, using: &random))
    }
    schedule.notBefore = bound(-2000...9000)
    schedule.until = bound(-2000...40_000)
    schedule.at = schedule.at.filter(schedule.isWithinBounds)
    if random.oneIn(6) { schedule.calendars = calendars(at: now, &random) }
    if random.oneIn(5),
      let seconds = try? CalendarExpression("*:*:0/\(2 + Int.random(in: 0...7, using: &random))")
    {
      schedule.exclusions = [Exclusion(seconds, isWholeDays: false, zone: .utc)]
    }
    settleMoves(of: &schedule)
  }

  /// One rule or two with slots every few seconds.
  private static func rules(at now: Now, _ random: inout SplitMix64) -> [ClockRule] {
    (0..<Int.random(in: 1...2, using: &random)).compactMap { _ in
      let step = Int.random(in: 1...40, using: &random)
      if random.oneIn(5) {
        let interval = Duration.milliseconds(Int.random(in: 40...3000, using: &random) * 10)
        let grid = LocalGrid(every: interval, from: random.oneIn(2) ? .seconds(step * 1000) : nil)
        return ClockRule(.grid(Shared(grid)), zone: .utc, dst: .cron)
      }
      if random.oneIn(4) {
        let text = "DTSTART:20260101T000003 FREQ=SECONDLY;INTERVAL=\(step);BYSECOND=0,3,7,20,41"
        return (try? Recurrence.read(text)).map {
          ClockRule(.recurrence(Shared($0.recurrence)), zone: .utc, dst: .cron)
        }
      }
      if random.oneIn(2) {
        // Sometimes only on every second day, which the simulation may not reach.
        let nth = DayFilter.Nth(every: 2, unit: .days, start: 0)
        let filter = DayFilter(nth: random.oneIn(3) ? nth : nil)
        guard let cron = try? CronExpression("*/\(step) * * * * *") else { return nil }
        let expression = ClockRule.Expression.cron(cron, days: .any)
        return ClockRule(
          filter.isEmpty && random.oneIn(3)
            ? moved(expression, at: now, &random) : expression.filtered(on: filter),
          zone: .utc, dst: .cron)
      }
      return (try? CalendarExpression("*:*:\(step % 10)/\(step)")).map {
        ClockRule(.calendar($0), zone: .utc, dst: DSTPolicy(gap: .skip))
      }
    }
  }

  /// Instants around now, some of them past, on tenths of a second so that they meet grids.
  private static func instants(after now: Now, _ random: inout SplitMix64) -> [WallInstant] {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in
      let tenth = now.wall.milliseconds / 100 + Int64.random(in: -20...300, using: &random)
      return WallInstant(milliseconds: tenth * 100)
    }
  }
}

/// Random numbers from a seed, the same on every machine (Steele, Lea, Flood 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The sequence of this seed.
  package init(seed: UInt64) { state = seed }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// True once in `count` times on average.
  package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
