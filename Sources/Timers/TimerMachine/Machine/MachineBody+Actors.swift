extension MachineBody {
  /// A handler on an actor that it does not keep alive.
  func on<Owner: Actor>(
    _ actor: Owner, _ call: @escaping @Sendable (isolated Owner, TimerFire) async -> Void
  ) -> MainHandler {
    let handler = ActorCall(on: actor) { [weak actor, weak self] fire in
      if let actor { await self?.deliver(fire, on: actor, call) }
    }
    return .actor(handler)
  }

  /// A handler on the main actor that gets an owner, which it does not keep alive.
  func onMain<Owner: AnyObject & Sendable>(
    _ owner: Owner, _ call: @escaping @MainActor @Sendable (Owner, TimerFire) async -> Void
  ) -> MainHandler {
    let handler = ActorCall(on: MainActor.shared) { [weak owner, weak self] fire in
      await self?.deliverOnMain(fire) { [weak owner] in
        if let owner { await call(owner, $0) }
      }
    }
    return .actor(handler)
  }

  /// A handler on the main actor.
  func onMain(_ call: @escaping @MainActor @Sendable (TimerFire) -> Void) -> MainHandler {
    let handler = ActorCall(on: MainActor.shared) { [weak self] fire in
      await self?.deliverOnMain(fire, call)
    }
    return .actor(handler)
  }

  private func deliver<Owner: Actor>(
    _ fire: TimerFire, on actor: isolated Owner,
    _ call: @Sendable (isolated Owner, TimerFire) async -> Void
  ) async {
    if isWanted(fire) { await call(actor, fire) }
  }

  @MainActor
  private func deliverOnMain(
    _ fire: TimerFire, _ call: @MainActor @Sendable (TimerFire) async -> Void
  ) async {
    if isWanted(fire) { await call(fire) }
  }

  /// True if a claimed delivery was not dropped on its way to the actor.
  private func isWanted(_ fire: TimerFire) -> Bool {
    core.withLock { fire.generation >= $0.extras?.firstWanted ?? 0 }
  }
}

extension MachineCore {
  /// Drops a delivery that is on its way to an actor: one that stops a timer there is not called
  /// afterwards. The generation ends with the event.
  mutating func dropOnTheWay(in group: TimerGroup) {
    guard isDelivering, mainHandler(in: group)?.isDroppable == true else { return }
    madeExtras().firstWanted = generation + 1
  }

  /// The last fire of a schedule has ended the machine, which refuses to be stopped once more; the
  /// fire may still be on its way.
  mutating func dropLast(after reply: TimerReply, in group: TimerGroup) {
    if isDelivering, reply == .refused(state: .cancelled) { dropOnTheWay(in: group) }
  }

  /// True if the calling thread is the one of the delivery.
  var isDeliveringHere: Bool { deliveringThread == ThreadIdentity.current }

  /// True if the delivery needs a resource that a waiting caller blocks, so that it would never
  /// end: the actor that the caller is on, or the main thread.
  func isDelivering(onBlocked actor: (any Actor)?) -> Bool {
    deliveringThread == actor.map(ThreadIdentity.of)
      || deliveringThread == ThreadIdentity.of(MainActor.shared) && ThreadIdentity.isMain
  }
}
