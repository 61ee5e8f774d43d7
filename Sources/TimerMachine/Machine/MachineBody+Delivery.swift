import Dispatch
import TaktTime

extension MachineBody {
  /// What a claim hands out of the lock.
  struct Delivery {
    var fire: TimerFire
    var handler: MachineCore.Handler?
    var more: More?
  }

  /// Whom else to call, which few machines have: so the delivery of the others stays small.
  final class More: Sendable {
    let registration: (@Sendable () -> Void)?
    let handlers: [TimerHandler]
    let streams: [AsyncStream<TimerFire>.Continuation]

    init(_ extras: MachineExtras, generation: UInt64) {
      registration = extras.takeRegistration(of: generation)
      handlers = extras.handlers
      streams = Array(extras.streams.values)
    }

    func call(_ fire: TimerFire) {
      for handler in handlers { handler.call(fire) }
      for stream in streams { stream.yield(fire) }
    }
  }

  /// The adapter says that an armed deadline has come. Runs on the machine's queue.
  func deadlineCame(ticket: UInt64) {
    run(core.withLock { claim(ticket: ticket, in: &$0) })
  }

  /// Asks for one delivery outside the schedule.
  func fireNow() -> TimerReply {
    let (reply, adapter) = core.withLock { core -> (TimerReply, (any TimerAdapter)?) in
      guard case .refused = core.state.transition(on: .fireNow) else {
        return (.accepted(generation: core.generation), core.adapter)
      }
      return (apply(.fireNow, last: false, cause: .requested, to: &core), nil)
    }
    report()
    if let adapter, case .accepted(let generation) = reply {
      adapter.perform { self.run(self.core.withLock { self.claimNow(generation, in: &$0) }) }
    }
    return reply
  }

  /// Calls the handler, and again for what came due meanwhile: never two calls at a time, even on
  /// a concurrent queue.
  func run(_ first: Delivery?) {
    var next = first
    while let delivery = next {
      report()
      delivery.more?.registration?()
      delivery.handler?(delivery.fire)
      delivery.more?.call(delivery.fire)
      next = finish()
    }
  }

  /// Claims the delivery of an armed deadline: from here on it counts as started.
  private func claim(ticket: UInt64, in core: inout MachineCore) -> Delivery? {
    guard core.isArmed, core.ticket == ticket else { return nil }
    guard !core.isDelivering else {
      core.isDueWaiting = true
      return nil
    }
    let time = factory.time
    let now = time.monotonic
    let isWall = core.schedule?.isWall == true
    let periods = core.periodsDue(at: isWall ? time.wall.nanoseconds : now.nanoseconds)
    guard periods > 0 else {
      core.arm(on: factory)
      return nil
    }
    let deadline = core.monotonicDeadline(on: factory)
    let isLast = core.remaining == 1
    // In force before the table re-arms; the adapter's own order is spent.
    core.isArmed = false
    _ = apply(.fire, last: isLast, cause: .due, to: &core) { core in
      core.claims += 1
      if core.remaining != .max { core.remaining -= 1 }
      if !isLast { core.advance(periods: periods) }
    }
    return delivery(deadline: deadline, periods: periods, isLast: isLast, now: now, in: &core)
  }

  /// Claims a `fireNow` that was asked for in `generation`.
  private func claimNow(_ generation: UInt64, in core: inout MachineCore) -> Delivery? {
    guard core.generation == generation, core.state == .running || core.state == .suspended else {
      return nil
    }
    guard !core.isDelivering else {
      core.waitingNow = core.waitingNow == .max ? .max : core.waitingNow + 1
      return nil
    }
    _ = apply(.fireNow, last: false, cause: .requested, to: &core) { $0.claims += 1 }
    let now = factory.time.monotonic
    return delivery(deadline: now, periods: 1, isLast: false, now: now, in: &core)
  }

  private func delivery(
    deadline: MonotonicInstant, periods: Int64, isLast: Bool, now: MonotonicInstant,
    in core: inout MachineCore
  ) -> Delivery {
    core.isDelivering = true
    core.deliveringThread = ThreadIdentity.current
    let fire = TimerFire(
      generation: core.generation, deadline: deadline, periods: Int(clamping: periods),
      sequence: core.claims, claimedAt: now, isLast: isLast)
    let more = core.extras.map { More($0, generation: core.generation) }
    return Delivery(fire: fire, handler: core.handler, more: more)
  }

  /// Ends a delivery and claims what waited for it.
  func finish() -> Delivery? {
    let ended = core.withLock { core -> Ended in
      core.isDelivering = false
      core.deliveringThread = 0
      var ended = Ended(waiters: core.waiters, streams: core.takeEndedStreams())
      if !core.waiters.isEmpty { core.waiters = [] }
      if core.isDueWaiting {
        core.isDueWaiting = false
        ended.next = claim(ticket: core.ticket, in: &core)
      } else if core.waitingNow > 0 {
        core.waitingNow -= 1
        ended.next = claimNow(core.generation, in: &core)
      }
      return ended
    }
    for waiter in ended.waiters { waiter.signal() }
    for stream in ended.streams { stream.finish() }
    return ended.next
  }

  /// What the end of a delivery hands out of the lock.
  private struct Ended {
    var waiters: [DispatchSemaphore]
    var streams: [AsyncStream<TimerFire>.Continuation]
    var next: Delivery?
  }
}
