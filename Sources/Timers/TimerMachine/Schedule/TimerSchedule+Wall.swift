public import TaktTime

extension TimerSchedule {
  /// Fires once when the wall clock reaches `deadline`.
  ///
  /// The timer follows changes of the clock: a step forward past the deadline makes it due at once;
  /// after a step backward it waits for the deadline again, unless it has fired. A deadline that
  /// passes while the machine sleeps is due when it wakes. On Linux the kernel reports both; on
  /// Apple's systems an alarm on their wall clock rings at the deadline plus its leeway. Windows
  /// seems to do neither: a step is noticed there when the timer is next armed.
  ///
  /// - Parameters:
  ///   - deadline: the deadline. If it has passed, the timer is due at once.
  ///   - leeway: how much later it may be. Default zero.
  /// - Throws: `TimerError` for a negative or overlong leeway.
  public static func once(
    atWall deadline: WallInstant, leeway: Duration = .zero
  ) throws(TimerError) -> TimerSchedule {
    try once(start: deadline.nanoseconds, leeway, .wall)
  }

  /// Fires on a grid of the wall clock, such as every quarter of an hour, at :00.
  ///
  /// A step forward makes one fire for all deadlines that it skips. After a step backward, no
  /// deadline fires a second time.
  ///
  /// - Parameters:
  ///   - interval: the time between two deadlines, at least one nanosecond.
  ///   - start: the first deadline.
  ///   - leeway: how much later each fire may be. Default zero.
  ///   - times: the number of fires; `nil`, the default, means no limit.
  /// - Throws: `TimerError` for an interval, leeway or count outside its range.
  public static func every(
    _ interval: Duration, startingAtWall start: WallInstant, leeway: Duration = .zero,
    times: Int? = nil
  ) throws(TimerError) -> TimerSchedule {
    try grid(interval, start: start.nanoseconds, leeway, times, .wall)
  }
}
