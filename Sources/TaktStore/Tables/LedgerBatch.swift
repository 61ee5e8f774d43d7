import TaktCore
import TaktTime

/// The contents of one transaction: the entries of many turns, reduced to their final effect.
///
/// Entries that are written unchanged are not copied: the batch holds their places.
struct LedgerBatch {
  /// The changes of this batch to a run; nil for a column that it leaves alone.
  struct Run {
    var head: RunHead?
    var claimedAt: WallInstant?
    var beganAt: WallInstant?
    var lateness: Duration?
    var attempts: Int?
    var record: RunRecord?
    /// `.some(nil)` removes it.
    var retry: RetryPosition??

    /// Starts the run, or its next attempt: it waits for none.
    mutating func begin(_ change: (inout Run) -> Void) {
      change(&self)
      retry = .some(nil)
    }

    mutating func end(_ record: RunRecord) {
      if head == nil { head = record.head }
      attempts = record.attempts
      retry = .some(record.retry)
      self.record = record
    }
  }

  struct Attempt: Hashable {
    var run: RunID
    var number: Int
  }

  struct AttemptFacts {
    var beganAt: WallInstant?
    var endedAt: WallInstant?
    var end: RunEnd?
    var process: ProcessIdentity?
    var use: Shared<ResourceUse>?

    mutating func end(_ end: RunEnd, _ at: WallInstant, _ use: ResourceUse?) {
      self.end = end
      endedAt = at
      if let use { self.use = Shared(use) }
    }
  }

  let entries: [LedgerEntry]
  /// Places of verdicts in `entries`.
  private(set) var verdicts: [Int] = []
  private(set) var pending: Set<PendingSlot> = []
  private(set) var checkpoints = NewestCheckpoints()
  /// Places of schedules, services, clock steps, reloads and jobs that run once, in their order.
  private(set) var others: [Int] = []
  private(set) var parameters: [Int] = []
  private(set) var runs: [RunID: Run] = [:]
  private(set) var attempts: [Attempt: AttemptFacts] = [:]
  /// The output of attempts that are followed by another one.
  private(set) var outputs: [(attempt: Attempt, output: KeptOutput, at: WallInstant)] = []
  /// Processes of attempts that started before this batch.
  private(set) var processes: [RunID: ProcessIdentity] = [:]

  struct PendingSlot: Hashable {
    var job: JobName
    var slot: WallInstant
  }

  init(_ entries: [LedgerEntry]) {
    self.entries = entries
    reserve(for: entries)
    // Lent, not copied out of the list: the gate's `ledger`.
    let span = entries.span
    for place in span.indices { add(span[place], at: place) }
  }

  /// The checkpoints and schedules of many new jobs, and many runs, come in one batch.
  private mutating func reserve(for entries: [LedgerEntry]) {
    var (checkpointCount, otherCount, beginningCount) = (0, 0, 0)
    let span = entries.span
    for place in span.indices {
      switch span[place] {
      case .checkpoint: checkpointCount += 1
      case .schedule: otherCount += 1
      case .began: beginningCount += 1
      default: break
      }
    }
    checkpoints.reserve(checkpointCount)
    others.reserveCapacity(otherCount)
    runs.reserveCapacity(beginningCount)
    attempts.reserveCapacity(beginningCount)
  }

  private mutating func add(_ entry: LedgerEntry, at place: Int) {
    switch entry {
    case .verdict(let record):
      verdicts.append(place)
      if record.slots.count == 1, !pending.isEmpty {
        pending.remove(PendingSlot(job: record.job, slot: record.slots.first))
      }
    case .pending(let job, let slot): pending.insert(PendingSlot(job: job, slot: slot))
    case .checkpoint(let checkpoint): checkpoints.add(checkpoint.job, at: place)
    case .rare(.parameters): parameters.append(place)
    case .schedule, .scheduleEnded, .rare:
      others.append(place)
    case .claimed(let beginning):
      update(beginning) {
        $0.head = $0.head ?? beginning.head
        $0.claimedAt = beginning.at
      }
    case .began(let beginning):
      update(beginning) {
        $0.head = beginning.head
        $0.beganAt = beginning.at
        $0.lateness = beginning.lateness
        $0.attempts = beginning.attempt
      }
      attempts[Attempt(run: beginning.head.run, number: beginning.attempt), default: AttemptFacts()]
        .beganAt = beginning.at
    case .attemptBegan(let run, let attempt, let at):
      runs[run, default: Run()].begin { $0.attempts = attempt }
      attempts[Attempt(run: run, number: attempt), default: AttemptFacts()].beganAt = at
    case .backedOff(let run, let retry, let at):
      runs[run, default: Run()].retry = retry
      end(Attempt(run: run, number: retry.attempt), retry.end, at)
    case .attemptOutput(let run, let number, let output, let at):
      outputs.append((Attempt(run: run, number: number), output, at))
    case .attemptUse(let run, let number, let use):
      attempts[Attempt(run: run, number: number), default: AttemptFacts()].use = use
    case .ended(let record):
      let run = record.head.run
      runs[run, default: Run()].end(record)
      // A run that ends while it waits has no attempt that ends with it.
      if record.attempts > 0, record.retry?.attempt != record.attempts {
        end(
          Attempt(run: run, number: record.attempts), record.end, record.endedAt,
          use: record.totals.use?.value.attempt)
      }
    case .settled(let run): runs[run, default: Run()].retry = .some(nil)
    case .process(let run, let process):
      if let attempt = runs[run]?.attempts {
        attempts[Attempt(run: run, number: attempt), default: AttemptFacts()].process = process
      } else {
        processes[run] = process
      }
    }
  }

  /// A run starts, or waits to. It replaces the rest of the run that it continues.
  private mutating func update(_ beginning: RunBeginning, _ change: (inout Run) -> Void) {
    let head = beginning.head
    runs[head.run, default: Run()].begin(change)
    guard head.kind == .resumed, let parent = head.parent else { return }
    runs[parent, default: Run()].retry = .some(nil)
  }

  private mutating func end(
    _ attempt: Attempt, _ end: RunEnd, _ at: WallInstant, use: ResourceUse? = nil
  ) {
    attempts[attempt, default: AttemptFacts()].end(end, at, use)
  }
}

/// The newest checkpoint of each job in a batch, by the place of its entry.
struct NewestCheckpoints {
  /// Places in the batch's entries, one for each job, in the order in which the jobs came.
  private(set) var places: [Int] = []
  private var indices: [JobName: Int] = [:]

  mutating func reserve(_ count: Int) {
    places.reserveCapacity(count)
    indices.reserveCapacity(count)
  }

  mutating func add(_ job: JobName, at place: Int) {
    let index = Self.index(&indices[job], else: places.count)
    if index < places.count {
      places[index] = place
    } else {
      places.append(place)
    }
  }

  /// The value of `known`, or `next`, which is stored there: one search for both.
  private static func index(_ known: inout Int?, else next: Int) -> Int {
    if let known { return known }
    known = next
    return next
  }

  /// Nil for a job without a checkpoint in this batch.
  func index(of job: JobName) -> Int? { indices[job] }
}
