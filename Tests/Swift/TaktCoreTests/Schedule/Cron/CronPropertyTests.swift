import TaktCore
import TaktTesting
import Testing
import TaktTime

@Suite struct CronPropertyTests {
  /// The due times by the plain meaning of the fields and of the policy, one instant at a time.
  private struct Reference {
    var cron: GeneratedCron
    var zone: Zone
    var rule: CronDayRule
    var dst: DSTPolicy

    func isDue(_ seconds: Int64) -> Bool {
      let instant = WallInstant(milliseconds: seconds * 1000)
      let civil = zone.civilTime(at: instant)
      if cron.matches(civil, rule), isRightPass(civil, instant) { return true }
      let before = zone.offsetSeconds(at: WallInstant(milliseconds: (seconds - 1) * 1000))
      let after = zone.offsetSeconds(at: instant)
      guard after > before, dst.gap == .runAfter else { return false }
      return (seconds + Int64(before)..<seconds + Int64(after)).contains {
        cron.matches(CivilTime(epochSeconds: $0), rule)
      }
    }

    private func isRightPass(_ civil: CivilTime, _ instant: WallInstant) -> Bool {
      guard !cron.recurs, case .twice(let first, let second) = zone.read(civil) else {
        return true
      }
      switch dst.overlap {
      case .first: return instant == first
      case .second: return instant == second
      case .both: return true
      }
    }
  }

  private func text(_ instant: WallInstant?, _ zone: Zone) -> String {
    instant?.rfc3339(in: zone) ?? "never"
  }

  @Test func `in every zone the next instant is due and nothing is due before it`() throws {
    let names = TestZones.allNames()
    if names.isEmpty { print("skipped: the system has no list of zones") }
    var generator = CronGenerator(seed: 1)
    var checked = 0
    for name in names {
      let zone = try TestZones.named(name)
      let changes = TestZones.changes(of: zone, from: 0, to: 4_102_444_800)
      for index in 0..<10 {
        let reference = Reference(
          cron: generator.next(withSeconds: index == 0), zone: zone,
          rule: CronDayRule.allCases[generator.number(0...2)],
          dst: DSTPolicy(
            gap: generator.random.oneIn(3) ? .skip : .runAfter,
            overlap: DSTPolicy.Overlap.allCases[generator.number(0...2)]))
        var start = Int64(generator.number(0...4_102_444_800))
        if index % 2 == 0, !changes.isEmpty {
          start =
            changes[generator.number(0...(changes.count - 1))]
            + Int64(generator.number(-10_800...10_800))
        }
        try check(reference, from: start, bySeconds: index == 0)
        checked += 1
      }
    }
    print("cron properties: \(checked) expressions in \(names.count) zones")
  }

  private func check(_ reference: Reference, from start: Int64, bySeconds: Bool) throws {
    let zone = reference.zone
    let expression = try CronExpression(reference.cron.text)
    #expect(expression.recursWithinHour == reference.cron.recurs, "\(reference.cron.text)")
    let instant = WallInstant(milliseconds: start * 1000)
    let next = expression.next(after: instant, in: zone, days: reference.rule, dst: reference.dst)
    let comment = """
      '\(reference.cron.text)' in \(zone.name) after \(text(instant, zone)) \(reference.rule) \
      \(reference.dst): \(text(next, zone))
      """
    if let next {
      #expect(next > instant, "\(comment)")
      #expect(reference.isDue(next.milliseconds / 1000), "\(comment) is not due")
    }
    // All seconds of a few minutes, or all minutes of a few hours; before 1972 zones have offsets
    // with seconds, where whole minutes are not enough.
    let step: Int64 = bySeconds || start < 100_000_000 ? 1 : 60
    let end = min(next.map { $0.milliseconds / 1000 } ?? .max, start + 300 * step)
    var second = step == 1 ? start + 1 : (start / 60 + 1) * 60
    while second < end {
      if reference.isDue(second) {
        let missed = text(WallInstant(milliseconds: second * 1000), zone)
        Issue.record("\(comment), but \(missed) is due")
        return
      }
      second += step
    }
  }

  @Test func `no day between two instants has a matching date`() throws {
    var generator = CronGenerator(seed: 2)
    for _ in 0..<1500 {
      let cron = generator.next()
      let rule = CronDayRule.allCases[generator.number(0...2)]
      let start = Int64(generator.number(0...4_102_444_800))
      let next = try CronExpression(cron.text).next(
        after: WallInstant(milliseconds: start * 1000), in: .utc, days: rule)
      let firstDay = start / 86_400 + 1
      let lastDay = min((next.map { $0.milliseconds / 86_400_000 } ?? .max), firstDay + 3000)
      for day in firstDay..<max(firstDay, lastDay)
      where cron.hasDate(CivilTime(epochSeconds: day * 86_400), rule) {
        Issue.record("'\(cron.text)' after \(start) \(rule) passes over day \(day)")
        break
      }
    }
  }

  @Test func `a leap day on each day of the week is found within forty years`() throws {
    for year in stride(from: 1970, through: 2215, by: 3) {
      let start = WallInstant(
        milliseconds: CivilTime(year: year, month: 3, day: 1).epochSeconds * 1000)
      for weekday in 0...6 {
        let found = try CronExpression("0 0 29 2 \(weekday)").next(
          after: start, in: .utc, days: .all)
        let wanted = (year + 1...year + 44).first {
          let day = CivilTime(year: $0, month: 2, day: 29)
          return day.isValid && CronGenerator.weekday(day) == weekday
        }
        #expect(found.map { Zone.utc.civilTime(at: $0).year } == wanted, "\(year) \(weekday)")
      }
    }
  }

  @Test func `the normalized form reads back as an equal value`() throws {
    var generator = CronGenerator(seed: 3)
    for _ in 0..<5000 {
      let text = generator.next().text
      let expression = try CronExpression(text)
      let again = try CronExpression(expression.normalized)
      #expect(again == expression, "'\(text)' '\(expression.normalized)'")
      #expect(again.normalized == expression.normalized, "'\(text)'")
    }
  }

  @Test func `no text makes the parser trap`() {
    var random = SplitMix64(seed: 4)
    let signs = Array("*,-/#LWH()?@ 0123456789\tMONJANx=é")
    for _ in 0..<30_000 {
      let count = Int.random(in: 0...18, using: &random)
      let text = String((0..<count).map { _ in signs.randomElement(using: &random) ?? "*" })
      do {
        let expression = try CronExpression(text, seed: "job")
        _ = expression.words()
        _ = expression.next(after: WallInstant(nanoseconds: 0), in: .utc)
      } catch {
        #expect(error.offset <= text.utf8.count)
        #expect(!error.sentence.isEmpty)
      }
    }
  }
}
