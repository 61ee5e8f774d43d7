package import TaktTime

/// The real core and the real wake table in virtual time: a clock that the owner moves, the armed
/// timers, and the ends to come of runs.
///
/// It decides nothing. The owner sets the lengths and ends of runs, steps or stops the clock, and
/// performs all effects except those on timers.
package struct VirtualScheduler {
  /// The future end of a run in progress.
  package enum End {
    /// Its action ends, and may leave descendants whose end is still to be given. `isAsked`: it was
    /// sent a signal before.
    case attempt(AttemptResult, leaving: [Descendant] = [], isAsked: Bool = false)
    /// Nothing is left of its process group.
    case group
  }

  /// A timer that has fired, with the token that it was armed with.
  package struct Fired {
    package var timer: TimerID
    package var token: UInt64
  }

  package enum Next {
    case end(RunID, End)
    /// A wake-up for timers.
    case wake
  }

  package enum Due {
    case timer(TimerID, token: UInt64)
    case end(RunID, End)

    package var event: SchedulerEvent {
      switch self {
      case .timer(let timer, let token): .timerFired(timer, token: token)
      case .end(let run, let end): VirtualScheduler.event(run, end)
      }
    }
  }

  package private(set) var core: SchedulerCore
  package var now: Now
  /// True if timers fire at their deadlines, without any leeway.
  private let isPunctual: Bool
  /// As it was before its start.
  private let freshCore: SchedulerCore
  private var alarms = VirtualTimers()
  private var ends = RunEnds()

  /// - Parameters:
  ///   - core: one that has not been started.
  package init(at now: Now, isPunctual: Bool = false, core: SchedulerCore = SchedulerCore()) {
    self.now = now
    self.core = core
    freshCore = core
    self.isPunctual = isPunctual
  }

  /// Hands the core an event, and sets its timers.
  ///
  /// - Returns: all effects, in their order.
  package mutating func send(_ event: SchedulerEvent) -> [SchedulerEffect] {
    var effects: [SchedulerEffect] = []
    send(event, into: &effects)
    return effects
  }

  /// Hands the core an event, sets its timers, and puts all effects into an empty list.
  package mutating func send(_ event: SchedulerEvent, into effects: inout [SchedulerEffect]) {
    hand(event, into: &effects)
    setTimers(effects)
  }

  /// Hands the core an event, and puts all effects into an empty list. The owner sets the timers.
  mutating func hand(_ event: SchedulerEvent, into effects: inout [SchedulerEffect]) {
    core.handle(event, at: now, into: &effects)
    core.endTurn(at: now, into: &effects)
  }

  /// Hands the core a command, and sets its timers.
  package mutating func perform(
    _ command: SchedulerCommand
  ) -> (reply: SchedulerReply, effects: [SchedulerEffect]) {
    var (reply, effects) = core.perform(command, at: now)
    core.endTurn(at: now, into: &effects)
    setTimers(effects)
    return (reply, effects)
  }

  /// The effects at the end of time for slots that held jobs have let pass.
  package mutating func passHeld() -> [SchedulerEffect] { core.passHeld(at: now) }

  /// Takes what is due next, by `limit` at the latest: the end of a run, or the timers of one wake.
  /// The clock moves there, or to `limit` if there is nothing.
  package mutating func next(until limit: MonotonicInstant) -> [Due]? {
    var fired: [Fired] = []
    return switch next(until: limit, firing: &fired) {
    case .end(let run, let end): [.end(run, end)]
    case .wake: fired.map { .timer($0.timer, token: $0.token) }
    case nil: nil
    }
  }

  /// The time of the next result of `next`.
  package var nextInstant: MonotonicInstant? {
    mutating get {
      let next = min(ends.next ?? .distantFuture, alarms.nextWake ?? .distantFuture)
      return next < .distantFuture ? next : nil
    }
  }

  /// `next`, with the timers of a wake in a list of the owner.
  mutating func next(until limit: MonotonicInstant, firing fired: inout [Fired]) -> Next? {
    fired.removeAll(keepingCapacity: true)
    let end = ends.next ?? .distantFuture
    let next = min(end, alarms.nextWake ?? .distantFuture)
    move(to: min(next, limit))
    guard next <= limit, next < .distantFuture else { return nil }
    if end <= now.monotonic {
      // An end that was changed leaves its old instant: a wake without timers.
      guard let (run, end) = ends.popNext() else { return .wake }
      return .end(run, end)
    }
    while let (timer, token) = alarms.popDue(at: now.monotonic) {
      fired.append(Fired(timer: timer, token: token))
    }
    return .wake
  }

  /// Advances the clocks to an instant, unless that is past.
  package mutating func move(to instant: MonotonicInstant) {
    // Counted in 64 bits: durations have 128, and this is done for every event.
    let step = instant.nanoseconds.subtractingSaturated(now.monotonic.nanoseconds)
    guard step > 0 else { return }
    now.wall.nanoseconds = now.wall.nanoseconds.addingSaturated(step)
    now.monotonic = instant
  }

  package mutating func pass(_ duration: Duration) { move(to: now.monotonic + duration) }

  /// The wall clock was set, or the machine has slept for all of the step.
  package mutating func step(by step: Duration, slept: Duration = .zero) -> [SchedulerEffect] {
    now.wall = now.wall + step
    return send(.clockStepped(slept: slept))
  }

  /// The event for the core at the end of a run's attempt, or of its process group.
  static func event(_ run: RunID, _ end: End) -> SchedulerEvent {
    switch end {
    case .attempt(let result, let left, let isAsked):
      .actionEnded(run, AttemptReport(result, descendants: left, endedUnasked: !isAsked))
    case .group: .groupEnded(run)
    }
  }

  /// The job of a run that has not ended; nil for any other.
  mutating func job(of run: RunID) -> JobID? {
    core.runs.contains(run) ? core.runs[run].job : nil
  }

  /// The future end of a run in progress; nil if it has ended, or the owner has set none. It
  /// searches all runs.
  package func end(of run: RunID) -> End? { ends.end(of: run) }

  /// Sets the end of a run that has none, and its time.
  package mutating func setEnd(of run: RunID, _ end: End, at instant: MonotonicInstant) {
    ends.insert(run, end, at: instant)
  }

  /// Replaces the end of a run and its time; no effect if none was set.
  package mutating func changeEnd(of run: RunID, _ end: End, at instant: MonotonicInstant) {
    ends.change(run, end, at: instant)
  }

  /// takt is killed, with all its runs.
  package mutating func crash() {
    self = VirtualScheduler(at: now, isPunctual: isPunctual, core: freshCore)
  }

  /// The timers that exist, fired or not.
  package var timers: [TimerID] { alarms.all }

  private mutating func setTimers(_ effects: [SchedulerEffect]) {
    for place in effects.indices {
      switch effects[place] {
      case .arm(let timer, let deadline, _, let leeway, let token):
        arm(timer, deadline, leeway: isPunctual ? .zero : leeway, token: token)
      case .holdTimer(let job, _): disarm(.job(job))
      case .disarm(let timer): disarm(timer)
      case .signal(let run, _): ends.noteSignal(to: run)
      case .start, .record, .awaitLedger, .claims, .leased, .served, .log, .finish: break
      }
    }
  }

  /// Arms a timer again, for owners whose timers fire otherwise than the core wants.
  package mutating func arm(
    _ timer: TimerID, _ deadline: MonotonicInstant, leeway: Duration = .zero, token: UInt64
  ) {
    alarms.arm(timer, deadline, leeway: leeway, token: token)
  }

  mutating func disarm(_ timer: TimerID) { alarms.remove(timer) }
}
