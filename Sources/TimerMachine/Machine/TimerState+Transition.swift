/// The answer of the table to one event.
public enum TimerDecision: Sendable, Hashable {
  /// The event is legal: take this state and do these effects.
  case moved(to: TimerState, TimerEffects)
  /// The event is not legal here: nothing changes.
  case refused
}

extension TimerState {
  /// The state table; everything a machine does goes through it.
  ///
  /// | state     | activate | suspend   | resume   | reschedule | fire     | fireNow   | cancel    | release   |
  /// |-----------|----------|-----------|----------|------------|----------|-----------|-----------|-----------|
  /// | idle      | running  | -         | -        | -          | -        | -         | -         | idle      |
  /// | running   | -        | suspended | -        | running    | running¹ | running   | cancelled | cancelled |
  /// | suspended | -        | -         | running¹ | suspended  | -        | suspended | cancelled | cancelled |
  /// | cancelled | running  | -         | -        | -          | -        | -         | -         | cancelled |
  ///
  /// `-` is refused. ¹ `cancelled` when `last` holds.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - last: no fire is left after this event. It matters to `fire` (this was the last one)
  ///     and to `resume` (every fire left was skipped); other events ignore it.
  public func transition(on event: TimerEvent, last: Bool = false) -> TimerDecision {
    switch self {
    case .idle: Self.fromIdle(event)
    case .running: Self.fromRunning(event, last: last)
    case .suspended: Self.fromSuspended(event, last: last)
    case .cancelled: Self.fromCancelled(event)
    }
  }

  private static func fromIdle(_ event: TimerEvent) -> TimerDecision {
    switch event {
    case .activate: .moved(to: .running, [.newGeneration, .arm])
    case .release: .moved(to: .idle, [])
    case .suspend, .resume, .reschedule, .fire, .fireNow, .cancel: .refused
    }
  }

  private static func fromRunning(_ event: TimerEvent, last: Bool) -> TimerDecision {
    switch event {
    case .suspend: .moved(to: .suspended, [.newGeneration, .disarm])
    case .reschedule: .moved(to: .running, [.newGeneration, .arm])
    case .fire: last ? .moved(to: .cancelled, .deliver) : .moved(to: .running, [.deliver, .arm])
    case .fireNow: .moved(to: .running, .deliver)
    case .cancel, .release: .moved(to: .cancelled, [.newGeneration, .disarm])
    case .activate, .resume: .refused
    }
  }

  private static func fromSuspended(_ event: TimerEvent, last: Bool) -> TimerDecision {
    switch event {
    case .resume:
      .moved(to: last ? .cancelled : .running, last ? .newGeneration : [.newGeneration, .arm])
    case .reschedule: .moved(to: .suspended, .newGeneration)
    case .fireNow: .moved(to: .suspended, .deliver)
    case .cancel, .release: .moved(to: .cancelled, .newGeneration)
    case .activate, .suspend, .fire: .refused
    }
  }

  private static func fromCancelled(_ event: TimerEvent) -> TimerDecision {
    switch event {
    case .activate: .moved(to: .running, [.newGeneration, .arm])
    case .release: .moved(to: .cancelled, [])
    case .suspend, .resume, .reschedule, .fire, .fireNow, .cancel: .refused
    }
  }
}
