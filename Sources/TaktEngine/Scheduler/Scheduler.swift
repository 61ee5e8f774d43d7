import Dispatch
import TaktCore
import TimerMachine

/// The shell round the core: it feeds events and performs effects, on one serial queue, and nothing
/// else.
///
/// Safe from any thread.
///
/// `@unchecked Sendable`: all that changes is touched on `queue` alone, and `handle`, the one way
/// in, checks that it is there.
public final class Scheduler: @unchecked Sendable {
  private let queue: DispatchQueue
  private let time: any TimeSource
  private let ledger: any Ledger
  private let observer: any Observer
  private let onFinish: @Sendable () -> Void
  private var core = SchedulerCore()
  private var timers: TimerBoard
  private var runner: (any ActionRunner)?

  /// A scheduler that waits for `start`.
  ///
  /// - Parameters:
  ///   - queue: a serial queue; timers of `factory` are delivered on it.
  ///   - onFinish: called once on `queue`, when a stop is complete.
  public init(
    queue: DispatchQueue, factory: any TimerFactory, ledger: any Ledger, observer: any Observer,
    onFinish: @escaping @Sendable () -> Void
  ) {
    self.queue = queue
    time = factory.time
    self.ledger = ledger
    self.observer = observer
    self.onFinish = onFinish
    timers = TimerBoard(queue: queue, factory: factory, observer: observer)
  }

  /// Begins with this set of jobs, whose runs `runner` does.
  public func start(_ snapshot: Snapshot, runner: any ActionRunner) {
    queue.async { [self] in
      self.runner = runner
      handle(.started(snapshot))
    }
  }

  /// Handles an event as soon as the queue is free.
  public func send(_ event: SchedulerEvent) {
    queue.async { [self] in handle(event) }
  }

  private func handle(_ event: SchedulerEvent) {
    dispatchPrecondition(condition: .onQueue(queue))
    for effect in core.handle(event, at: time.now) { perform(effect) }
  }

  private func perform(_ effect: SchedulerEffect) {
    switch effect {
    case .arm(let key, let deadline, let leeway, let token):
      timers.arm(key, at: deadline, leeway: leeway, token: token) { [weak self] fire in
        self?.fired(key, generation: fire.generation)
      }
    case .disarm(let key): timers.disarm(key)
    case .start(let request): runner?.start(request)
    case .signal(let run, let signal): runner?.stop(run, signal: signal)
    case .record(let record): ledger.record(record)
    case .log(let record): observer.observe(record)
    case .finish: onFinish()
    }
  }

  private func fired(_ key: TimerKey, generation: UInt64) {
    guard let token = timers.token(of: key, generation: generation) else { return }
    handle(.timerFired(key, token: token))
  }
}
