import Dispatch
import TaktTime

/// What a machine knows about itself. Changed only under its lock.
///
/// Ordered for size: a process may hold a million of these.
struct MachineCore {
  typealias Handler = TimerHandler.Call

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
  ///
  /// In nanoseconds of the schedule's own clock.
  var deadline: Int64 = .max
  /// Fires left; `Int64.max` means for ever.
  var remaining: Int64 = 0
  /// Whose handler call is going on.
  var deliveringThread: UInt = 0
  var handler: Handler?
  var adapter: (any TimerAdapter)?
  var outbox: [TimerTransition] = []
  /// What few machines need.
  var extras: MachineExtras?
  /// Who waits in `cancelAndWait` for the handler to return.
  var waiters: [DispatchSemaphore] = []

  init(handler: Handler?) {
    self.handler = handler
  }

  /// Takes a schedule from its beginning.
  mutating func begin(_ schedule: TimerSchedule, on factory: any TimerFactory) {
    self.schedule = schedule
    if schedule.basis == .activation { self.schedule = schedule.anchored(at: factory.time) }
    deadline = self.schedule?.startNanoseconds ?? .max
    remaining = schedule.fires
  }

  /// The time on the schedule's own clock.
  func now(_ time: any TimeSource) -> Int64 {
    schedule?.isWall == true ? time.wall.nanoseconds : time.monotonic.nanoseconds
  }

  /// The next deadline as the monotonic clock will show it if no one sets the other.
  func monotonicDeadline(on factory: any TimerFactory) -> MonotonicInstant {
    guard schedule?.isWall == true else { return MonotonicInstant(nanoseconds: deadline) }
    let time = factory.time
    return time.monotonic + (WallInstant(nanoseconds: deadline) - time.wall)
  }

  /// Deadlines of the grid from the next one up to `now`; 0 when it lies ahead.
  func periodsDue(at now: Int64) -> Int64 {
    guard now >= deadline else { return 0 }
    let interval = schedule?.intervalNanoseconds ?? 0
    guard interval > 0 else { return 1 }
    return (now.subtractingSaturated(deadline) / interval).addingSaturated(1)
  }

  /// Moves the next deadline `periods` along the grid.
  mutating func advance(periods: Int64) {
    let interval = schedule?.intervalNanoseconds ?? 0
    let (distance, overflow) = interval.multipliedReportingOverflow(by: periods)
    deadline = deadline.addingSaturated(overflow ? .max : distance)
  }

  /// Whether skipping what is due at `now` leaves nothing.
  func isOverAfterSkipping(at now: Int64) -> Bool {
    schedule?.intervalNanoseconds == 0 && now >= deadline
  }

  /// Changes interval and leeway where they are given; the count of fires goes on.
  mutating func change(interval: Int64?, leeway: Int64?, phase: TimerPhase, at now: Int64) {
    guard var changed = schedule else { return }
    if let leeway { changed.leewayNanoseconds = leeway }
    guard let interval else {
      schedule = changed
      return
    }
    if changed.intervalNanoseconds == 0 { remaining = .max }
    changed.intervalNanoseconds = interval
    if phase == .restart { changed.startNanoseconds = now.addingSaturated(interval) }
    schedule = changed
    deadline = changed.startNanoseconds
    advance(periods: periodsDue(at: now))
  }

  /// Does what the table says about the adapter and the generation.
  mutating func perform(_ effects: TimerEffects, on factory: any TimerFactory) {
    if effects.contains(.newGeneration) {
      generation += 1
      isDueWaiting = false
      waitingNow = 0
    }
    if effects.contains(.arm) {
      arm(on: factory)
    } else if effects.contains(.disarm), isArmed {
      isArmed = false
      adapter?.disarm()
    }
  }

  /// Arms the adapter for the next deadline.
  mutating func arm(on factory: any TimerFactory) {
    ticket += 1
    isArmed = true
    isDueWaiting = false
    adapter?.arm(
      TimerArming(
        deadline: monotonicDeadline(on: factory),
        leewayNanoseconds: schedule?.leewayNanoseconds ?? 0,
        isStrict: schedule?.isStrict ?? false, ticket: ticket))
  }
}
