import TaktTesting
import TaktTime
import Testing

@testable import TaktCore

/// Days that many jobs leave out or keep to, and where their slots go.
@Suite struct SharedCalendarTests {
  private func day(_ text: String) throws -> Int64 { try #require(DayFilter.day(text)) }

  private func calendar(
    _ name: String, _ days: [String] = [], expressions: [String] = []
  ) throws -> SharedCalendar {
    var content = SharedCalendar.Content()
    content.days = NumberRanges(try days.map { try day($0)..<(day($0) + 1) })
    content.expressions = try expressions.map {
      let expression = try CalendarExpression($0)
      return SharedCalendar.Expression(
        expression, isWholeDays: Exclusion.namesWholeDays($0, expression), zone: nil)
    }
    return SharedCalendar(name, content)
  }

  private func times(
    _ rule: ClockRule, after start: String, count: Int
  ) throws -> [String] {
    var instant = try #require(try InstantText(start).instant)
    return (0..<count).compactMap { _ in
      guard let next = rule.next(after: instant) else { return nil }
      instant = next
      return String(next.rfc3339(in: rule.zone).prefix(16))
    }
  }

  private func moved(
    _ cron: String, _ direction: DayMove.Direction, except: [SharedCalendar],
    only: [SharedCalendar]? = nil, zone: Zone = .utc
  ) throws -> ClockRule {
    var filter = DayFilter()
    filter.move = Shared(DayMove(direction, except: DaySet(except), only: only.map { DaySet($0) }))
    let expression = try CronExpression(cron)
    return ClockRule(
      .cron(expression, days: .cron).filtered(on: filter), zone: zone, dst: expression.ownDST)
  }

  @Test func `ranges that touch become one, and their text reads back`() {
    let ranges = NumberRanges([5..<7, 1..<2, 7..<9, 20..<20, -3..<0])
    #expect(ranges.ranges == [-3..<0, 1..<2, 5..<9])
    #expect(ranges.numberCount == 8 && ranges.text == "-3 3 1 1 3 4")
    #expect(NumberRanges(text: ranges.text, within: 9) == ranges)
    #expect(NumberRanges(text: ranges.text, within: 8) == nil)
    for text in [
      "1", "1 0", "1 -1", "x 1", "1 1 0 1", "99999999999999999999 1", "1 9000000000000000",
      "-101 1", "90 5 5 1", "100 1",
    ] {
      #expect(NumberRanges(text: text, within: 100) == nil, "\(text)")
    }
  }

  @Test(arguments: UInt64(0)..<60)
  func `what ranges answer is what a set answers`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let list = (0..<Int.random(in: 0...8, using: &random)).map { _ -> Range<Int64> in
      let start = Int64.random(in: -20...40, using: &random)
      return start..<(start + Int64.random(in: 0...6, using: &random))
    }
    let (ranges, set) = (NumberRanges(list), Set(list.flatMap { Array($0) }))
    for number in Int64(-30)...50 {
      #expect(ranges.contains(number) == set.contains(number))
      #expect(ranges.first(from: number) == set.filter { $0 >= number }.min())
      let edge = (number + 1...60).first { set.contains($0) != set.contains(number) }
      #expect(ranges.nextEdge(after: number) == edge)
    }
    #expect(NumberRanges(text: ranges.text, within: 50) == ranges)
  }

  @Test func `a slot on a holiday moves to the next or previous day that is not excluded`() throws {
    let holidays = try calendar("holidays", ["2026-12-25", "2026-12-26"], expressions: ["Sat,Sun"])
    let next = try moved("0 9 25 12 *", .next, except: [holidays])
    #expect(try times(next, after: "2026-01-01T00:00Z", count: 1) == ["2026-12-28T09:00"])
    let previous = try moved("0 9 25 12 *", .previous, except: [holidays])
    #expect(try times(previous, after: "2026-01-01T00:00Z", count: 1) == ["2026-12-24T09:00"])
    // Slots on a day that counts stay, and those that meet are one.
    let daily = try moved("0 9 * * *", .next, except: [holidays])
    #expect(
      try times(daily, after: "2026-12-24T10:00Z", count: 2)
        == ["2026-12-28T09:00", "2026-12-29T09:00"])
  }

  @Test func `a moved time keeps to the clock of its new day`() throws {
    let berlin = try TestZones.named("Europe/Berlin")
    let sunday = try calendar("sunday", ["2026-03-29"])
    let previous = try moved("30 2 29 3 *", .previous, except: [sunday], zone: berlin)
    #expect(
      previous.next(after: WallInstant(milliseconds: 1_770_000_000_000))?.rfc3339(in: berlin)
        == "2026-03-28T02:30:00.000+01:00")
    // To the day of the change: the time does not exist there, and runs right after the gap.
    let saturday = try calendar("saturday", ["2026-03-28"])
    let next = try moved("30 2 28 3 *", .next, except: [saturday], zone: berlin)
    #expect(
      next.next(after: WallInstant(milliseconds: 1_770_000_000_000))?.rfc3339(in: berlin)
        == "2026-03-29T03:00:00.000+02:00")
  }

  @Test func `a slot says from which days it was moved, and a day where its slot is`() throws {
    let holidays = try calendar("holidays", ["2026-12-25"], expressions: ["Sat,Sun"])
    let rule = try moved("0 9 25,26,28 12 *", .next, except: [holidays])
    let schedule = Schedule(rules: [rule])
    let instant = try #require(try InstantText("2026-12-28T09:00Z").instant)
    #expect(
      schedule.daysMoved(to: instant).map { DayFilter.date($0) } == ["2026-12-25", "2026-12-26"])
    let christmas = try #require(try InstantText("2026-12-25T09:00Z").instant)
    #expect(schedule.moved(christmas) == instant)
    #expect(schedule.moved(instant) == nil)
  }

  /// `cron | where to | day without slots | the slot | the instant of the rule`
  @Test(arguments: [
    "30 2 28 * * | next | 2026-03-28 | 2026-03-29T03:00+02:00 | 2026-03-28T02:30+01:00",
    "30 2 29 * * | next | 2026-03-29 | 2026-03-30T02:30+02:00 | 2026-03-29T03:00+02:00",
    "30 2 29 * * | previous | 2026-03-29 | 2026-03-28T02:30+01:00 | 2026-03-29T03:00+02:00",
    "30 2 30 * * | previous | 2026-03-30 | 2026-03-29T03:00+02:00 | 2026-03-30T02:30+02:00",
    "30 2 * * * | next | 2026-03-29 | 2026-03-30T02:30+02:00 | 2026-03-29T03:00+02:00",
    "0 9 28 * * | next | 2026-03-28 | 2026-03-29T09:00+02:00 | 2026-03-28T09:00+01:00",
    "30 2 24 10 * | next | 2026-10-24 | 2026-10-25T02:30+02:00 | 2026-10-24T02:30+02:00",
  ])
  func `a slot that was moved over a clock change says so`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let closed = try calendar("closed", [parts[2]])
    let rule = try moved(
      parts[0], try #require(DayMove.Direction(rawValue: parts[1])), except: [closed],
      zone: try TestZones.named("Europe/Berlin"))
    let slot = try #require(try InstantText(parts[3]).instant)
    let original = try #require(try InstantText(parts[4]).instant)
    let schedule = Schedule(rules: [rule])
    #expect(rule.has(ScheduleInstant(slot)))
    #expect(schedule.daysMoved(to: slot) == [try day(parts[2])])
    #expect(schedule.moved(original) == slot)
  }

  @Test func `a recurrence that is moved into the spring gap says so, and a calendar drops it`()
    throws
  {
    let berlin = try TestZones.named("Europe/Berlin")
    var filter = DayFilter()
    filter.move = Shared(DayMove(.next, except: DaySet([try calendar("closed", ["2026-03-28"])])))
    let recurrence = try Recurrence.read("DTSTART:20260128T023000 RRULE:FREQ=MONTHLY").recurrence
    let rule = ClockRule(
      .recurrence(Shared(recurrence)).filtered(on: filter), zone: berlin, dst: recurrence.ownDST)
    let slot = try #require(try InstantText("2026-03-29T03:00+02:00").instant)
    #expect(rule.has(ScheduleInstant(slot)) == (rule.dst.gap == .runAfter))
    #expect(
      Schedule(rules: [rule]).daysMoved(to: slot)
        == (rule.dst.gap == .runAfter ? [try day("2026-03-28")] : []))
    let expression = ClockRule(
      .calendar(try CalendarExpression("*-*-28 02:30")).filtered(on: filter), zone: berlin,
      dst: DSTPolicy(gap: .skip))
    let original = try #require(try InstantText("2026-03-28T02:30+01:00").instant)
    #expect(Schedule(rules: [expression]).moved(original) == nil)
    #expect(
      expression.next(after: original)?.rfc3339(in: berlin) == "2026-04-28T02:30:00.000+02:00")
  }

  /// The times that a person would find, from far before to far behind the first day.
  private func movedDayByDay(
    _ cron: String, _ direction: DayMove.Direction, around first: Int64,
    isOpen: (Int64) -> Bool
  ) throws -> Set<Int64> {
    let plain = ClockRule(
      .cron(try CronExpression(cron), days: .cron), zone: .utc, dst: DSTPolicy.cron)
    var expected: Set<Int64> = []
    var instant = WallInstant(milliseconds: (first - 120) * 86_400_000)
    while let found = plain.next(after: instant), found.milliseconds < (first + 200) * 86_400_000 {
      instant = found
      var day = found.milliseconds / 86_400_000
      let time = found.milliseconds % 86_400_000
      let step: Int64 = direction == .next ? 1 : -1
      while !isOpen(day), (first - 400...first + 400).contains(day) { day += step }
      if isOpen(day) { expected.insert(day * 86_400_000 + time) }
    }
    return expected
  }

  @Test(arguments: UInt64(0)..<120)
  func `moved times are those that a person would find day by day`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let first = try day("2026-03-01")
    let closed = (0..<Int.random(in: 0...25, using: &random)).map { _ in
      first + Int64.random(in: 0...60, using: &random)
    }
    var content = SharedCalendar.Content()
    content.days = NumberRanges(closed.map { $0..<($0 + 1) })
    if random.oneIn(3) {
      content.expressions = [
        SharedCalendar.Expression(try CalendarExpression("Sat,Sun"), isWholeDays: true, zone: nil)
      ]
    }
    var only: [SharedCalendar]?
    if random.oneIn(3) {
      var kept = SharedCalendar.Content()
      kept.days = NumberRanges(
        (0..<30).map { _ in
          let start = first + Int64.random(in: -10...70, using: &random)
          return start..<(start + 1)
        } + [(first + 100)..<(first + 1000)])
      only = [SharedCalendar("only", kept)]
    }
    let direction: DayMove.Direction = random.oneIn(2) ? .next : .previous
    let hours =
      "\(Int.random(in: 0...23, using: &random)),\(Int.random(in: 0...23, using: &random))"
    let cron = "\(Int.random(in: 0...59, using: &random)) \(hours) */3 * *"
    let calendar = SharedCalendar("closed", content)
    let rule = try moved(cron, direction, except: [calendar], only: only)
    let move = try #require(rule.expression.filter?.move?.value)
    let expected = try movedDayByDay(cron, direction, around: first) { day in
      let weekday = CivilTime.weekday(daysSinceEpoch: day)
      if closed.contains(day) { return false }
      if !content.expressions.isEmpty, weekday == 0 || weekday == 6 { return false }
      return only.map { $0[0].content.days.contains(day) } ?? true
    }
    let from = (first + 1) * 86_400_000
    let end = (first + 90) * 86_400_000
    var found: [Int64] = []
    var instant = WallInstant(milliseconds: from)
    while let next = rule.next(after: instant), next.milliseconds < end {
      found.append(next.milliseconds)
      instant = next
    }
    #expect(found == expected.filter { $0 > from && $0 < end }.sorted(), "\(cron) \(direction)")
    for milliseconds in found { #expect(move.isOpen(milliseconds / 86_400_000)) }
  }

  @Test func `working days skip the days of a calendar, and the search ends`() throws {
    var filter = DayFilter(workingDay: -1)
    filter.holidays = Shared(DaySet([try calendar("holidays", ["2026-12-31", "2026-12-30"])]))
    let expression = try CronExpression("0 18 * * *")
    let rule = ClockRule(
      .cron(expression, days: .cron).filtered(on: filter), zone: .utc, dst: expression.ownDST)
    #expect(try times(rule, after: "2026-12-02T00:00Z", count: 1) == ["2026-12-29T18:00"])
    var content = SharedCalendar.Content()
    content.days = NumberRanges([0..<(DaySet.last + 1)])
    let all = SharedCalendar("all", content)
    filter.holidays = Shared(DaySet([all]))
    let never = ClockRule(
      .cron(expression, days: .cron).filtered(on: filter), zone: .utc, dst: expression.ownDST)
    #expect(never.next(after: WallInstant(milliseconds: 0)) == nil)
    for direction in [DayMove.Direction.next, .previous] {
      let nowhere = try moved("0 9 * * *", direction, except: [all])
      #expect(nowhere.next(after: WallInstant(milliseconds: 0)) == nil)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `an hour of a job on the days of a thousand rare events is found at once`() throws {
    let rule = "DTSTART:20200101T000000 RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"
    let event = CalendarEvent(
      try Recurrence.read(rule).recurrence, length: 1, isWholeDays: true, zone: nil)
    var content = SharedCalendar.Content()
    content.events = Array(repeating: event, count: CalendarFile.recurringMax)
    let leapDays = SharedCalendar("leap days", content)
    let moved = try moved("0 9 * * *", .next, except: [], only: [leapDays])
    #expect(try times(moved, after: "1970-01-01T00:00Z", count: 1) == ["2020-02-29T09:00"])
  }

  @Test func `expressions that exclude each day leave no slot, not in 2200 either`() throws {
    for expressions in [["*-*-*"], ["Mon..Fri", "Sat,Sun"]] {
      let all = try calendar("all", expressions: expressions)
      for direction in [DayMove.Direction.next, .previous] {
        let nowhere = try moved("0 6 * * *", direction, except: [all])
        #expect(nowhere.next(after: WallInstant(milliseconds: 1_790_000_000_000)) == nil)
      }
      var filter = DayFilter(workingDay: -1)
      filter.holidays = Shared(DaySet([all]))
      let expression = try CronExpression("0 6 * * *")
      let never = ClockRule(
        .cron(expression, days: .cron).filtered(on: filter), zone: .utc, dst: expression.ownDST)
      #expect(never.next(after: WallInstant(milliseconds: 1_790_000_000_000)) == nil)
      #expect(never.withoutCalendars.next(after: WallInstant(milliseconds: 0)) != nil)
    }
  }

  @Test(arguments: [
    "*-*-*", "Sat,Sun", "*-*-1..7", "2027-*-*", "*-12-24..31", "Fri *-*-13", "*-*~1", "*-02-29",
    "*-1,3,5-31",
  ])
  func `the days round a day are those that an expression names`(text: String) throws {
    let expression = SharedCalendar.Expression(
      try CalendarExpression(text), isWholeDays: true, zone: nil)
    let first = try day("2026-11-01")
    func isNamed(_ day: Int64) -> Bool { expression.firstDay(from: day) == day }
    for day in first..<(first + 550) {
      let range = expression.days(with: day)
      #expect((range != nil) == isNamed(day), "\(text), \(DayFilter.date(day))")
      if let range { #expect(range.contains(day) && range.allSatisfy(isNamed)) }
    }
  }

  @Test func `times that are left out are divided at their edges, round a clock change`() throws {
    let berlin = try TestZones.named("Europe/Berlin")
    var rules = CalendarRules(in: berlin)
    rules.except = [try calendar("holidays", ["2026-10-25"])]
    var schedule = Schedule(rules: [
      ClockRule(.cron(try CronExpression("0 * * * *"), days: .cron), zone: berlin, dst: .cron)
    ])
    schedule.calendars = rules
    let start = try #require(try InstantText("2026-10-24T12:00Z").instant)
    let end = try #require(try InstantText("2026-10-26T12:00Z").instant)
    let instantSet = schedule.wallInstantSet
    let series = try #require(
      instantSet.series(after: ScheduleInstant(start), through: ScheduleInstant(end)))
    let (excluded, others) = try #require(schedule.excludedTimes).divide(series, of: instantSet)
    // That Sunday has 25 hours.
    #expect(excluded.map(\.count) == [25] && others.reduce(0) { $0 + $1.count } == 23)
    rules.except = []
    rules.onlyOn = [try calendar("sunday", ["2026-10-25"])]
    schedule.calendars = rules
    let other = try #require(schedule.excludedTimes).divide(series, of: instantSet)
    #expect(other.others.map(\.count) == [25])
  }

  @Test(arguments: UInt64(0)..<40)
  func `nothing changes between two edges`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let zone = try TestZones.named(
      ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"].randomElement(using: &random)
        ?? "UTC")
    let base: Int64 = 1_792_000_000
    func range(_ unit: Int64) -> Range<Int64> {
      let start = (base + Int64.random(in: 0...4_000_000, using: &random)) / unit
      return start..<(start + Int64.random(in: 1...3, using: &random) * (unit == 1 ? 7000 : 1))
    }
    var content = SharedCalendar.Content()
    content.days = NumberRanges((0..<4).map { _ in range(86_400) })
    content.times = NumberRanges((0..<4).map { _ in range(1) })
    content.localTimes = NumberRanges((0..<4).map { _ in range(1) })
    let text = "DTSTART:20260901T220000 RRULE:FREQ=WEEKLY;BYDAY=TU,SA"
    content.events = [
      CalendarEvent(
        try Recurrence.read(text).recurrence, length: 5 * 3600, isWholeDays: false, zone: nil),
      // Over clock changes, in and out of their gaps.
      CalendarEvent(
        try Recurrence.read("DTSTART:20260906T023000 RRULE:FREQ=WEEKLY;BYHOUR=1,2").recurrence,
        length: random.oneIn(2) ? 0 : 1800, nominalDays: 1, isWholeDays: false, zone: nil),
      CalendarEvent(
        try Recurrence.read("DTSTART:20260901T020000 RRULE:FREQ=DAILY;BYMINUTE=0,15,45").recurrence,
        length: 600, isWholeDays: false, zone: nil),
    ]
    var rules = CalendarRules(in: zone)
    if random.oneIn(2) {
      rules.except = [SharedCalendar("a", content)]
    } else {
      rules.onlyOn = [SharedCalendar("a", content)]
    }
    var instant = ScheduleInstant(milliseconds: base * 1000)
    for _ in 0..<60 {
      guard let edge = rules.nextEdge(after: instant) else { break }
      #expect(edge > instant)
      let wanted = rules.contains(instant)
      for _ in 0..<8 where edge - instant > 1 {
        let between = instant + Int64.random(in: 0..<(edge - instant), using: &random)
        #expect(rules.contains(between) == wanted, "\(between.milliseconds)")
      }
      instant = edge
    }
  }
}
