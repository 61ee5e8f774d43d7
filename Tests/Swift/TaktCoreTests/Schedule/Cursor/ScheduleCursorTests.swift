import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

@Suite struct ScheduleCursorTests {
  @Test(arguments: UInt64(0)..<300)
  func `what is remembered of the next slots changes none of them`(seed: UInt64) throws {
    var pair = try CursorPair(seed: seed)
    for _ in 0..<60 { try pair.step() }
  }

  @Test(arguments: [0, 1])
  func `a cursor is small, and has nothing beside it while the clocks go together`(
    trigger: Int
  ) throws {
    let cron = ClockRule(
      .cron(try CronExpression("*/5 * * * *"), days: .any), zone: .utc, dst: .cron)
    let schedule = trigger == 0 ? Schedule(every: Every(.seconds(10))) : Schedule(rules: [cron])
    let timing = Timing(schedule: schedule)
    let job = try #require(JobName("job"))
    var now = Now(
      wall: SchedulerWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
    var cursor = ScheduleCursor(schedule: schedule, at: now)
    for _ in 0..<100 {
      let next = cursor.next(of: timing, for: job, at: now)
      let slot = try #require(next)
      let step = slot.deadline - now.monotonic
      now = Now(wall: now.wall + step, monotonic: slot.deadline)
      let due = cursor.popDue(of: timing, for: job, at: now)
      #expect(due?.newest == slot)
    }
    #expect(MemoryLayout<ScheduleCursor>.size <= 80)
    let memory = Mirror(reflecting: cursor).children.first { $0.label == "memory" }
    #expect(try Mirror(reflecting: #require(memory).value).children.isEmpty)
  }

  @Test func `a new schedule is heeded at once`() throws {
    let job = try #require(JobName("job"))
    let now = Now(
      wall: SchedulerWorld.wall, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
    let (slow, quick) = (Schedule(every: Every(.seconds(60))), Schedule(every: Every(.seconds(5))))
    var cursor = ScheduleCursor(schedule: slow, at: now)
    _ = cursor.next(of: Timing(schedule: slow), for: job, at: now)
    cursor.skip(to: now, from: slow, to: quick)
    let slot = cursor.next(of: Timing(schedule: quick), for: job, at: now)
    #expect(slot?.nominal == now.wall + .seconds(5))
  }
}

/// Two cursors of one job: one that remembers the next instant, and one that always searches.
private struct CursorPair {
  private var generator: ScheduleGenerator
  private let job: JobName
  private var now: Now
  private var timing: Timing
  private var quick: ScheduleCursor
  private var plain: ScheduleCursor
  private var story: [String] = []

  init(seed: UInt64) throws {
    generator = ScheduleGenerator(seed: seed)
    job = try #require(JobName("job"))
    // A winter, a summer, and the days round both changes of the clocks in Berlin.
    let starts = [1_767_225_600, 1_782_864_000, 1_774_740_000, 1_792_885_000]
    let start = Int64(starts[generator.number(0...3)] + generator.number(0...4000)) * 1_000_000_000
    now = Now(
      wall: WallInstant(nanoseconds: start + Int64(generator.number(0...999_999_999))),
      monotonic: MonotonicInstant(nanoseconds: Int64(generator.number(0...5_000_000_000))))
    timing = try generator.timing(near: now.wall)
    quick = ScheduleCursor(schedule: timing.schedule, at: now)
    plain = quick
  }

  /// One thing that happens to both.
  mutating func step() throws {
    switch generator.number(0...19) {
    case 0...8: advance()
    case 9, 10: pass(.milliseconds(generator.number(0...4_000_000)))
    case 11: pass(.seconds(generator.number(0...200_000)))
    case 12:
      let step = Duration.milliseconds(generator.number(-5_000_000...5_000_000))
      story.append("wall stepped by \(step)")
      now.wall = now.wall + step
    case 13:
      story.append("moment")
      let moment = plain.nameInstant(timing.schedule, at: now)
      #expect(quick.nameInstant(timing.schedule, at: now) == moment, comment)
    case 14:
      story.append("run started")
      quick.runStarted()
      plain.runStarted()
    case 15:
      story.append("rest")
      quick.startDelay(timing.schedule, at: now)
      plain.startDelay(timing.schedule, at: now)
    case 16 where generator.random.oneIn(3): try reload()
    case 17 where generator.random.oneIn(3): restart()
    default: break
    }
    compareNext()
    popDue()
    if generator.random.oneIn(2) { compareNext() }
  }

  private mutating func advance() {
    guard let slot = plain.nextOfSeveral(of: timing, for: job, at: now) else { return }
    let late = Duration.microseconds(generator.number(0...1) * generator.number(0...3_000_000))
    pass(max(.zero, slot.deadline - slot.offset - now.monotonic) + late)
  }

  private mutating func pass(_ duration: Duration) {
    story.append("passed \(duration)")
    now = Now(wall: now.wall + duration, monotonic: now.monotonic + duration)
  }

  private mutating func reload() throws {
    let old = timing
    timing = try generator.timing(near: now.wall)
    story.append("reloaded: \(timing)")
    quick.skip(to: now, from: old.schedule, to: timing.schedule)
    plain.skip(to: now, from: old.schedule, to: timing.schedule)
  }

  private mutating func restart() {
    let isSameBoot = generator.random.oneIn(2)
    story.append("restarted, same boot: \(isSameBoot)")
    if !isSameBoot { now.monotonic = MonotonicInstant(nanoseconds: 1) }
    quick = ScheduleCursor(quick.state, isSameBoot: isSameBoot, at: now)
    plain = ScheduleCursor(plain.state, isSameBoot: isSameBoot, at: now)
  }

  private mutating func compareNext() {
    let slot = plain.nextOfSeveral(of: timing, for: job, at: now)
    #expect(quick.next(of: timing, for: job, at: now) == slot, comment)
  }

  private mutating func popDue() {
    let wanted = plain.popDueOfSeveral(of: timing, for: job, at: now)
    let due = quick.popDue(of: timing, for: job, at: now)
    story.append("due: \(wanted?.all.count ?? 0)")
    #expect(due?.newest == wanted?.newest, comment)
    #expect(due?.passed == wanted?.passed, comment)
    #expect(due?.all == wanted?.all, comment)
    #expect(quick.state == plain.state, comment)
  }

  private var comment: Comment { "\(timing)\n\(story.suffix(12).joined(separator: "\n"))" }
}

/// Schedules by chance, most of them with one trigger.
private struct ScheduleGenerator {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let berlin = Zone(
    name: "Europe/Berlin", initialOffsetSeconds: 3600,
    rule: ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))

  private static let crons = [
    "* * * * *", "*/7 * * * *", "30 2 * * *", "0 3 * * *", "*/20 8-18 * * mon-fri",
    "15 14 1 * *", "*/10 * * * * *", "0 0 29 2 *",
  ]
  private static let calendars = [
    "Mon..Fri *-*-* 10:30:00", "*:0/15", "*-*-* 02:30", "hourly", "*:*:0/20.5",
    "Sun *-*~1..7 06:00", "2027-01-01",
  ]

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func timing(near now: WallInstant) throws -> Timing {
    var timing = Timing(schedule: try schedule(near: now))
    switch number(0...3) {
    case 0: timing.leeway = .duration(.milliseconds(number(0...60_000)))
    case 1: timing.leeway = .percent(Double(number(0...100)))
    default: break
    }
    if random.oneIn(6) {
      timing.spread = Spread(over: .milliseconds(number(1...100_000)), seed: "job")
    }
    if random.oneIn(6) { timing.jitter = .milliseconds(number(1...100_000)) }
    return timing
  }

  private mutating func schedule(near now: WallInstant) throws -> Schedule {
    var schedule = Schedule()
    // Mostly one trigger; now and then two, or none.
    for _ in 0..<[1, 1, 1, 1, 2, 0][number(0...5)] {
      switch number(0...4) {
      case 0, 1: schedule.every = every()
      case 2, 3: schedule.rules.append(try rule())
      default:
        schedule.at = (0..<number(1...4)).map { _ in instant(near: now) }
        schedule = Schedule(every: schedule.every, rules: schedule.rules, at: schedule.at)
      }
    }
    if random.oneIn(6) { schedule.notBefore = instant(near: now) }
    if random.oneIn(6) { schedule.until = instant(near: now) + .seconds(number(0...100_000)) }
    return schedule
  }

  private mutating func instant(near now: WallInstant) -> WallInstant {
    WallInstant(milliseconds: now.milliseconds + Int64(number(-10...60) * number(1...60_000)))
  }

  private mutating func every() -> Every {
    let origins: [Every.Origin] = [.start, .start, .end, .epoch]
    var every = Every(
      .milliseconds(number(1...20) * number(50...60_000)), from: origins[number(0...3)])
    if random.oneIn(3) { every.first = .milliseconds(number(0...100_000)) }
    if random.oneIn(3) { every.phase = .restart }
    return every
  }

  private mutating func rule() throws -> ClockRule {
    let dst = DSTPolicy(
      gap: random.oneIn(2) ? .skip : .runAfter,
      overlap: DSTPolicy.Overlap.allCases[number(0...2)])
    let zone = random.oneIn(4) ? Zone.utc : Self.berlin
    if random.oneIn(2) {
      let text = Self.crons[number(0...(Self.crons.count - 1))]
      return ClockRule(.cron(try CronExpression(text), days: .any), zone: zone, dst: dst)
    }
    let text = Self.calendars[number(0...(Self.calendars.count - 1))]
    return ClockRule(.calendar(try CalendarExpression(text)), zone: zone, dst: dst)
  }
}
