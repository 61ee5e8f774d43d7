import Dispatch
import Synchronization

/// The machine behind the handle that the user holds.
///
/// The adapter's callback holds the body and the body its adapter; `release()`, called when the
/// handle goes, breaks the ring. So a callback never meets a machine half gone, and none of them
/// pays for a weak reference.
final class MachineBody: Sendable {
  private static let lastID = Atomic<UInt64>(0)

  let id: UInt64
  let name: String
  let factory: any TimerFactory
  let observer: (any TimerObserver)?
  let core: Guarded<MachineCore>

  init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)?, handler: @escaping MachineCore.Handler
  ) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.name = name
    self.factory = factory
    self.observer = observer
    core = Guarded(MachineCore(handler: handler))
    let adapter = factory.makeAdapter(queue: queue) { self.deadlineCame(ticket: $0) }
    core.withLock { $0.adapter = adapter }
  }

  /// Takes one event of the user's through the table.
  ///
  /// - Parameters:
  ///   - last: computed under the lock, see `TimerState.transition(on:last:)`.
  ///   - change: what an accepted event does to the schedule, before anything is armed.
  func operate(
    _ event: TimerEvent, last: (borrowing MachineCore) -> Bool = { _ in false },
    change: (inout MachineCore) -> Void = { _ in }
  ) -> TimerReply {
    let reply = core.withLock { core in
      apply(event, last: last(core), cause: .requested, to: &core, change: change)
    }
    report()
    return reply
  }

  /// Takes one event through the table, under the lock.
  func apply(
    _ event: TimerEvent, last: Bool, cause: TimerCause, to core: inout MachineCore,
    change: (inout MachineCore) -> Void = { _ in }
  ) -> TimerReply {
    let from = core.state
    switch from.transition(on: event, last: last) {
    case .refused:
      core.refusals += 1
      note(event, from: from, cause: .refused, in: &core)
      return .refused(state: from)
    case .moved(let state, let effects):
      change(&core)
      core.state = state
      core.perform(effects)
      let isOver = last && state == .cancelled
      note(event, from: from, cause: isOver ? .exhausted : cause, in: &core)
      return .accepted(generation: core.generation)
    }
  }

  /// Cancels, then waits until no handler of this machine is being called.
  func cancelAndWait() -> TimerReply {
    let (reply, waiter) = core.withLock { core -> (TimerReply, DispatchSemaphore?) in
      let reply = apply(.cancel, last: false, cause: .requested, to: &core)
      // A handler that waits for its own end would wait for ever.
      guard core.isDelivering, core.deliveringThread != ThreadIdentity.current else {
        return (reply, nil)
      }
      let waiter = DispatchSemaphore(value: 0)
      core.waiters.append(waiter)
      return (reply, waiter)
    }
    report()
    waiter?.wait()
    return reply
  }

  /// Disarms and lets go of everything; the handle is gone.
  func release() {
    let (adapter, handler) = core.withLock { core in
      defer {
        core.adapter = nil
        core.handler = nil
      }
      if core.state == .running || core.state == .suspended {
        _ = apply(.release, last: false, cause: .released, to: &core)
      }
      return (core.adapter, core.handler)
    }
    report()
    // Destroyed here, outside the lock: what a closure holds may run any code when it goes.
    _ = (adapter, handler)
  }
}
