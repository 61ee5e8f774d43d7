extension MachineCore {
  /// The extras, made when they are first needed.
  mutating func madeExtras() -> MachineExtras {
    if let extras { return extras }
    let made = MachineExtras()
    extras = made
    return made
  }

  /// Takes out the sequences that have to end because the machine has.
  mutating func takeEndedStreams() -> [AsyncStream<TimerFire>.Continuation] {
    guard let extras, !extras.streams.isEmpty, !isDelivering else { return [] }
    guard state == .cancelled || state == .idle else { return [] }
    let ended = Array(extras.streams.values)
    extras.streams = [:]
    return ended
  }
}

extension MachineBody {
  /// Ends the sequences of a machine that is over, after its last fire was handed to them.
  func closeStreams() {
    // Outside the lock: a sequence that ends calls back to have itself removed.
    for stream in core.withLock({ $0.takeEndedStreams() }) { stream.finish() }
  }

  /// Follows the wall clock while the machine has a schedule on it. Under the lock.
  func followClockSteps(in core: inout MachineCore) {
    guard core.schedule?.isWall == true, core.extras?.clockSteps == nil else { return }
    guard let clock = factory.time as? any SteppingTimeSource else { return }
    core.madeExtras().clockSteps = clock.onClockStep { [weak self] in self?.clockStepped() }
  }

  /// The wall clock was set: a deadline on it is another one on the clock that alarms run on.
  private func clockStepped() {
    core.withLock { core in
      guard core.isArmed, core.schedule?.isWall == true else { return }
      core.arm(on: factory)
    }
  }

  /// Calls the registration handler, unless the first fire already has. On the machine's queue.
  func register(_ generation: UInt64) {
    let (registration, isCurrent) = core.withLock { core -> ((@Sendable () -> Void)?, Bool) in
      let isCurrent = core.generation == generation
      // On a concurrent queue a delivery may go on: the next one calls it, before its handlers.
      if isCurrent, core.isDelivering { return (nil, false) }
      guard let registration = core.extras?.takeRegistration(of: generation) else {
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
    run(finish())
  }
}
