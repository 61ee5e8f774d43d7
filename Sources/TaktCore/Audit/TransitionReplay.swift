package import TaktTime
import TimerMachine

/// Replays the transitions of a log against the published tables of the machines: each must start
/// where the one before has ended, be in the table, and none may be missing, nor all of a machine
/// that other lines name.
package struct TransitionReplay: Sendable {
  package struct Line: Hashable, Sendable {
    package var machine: String
    /// Its number within the machine.
    package var sequence: Int64
    package var from: String
    package var to: String
    package var cause: String
    /// `refused` for an operation that was not legal, so that nothing changed.
    package var reason: String?
    package var job: String?

    package init(
      machine: String, sequence: Int64, from: String, to: String, cause: String, reason: String?,
      job: String? = nil
    ) {
      self.machine = machine
      self.sequence = sequence
      self.from = from
      self.to = to
      self.cause = cause
      self.reason = reason
      self.job = job
    }
  }

  /// A slot's verdict as logged.
  package struct Slot: Hashable, Sendable {
    package var job: String
    package var causes: [String]
    /// The due time; for a slot that did not start, its nominal time.
    package var due: WallInstant
    package var run: Int64?

    package init(job: String, causes: [String], due: WallInstant, run: Int64?) {
      self.job = job
      self.causes = causes
      self.due = due
      self.run = run
    }
  }

  private struct Machine {
    var state: String
    var sequence: Int64
    var job: String?
  }

  package private(set) var count = 0
  /// True if there was anything to replay.
  package var isVerifiable: Bool { count > 0 }
  /// True if there was something to replay, and no problem.
  package var isSound: Bool { isVerifiable && problemCount == 0 }
  /// Only the first problems.
  package private(set) var problems: [String] = []
  package private(set) var problemCount = 0
  /// The number of records that the log has dropped; their contents are unknown.
  package private(set) var droppedCount = 0

  private var machines: [String: Machine] = [:]
  /// Machines that other lines name and that have no transition yet, with the time of the line; nil
  /// for runs that may wait until the daemon stops.
  private var expected: [String: WallInstant?] = [:]
  /// The time of the first line of the daemon, or of the log.
  private var beganAt: WallInstant?
  /// Transitions of the current daemon, and those of its timers.
  private var daemonCount = 0
  private var daemonTimerCount = 0
  /// True once the start of a daemon has been read: a log that starts later, as after a rotation,
  /// has machines that were in the middle of something.
  private var hasBegun = false
  /// True once the current daemon has logged its stop.
  private var hasEnded = false
  private var beginsInMiddle = false
  private var timerCount = 0
  private static let problemsMax = 1000
  /// A slot due this soon after the first line may have been decided before it.
  private static let beginMargin = Duration.seconds(1)
  /// At the end of a log without a stop, lines this long before the end may name a machine whose
  /// transition is missing.
  private static let endMargin = Duration.seconds(10)

  package init() {}

  /// Another daemon writes from here on, with new machines.
  ///
  /// - Parameters:
  ///   - instant: the time of its first line.
  ///   - last: the time of the line before.
  package mutating func processBegan(at instant: WallInstant? = nil, after last: WallInstant? = nil)
  {
    listMissing(at: last)
    machines = [:]
    (daemonCount, daemonTimerCount) = (0, 0)
    beganAt = instant
    hasBegun = true
    hasEnded = false
  }

  /// `last` is the time of the last line.
  package mutating func logEnded(at last: WallInstant?) { listMissing(at: last) }

  /// The time of a line that may be the first one of the log.
  package mutating func lineRead(at instant: WallInstant) {
    if !hasBegun, beganAt == nil { beganAt = instant }
  }

  /// - Parameter last: the time of the daemon's last line; nil if it has stopped, so that no line can
  ///   be missing.
  private mutating func listMissing(at last: WallInstant?) {
    defer { expected = [:] }
    guard droppedCount == 0 else { return }
    for (machine, named) in expected.sorted(by: { $0.key < $1.key }) {
      // A log of less detail has no timers at all.
      if daemonTimerCount == 0, !machine.hasPrefix("run:") { continue }
      if let last, named.map({ $0 + Self.endMargin >= last }) ?? true { continue }
      list("\(machine): has no transitions, although other lines name it")
    }
  }

  package mutating func slotDecided(_ slot: Slot, at instant: WallInstant) {
    guard !hasEnded else { return }
    if let run = slot.run { expect("run:\(run)", namedAt: instant) }
    // A slot due after the first line had a timer, which was logged.
    if let beganAt, slot.due > beganAt + Self.beginMargin,
      slot.causes.contains(where: Self.timedCauses.contains)
    {
      expect("timer:\(slot.job)", namedAt: instant)
    }
  }

  /// Causes of jobs that always have another slot to wait for.
  private static let timedCauses = Set(
    [SlotCause.every, .cron, .calendar, .rrule].map(\.rawValue))

  /// A reload has added a job with this timer.
  package mutating func timerNamed(_ machine: String, at instant: WallInstant) {
    expect(machine, namedAt: instant)
  }

  private mutating func expect(_ machine: String, namedAt instant: WallInstant?) {
    // The first line counts: a timer that fires often is named until the end.
    guard machines[machine] == nil, (expected[machine] ?? nil) == nil else { return }
    expected[machine] = .some(instant)
  }

  package mutating func transitionsCounted(_ count: Int) {
    guard hasBegun, droppedCount == 0, count != daemonCount else { return }
    list("the daemon logged \(count) transitions, but \(daemonCount) of them are here")
  }

  /// Checks that could not be made; complete only at the end of the log.
  package var notes: [String] {
    guard isVerifiable else { return [] }
    var notes: [String] = []
    if beginsInMiddle { notes.append("starts after the first line of its daemon") }
    if timerCount == 0 {
      notes.append("has no timer transitions; takt logs them with --log-level debug")
    }
    if hasBegun, !hasEnded {
      notes.append("ends without a stop; the daemon was running or killed, or the log is cut off")
    }
    return notes
  }

  /// The daemon has logged its stop: every machine of its scheduler, and every run, has ended.
  package mutating func processEnded() {
    defer { hasEnded = true }
    listMissing(at: nil)
    guard hasBegun, droppedCount == 0 else { return }
    for (name, machine) in machines.sorted(by: { $0.key < $1.key })
    where Self.endsWithScheduler(name) && !Self.isOver(machine.state) {
      list("\(name): ends with number \(machine.sequence) in the state '\(machine.state)'")
    }
  }

  private static func endsWithScheduler(_ machine: String) -> Bool {
    [
      "timer:", "pause-timer:", "freshness-timer:", "run-timer:", "expected-timer:",
      "cluster-timer", "shutdown-timer",
      "run:",
    ].contains { machine.hasPrefix($0) }
  }

  private static func isOver(_ state: String) -> Bool {
    [TimerState.cancelled.rawValue, TimerState.idle.rawValue, RunState.Kind.ended.rawValue]
      .contains(state)
  }

  package mutating func recordsDropped(_ count: Int) { droppedCount += count }

  package mutating func addTimerTransition(_ line: Line) {
    timerCount += 1
    daemonTimerCount += 1
    if line.sequence == 1, let run = Self.run(of: line.machine) { expect(run, namedAt: nil) }
    // A job that was removed and added again has a new machine of the same name.
    let isNew =
      line.sequence == 1 && machines[line.machine]?.state == TimerState.cancelled.rawValue
    follow(line, begin: TimerState.idle.rawValue, isNew: isNew)
    guard let from = TimerState(rawValue: line.from), let to = TimerState(rawValue: line.to),
      let event = TimerEvent(rawValue: line.cause)
    else { return add(line, "has an unknown timer state or event") }
    let decisions = [false, true].map { from.transition(on: event, last: $0) }
    let isLegal = decisions.contains { decision in
      switch decision {
      case .moved(let target, _):
        // An overtaken `fireNow` has moved nothing, wherever its machine stands.
        line.reason == "overtaken" ? from == to : target == to && line.reason != "refused"
      case .refused: from == to && (line.reason == "refused" || line.reason == "overtaken")
      }
    }
    if !isLegal { add(line, "is not a valid timer transition") }
  }

  package mutating func addRunTransition(_ line: Line, at instant: WallInstant? = nil) {
    follow(line, begin: RunState.Kind.queued.rawValue)
    guard let from = RunState.Kind(rawValue: line.from), let to = RunState.Kind(rawValue: line.to)
    else { return add(line, "has an unknown run state") }
    guard let cause = RunMove.Cause(rawValue: line.cause) else {
      return add(line, "has an unknown cause")
    }
    let events = cause.event.map { [$0] } ?? RunMachine.EventName.allCases
    if !events.contains(where: { RunMachine.table[from]?[$0]?.contains(to) == true }) {
      add(line, "is not a valid run transition")
    }
    if cause.event == .timer {
      expect("run-timer:\(line.machine.dropFirst("run:".count))", namedAt: instant)
    }
    // The machine has ended; ended ones are not kept, since there are very many.
    if to == .ended { machines[line.machine] = nil }
  }

  private mutating func follow(_ line: Line, begin: String, isNew: Bool = false) {
    count += 1
    daemonCount += 1
    expected[line.machine] = nil
    let known = machines[line.machine]
    defer {
      machines[line.machine] = Machine(
        state: line.to, sequence: line.sequence, job: line.job ?? known?.job)
    }
    if hasEnded, droppedCount == 0, Self.endsWithScheduler(line.machine) {
      return add(line, "follows the stop of the daemon, before another start")
    }
    if let job = line.job, job != known?.job ?? Self.job(of: line.machine) ?? job {
      add(line, "names the wrong job, '\(job)'")
    }
    if !hasBegun, known == nil, line.sequence > 1 {
      beginsInMiddle = true
      return
    }
    let before =
      isNew
      ? Machine(state: begin, sequence: 0) : known ?? Machine(state: begin, sequence: 0)
    // Where records were dropped, these may be among them.
    guard droppedCount == 0 else { return }
    if line.sequence != before.sequence + 1 {
      add(line, "follows number \(before.sequence)")
    } else if line.from != before.state {
      add(line, "follows the state '\(before.state)'")
    }
  }

  private static func job(of machine: String) -> String? {
    for prefix in ["timer:", "pause-timer:", "freshness-timer:"] where machine.hasPrefix(prefix) {
      return String(machine.dropFirst(prefix.count))
    }
    return nil
  }

  /// The run whose timer a machine is.
  private static func run(of machine: String) -> String? {
    for prefix in ["run-timer:", "expected-timer:"] where machine.hasPrefix(prefix) {
      return "run:" + machine.dropFirst(prefix.count)
    }
    return nil
  }

  private mutating func add(_ line: Line, _ what: String) {
    list(
      "\(line.machine): number \(line.sequence), \(line.from) → \(line.to) (\(line.cause)), \(what)"
    )
  }

  private mutating func list(_ problem: String) {
    problemCount += 1
    if problems.count < Self.problemsMax { problems.append(problem) }
  }
}

extension RunMove.Cause {
  /// The event of a run for this cause; nil if there may be several.
  fileprivate var event: RunMachine.EventName? {
    switch self {
    case .start: .start
    case .resume: .resume
    case .actionEnded: .actionEnded
    case .groupEnded: .groupEnded
    case .graceOver, .delayOver, .timeout: .timer
    case .nextSlot: .nextSlot
    case .retry, .nextStep, .hurry, .deadline, .shutdown, .replaced, .removed, .byOperator,
      .ledger, .leaseLost, .descendantsLeft:
      nil
    }
  }
}
