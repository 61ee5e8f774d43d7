import TaktTime

/// Counts the slots of a cron expression over a long time: whole days at once, where no clock change
/// is near, and the rest one by one.
struct CronCount {
  let expression: CronExpression
  let rule: CronDayRule
  let clock: ClockRule

  private static let day: Int64 = 86_400
  /// Below this it is quicker one by one.
  private static let shortMilliseconds: Int64 = 3 * 86_400_000

  func count(after mark: Int64, through end: Int64) -> Int {
    guard end - mark > Self.shortMilliseconds else {
      return countOneByOne(after: mark, through: end)
    }
    var count = 0
    var position = mark
    let last = end.flooredQuotient(by: 1000)
    while true {
      // The first one that is not behind: at a midnight the day that starts there.
      let second = (position + 1).flooredQuotient(by: 1000)
      let span = clock.zone.span(atEpochSeconds: second)
      let offset = Int64(span.offsetSeconds)
      // The next local midnight, and the midnights up to which nothing changes; a day is kept away
      // from the change on either side.
      let midnight = ((second + offset).flooredQuotient(by: Self.day) + 1) * Self.day - offset
      let quiet = min(last, span.end == .max ? last : span.end - Self.day)
      let days = (quiet - midnight) / Self.day
      guard days > 0, span.start == .min || midnight - span.start > Self.day else {
        // One day, or what is left.
        let next = min(end, midnight * 1000 - 1)
        count += countOneByOne(after: position, through: next)
        guard next < end else { return count }
        position = next
        continue
      }
      count += countOneByOne(after: position, through: midnight * 1000 - 1)
      let first = (midnight + offset) / Self.day
      count += matchingDays(from: first, count: days) * timesOfDay
      position = (midnight + days * Self.day) * 1000 - 1
    }
  }

  private func countOneByOne(after mark: Int64, through end: Int64) -> Int {
    clock.countOneByOne(
      after: ScheduleInstant(milliseconds: mark), through: ScheduleInstant(milliseconds: end))
  }

  private var timesOfDay: Int {
    expression.hours.nonzeroBitCount * expression.minutes.nonzeroBitCount
      * expression.seconds.nonzeroBitCount
  }

  private func matchingDays(from first: Int64, count: Int64) -> Int {
    let search = CronSearch(expression: expression, rule: rule)
    var matching = 0
    var day = first
    let end = first + count
    while day < end, let found = search.first(from: day * Self.day) {
      day = found.flooredQuotient(by: Self.day)
      guard day < end else { break }
      matching += 1
      day += 1
    }
    return matching
  }
}
