/// The slots that a job would have if takt loaded it for the first time now.
public enum SlotPreview {
  /// At most `count` slots after the start, in order. A fixed delay is shown as if its runs took no
  /// time.
  public static func slots(of timing: Timing, startingAt now: Now, count: Int) -> [Slot] {
    var cursor = ScheduleCursor(schedule: timing.schedule, at: now)
    if timing.schedule.on.contains(.start) {
      cursor.add(.start, schedule: timing.schedule, at: now)
    }
    var slots: [Slot] = []
    var clock = now
    while slots.count < count, let slot = cursor.next(of: timing, at: clock) {
      slots.append(slot)
      // Both clocks go on to the slot; the wall has not been stepped meanwhile.
      clock = Now(
        wall: max(clock.wall + (slot.deadline - clock.monotonic), slot.nominal),
        monotonic: max(slot.deadline, clock.monotonic))
      _ = cursor.takeDue(of: timing, at: clock)
      cursor.rest(timing.schedule, at: clock)
    }
    return slots
  }
}
