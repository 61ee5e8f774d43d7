public import Dispatch
public import TaktTime

/// What stands between one machine and the system: an alarm for one deadline at a time.
///
/// An adapter knows neither states nor intervals; the machine computes every deadline and arms
/// anew. The machine calls `arm` and `disarm` one at a time and with its lock held, so neither may
/// call `onDue` before it returns, and neither may block. A late `onDue` is harmless: the machine
/// drops a ticket that is no longer armed.
public protocol TimerAdapter: AnyObject, Sendable {
  /// Arms the alarm, in place of what was armed before.
  ///
  /// Once the deadline has come, the adapter calls its `onDue` with the ticket, once, on the queue
  /// it was made for, then is disarmed.
  func arm(_ arming: TimerArming)

  /// Disarms the alarm; nothing happens when none is armed.
  ///
  /// A machine that is released disarms its adapter; after that, and after its last `onDue`, an
  /// adapter must hold nothing of the system that outlives its own release.
  func disarm()

  /// Runs `work` once, soon, where `onDue` is called. The machine's lock is not held.
  func perform(_ work: @escaping @Sendable () -> Void)
}

/// Makes the adapters of one kind: where a machine's alarms come from.
///
/// Write your own and run `TimerFactoryContract` of `TimerMachineTesting` on it. Safe from any
/// thread.
public protocol TimerFactory: AnyObject, Sendable {
  /// The clocks that deadlines are measured on.
  var time: any TimeSource { get }

  /// Whether time stands still until somebody moves it. Default false.
  ///
  /// `ticks` then keep every fire for their readers, who may come to none of them before time has
  /// moved past many.
  var isVirtual: Bool { get }

  /// Makes an adapter that is armed for nothing.
  ///
  /// - Parameters:
  ///   - queue: where `onDue` is called. Its quality of service is that of the handlers.
  ///   - onDue: takes the ticket of the arming whose deadline has come. Two calls of one adapter
  ///     may overlap when `queue` is concurrent.
  func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter
}

extension TimerFactory {
  /// Whether time stands still until somebody moves it: false.
  public var isVirtual: Bool { false }
}

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
  var leewayNanoseconds: Int64

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
