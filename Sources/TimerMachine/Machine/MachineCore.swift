import Dispatch

/// What a machine knows about itself. Changed only under its lock.
///
/// Ordered for size: a process may hold a million of these.
struct MachineCore {
  typealias Handler = @Sendable (TimerFire) -> Void

  var state = TimerState.idle
  /// The adapter holds `ticket` for `deadline`.
  var isArmed = false
  /// A handler is between its claim and its return.
  var isDelivering = false
  /// The armed deadline came while `isDelivering`; it is claimed when the handler returns.
  var isDueWaiting = false
  /// A thread is handing `outbox` to the observer.
  var isReporting = false
  /// `fireNow` deliveries that came while `isDelivering`.
  var waitingNow: UInt16 = 0
  /// Operations that were refused.
  var refusals: UInt64 = 0
  var generation: UInt64 = 0
  /// The number of the last arming.
  var ticket: UInt64 = 0
  /// Transitions reported, the last sequence number.
  var reports: UInt64 = 0
  /// Deliveries claimed, the last sequence number.
  var claims: UInt64 = 0
  var schedule: TimerSchedule?
  /// The next deadline of the schedule that has not been claimed.
  var deadline = MonotonicInstant.distantFuture
  /// Fires left; `Int64.max` means for ever.
  var remaining: Int64 = 0
  /// Whose handler call is going on.
  var deliveringThread: UInt = 0
  var handler: Handler?
  var adapter: (any TimerAdapter)?
  var outbox: [TimerTransition] = []
  /// Who waits in `cancelAndWait` for the handler to return.
  var waiters: [DispatchSemaphore] = []

  init(handler: @escaping Handler) {
    self.handler = handler
  }

  /// Takes a schedule from its beginning.
  mutating func begin(_ schedule: TimerSchedule, at now: MonotonicInstant) {
    self.schedule = schedule
    deadline = schedule.firstDeadline(activatedAt: now)
    remaining = schedule.fires
  }

  /// Deadlines of the grid from `deadline` up to `now`; 0 when it lies ahead.
  func periodsDue(at now: MonotonicInstant) -> Int64 {
    guard now >= deadline else { return 0 }
    let interval = schedule?.intervalNanoseconds ?? 0
    guard interval > 0 else { return 1 }
    let late = now.nanoseconds.subtractingSaturated(deadline.nanoseconds)
    return (late / interval).addingSaturated(1)
  }

  /// Moves the next deadline `periods` along the grid.
  mutating func advance(periods: Int64) {
    let interval = schedule?.intervalNanoseconds ?? 0
    let (distance, overflow) = interval.multipliedReportingOverflow(by: periods)
    deadline = deadline + .nanoseconds(overflow ? .max : distance)
  }

  /// Whether skipping what is due at `now` leaves nothing.
  func isOverAfterSkipping(at now: MonotonicInstant) -> Bool {
    schedule?.intervalNanoseconds == 0 && now >= deadline
  }

  /// Does what the table says about the adapter and the generation.
  mutating func perform(_ effects: TimerEffects) {
    if effects.contains(.newGeneration) {
      generation += 1
      isDueWaiting = false
      waitingNow = 0
    }
    if effects.contains(.arm) {
      ticket += 1
      isArmed = true
      isDueWaiting = false
      adapter?.arm(
        TimerArming(deadline: deadline, leeway: schedule?.leeway ?? .zero, ticket: ticket))
    } else if effects.contains(.disarm), isArmed {
      isArmed = false
      adapter?.disarm()
    }
  }
}
