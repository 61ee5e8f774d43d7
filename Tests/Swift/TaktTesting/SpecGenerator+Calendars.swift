import TaktCore
import TaktTime

/// Calendars and delays of random jobs.
extension SpecGenerator {
  /// Times around now that are left out, or are the only ones.
  static func calendars(at now: Now, _ random: inout SplitMix64) -> CalendarRules {
    let second = now.wall.milliseconds / 1000
    func calendar(_ name: String) -> SharedCalendar {
      var content = SharedCalendar.Content()
      let ranges = (0..<Int.random(in: 1...6, using: &random)).map { _ -> Range<Int64> in
        let start = second + Int64.random(in: -10...60, using: &random)
        return start..<(start + Int64.random(in: 1...9, using: &random))
      }
      if random.oneIn(2) {
        content.times = NumberRanges(ranges)
      } else {
        content.localTimes = NumberRanges(ranges)
      }
      return SharedCalendar(name, content)
    }
    var rules = CalendarRules(in: .utc)
    if random.oneIn(3) {
      rules.onlyOn = [calendar("a"), calendar("b")]
    } else {
      rules.except = [calendar("a")]
    }
    return rules
  }

  /// A rule that is also moved from excluded days around today.
  static func moved(_ expression: ClockRule.Expression, at now: Now, _ random: inout SplitMix64)
    -> ClockRule.Expression
  {
    let today = now.wall.milliseconds / 86_400_000
    var content = SharedCalendar.Content()
    content.days = NumberRanges([(today - 2)..<today, (today + 1)..<(today + 3)])
    var filter = DayFilter()
    filter.move = Shared(
      DayMove(
        random.oneIn(2) ? .next : .previous, except: DaySet([SharedCalendar("days", content)])))
    return expression.filtered(on: filter)
  }

  /// Sets the move of the schedule's own calendars on each rule that has one, as in a jobs file, or
  /// none.
  static func settleMoves(of schedule: inout Schedule) {
    let move = schedule.calendars?.move(beside: schedule.exclusions).map { Shared($0) }
    schedule.rules = schedule.rules.map { rule in
      guard rule.expression.filter?.move != nil else { return rule }
      var filter = DayFilter()
      filter.move = move
      return ClockRule(
        rule.expression.unfiltered.filtered(on: filter), zone: rule.zone, dst: rule.dst)
    }
  }

  static func delays(_ random: inout SplitMix64) -> [LifecycleEvent: Duration] {
    var delays: [LifecycleEvent: Duration] = [:]
    for event in LifecycleEvent.allCases where random.oneIn(2) {
      delays[event] = .milliseconds(Int.random(in: 1...60, using: &random) * 100)
    }
    return delays
  }
}
