import Dispatch
import Synchronization
import TaktTime

/// The machine behind the handle that the user holds.
///
/// The wake queue, or the adapter's callback, holds the body while it is armed; `release()`, called
/// when the handle goes, disarms it. So a callback never meets a machine half gone, and none of
/// them pays for a weak reference.
///
/// `@unchecked Sendable` as `WakeClient` is: what it adds is constant or behind the lock.
final class MachineBody: WakeClient, @unchecked Sendable {
  private static let lastID = Atomic<UInt64>(0)

  /// A copy of the group's value, so that an operation fetches no memory of the group's.
  let isObserved: Bool
  let isScheduled: Bool
  let id: UInt64
  let group: TimerGroup
  /// Not counted, which every arming would pay for twice: the group holds the wake queue, and the
  /// machine the group, both permanently, so that it lives as long as the machine. The gate's
  /// `wakes`.
  private let wakeQueue: Unmanaged<WakeQueue>?
  let core = Guarded(MachineCore())

  /// - Parameters:
  ///   - id: nil for a number that no other machine of the process has.
  ///   - group: a group of its own is made after it, so that the machine is beside its handle in
  ///     memory.
  init(id: UInt64?, in group: @autoclosure () -> TimerGroup) {
    let group = group()
    self.id = id ?? Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.group = group
    isObserved = group.observer != nil
    isScheduled = group.schedule != nil
    wakeQueue = group.wakeQueue.map(Unmanaged.passUnretained)
    super.init(isHome: group.wakeQueue?.isHome(group.queue) ?? false)
    guard group.wakeQueue == nil else { return }
    let adapter = group.factory.makeAdapter(queue: group.queue) { self.deadlineReached(ticket: $0) }
    core.withLock { $0.madeExtras().adapter = adapter }
  }

  override var queue: DispatchQueue { group.queue }

  /// The time on the clock that deadlines are measured on.
  var monotonic: MonotonicInstant {
    wakeQueue?._withUnsafeGuaranteedRef { $0.time.monotonic } ?? group.monotonic
  }

  /// Begins to fetch what an operation uses of it, side by side: with many machines all of it is far
  /// away.
  @inline(__always)
  func prefetch() {
    Prefetch.lines(3, from: Unmanaged.passUnretained(self).toOpaque())
  }

  /// An armed deadline has come. Runs on the machine's queue.
  override func deadlineReached(ticket: UInt64) {
    var transition: TransitionNote?
    let delivery = core.withLock { claim(ticket: ticket, in: &$0, &transition) }
    if let delivery { run(delivery, transition) }
  }

  /// Takes one event of the user's through the table.
  ///
  /// - Parameters:
  ///   - last: computed under the lock, see `TimerState.transition(on:last:)`.
  ///   - change: what an accepted event does to the schedule, before anything is armed.
  func operate(
    _ event: TimerEvent, last: (inout MachineCore) -> Bool = { _ in false },
    change: (inout MachineCore) -> Void = { _ in }
  ) -> TimerReply {
    prefetch()
    var transition: TransitionNote?
    let (reply, streams) = core.withLock { core in
      let reply = apply(
        event, last: last(&core), cause: .requested, to: &core, &transition, change: change)
      return (reply, core.removeEndedStreams())
    }
    report(transition)
    if let streams { Self.finish(streams) }
    return reply
  }

  /// The same for a caller that holds a lock of its own and calls `settle()` after it.
  func operateQuietly(
    _ event: TimerEvent, change: (inout MachineCore) -> Void = { _ in }
  ) -> TimerReply {
    core.withLock { core in
      var transition: TransitionNote?
      let reply = apply(
        event, last: false, cause: .requested, to: &core, &transition, change: change)
      core.postpone(transition)
      return reply
    }
  }

  /// Starts the timer, or gives it another schedule when it has one that is not over.
  func setSchedule(_ schedule: TimerSchedule) -> TimerReply {
    var transition: TransitionNote?
    let reply = core.withLock { setSchedule(schedule, in: &$0, &transition) }
    report(transition)
    return reply
  }

  /// The same for a caller that holds a lock of its own and calls `settle()` after it.
  func setScheduleQuietly(_ schedule: TimerSchedule) -> TimerReply {
    core.withLock { core in
      var transition: TransitionNote?
      let reply = setSchedule(schedule, in: &core, &transition)
      core.postpone(transition)
      return reply
    }
  }

  private func setSchedule(
    _ schedule: TimerSchedule, in core: inout MachineCore, _ transition: inout TransitionNote?
  ) -> TimerReply {
    let isOver = core.state == .idle || core.state == .cancelled
    guard !isOver else { return begin(schedule, in: &core, &transition) }
    return apply(.reschedule, last: false, cause: .requested, to: &core, &transition) {
      $0.begin(schedule, of: self)
    }
  }

  /// Takes `activate` through the table, unless there is no handler to call.
  func begin(
    _ schedule: TimerSchedule, in core: inout MachineCore, _ transition: inout TransitionNote?
  ) -> TimerReply {
    guard core.hasHandlers(in: group) else {
      let reply = refuse(.activate, in: &core, &transition)
      // A state that does not permit it is reported first.
      guard case .moved = core.state.transition(on: .activate) else { return reply }
      return .noHandler
    }
    return apply(.activate, last: false, cause: .requested, to: &core, &transition) {
      $0.begin(schedule, of: self)
    }
  }

  func refuse(
    _ event: TimerEvent, in core: inout MachineCore, _ report: inout TransitionNote?
  ) -> TimerReply {
    core.madeExtras().refusals += 1
    note(event, from: core.state, cause: .refused, in: &core, &report)
    return .refused(state: core.state)
  }

  /// Runs work on the queue of the handlers.
  func perform(_ work: @escaping @Sendable () -> Void) {
    if let wakeQueue = group.wakeQueue {
      wakeQueue.perform(on: group.queue, work)
    } else {
      core.withLock { $0.extras?.adapter }?.perform(work)
    }
  }

  /// Performs the work that follows an operation outside the lock.
  func settle() {
    report(nil)
    closeStreams()
  }

  /// Takes one event through the table, under the lock.
  func apply(
    _ event: TimerEvent, last: Bool, cause: TimerCause, to core: inout MachineCore,
    _ report: inout TransitionNote?, change: (inout MachineCore) -> Void = { _ in }
  ) -> TimerReply {
    let from = core.state
    switch from.transition(on: event, last: last) {
    case .refused:
      return refuse(event, in: &core, &report)
    case .moved(let state, let effects):
      change(&core)
      core.state = state
      if core.mayStep { followClockSteps(in: &core) }
      perform(effects, in: &core)
      let isOver = last && state == .cancelled
      note(event, from: from, cause: isOver ? .exhausted : cause, in: &core, &report)
      if core.extras != nil, state == .cancelled || event == .suspend {
        replacePromised(in: &core, &report)
      }
      return .accepted(generation: core.generation)
    }
  }

  /// Takes back what `fireNow` has promised before the machine stopped firing, and reports it.
  private func replacePromised(in core: inout MachineCore, _ report: inout TransitionNote?) {
    guard let extras = core.extras else { return }
    // Those that wait share one fire.
    let rationed: UInt64 = extras.rationed?.isWaiting == true ? 1 : 0
    let count = UInt64(extras.promisedNow) + UInt64(extras.waitingNow) + rationed
    guard count > 0 else { return }
    (extras.promisedNow, extras.waitingNow) = (0, 0)
    extras.rationed?.overtake()
    extras.refusals += count
    for _ in 0..<count {
      note(.fireNow, from: core.state, cause: .overtaken, in: &core, &report)
    }
  }

  /// Performs the table's effects on the alarm and the generation, under the lock.
  private func perform(_ effects: TimerEffects, in core: inout MachineCore) {
    if effects.contains(.newGeneration) {
      core.generation += 1
      core.isDueWaiting = false
    }
    if effects.contains(.arm) {
      arm(in: &core)
    } else if effects.contains(.disarm) {
      disarm(in: &core)
    }
  }

  private func disarm(in core: inout MachineCore) {
    guard core.isArmed else { return }
    core.isArmed = false
    if let wakeQueue {
      wakeQueue._withUnsafeGuaranteedRef { $0.disarm(self) }
    } else {
      core.extras?.adapter?.disarm()
    }
  }

  /// Arms the alarm for the next deadline, if there is one, under the lock.
  func arm(in core: inout MachineCore) {
    core.ticket += 1
    core.isDueWaiting = false
    guard core.remaining > 0 else { return disarm(in: &core) }
    core.isArmed = true
    let arming = TimerArming(
      deadline: core.monotonicDeadline(in: group), leewayNanoseconds: core.leewayNanoseconds,
      isStrict: core.isStrict, ticket: core.ticket)
    if let wakeQueue {
      wakeQueue._withUnsafeGuaranteedRef { $0.arm(self, arming) }
    } else {
      core.extras?.adapter?.arm(arming)
    }
  }

  /// Disarms and lets go of everything; the handle is gone.
  func release() {
    var transition: TransitionNote?
    let previous = core.withLock { core in
      core.dropOnTheWay(in: group)
      if core.state == .running || core.state == .suspended {
        _ = apply(.release, last: false, cause: .released, to: &core, &transition)
      }
      return core.extras?.detach()
    }
    report(transition)
    for stream in previous?.streams.values ?? [:].values { stream.finish() }
    // The rest is destroyed here, outside the lock: what a closure holds may do anything then.
  }
}
