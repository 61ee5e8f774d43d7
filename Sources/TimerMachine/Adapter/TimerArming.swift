public import TaktTime

/// One order to an adapter: tell me when this deadline has come.
public struct TimerArming: Sendable, Hashable {
  /// The instant before which the delivery must not come. It may lie in the past: due at once.
  public var deadline: MonotonicInstant
  /// How much later than `deadline` the delivery may come when that saves a wake. Never negative.
  public var leeway: Duration {
    get { .nanoseconds(leewayNanoseconds) }
    set { leewayNanoseconds = newValue.nanosecondsSaturated }
  }
  /// Ask the system not to stretch the leeway further for power's sake.
  public var isStrict: Bool
  /// The number that `onDue` hands back; every arming of a machine has another one.
  public var ticket: UInt64

  /// Counted so, since durations are of 128 bits and an arming is on the shortest path there is.
  private(set) var leewayNanoseconds: Int64

  /// An order for one deadline.
  public init(
    deadline: MonotonicInstant, leeway: Duration = .zero, isStrict: Bool = false, ticket: UInt64
  ) {
    self.init(
      deadline: deadline, leewayNanoseconds: leeway.nanosecondsSaturated, isStrict: isStrict,
      ticket: ticket)
  }

  init(deadline: MonotonicInstant, leewayNanoseconds: Int64, isStrict: Bool, ticket: UInt64) {
    self.deadline = deadline
    self.leewayNanoseconds = leewayNanoseconds
    self.isStrict = isStrict
    self.ticket = ticket
  }
}
