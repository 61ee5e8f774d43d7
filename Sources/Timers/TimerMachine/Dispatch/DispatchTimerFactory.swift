@preconcurrency public import Dispatch
public import TaktTime

/// Uses one `DispatchSourceTimer` for each machine; the reference for other factories.
///
/// Precise and simple, at the cost of one wake-up for each fire. Only Apple's systems use the leeway;
/// Linux and Windows ignore it.
public final class DispatchTimerFactory: TimerFactory {
  /// The clocks that deadlines are measured on.
  public let time: any TimeSource

  /// True on Apple's systems: elsewhere Dispatch ignores leeway.
  public var honorsLeeway: Bool {
    #if canImport(Darwin)
      true
    #else
      false
    #endif
  }

  /// A factory on the system's timers.
  ///
  /// - Parameter time: must run with the system's monotonic clock, which the alarms are set on.
  public init(time: any TimeSource = SystemTimeSource()) {
    self.time = time
  }

  /// Creates an adapter that is not armed; see `TimerFactory`.
  public func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter {
    DispatchTimerAdapter(queue: queue, time: time, onDue: onDue)
  }
}

/// One dispatch source that is never suspended and never released before it is cancelled.
///
/// Those are the two ways in which a source kills its process. It is made with its handler,
/// schedule and activation in one step at the first arming; disarmed means "far in the future".
final class DispatchTimerAdapter: TimerAdapter {
  private struct State {
    var source: (any DispatchSourceTimer)?
    var isStrict = false
    var armed: TimerArming?
  }

  private let queue: DispatchQueue
  private let time: any TimeSource
  private let onDue: @Sendable (UInt64) -> Void
  private let state = Guarded(State())

  init(queue: DispatchQueue, time: any TimeSource, onDue: @escaping @Sendable (UInt64) -> Void) {
    self.queue = queue
    self.time = time
    self.onDue = onDue
  }

  deinit {
    state.withLock { $0.source?.cancel() }
  }

  func arm(_ arming: TimerArming) {
    state.withLock { state in
      state.armed = arming
      if let source = state.source, state.isStrict == arming.isStrict {
        Self.schedule(source, arming)
      } else {
        // Strictness is fixed when a source is made.
        state.source?.cancel()
        state.isStrict = arming.isStrict
        state.source = makeSource(arming)
      }
    }
  }

  func disarm() {
    state.withLock { state in
      state.armed = nil
      state.source?.schedule(deadline: .distantFuture)
    }
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  private func makeSource(_ arming: TimerArming) -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(flags: arming.isStrict ? .strict : [], queue: queue)
    // Weak: the source must not keep alive what is to cancel it.
    source.setEventHandler { @Sendable [weak self] in self?.sourceFired() }
    Self.schedule(source, arming)
    source.activate()
    return source
  }

  private static func schedule(_ source: any DispatchSourceTimer, _ arming: TimerArming) {
    source.schedule(
      deadline: DispatchTime(arming.deadline), repeating: .never,
      leeway: DispatchTimeInterval(nanoseconds: arming.leewayNanoseconds))
  }

  private func sourceFired() {
    let ticket = state.withLock { state -> UInt64? in
      guard let armed = state.armed else { return nil }
      // This call may stem from an arming that was replaced meanwhile: then it is too early.
      guard time.monotonic >= armed.deadline else {
        if let source = state.source { Self.schedule(source, armed) }
        return nil
      }
      state.armed = nil
      return armed.ticket
    }
    if let ticket { onDue(ticket) }
  }
}

extension DispatchTime {
  /// The same moment as Dispatch counts it.
  ///
  /// Dispatch reads zero as "now" and takes what is beyond its range for another clock.
  init(_ instant: MonotonicInstant) {
    if instant.nanoseconds >= Int64(1) << 61 {
      self = .distantFuture
    } else {
      self.init(uptimeNanoseconds: UInt64(max(1, instant.nanoseconds)))
    }
  }
}
