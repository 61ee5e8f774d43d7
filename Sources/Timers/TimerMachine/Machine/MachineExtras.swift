/// The state that few machines need, kept apart so that the others stay small.
///
/// `@unchecked`, and safe: the one lasting reference to it is `MachineCore.extras`, which is reached
/// only through `core.withLock`, and code that gets it there hands out values, never the object.
final class MachineExtras: @unchecked Sendable {
  /// The alarm, of a factory that is not the coalescing one.
  var adapter: (any TimerAdapter)?
  /// Operations that were refused.
  var refusals: UInt64 = 0
  /// Deliveries that `fireNow` has promised and whose turn on the queue has not come.
  var promisedNow: UInt32 = 0
  /// Those whose turn came while a handler was being called.
  var waitingNow: UInt32 = 0
  /// Requested fires that come at most once in an interval.
  var rationed: RationedFires?
  /// Called when the handler returns, for callers that wait in `cancelAndWait`.
  var waiters: [@Sendable () -> Void] = []
  /// Reports that wait for a thread to hand them over.
  var outbox: [TransitionNote] = []
  /// True if `handler` replaces the handler that the machine was made with.
  var isHandlerReplaced = false
  var handler: MainHandler?
  /// The handlers besides the main one, in the order of their calls.
  var handlers: [TimerHandler] = []
  /// The first generation whose deliveries are still called when they reach their actor.
  var firstWanted: UInt64 = 0
  /// Called once when the timer is armed, in the generation that it was given for.
  ///
  /// One whose generation is past stays until its turn on the queue, so that it is destroyed
  /// outside the machine's lock: its contents may operate the machine when they are destroyed.
  var registration: (@Sendable () -> Void)?
  var registrationGeneration: UInt64 = 0

  /// The open sequences of `ticks`, by number.
  var streams: [UInt64: AsyncStream<TimerFire>.Continuation] = [:]
  var lastStream: UInt64 = 0
  /// Keeps the subscription to clock steps, once a wall schedule was armed.
  var clockSteps: ClockStepSubscription?
  /// Rings at the end of a wall schedule's window where the system reports no clock steps.
  var wallAlarm: WallAlarm?

  /// True if a delivery calls others besides the main handler.
  var hasListeners: Bool { !handlers.isEmpty || !streams.isEmpty || registration != nil }

  /// Takes out the contents that hold other objects, when the machine's handle is gone.
  func detach() -> MachineExtras {
    let previous = MachineExtras()
    swap(&previous.adapter, &adapter)
    swap(&previous.rationed, &rationed)
    swap(&previous.handler, &handler)
    swap(&previous.handlers, &handlers)
    swap(&previous.registration, &registration)
    swap(&previous.streams, &streams)
    swap(&previous.clockSteps, &clockSteps)
    swap(&previous.wallAlarm, &wallAlarm)
    return previous
  }

  /// Takes out the handlers, when the machine was cancelled.
  func releaseHandlers() -> MachineExtras {
    let previous = MachineExtras()
    swap(&previous.handler, &handler)
    swap(&previous.handlers, &handlers)
    swap(&previous.registration, &registration)
    return previous
  }

  /// Takes the registration handler out if it is that of `generation`.
  func removeRegistration(of generation: UInt64) -> (@Sendable () -> Void)? {
    guard registrationGeneration == generation else { return nil }
    let taken = registration
    registration = nil
    return taken
  }
}

/// Requested fires that a gate lets through, by their numbers. A part of `MachineExtras`.
final class RationedFires {
  var gate: any TriggerGate
  /// The numbers of the last one accepted, the last one whose turn has come, and the last one that
  /// a stop has overtaken.
  private var accepted: UInt64 = 0
  private var done: UInt64 = 0
  private var overtaken: UInt64 = 0

  init(gate: any TriggerGate) { self.gate = gate }

  var isWaiting: Bool { done < accepted }

  /// The number of one more.
  func accept() -> UInt64 {
    accepted += 1
    return accepted
  }

  /// True if the one whose turn has come may fire.
  func consume(_ number: UInt64) -> Bool {
    guard number > overtaken else { return false }
    // Of two threads' calls, the later one may have had its turn first.
    done = max(number, done)
    return true
  }

  func overtake() { (done, overtaken) = (accepted, accepted) }
}

/// Lets an action through in its turn, on the machine's queue.
protocol TriggerGate: AnyObject, Sendable {
  func call(_ action: @escaping @Sendable () -> Void)
}

extension MachineCore {
  var refusals: UInt64 { extras?.refusals ?? 0 }

  /// The extras, made when they are first needed.
  mutating func madeExtras() -> MachineExtras {
    if let extras { return extras }
    let made = MachineExtras()
    extras = made
    return made
  }

  /// Takes out the waiters for the handler's return.
  mutating func removeWaiters() -> [@Sendable () -> Void] {
    guard let extras, !extras.waiters.isEmpty else { return [] }
    let waiters = extras.waiters
    extras.waiters = []
    return waiters
  }

  /// Takes out the sequences that have to end because the machine has; nil when there are none.
  mutating func removeEndedStreams() -> [AsyncStream<TimerFire>.Continuation]? {
    guard let extras, !extras.streams.isEmpty, !isDelivering else { return nil }
    guard state == .cancelled || state == .idle else { return nil }
    let ended = Array(extras.streams.values)
    extras.streams = [:]
    return ended
  }
}

extension MachineBody {
  /// Ends the sequences of a machine that is over, after its last fire was handed to them.
  func closeStreams() {
    if let streams = core.withLock({ $0.removeEndedStreams() }) { Self.finish(streams) }
  }

  /// Ends sequences, outside the lock: one that ends calls back to have itself removed.
  ///
  /// Not inlined, since few operations come to it.
  @inline(never)
  static func finish(_ streams: [AsyncStream<TimerFire>.Continuation]) {
    for stream in streams { stream.finish() }
  }

  /// Follows the wall clock, and the sleeps of the computer, while the schedule depends on them. Under
  /// the lock.
  func followClockSteps(in core: inout MachineCore) {
    if core.state == .running, core.extras?.clockSteps == nil,
      let clock = group.factory.time as? any SteppingTimeSource
    {
      let extras = core.madeExtras()
      let subscription = clock.onClockStep { [weak self] in self?.clockStepped() }
      extras.clockSteps = subscription
      if !subscription.isWatching {
        extras.wallAlarm = WallAlarm { [weak self] in self?.clockStepped() }
      }
    }
    guard let alarm = core.extras?.wallAlarm else { return }
    alarm.set(core.state == .running ? core.endOfWallWindow(in: group) : nil)
  }

  /// The wall clock was set, or the computer has slept: a deadline is another one on the clock that
  /// alarms run on.
  private func clockStepped() {
    core.withLock { core in
      guard core.isArmed, core.mayStep else { return }
      followClockSteps(in: &core)
      arm(in: &core)
    }
  }

  /// Calls the registration handler, unless the first fire already has. On the machine's queue.
  func register(_ generation: UInt64) {
    let (registration, isCurrent) = core.withLock { core -> ((@Sendable () -> Void)?, Bool) in
      let isCurrent = core.generation == generation
      // On a concurrent queue a delivery may still continue: the next one calls it, before its
      // handlers.
      if isCurrent, core.isDelivering { return (nil, false) }
      guard let registration = core.extras?.removeRegistration(of: generation) else {
        return (nil, false)
      }
      if isCurrent {
        core.isDelivering = true
        core.deliveringThread = ThreadIdentity.current
      }
      return (registration, isCurrent)
    }
    guard let registration, isCurrent else { return }
    registration()
    runNext()
  }
}
