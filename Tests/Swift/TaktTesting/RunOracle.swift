import TaktCore
import TaktTime

/// Checks runs against their promises, by the log and the starts alone.
struct RunOracle {
  private struct Run {
    var job: JobName
    var state = RunState.Kind.queued
    var sequence: Int64 = 0
    var isAlone = false
    var group: String?
    /// It runs a condition, and takes no place.
    var isCheck = false
  }

  private var runs: [UInt64: Run] = [:]
  private(set) var problems: [String] = []

  mutating func observe(_ record: LogRecord) {
    guard record.event == .run, case .number(let id)? = record[.run],
      case .text(let job)? = record[.job], let name = JobName(job),
      case .number(let sequence)? = record[.seq],
      case .text(let from)? = record[.from], case .text(let to)? = record[.to],
      let before = RunState.Kind(rawValue: from), let after = RunState.Kind(rawValue: to)
    else { return }
    let number = UInt64(id)
    var run = runs[number] ?? Run(job: name)
    if run.state != before || run.sequence + 1 != sequence {
      problems.append("run \(id): \(from) → \(to) (\(sequence)) after \(run.state)")
    }
    if RunMachine.table[before]?.values.contains(where: { $0.contains(after) }) != true {
      problems.append("run \(id): \(from) → \(to) is not a valid transition")
    }
    run.state = after
    run.sequence = sequence
    runs[number] = run
  }

  /// Takes the start of an action, after its transition. A backfill may run beside others of its
  /// job.
  mutating func start(
    _ request: AttemptRequest, settings: SchedulerSettings, isBackfill: Bool
  ) {
    let id = request.run.number
    runs[id]?.group = request.facts == nil ? request.spec.concurrencyGroup : nil
    runs[id]?.isAlone =
      request.facts == nil && !isBackfill && !request.spec.overlap.mayMeet
      && !request.spec.overlap.refuses
    runs[id]?.isCheck = request.facts?.hook == .onlyIf
    guard request.step == 0 else { return }
    let taken = runs.values.filter {
      [.running, .stopping, .killing].contains($0.state) && !$0.isCheck
    }
    // Bounds may have been lowered since others started.
    if taken.count > max(settings.maxRunning, 5) { problems.append("\(taken.count) runs at once") }
    if let group = request.spec.concurrencyGroup, request.facts == nil,
      taken.count(where: { $0.group == group }) > 2
    {
      problems.append("more than two runs of the group \(group)")
    }
    let others = taken.filter { $0.job == request.spec.name && $0.isAlone }
    if runs[id]?.isAlone == true, others.count > 1 {
      problems.append("\(request.spec.name): \(others.count) runs at once")
    }
  }

  mutating func finish() {
    for (id, run) in runs where run.state != .ended && run.state != .queued {
      problems.append("run \(id) of \(run.job) is still \(run.state)")
    }
  }
}

/// Checks the starts of attempts against the delivery of each job, over all daemons.
struct StartOracle {
  private struct Key: Hashable {
    var job: JobName
    var slot: WallInstant
    var attempt: Int
  }

  /// Attempts of `at_most_once` jobs for their slots.
  private var started: Set<Key> = []
  /// The head of each run, since its start.
  private var heads: [RunID: RunHead] = [:]
  private(set) var problems: [String] = []

  mutating func observe(_ entries: [LedgerEntry]) {
    for entry in entries {
      switch entry {
      case .claimed(let run), .began(let run): heads[run.head.run] = run.head
      default: break
      }
    }
  }

  mutating func crashed() {
    heads = [:]
  }

  mutating func begin(_ previous: PreviousState) {
    for run in previous.runs { heads[run.head.run] = run.head }
  }

  mutating func start(_ request: AttemptRequest) {
    guard request.step == 0, request.facts == nil, let head = heads[request.run],
      head.kind != .manual, head.kind != .backfill, head.delivery == .atMostOnce,
      request.spec.delivery == .atMostOnce
    else { return }
    let key = Key(job: request.spec.name, slot: request.slot, attempt: request.attempt)
    if !started.insert(key).inserted {
      problems.append(
        "\(key.job): attempt \(key.attempt) of \(key.slot.rfc3339()) started twice, at most once")
    }
  }
}
