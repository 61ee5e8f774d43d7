/// Where a timer machine stands. `TimerState.transition(on:last:)` holds the whole table.
public enum TimerState: String, Sendable, Hashable, CaseIterable, Codable {
  /// Made, never activated; owns nothing of the system.
  case idle
  /// Armed: the next fire will come. A schedule that stays open may have none left: armed for
  /// nothing until it is rescheduled.
  case running
  /// Holds its schedule and its place in it, armed for nothing.
  case suspended
  /// Over, by request or because no fire is left; may be activated again.
  case cancelled
}

/// What can happen to a timer machine.
public enum TimerEvent: String, Sendable, Hashable, CaseIterable, Codable {
  /// Start with a schedule.
  case activate
  /// Stop firing, keep the schedule.
  case suspend
  /// Go on after `suspend`.
  case resume
  /// Take another schedule without a change of state.
  case reschedule
  /// The armed deadline came and its delivery was claimed.
  case fire
  /// One delivery outside the schedule, asked for by the user.
  case fireNow
  /// End.
  case cancel
  /// The last reference to the machine is gone.
  case release
}

/// Why a transition happened.
public enum TimerCause: String, Sendable, Hashable, CaseIterable, Codable {
  /// An operation asked for it.
  case requested
  /// The deadline came.
  case due
  /// The deadline came and was the last of its schedule.
  case exhausted
  /// The last reference to the machine was dropped.
  case released
  /// A `fireNow` was accepted, but the machine was suspended or over before its turn came: it is not
  /// delivered.
  case overtaken
  /// The operation is not legal in this state: nothing changed.
  case refused
}

/// What a machine has to do for a transition besides taking the new state.
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
  /// `-` is refused. ¹ `cancelled` when `last` holds, which it never does for a schedule that stays
  /// open.
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

/// What an operation on a timer machine came to. An operation never traps.
public enum TimerReply: Sendable, Hashable {
  /// Done. Fires that follow from it carry this generation.
  case accepted(generation: UInt64)
  /// Not legal in this state: ignored, counted and reported to the observer.
  case refused(state: TimerState)
  /// Not started, since there is no handler to call: ignored, counted and reported as `refused` is.
  ///
  /// `cancel()` has let go of the handlers, or the last one was taken away.
  case noHandler

  /// Whether the operation was done.
  public var isAccepted: Bool {
    switch self {
    case .accepted: true
    case .refused, .noHandler: false
    }
  }
}
