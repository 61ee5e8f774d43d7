import Dispatch
import TaktCore
import TimerMachine
import TaktTime

/// The timer machines of the scheduler by their keys. It lives on the scheduler's queue.
struct TimerBoard {
  private struct Armed {
    let machine: TimerMachine
    var generation: UInt64
    var token: UInt64
  }

  private let queue: DispatchQueue
  private let factory: any TimerFactory
  private let observer: any Observer
  private var machines: [TimerKey: Armed] = [:]

  init(queue: DispatchQueue, factory: any TimerFactory, observer: any Observer) {
    self.queue = queue
    self.factory = factory
    self.observer = observer
  }

  /// Arms the key's machine for one fire, in place of any earlier arming.
  mutating func arm(
    _ key: TimerKey, at deadline: MonotonicInstant, leeway: Duration, token: UInt64,
    handler: @escaping @Sendable (TimerFire) -> Void
  ) {
    let machine =
      machines[key]?.machine
      ?? TimerMachine(
        // The log knows it by its key.
        name: "", factory: factory, queue: queue, observer: TimerLog(of: key, observer: observer),
        handler: handler)
    let schedule: TimerSchedule
    do {
      schedule = try .once(at: deadline, leeway: max(.zero, leeway))
    } catch {
      TimerLog.refused(key, error, at: factory.time.wall, to: observer)
      return
    }
    // Nobody else operates the scheduler's machines, so the state holds until the next line.
    let reply =
      machine.isOver ? machine.activate(schedule) : machine.reschedule(schedule)
    guard case .accepted(let generation) = reply else { return }
    machines[key] = Armed(machine: machine, generation: generation, token: token)
  }

  /// Cancels the key's machine and forgets it.
  mutating func disarm(_ key: TimerKey) {
    guard let machine = machines.removeValue(forKey: key)?.machine, !machine.isOver else { return }
    machine.cancel()
  }

  /// The token of the arming that a fire belongs to; nil when a later one has overtaken it.
  func token(of key: TimerKey, generation: UInt64) -> UInt64? {
    guard let armed = machines[key], armed.generation == generation else { return nil }
    return armed.token
  }
}

extension TimerMachine {
  /// Whether there is nothing to cancel or to reschedule: it never ran, or its schedule is over.
  fileprivate var isOver: Bool {
    switch state {
    case .idle, .cancelled: true
    case .running, .suspended: false
    }
  }
}
