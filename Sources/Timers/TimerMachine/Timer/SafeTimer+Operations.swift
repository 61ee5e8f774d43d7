extension SafeTimer {
  /// Stops firing but keeps the schedule. Legal from `running`.
  @discardableResult
  public func suspend() -> TimerReply {
    body.suspend()
  }

  /// Continues with the schedule at the current place in its grid. Legal from `suspended`; from
  /// `idle` it starts a machine that was made with a schedule.
  ///
  /// - Parameter missed: what happens to deadlines that passed meanwhile.
  @discardableResult
  public func resume(missed: MissedFires = .coalesce) -> TimerReply {
    if body.isScheduled, let reply = body.startFromIdle() { return noted(reply, .resume) }
    guard missed == .skip else { return noted(body.operate(.resume), .resume) }
    let group = body.group
    return noted(
      body.operate(
        .resume, last: { $0.isOverAfterSkipping(at: $0.now(in: group)) },
        change: { $0.skip(at: $0.now(in: group)) }), .resume)
  }

  /// Starts another schedule from its beginning. Legal from `running` and `suspended`.
  ///
  /// Pending deliveries of the previous schedule are dropped; a suspended machine stays suspended.
  @discardableResult
  public func reschedule(_ schedule: TimerSchedule) -> TimerReply {
    noted(body.operate(.reschedule, change: { $0.begin(schedule, of: body) }), .reschedule)
  }

  /// Changes interval, leeway or both; the count of fires continues. Legal from `running` and
  /// `suspended`.
  ///
  /// A new leeway alone leaves the next deadline as it is. With a new interval, deadlines that have
  /// passed are dropped, and a timer that fires once starts to repeat from its deadline.
  ///
  /// - Parameters:
  ///   - interval: the new time between two deadlines; `nil` keeps it.
  ///   - leeway: the new leeway; `nil`, the default, keeps it.
  ///   - phase: where the grid of a new interval starts. Default `keep`.
  /// - Throws: `TimerError` for an interval or leeway outside its range; in that case nothing
  ///   changes.
  @discardableResult
  public func reschedule(
    interval: Duration?, leeway: Duration? = nil, phase: TimerPhase = .keep
  ) throws(TimerError) -> TimerReply {
    let interval = try interval.map(TimerSchedule.validated(interval:))
    let leeway = try leeway.map(TimerSchedule.validated(leeway:))
    let group = body.group
    return noted(
      body.operate(
        .reschedule,
        change: {
          $0.change(interval: interval, leeway: leeway, phase: phase, at: $0.now(in: group))
        }), .reschedule)
  }

  /// Fires once, soon, on the machine's queue. Legal from `running` and `suspended`.
  ///
  /// The schedule, its phase and the number of fires left do not change. An accepted fire is
  /// delivered even after another `reschedule`, but not if the timer is suspended, cancelled or
  /// over before its turn on the queue: then it counts among `refusals` and is reported with the
  /// cause `overtaken`.
  @discardableResult
  public func fireNow() -> TimerReply {
    noted(body.fireNow(), .fireNow)
  }

  /// Ends the timer and releases its handlers, which breaks a reference cycle between an owner and
  /// its handler. Legal from `running` and `suspended`; the handlers are released in every state.
  ///
  /// A delivery that was claimed earlier may still run: see `cancelAndWait()`.
  ///
  /// - Parameter keepHandlers: whether to keep the handlers, so that the timer can be activated
  ///   again without passing one. Default `nil`: only a machine that was made with a schedule keeps
  ///   them.
  @discardableResult
  public func cancel(keepHandlers: Bool? = nil) -> TimerReply {
    body.cancel(keepHandlers: keepHandlers)
  }
}
