/// One order to an adapter: tell me when this deadline has come.
public struct TimerArming: Sendable, Hashable {
  /// The instant before which the delivery must not come. It may lie in the past: due at once.
  public var deadline: MonotonicInstant
  /// How much later than `deadline` the delivery may come when that saves a wake. Never negative.
  public var leeway: Duration
  /// Ask the system not to stretch the leeway further for power's sake.
  public var isStrict: Bool
  /// The number that `onDue` hands back; every arming of a machine has another one.
  public var ticket: UInt64

  /// An order for one deadline.
  public init(
    deadline: MonotonicInstant, leeway: Duration = .zero, isStrict: Bool = false, ticket: UInt64
  ) {
    self.deadline = deadline
    self.leeway = leeway
    self.isStrict = isStrict
    self.ticket = ticket
  }
}
