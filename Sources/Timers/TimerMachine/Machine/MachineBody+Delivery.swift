import Dispatch
import TaktTime

extension MachineBody {
  /// The result of a claim, for calls outside the lock.
  struct Delivery {
    var fire: TimerFire
    var handler: MainHandler?
    var more: More?
  }

  /// A delivery whose main handler is asynchronous, with all that it calls. A task that the handler
  /// has left behind inherits it, but is not inside a later call.
  struct DeliveryTask: Equatable {
    /// Those that the current task is in, or was made in.
    @TaskLocal static var all: [DeliveryTask] = []

    let machine: ObjectIdentifier
    let claim: UInt64
  }

  /// The other callees, which few machines have: so the delivery of the others stays small.
  final class More: Sendable {
    let registration: (@Sendable () -> Void)?
    let handlers: [TimerHandler]
    let streams: [AsyncStream<TimerFire>.Continuation]

    init(_ extras: MachineExtras, generation: UInt64) {
      registration = extras.removeRegistration(of: generation)
      handlers = extras.handlers
      streams = Array(extras.streams.values)
    }

    func call(_ fire: TimerFire) {
      for handler in handlers { handler.call(fire) }
      for stream in streams { stream.yield(fire) }
    }
  }

  /// Asks for one delivery outside the schedule.
  func fireNow() -> TimerReply {
    var transition: TransitionNote?
    let reply = core.withLock { core -> TimerReply in
      guard case .refused = core.state.transition(on: .fireNow) else {
        core.madeExtras().promisedNow += 1
        return .accepted(generation: core.generation)
      }
      return apply(.fireNow, last: false, cause: .requested, to: &core, &transition)
    }
    report(transition)
    if reply.isAccepted { perform { self.deliverNow() } }
    return reply
  }

  /// Asks for one delivery when a gate lets it through.
  func fireNow(through gate: any TriggerGate) -> TimerReply {
    var transition: TransitionNote?
    let (reply, number) = core.withLock { core -> (TimerReply, UInt64) in
      guard case .refused = core.state.transition(on: .fireNow) else {
        return (.accepted(generation: core.generation), core.extras?.rationed?.accept() ?? 0)
      }
      return (apply(.fireNow, last: false, cause: .requested, to: &core, &transition), 0)
    }
    report(transition)
    guard reply.isAccepted else { return reply }
    gate.call { [weak self] in
      guard let self else { return }
      let isWanted = core.withLock { $0.extras?.rationed?.consume(number) == true }
      if isWanted { _ = fireNow() }
    }
    return reply
  }

  /// The turn of a `fireNow` has come, unless it was overtaken.
  private func deliverNow() {
    var transition: TransitionNote?
    let delivery = core.withLock { core -> Delivery? in
      guard let extras = core.extras, extras.promisedNow > 0 else { return nil }
      extras.promisedNow -= 1
      guard !core.isDelivering else {
        extras.waitingNow += 1
        return nil
      }
      return claimNow(in: &core, &transition)
    }
    if let delivery { run(delivery, transition) }
  }

  /// Calls the handler, and again for what came due meanwhile: never two calls at a time, even on
  /// a concurrent queue.
  ///
  /// - Parameter transition: the report of the claim, which comes before the call.
  func run(_ delivery: Delivery, _ transition: TransitionNote?) {
    if call(delivery, transition) { runNext() }
  }

  /// Ends a delivery and runs the waiting ones.
  func runNext() {
    var transition: TransitionNote?
    while let next = finish(&transition) {
      guard call(next, transition) else { return }
      transition = nil
    }
  }

  /// Returns false if the delivery continues in a task, which ends it.
  private func call(_ delivery: Delivery, _ transition: TransitionNote?) -> Bool {
    report(transition)
    if let call = delivery.handler?.asyncCall {
      let inside =
        DeliveryTask.all + [
          DeliveryTask(machine: ObjectIdentifier(self), claim: delivery.fire.sequence)
        ]
      DeliveryTask.$all.withValue(inside) { delivery.more?.registration?() }
      Task {
        await DeliveryTask.$all.withValue(inside) {
          await call(delivery.fire)
          delivery.more?.call(delivery.fire)
        }
        runNext()
      }
      return false
    }
    delivery.more?.registration?()
    delivery.handler?.call(delivery.fire, of: id)
    delivery.more?.call(delivery.fire)
    return true
  }

  /// Claims the delivery of an armed deadline: from here on it counts as started.
  func claim(
    ticket: UInt64, in core: inout MachineCore, _ transition: inout TransitionNote?
  ) -> Delivery? {
    guard core.isArmed, core.ticket == ticket else { return nil }
    guard !core.isDelivering else {
      core.isDueWaiting = true
      return nil
    }
    let now = monotonic
    let periods = core.periodsDue(at: core.mayStep ? core.now(in: group) : now.nanoseconds)
    guard periods > 0 else {
      arm(in: &core)
      return nil
    }
    let deadline = core.monotonicDeadline(in: group)
    let isLast = core.remaining == 1
    // In force before the table re-arms; the adapter's own order is spent.
    core.isArmed = false
    _ = apply(.fire, last: isLast && !core.staysOpen, cause: .due, to: &core, &transition) { core in
      core.claims += 1
      if core.remaining != .max { core.remaining -= 1 }
      if !isLast { core.advance(periods: periods) }
    }
    return delivery(deadline: deadline, periods: periods, isLast: isLast, now: now, in: &core)
  }

  /// Claims a delivery that `fireNow` has promised: what stops the machine takes the promise back.
  private func claimNow(
    in core: inout MachineCore, _ transition: inout TransitionNote?
  ) -> Delivery {
    _ = apply(.fireNow, last: false, cause: .requested, to: &core, &transition) { $0.claims += 1 }
    let now = monotonic
    return delivery(deadline: now, periods: 1, isLast: false, now: now, in: &core)
  }

  private func delivery(
    deadline: MonotonicInstant, periods: Int64, isLast: Bool, now: MonotonicInstant,
    in core: inout MachineCore
  ) -> Delivery {
    core.isDelivering = true
    let fire = TimerFire(
      generation: core.generation, deadline: deadline, periods: Int(clamping: periods),
      sequence: core.claims, claimedAt: now, isLast: isLast)
    guard let extras = core.extras else {
      core.deliveringThread = group.handler?.thread ?? ThreadIdentity.current
      return Delivery(fire: fire, handler: group.handler)
    }
    let more = extras.hasListeners ? More(extras, generation: core.generation) : nil
    let handler = core.mainHandler(in: group)
    core.deliveringThread = handler?.thread ?? ThreadIdentity.current
    return Delivery(fire: fire, handler: handler, more: more)
  }

  /// Ends a delivery and claims the next waiting one.
  private func finish(_ transition: inout TransitionNote?) -> Delivery? {
    let ended = core.withLock { core -> Ended in
      core.isDelivering = false
      core.deliveringThread = 0
      var ended = Ended(waiters: core.removeWaiters(), streams: core.removeEndedStreams())
      if core.isDueWaiting {
        core.isDueWaiting = false
        ended.next = claim(ticket: core.ticket, in: &core, &transition)
      } else if let extras = core.extras, extras.waitingNow > 0 {
        extras.waitingNow -= 1
        ended.next = claimNow(in: &core, &transition)
      }
      return ended
    }
    for waiter in ended.waiters { waiter() }
    if let streams = ended.streams { Self.finish(streams) }
    return ended.next
  }

  /// The result of the end of a delivery, for calls outside the lock.
  private struct Ended {
    var waiters: [@Sendable () -> Void]
    var streams: [AsyncStream<TimerFire>.Continuation]?
    var next: Delivery?
  }
}
