import TaktTime

/// What the scheduler has seen of its two clocks.
struct Clocks: Sendable {
  /// Wall time that the clock skipped.
  private struct Jump: Sendable {
    var from: WallInstant
    var to: WallInstant
    var cause: MissCause
  }

  /// What is less is not told from a clock that is being put right bit by bit.
  private static let jumpMin = Duration.milliseconds(500)

  /// Wall minus monotonic clock when a step was last told of.
  private var offset: Int64 = 0
  /// Over what the wall clock has jumped last.
  private var jump: Jump?

  /// The clocks as they are when takt starts.
  mutating func set(at now: Now) { offset = now.offset }

  /// How far the wall clock has gone beside the other since a step was last told of.
  func step(at now: Now) -> Duration { .nanoseconds(now.offset - offset) }

  /// A step is told of: what it has jumped over is remembered.
  mutating func recordStep(slept: Duration, at now: Now) {
    noticeJump(slept >= step(at: now) / 2 ? .asleep : .clock, at: now)
    offset = now.offset
  }

  /// Remembers over what the wall clock has jumped, whether or not a step has been told of.
  mutating func noticeJump(_ cause: MissCause, at now: Now) {
    let step = step(at: now)
    guard step >= Self.jumpMin else { return }
    jump = Jump(from: now.wall - step, to: now.wall, cause: cause)
  }

  /// Why nothing has served slots of a takt that ran.
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
