package import TaktTime
import TimerMachine

/// The real core and the real wake table in virtual time: a clock that the owner moves, the armed
/// timers, and how runs are going to end.
///
/// It decides nothing. The owner says how long runs take and how they end, steps or stops the clock,
/// and performs all effects but those on timers.
package struct VirtualScheduler {
  /// The timers that exist, fired or not: those of jobs by their numbers.
  private struct Alarms: Sendable {
    private var jobs: [NumberedWakeTable.Entry?] = []
    private var others: [TimerID: NumberedWakeTable.Entry] = [:]

    subscript(timer: TimerID) -> NumberedWakeTable.Entry? {
      get {
        guard case .job(let id) = timer else { return others[timer] }
        return Int(id.index) < jobs.count ? jobs[Int(id.index)] : nil
      }
      set {
        guard case .job(let id) = timer else {
          others[timer] = newValue
          return
        }
        while jobs.count <= Int(id.index) { jobs.append(nil) }
        jobs[Int(id.index)] = newValue
      }
    }

    var timers: [TimerID] {
      (jobs.compactMap(\.self) + others.values).map { TimerID(number: $0.number) }
    }
  }

  /// How a run in progress is going to end.
  package enum End {
    /// Its action ends, and may leave descendants whose end is still to be given.
    case attempt(AttemptResult, leaving: [Descendant] = [])
    /// Nothing is left of its process group.
    case group
  }

  /// Something that is due: smaller than the event that it is, since it is moved about more.
  package enum Due {
    case timer(TimerID, token: UInt64)
    case end(RunID, End)

    package var event: SchedulerEvent {
      switch self {
      case .timer(let key, let token): .timerFired(key, token: token)
      case .end(let run, .attempt(let result, let left)):
        .attemptEnded(run, AttemptReport(result, descendants: left))
      case .end(let run, .group): .groupEnded(run)
      }
    }
  }

  package private(set) var core = SchedulerCore()
  package var now: Now
  /// Whether timers fire at their deadlines, as if nothing had leeway.
  private let isPunctual: Bool
  private var table = NumberedWakeTable()
  private var alarms = Alarms()
  private var ends = RunEnds()

  /// - Parameters:
  ///   - isQuiet: whether the core makes no log records.
  ///   - isWithoutMarks: whether it does not say how far jobs have come, which only one that is
  ///     started after it needs.
  package init(
    at now: Now, isPunctual: Bool = false, isQuiet: Bool = false, isWithoutMarks: Bool = false
  ) {
    self.now = now
    self.isPunctual = isPunctual
    core.isQuiet = isQuiet
    core.isWithoutMarks = isWithoutMarks
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
    core.handle(event, at: now, into: &effects)
    setTimers(effects)
  }

  /// Hands the core a command, and sets its timers.
  package mutating func obey(
    _ command: SchedulerCommand
  ) -> (reply: SchedulerReply, effects: [SchedulerEffect]) {
    let (reply, effects) = core.obey(command, at: now)
    setTimers(effects)
    return (reply, effects)
  }

  /// What the core says at the end of time about slots that held jobs have let pass.
  package mutating func passHeld() -> [SchedulerEffect] { core.passHeld(at: now) }

  /// Takes what is due next, by `limit` at the latest: the end of a run, or the timers that one wake
  /// serves. The clock moves there, or to `limit` when there is nothing.
  package mutating func next(until limit: MonotonicInstant) -> [Due]? {
    var due: [Due] = []
    return next(until: limit, into: &due) ? due : nil
  }

  /// Takes what is due next, into an empty list. Returns false when there is nothing.
  package mutating func next(until limit: MonotonicInstant, into due: inout [Due]) -> Bool {
    let end = ends.next ?? .distantFuture
    let next = min(end, table.nextWake ?? .distantFuture)
    move(to: min(next, limit))
    guard next <= limit, next < .distantFuture else { return false }
    if end <= now.monotonic {
      if let (run, end) = ends.takeNext() { due.append(.end(run, end)) }
      return true
    }
    while let timer = table.takeDue(at: now.monotonic) {
      due.append(.timer(TimerID(number: timer.number), token: timer.ticket))
    }
    return true
  }

  // MARK: The clock

  /// Lets time go by to an instant, unless that is past.
  package mutating func move(to instant: MonotonicInstant) {
    // Counted in 64 bits: durations have 128, and this is done for every event.
    let step = instant.nanoseconds.subtractingSaturated(now.monotonic.nanoseconds)
    guard step > 0 else { return }
    now.wall.nanoseconds = now.wall.nanoseconds.addingSaturated(step)
    now.monotonic = instant
  }

  package mutating func pass(_ duration: Duration) { move(to: now.monotonic + duration) }

  /// Somebody sets the wall clock, or the machine has slept for all of the step.
  package mutating func step(by step: Duration, slept: Duration = .zero) -> [SchedulerEffect] {
    now.wall = now.wall + step
    return send(.clockStepped(slept: slept))
  }

  // MARK: Runs

  /// How a run in progress is going to end; nil when it has ended, or the owner has not said. It
  /// looks through all runs.
  package func end(of run: RunID) -> End? { ends.end(of: run) }

  /// Says of a run whose end is not known how it ends and when.
  package mutating func setEnd(of run: RunID, _ end: End, at instant: MonotonicInstant) {
    ends.insert(run, end, at: instant)
  }

  /// Says how a run ends and when, in place of what was said before; nothing happens when nothing
  /// was.
  package mutating func changeEnd(of run: RunID, _ end: End, at instant: MonotonicInstant) {
    ends.change(run, end, at: instant)
  }

  /// takt is killed, with all that runs.
  package mutating func crash() {
    self = VirtualScheduler(
      at: now, isPunctual: isPunctual, isQuiet: core.isQuiet, isWithoutMarks: core.isWithoutMarks)
  }

  // MARK: Timers

  /// The timers that exist, fired or not.
  package var timers: [TimerID] { alarms.timers }

  private mutating func setTimers(_ effects: [SchedulerEffect]) {
    for place in effects.indices {
      switch effects[place] {
      case .arm(let timer, let deadline, let leeway, let token):
        arm(timer, deadline, leeway: isPunctual ? .zero : leeway, token: token)
      case .disarm(let timer):
        guard let armed = alarms[timer] else { continue }
        alarms[timer] = nil
        table.disarm(armed)
      case .start, .signal, .record, .awaitLedger, .served, .log, .finish: break
      }
    }
  }

  /// Arms a timer anew, for owners whose timers fire otherwise than the core wants.
  package mutating func arm(
    _ timer: TimerID, _ deadline: MonotonicInstant, leeway: Duration = .zero, token: UInt64
  ) {
    let arming = TimerArming(deadline: deadline, leeway: max(.zero, leeway), ticket: token)
    var entry = alarms[timer] ?? NumberedWakeTable.Entry(number: timer.number)
    table.arm(&entry, arming)
    alarms[timer] = entry
  }
}
