public import Dispatch
public import TimerMachine
public import TaktTime

/// A factory under test, with a queue for its machines and a way to advance its time.
public struct TimerTestBench: Sendable {
  /// The factory under test.
  public let factory: any TimerFactory
  /// The queue of the machines.
  public let queue: DispatchQueue
  /// Makes something happen; false when nothing can. `nil` for real time, which needs no help.
  private let step: (@Sendable () -> Bool)?

  /// Creates a bench in real time.
  public init(factory: any TimerFactory, queue: DispatchQueue) {
    self.factory = factory
    self.queue = queue
    step = nil
  }

  /// Creates a bench in virtual time. `step` advances it to the next deadline, and returns false if
  /// nothing is armed.
  public init(
    factory: any TimerFactory, queue: DispatchQueue, step: @escaping @Sendable () -> Bool
  ) {
    self.factory = factory
    self.queue = queue
    self.step = step
  }

  /// Returns a bench in virtual time.
  public static func manual() -> TimerTestBench {
    let factory = ManualTimerFactory()
    return TimerTestBench(factory: factory, queue: DispatchQueue(label: "manual")) {
      factory.advanceToNext()
    }
  }

  /// True if handlers run on `queue`, and time passes by itself.
  public var isRealTime: Bool { step == nil }

  /// The current time.
  public var now: MonotonicInstant { factory.time.monotonic }

  /// Waits until a log contains `count` fires.
  public func wait(for count: Int, in log: FireLog) throws(ContractViolation) {
    while log.count < count {
      let happened = step.map { $0() } ?? log.waitForArrival()
      guard happened else {
        throw ContractViolation("expected \(count) fires, but there were only \(log.count)")
      }
    }
  }

  /// Waits until another timer, due `delay` from now, has fired, so that everything due before it
  /// can have fired.
  public func letPass(_ delay: Duration) throws {
    let log = FireLog()
    let canary = SafeTimer(name: "canary", factory: factory, queue: queue) { log.record($0) }
    _ = canary.activate(try .once(after: delay))
    try wait(for: 1, in: log)
  }

  /// Returns a machine whose fires go to `log`.
  public func machine(
    _ name: String = "subject", log: FireLog, observer: (any TimerObserver)? = nil
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, observer: observer) { log.record($0) }
  }

  /// A machine that was suspended long before it could fire, to be given its schedule then: so no
  /// stall of the test can let it fire before.
  func suspendedMachine(log: FireLog) throws -> SafeTimer {
    let machine = machine(log: log)
    _ = machine.activate(try .once(after: .seconds(3600)))
    machine.suspend()
    return machine
  }
}
