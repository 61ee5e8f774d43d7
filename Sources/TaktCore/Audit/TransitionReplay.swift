import TimerMachine

/// Replays the transitions of a log against the published tables of the machines: each must begin
/// where the one before has ended, be in the table, and none may be missing.
package struct TransitionReplay: Sendable {
  /// A transition as the log tells it.
  package struct Line: Hashable, Sendable {
    package var machine: String
    /// Its number within the machine.
    package var sequence: Int64
    package var from: String
    package var to: String
    package var cause: String
    /// `refused` for an operation that was not legal, so that nothing moved.
    package var reason: String?
    /// The job that the line names.
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

  private struct Machine {
    var state: String
    var sequence: Int64
    var job: String?
  }

  /// How many transitions were replayed.
  package private(set) var count = 0
  /// Whether there was anything to replay.
  package var isVerifiable: Bool { count > 0 }
  /// Whether there was something to replay, and nothing is wrong with it.
  package var isSound: Bool { isVerifiable && problemCount == 0 }
  /// What is wrong, as far as it is listed.
  package private(set) var problems: [String] = []
  package private(set) var problemCount = 0
  /// How many records the log says it has dropped: what they were is not known.
  package private(set) var droppedCount = 0

  private var machines: [String: Machine] = [:]
  /// Whether the beginning of a takt has been seen: a log that begins later, as after a rotation,
  /// has machines that were in the middle of something.
  private var hasBegun = false
  /// Whether the takt that writes has said that it has stopped.
  private var hasEnded = false
  private var beginsInMiddle = false
  private var timerCount = 0
  private static let problemsMax = 1000

  package init() {}

  /// Another daemon writes from here on; its machines are new ones.
  package mutating func processBegan() {
    machines = [:]
    hasBegun = true
    hasEnded = false
  }

  /// What was not to be checked: the end of the log has been reached.
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

  /// The daemon says that it has stopped: every machine of its scheduler, and every run, is over.
  package mutating func processEnded() {
    defer { hasEnded = true }
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

  package mutating func addRunTransition(_ line: Line) {
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
    // It is over: nothing of it comes any more, and there are very many.
    if to == .ended { machines[line.machine] = nil }
  }

  private mutating func follow(_ line: Line, begin: String, isNew: Bool = false) {
    count += 1
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

  /// The job that the name of a machine has in it.
  private static func job(of machine: String) -> String? {
    for prefix in ["timer:", "pause-timer:", "freshness-timer:"] where machine.hasPrefix(prefix) {
      return String(machine.dropFirst(prefix.count))
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
  /// What happens to a run for this cause; nil where it may be one of several things.
  fileprivate var event: RunMachine.EventName? {
    switch self {
    case .start: .start
    case .resume: .resume
    case .actionEnded: .actionEnded
    case .groupEnded: .groupEnded
    case .graceOver, .delayOver, .timeout: .timer
    case .nextSlot: .nextSlot
    case .retry, .nextStep, .hurry, .shutdown, .replaced, .removed, .byOperator, .ledger,
      .leaseLost,
      .descendantsLeft:
      nil
    }
  }
}
