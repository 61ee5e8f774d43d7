import TaktTime

/// Observations of the scheduler's two clocks.
struct Clocks: Sendable {
  /// Wall time that the clock skipped.
  private struct Jump: Sendable {
    var from: WallInstant
    var to: WallInstant
    var cause: MissCause
  }

  /// Smaller jumps cannot be told from a clock that is being corrected gradually.
  private static let jumpMin = Duration.milliseconds(500)

  /// Wall minus monotonic clock at the last reported step.
  private var offset: Int64 = 0
  /// The last jump of the wall clock.
  private var jump: Jump?

  /// The clocks at the start of takt.
  mutating func set(at now: Now) { offset = now.offset }

  /// The wall clock's change against the other since the last reported step.
  func step(at now: Now) -> Duration { .nanoseconds(now.offset - offset) }

  /// A step was reported: the skipped time is remembered.
  mutating func recordStep(slept: Duration, at now: Now) {
    noticeJump(slept >= step(at: now) / 2 ? .asleep : .clock, at: now)
    offset = now.offset
  }

  /// Remembers the time that the wall clock has skipped, even if no step was reported.
  mutating func noticeJump(_ cause: MissCause, at now: Now) {
    let step = step(at: now)
    guard step >= Self.jumpMin else { return }
    jump = Jump(from: now.wall - step, to: now.wall, cause: cause)
  }

  /// The reason why nothing has served slots while takt ran.
  func missCause(of series: SlotSeries, _ spec: JobSpec) -> MissCause {
    guard let jump, jump.from < series.last + spec.timing.reach, series.last <= jump.to,
      spec.timing.schedule.wallInstantSet.has(ScheduleInstant(series.last))
    else { return .stalled }
    return jump.cause
  }
}

extension Now {
  fileprivate var offset: Int64 { wall.nanoseconds - monotonic.nanoseconds }
}
