public import TaktTime

/// One claimed delivery, as the handler receives it.
public struct TimerFire: Sendable, Hashable {
  /// The generation that the delivery was claimed in: the one `TimerReply.accepted` named, or for
  /// `fireNow()` a later one.
  public let generation: UInt64
  /// The nominal instant: the earliest deadline of the grid that this delivery stands for.
  ///
  /// For `fireNow()` it is the instant of the claim.
  public let deadline: MonotonicInstant
  /// How many deadlines passed since the previous delivery, this one included: at least 1.
  ///
  /// More than 1 when the handler, its queue or the whole machine was held up.
  public let periods: Int
  /// The number of this delivery in the machine's life: 1, 2, 3 …
  public let sequence: UInt64
  /// When the delivery was claimed, just before the handler was called.
  public let claimedAt: MonotonicInstant
  /// Whether no fire is left in the schedule: the machine is already `cancelled`, or armed for
  /// nothing when the schedule stays open.
  public let isLast: Bool

  /// How late the delivery was claimed, measured from its deadline.
  public var lateness: Duration { claimedAt - deadline }
}

/// One of a machine's handlers: a value with a name.
public struct TimerHandler: Sendable {
  /// What a handler is called with.
  public typealias Call = @Sendable (TimerFire) -> Void
  /// What is called in a task of its own.
  public typealias AsyncCall = @Sendable (TimerFire) async -> Void

  /// The name of the handler that a machine is made with.
  public static let main = "main"

  /// Names the handler within its machine.
  public let name: String
  /// What is called for each fire.
  public let call: Call

  /// A handler of this name.
  public init(name: String, call: @escaping Call) {
    self.name = name
    self.call = call
  }
}

/// What `resume` does with deadlines that passed while the machine was suspended.
public enum MissedFires: String, Sendable, Hashable, CaseIterable, Codable {
  /// One fire at once stands for all of them; `TimerFire.periods` counts them. The default.
  case coalesce
  /// They are forgotten; the next fire is the next deadline of the grid. A timer that fires once
  /// and was due meanwhile is over: `cancelled` with cause `exhausted`.
  case skip
}
