public import TaktTime

/// One claimed delivery, as the handler receives it.
public struct TimerFire: Sendable, Hashable {
  /// The generation in which the delivery was claimed: that of `TimerReply.accepted`, or for
  /// `fireNow()` a later one.
  public let generation: UInt64
  /// The nominal instant: the earliest deadline that this delivery covers.
  ///
  /// For `fireNow()` it is the instant of the claim.
  public let deadline: MonotonicInstant
  /// The number of deadlines since the previous delivery, this one included: at least 1.
  ///
  /// More than 1 if the handler, its queue or the whole machine was delayed.
  public let periods: Int
  /// The number of this delivery within the machine: 1, 2, 3 …
  public let sequence: UInt64
  /// The instant at which the delivery was claimed, just before the handler was called.
  public let claimedAt: MonotonicInstant
  /// True for the schedule's last fire. The machine is already `cancelled`, or unarmed if the
  /// schedule stays open.
  public let isLast: Bool

  /// The time from the deadline to the claim.
  public var lateness: Duration { claimedAt - deadline }
}

/// A named handler of a machine.
public struct TimerHandler: Sendable {
  /// A handler's function.
  public typealias Call = @Sendable (TimerFire) -> Void
  /// A handler's function that runs in its own task.
  public typealias AsyncCall = @Sendable (TimerFire) async -> Void

  /// The name of the handler passed to a machine's initializer.
  public static let main = "main"

  /// Names the handler within its machine.
  public let name: String
  /// The function to call for each fire.
  public let call: Call
  /// The object behind the handler, if it was registered as one.
  let object: (any Sendable)?

  /// Creates a handler with this name.
  public init(name: String, call: @escaping Call) {
    self.init(name: name, object: nil, call: call)
  }

  init(name: String, object: (any Sendable)?, call: @escaping Call) {
    self.name = name
    self.object = object
    self.call = call
  }
}

/// The handling by `resume` of deadlines that passed while the machine was suspended.
public enum MissedFires: String, Sendable, Hashable, CaseIterable, Codable {
  /// One immediate fire covers all of them; `TimerFire.periods` counts them. The default.
  case coalesce
  /// They are skipped; the next fire is at the next deadline of the grid. A timer that fires once
  /// and was due meanwhile is over: `cancelled` with cause `exhausted`.
  case skip
}
