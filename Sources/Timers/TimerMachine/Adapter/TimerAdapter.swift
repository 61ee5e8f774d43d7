public import Dispatch
public import TaktTime

/// Connects one machine to the system: an alarm for one deadline at a time.
///
/// An adapter knows neither states nor intervals; the machine computes every deadline and arms the
/// adapter again. The machine calls `arm` and `disarm` one at a time and with its lock held, so
/// neither may call `onDue` before it returns, and neither may block. A late `onDue` is harmless:
/// the machine drops a ticket that is no longer armed.
public protocol TimerAdapter: AnyObject, Sendable {
  /// Arms the alarm, replacing any earlier arming.
  ///
  /// After the deadline, the adapter calls its `onDue` with the ticket, once, on the queue it was
  /// made for, then is disarmed.
  func arm(_ arming: TimerArming)

  /// Disarms the alarm; does nothing if it is not armed.
  ///
  /// A machine that is released disarms its adapter; after that, and after its last `onDue`, an
  /// adapter must hold nothing of the system that outlives its own release.
  func disarm()

  /// Runs `work` once, soon, on the queue of `onDue`, without the machine's lock.
  func perform(_ work: @escaping @Sendable () -> Void)
}

/// Creates adapters: the source of a machine's alarms.
///
/// Write your own and run `TimerFactoryContract` of `TimerMachineTesting` on it. Safe from any
/// thread.
public protocol TimerFactory: AnyObject, Sendable {
  /// The clocks that deadlines are measured on.
  var time: any TimeSource { get }

  /// True if time advances only when a test moves it. Default false.
  ///
  /// If true, `ticks` keeps every fire for its reader, because time can move past many fires at
  /// once.
  var isVirtual: Bool { get }

  /// True if the system may use the leeway of an arming to let several alarms share one wake-up.
  /// Default false.
  ///
  /// If true, a coalescing factory over this one arms its alarm for the whole window of a wake-up;
  /// if false, for the window's end.
  var honorsLeeway: Bool { get }

  /// Creates an adapter that is not armed.
  ///
  /// - Parameters:
  ///   - queue: the queue of `onDue`. Its quality of service is that of the handlers.
  ///   - onDue: called with the ticket of the arming whose deadline has passed. Two calls of one
  ///     adapter may overlap when `queue` is concurrent.
  func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter
}

extension TimerFactory {
  /// False: time advances by itself.
  public var isVirtual: Bool { false }

  /// False: the system does not use the leeway of an arming.
  public var honorsLeeway: Bool { false }
}

/// A request to an adapter: call back at this deadline.
public struct TimerArming: Sendable, Hashable {
  /// The instant before which the delivery must not come. It may lie in the past: due at once.
  public var deadline: MonotonicInstant
  /// The time after `deadline` within which the delivery may come, to save a wake-up. Never
  /// negative: a negative one counts as zero.
  public var leeway: Duration {
    get { .nanoseconds(leewayNanoseconds) }
    set { leewayNanoseconds = max(0, newValue.nanosecondsSaturated) }
  }
  /// Asks the system not to extend the leeway to save power.
  public var isStrict: Bool
  /// The number passed to `onDue`; different for each arming of a machine.
  public var ticket: UInt64

  /// In 64 bits, since durations have 128 and an arming is on the shortest path there is.
  var leewayNanoseconds: Int64

  /// A request for one deadline.
  public init(
    deadline: MonotonicInstant, leeway: Duration = .zero, isStrict: Bool = false, ticket: UInt64
  ) {
    self.init(
      deadline: deadline, leewayNanoseconds: max(0, leeway.nanosecondsSaturated),
      isStrict: isStrict, ticket: ticket)
  }

  init(deadline: MonotonicInstant, leewayNanoseconds: Int64, isStrict: Bool, ticket: UInt64) {
    self.deadline = deadline
    self.leewayNanoseconds = leewayNanoseconds
    self.isStrict = isStrict
    self.ticket = ticket
  }
}
