public import TaktTime

extension TimerSchedule {
  /// Fires once when the clock that people read shows `deadline`.
  ///
  /// When that clock is set, the timer follows it: forward past the deadline makes it due at once,
  /// backward makes it wait for the deadline again, unless it has fired. On Linux the kernel tells
  /// of the step; elsewhere a step is noticed when the timer is next armed.
  ///
  /// - Parameters:
  ///   - deadline: when. One that has passed is due at once.
  ///   - leeway: how much later it may be. Default zero.
  /// - Throws: `TimerError` for a negative or overlong leeway.
  public static func once(
    atWall deadline: WallInstant, leeway: Duration = .zero
  ) throws(TimerError) -> TimerSchedule {
    try once(start: deadline.nanoseconds, leeway, .wall)
  }

  /// Fires on a grid of the clock that people read, as "every quarter of an hour, at :00".
  ///
  /// A step forward makes one fire for all deadlines that it jumped over. After a step backward
  /// no deadline fires a second time: the next fire is for the next deadline that has not.
  ///
  /// - Parameters:
  ///   - interval: the distance of two deadlines, at least one nanosecond.
  ///   - start: the first deadline.
  ///   - leeway: how much later each fire may be. Default zero.
  ///   - times: how many fires there are; `nil`, the default, means for ever.
  /// - Throws: `TimerError` for an interval, leeway or count outside its range.
  public static func every(
    _ interval: Duration, startingAtWall start: WallInstant, leeway: Duration = .zero,
    times: Int? = nil
  ) throws(TimerError) -> TimerSchedule {
    try grid(interval, start: start.nanoseconds, leeway, times, .wall)
  }
}
