import TaktTime

/// The local times of a calendar expression, without regard to any zone, in microseconds.
struct CalendarLocalSearch: LocalSearch {
  static let ticksPerSecond: Int64 = 1_000_000

  let expression: CalendarExpression

  func first(from local: Int64) -> Int64? {
    // Its years begin with 1970, in the west a few hours after the epoch. In UTC every local time
    // exists once.
    var search = CalendarSearch(expression, zone: .utc, from: max(0, local), staysInUnits: true)
    return search.next()
  }
}
