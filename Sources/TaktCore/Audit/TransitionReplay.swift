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

    package init(
      machine: String, sequence: Int64, from: String, to: String, cause: String, reason: String?
    ) {
      self.machine = machine
      self.sequence = sequence
      self.from = from
      self.to = to
      self.cause = cause
      self.reason = reason
    }
  }

  private struct Machine {
    var state: String
    var sequence: Int64
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
  private static let problemsMax = 1000

  package init() {}

  /// Another daemon writes from here on; its machines are new ones.
  package mutating func processBegan() {
    machines = [:]
    hasBegun = true
  }

  /// The daemon says that it has stopped: every machine of its scheduler, and every run, is over.
  package mutating func processEnded() {
    guard hasBegun, droppedCount == 0 else { return }
    for (name, machine) in machines.sorted(by: { $0.key < $1.key })
    where Self.endsWithScheduler(name) && !Self.isOver(machine.state) {
      list("\(name): nothing after number \(machine.sequence), but it was '\(machine.state)'")
    }
  }

  private static func endsWithScheduler(_ machine: String) -> Bool {
    ["timer:", "pause-timer:", "run-timer:", "expected-timer:", "shutdown-timer", "run:"].contains {
      machine.hasPrefix($0)
    }
  }

  private static func isOver(_ state: String) -> Bool {
    [TimerState.cancelled.rawValue, TimerState.idle.rawValue, RunState.Kind.ended.rawValue]
      .contains(state)
  }

  package mutating func recordsDropped(_ count: Int) { droppedCount += count }

  package mutating func takeTimer(_ line: Line) {
    // A job that was removed and added again has a new machine of the same name.
    let isNew =
      line.sequence == 1 && machines[line.machine]?.state == TimerState.cancelled.rawValue
    follow(line, begin: TimerState.idle.rawValue, isNew: isNew)
    guard let from = TimerState(rawValue: line.from), let to = TimerState(rawValue: line.to),
      let event = TimerEvent(rawValue: line.cause)
    else { return add(line, "is no state or event of a timer") }
    let decisions = [false, true].map { from.transition(on: event, last: $0) }
    let isLegal = decisions.contains { decision in
      switch decision {
      case .moved(let target, _):
        // An overtaken `fireNow` has moved nothing, wherever its machine stands.
        line.reason == "overtaken" ? from == to : target == to && line.reason != "refused"
      case .refused: from == to && (line.reason == "refused" || line.reason == "overtaken")
      }
    }
    if !isLegal { add(line, "is not in the table of timers") }
  }

  package mutating func takeRun(_ line: Line) {
    follow(line, begin: RunState.Kind.queued.rawValue)
    guard let from = RunState.Kind(rawValue: line.from), let to = RunState.Kind(rawValue: line.to)
    else { return add(line, "is no state of a run") }
    if RunMachine.table[from]?.values.contains(where: { $0.contains(to) }) != true {
      add(line, "is not in the table of runs")
    }
    // It is over: nothing of it comes any more, and there are very many.
    if to == .ended { machines[line.machine] = nil }
  }

  private mutating func follow(_ line: Line, begin: String, isNew: Bool = false) {
    count += 1
    if !hasBegun, machines[line.machine] == nil, line.sequence > 1 {
      machines[line.machine] = Machine(state: line.to, sequence: line.sequence)
      return
    }
    let before =
      isNew
      ? Machine(state: begin, sequence: 0)
      : machines[line.machine]
        ?? Machine(state: begin, sequence: 0)
    machines[line.machine] = Machine(state: line.to, sequence: line.sequence)
    // Where records were dropped, these may be among them.
    guard droppedCount == 0 else { return }
    if line.sequence != before.sequence + 1 {
      add(line, "comes after number \(before.sequence)")
    } else if line.from != before.state {
      add(line, "comes after '\(before.state)'")
    }
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
