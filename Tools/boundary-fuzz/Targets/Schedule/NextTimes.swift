import TaktTesting
import TaktTime

/// Checks that the first times of a schedule are in ascending order.
enum NextTimes {
  static func check(_ count: Int = 5, _ next: (WallInstant) -> WallInstant?) {
    var instant = FixedTime.wall
    for _ in 0..<count {
      guard let found = next(instant) else { break }
      precondition(found > instant, "time runs backwards")
      instant = found
    }
  }
}
