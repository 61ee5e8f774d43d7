extension MachineBody {
  /// Starts the timer, with a handler if one is given, and sees to its registration handler.
  func activate(
    _ schedule: TimerSchedule, handler: MainHandler? = nil,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    prefetch()
    var transition: TransitionNote?
    let (reply, previous) = core.withLock { core -> (TimerReply, Replaced?) in
      var previous: Replaced?
      if let handler, case .moved = core.state.transition(on: .activate) {
        let main = core.replaceMainHandler(with: handler, in: group)
        previous = Replaced(main: main, own: group.removeOwnHandler())
      }
      let reply = begin(schedule, in: &core, &transition)
      guard let onArmed, reply.isAccepted else { return (reply, previous) }
      let extras = core.madeExtras()
      previous = previous ?? Replaced()
      previous?.registration = extras.registration
      extras.registration = onArmed
      extras.registrationGeneration = core.generation
      return (reply, previous)
    }
    // Destroyed outside the lock: what it holds may do anything then.
    _ = previous
    report(transition)
    if onArmed != nil, case .accepted(let generation) = reply {
      perform { self.register(generation) }
    }
    return reply
  }

  /// The handlers that an activation replaces.
  private struct Replaced {
    var main: MainHandler?
    var own: MainHandler?
    var registration: (@Sendable () -> Void)?
  }

  /// Starts or continues with the schedule that the machine was made with.
  func start() -> TimerReply {
    var transition: TransitionNote?
    let reply = core.withLock { core -> TimerReply in
      switch core.state {
      case .running: return .accepted(generation: core.generation)
      case .suspended:
        return apply(.resume, last: false, cause: .requested, to: &core, &transition)
      case .idle, .cancelled: break
      }
      guard let schedule = group.schedule else {
        return refuse(.activate, in: &core, &transition)
      }
      return begin(schedule, in: &core, &transition)
    }
    report(transition)
    return reply
  }

  /// Starts a machine that was made with a schedule.
  ///
  /// - Returns: nil for one that was made without, or is not idle.
  func startFromIdle() -> TimerReply? {
    guard let schedule = group.schedule else { return nil }
    var transition: TransitionNote?
    let reply = core.withLock { core -> TimerReply? in
      core.state == .idle ? begin(schedule, in: &core, &transition) : nil
    }
    report(transition)
    return reply
  }
}
