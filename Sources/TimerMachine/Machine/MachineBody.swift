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
    observer: (any TimerObserver)?, handler: MachineCore.Handler?
  ) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.name = name
    self.factory = factory
    self.observer = observer
    core = Guarded(MachineCore(handler: handler))
    let adapter = factory.makeAdapter(queue: queue) { self.deadlineCame(ticket: $0) }
    core.withLock { $0.adapter = adapter }
    if let coalescing = adapter as? CoalescingTimerAdapter {
      coalescing.machine = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
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
    let (reply, streams) = core.withLock { core in
      let reply = apply(event, last: last(core), cause: .requested, to: &core, change: change)
      return (reply, core.takeEndedStreams())
    }
    report()
    for stream in streams { stream.finish() }
    return reply
  }

  /// The same for a caller that holds a lock of its own and calls `settle()` after it.
  func operateQuietly(
    _ event: TimerEvent, change: (inout MachineCore) -> Void = { _ in }
  ) -> TimerReply {
    core.withLock { apply(event, last: false, cause: .requested, to: &$0, change: change) }
  }

  /// Runs work where the handlers run.
  func perform(_ work: @escaping @Sendable () -> Void) {
    core.withLock { $0.adapter }?.perform(work)
  }

  /// Starts the timer and sees to its registration handler.
  func activate(_ schedule: TimerSchedule, onArmed: (@Sendable () -> Void)?) -> TimerReply {
    let (reply, adapter, former) = core.withLock { core in
      let reply = apply(.activate, last: false, cause: .requested, to: &core) {
        $0.begin(schedule, on: factory)
      }
      guard let onArmed, reply.isAccepted else {
        return (reply, nil as (any TimerAdapter)?, nil as (@Sendable () -> Void)?)
      }
      let extras = core.madeExtras()
      let former = extras.registration
      extras.registration = onArmed
      extras.registrationGeneration = core.generation
      return (reply, core.adapter, former)
    }
    _ = former
    report()
    if let adapter, case .accepted(let generation) = reply {
      adapter.perform { self.register(generation) }
    }
    return reply
  }

  /// What follows an operation outside the lock.
  func settle() {
    report()
    closeStreams()
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
      if effects.contains(.arm) { followClockSteps(in: &core) }
      core.perform(effects, on: factory)
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
    settle()
    waiter?.wait()
    return reply
  }

  /// Disarms and lets go of everything; the handle is gone.
  func release() {
    let former = core.withLock { core in
      defer {
        core.adapter = nil
        core.handler = nil
        core.extras = nil
      }
      if core.state == .running || core.state == .suspended {
        _ = apply(.release, last: false, cause: .released, to: &core)
      }
      let streams = core.extras.map { Array($0.streams.values) } ?? []
      let handlers = (core.handler, core.extras?.handlers, core.extras?.registration)
      return (core.adapter, handlers, core.extras?.clockSteps, streams)
    }
    report()
    for stream in former.3 { stream.finish() }
    // The rest is destroyed here, outside the lock: what a closure holds may do anything then.
  }
}
