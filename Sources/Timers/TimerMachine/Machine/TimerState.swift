/// The state of a timer machine. `TimerState.transition(on:last:)` contains the whole table.
public enum TimerState: String, Sendable, Hashable, CaseIterable, Codable {
  /// Created, never activated; holds no system resources.
  case idle
  /// Armed for the next fire. If its schedule stays open and has no fire left, the machine is
  /// unarmed until it is rescheduled.
  case running
  /// Unarmed; keeps its schedule and its place in it.
  case suspended
  /// Ended, by request or because no fire is left; can be activated again.
  case cancelled
}

/// An event of a timer machine.
public enum TimerEvent: String, Sendable, Hashable, CaseIterable, Codable {
  /// Start with a schedule.
  case activate
  /// Stop firing, keep the schedule.
  case suspend
  /// Continue after `suspend`.
  case resume
  /// Replace the schedule without a change of state.
  case reschedule
  /// The armed deadline passed, and its delivery was claimed.
  case fire
  /// One requested delivery outside the schedule.
  case fireNow
  /// End.
  case cancel
  /// The last reference to the machine was released.
  case release
}

/// The cause of a transition.
public enum TimerCause: String, Sendable, Hashable, CaseIterable, Codable {
  /// An operation requested it.
  case requested
  /// The deadline passed.
  case due
  /// The deadline passed, and was the last of its schedule.
  case exhausted
  /// The last reference to the machine was released.
  case released
  /// An accepted `fireNow` is not delivered, because the machine was suspended or over before its
  /// turn.
  case overtaken
  /// The operation is not legal in this state; nothing changed.
  case refused
}

/// The actions of a transition, besides the change of state.
public struct TimerEffects: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// The set with these bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Arm the adapter for the next deadline.
  public static let arm = TimerEffects(rawValue: 1 << 0)
  /// Disarm the adapter.
  public static let disarm = TimerEffects(rawValue: 1 << 1)
  /// Begin a new generation: nothing armed before may be claimed after.
  public static let newGeneration = TimerEffects(rawValue: 1 << 2)
  /// Call the handler once.
  public static let deliver = TimerEffects(rawValue: 1 << 3)
}

/// The table's answer to an event.
public enum TimerDecision: Sendable, Hashable {
  /// The event is legal: change to this state and perform these effects.
  case moved(to: TimerState, TimerEffects)
  /// The event is not legal in this state; nothing changes.
  case refused
}

extension TimerState {
  /// The state table, which decides every transition of a machine.
  ///
  /// | state     | activate | suspend   | resume   | reschedule | fire     | fireNow   | cancel    | release   |
  /// |-----------|----------|-----------|----------|------------|----------|-----------|-----------|-----------|
  /// | idle      | running  | -         | -        | -          | -        | -         | -         | idle      |
  /// | running   | -        | suspended | -        | running    | running¹ | running   | cancelled | cancelled |
  /// | suspended | -        | -         | running¹ | suspended  | -        | suspended | cancelled | cancelled |
  /// | cancelled | running  | -         | -        | -          | -        | -         | -         | cancelled |
  ///
  /// `-` is refused. ¹ `cancelled` when `last` holds, which it never does for a schedule that stays
  /// open.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - last: whether no fire is left after this event. It affects `fire` (this was the last one)
  ///     and `resume` (all remaining fires were skipped); other events ignore it.
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

/// The result of an operation on a timer machine. No operation traps.
public enum TimerReply: Sendable, Hashable {
  /// Performed. The resulting fires have this generation.
  case accepted(generation: UInt64)
  /// Not legal in this state: ignored, counted and reported to the observer.
  case refused(state: TimerState)
  /// Not started, because there is no handler: ignored, counted and reported like `refused`.
  ///
  /// `cancel()` released the handlers, or the last one was removed.
  case noHandler

  /// True if the operation was performed.
  public var isAccepted: Bool {
    switch self {
    case .accepted: true
    case .refused, .noHandler: false
    }
  }
}
