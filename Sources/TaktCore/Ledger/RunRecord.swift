package import TaktTime

/// The identity and purpose of a run: known from its start on, and never changed.
package struct RunHead: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case slot
    case manual
    /// Follows the outcome of another run.
    case hook
    /// Continues a run that a previous daemon left unfinished; its slot has been decided.
    case resumed
    /// Runs a slot of the past, whose verdict it leaves as it is.
    case backfill
  }

  package var run: RunID
  package var job: JobName
  /// The instant passed to it: its slot, or the time of the request.
  package var slot: WallInstant
  /// The run that a hook is for, or that a resumed run continues.
  package var parent: RunID?
  package var kind: Kind
  package var delivery: Delivery
  /// Nil unless it is a hook.
  package var hook: HookKind?

  package init(
    run: RunID, job: JobName, slot: WallInstant, kind: Kind = .slot,
    delivery: Delivery = .bestEffort, hook: HookKind? = nil, parent: RunID? = nil
  ) {
    self.run = run
    self.job = job
    self.slot = slot
    self.kind = kind
    self.delivery = delivery
    self.hook = hook
    self.parent = parent
  }
}

/// A run that starts, or waits to.
package struct RunBeginning: Hashable, Sendable {
  package var head: RunHead
  /// The number of its first attempt; above 1 for a run that continues another.
  package var attempt: Int
  package var at: WallInstant
  /// The delay after its slot's due time; nil for a run that waits to start, or has no slot.
  package var lateness: Duration?

  package init(_ head: RunHead, attempt: Int, at: WallInstant, lateness: Duration? = nil) {
    self.head = head
    self.attempt = attempt
    self.at = at
    self.lateness = lateness
  }
}

/// The position of a run between two attempts.
package struct RetryPosition: Hashable, Sendable {
  /// The number of attempts made.
  package var attempt: Int
  package var until: WallInstant
  package var end: RunEnd

  package init(attempt: Int, until: WallInstant, end: RunEnd) {
    self.attempt = attempt
    self.until = until
    self.end = end
  }
}

/// The sum of a run's attempts, besides how they ended. Each value in the record of a run's end has
/// its place here: attempts add to it, and the log reads it.
package struct RunTotals: Hashable, Sendable {
  /// The output of the last attempt, its steps together.
  package var output: KeptOutput
  /// Nil if there were no processes.
  package var use: Shared<RunUse>?

  package init(output: KeptOutput = KeptOutput(), use: Shared<RunUse>? = nil) {
    self.output = output
    self.use = use
  }

  /// For callers that have the output already.
  var withoutOutput: Self {
    var totals = self
    totals.output = KeptOutput()
    return totals
  }

  mutating func beginAttempt() {
    output = KeptOutput()
    if use?.value.attempt != nil { use?.change { $0.attempt = nil } }
  }

  mutating func add(_ report: AttemptReport, step: Int, keepBytes: Int) {
    let kept = report.output.kept
    output = step == 0 ? kept : output.followed(by: kept, keepBytes: keepBytes)
    if let use = report.use { add(use) }
  }

  /// Called once no process of a step is left.
  mutating func add(_ report: GroupReport, keepBytes: Int) {
    output = output.followed(by: report.output, keepBytes: keepBytes)
    if let use = report.use { add(use) }
  }

  mutating func add(_ use: Shared<ResourceUse>) {
    var total = self.use?.value ?? RunUse(attempt: nil, run: ResourceUse())
    total.add(use.value)
    self.use = Shared(total)
  }
}

/// A run that has ended: the ledger, the log, the metrics and the API all describe its end from
/// this.
package struct RunRecord: Hashable, Sendable {
  package var head: RunHead
  /// 0 when it never started.
  package var attempts: Int
  package var end: RunEnd
  package var endedAt: WallInstant
  /// In nanoseconds, as the clocks count; negative if unknown.
  private var nanoseconds: Int64
  /// Without the output if the ledger has it already.
  package var totals: RunTotals
  /// Boxed: few runs have one.
  private var parting: Shared<RetryPosition>?

  /// The time since its first start; zero if it never started, or its end is unknown.
  package var duration: Duration {
    get { .nanoseconds(max(0, nanoseconds)) }
    set { nanoseconds = newValue.nanosecondsSaturated }
  }

  /// The position at which the next daemon continues it; nil (the default) for a run that has ended
  /// finally.
  package var retry: RetryPosition? {
    get { parting?.value }
    set { parting = newValue.map { Shared($0) } }
  }
}

extension RunRecord {
  /// Nil for a run that never started, and for one whose end is unknown.
  fileprivate func knownDuration(_ beganAt: WallInstant?) -> Duration? {
    beganAt == nil || (end.outcome == .interrupted && duration == .zero) ? nil : duration
  }

  /// The fields of the log's line about the end.
  func put(into sink: inout some FieldSink) {
    sink.put(.outcome, text: end.outcome.rawValue)
    sink.put(.reason, text: end.reason.description)
    if nanoseconds >= 0 {
      sink.put(.durationMilliseconds, milliseconds: duration)
      // A run ends once no process of it is left, and never before.
      sink.put(.descendants, number: 0)
    }
    totals.use?.value.run.put(into: &sink)
    if let advice = end.reason.advice { sink.put(.message, text: advice) }
  }

  /// - Parameter duration: zero if unknown.
  package init(
    _ head: RunHead, attempts: Int, end: RunEnd, endedAt: WallInstant, duration: Duration,
    totals: RunTotals = RunTotals(), retry: RetryPosition? = nil
  ) {
    self.init(
      head: head, attempts: attempts, end: end, endedAt: endedAt,
      nanoseconds: duration == .zero ? -1 : duration.nanosecondsSaturated, totals: totals,
      parting: retry.map { Shared($0) })
  }

  /// The end of a run that started at `beganAt`; nil for one that never did.
  init(
    _ head: RunHead, attempts: Int, end: RunEnd, at now: Now, since start: MonotonicInstant?,
    totals: RunTotals, parting: Shared<RetryPosition>?
  ) {
    self.init(
      head: head, attempts: attempts, end: end, endedAt: now.wall,
      nanoseconds: start.map { now.monotonic.nanoseconds - $0.nanoseconds } ?? -1, totals: totals,
      parting: parting)
  }
}

/// A run as it is shown, ended or not.
package struct StoredRun: Hashable, Sendable {
  package var head: RunHead
  /// The start of its first attempt; nil if there was none.
  package var beganAt: WallInstant?
  /// Nil while it has not ended.
  package var endedAt: WallInstant?
  /// The time since its first start, until its end or now.
  package var duration: Duration?
  /// The number of attempts started.
  package var attempts: Int
  /// Nil while it has not ended.
  package var end: RunEnd?
  /// Nil while it has not ended, and if there were no processes.
  package var use: ResourceUse? {
    get { boxedUse?.value }
    set { boxedUse = newValue.map { Shared($0) } }
  }
  private var boxedUse: Shared<ResourceUse>?
  /// The parameters of its trigger; nil for none. Boxed: few runs have any.
  package var parameters: Shared<ShownParameters>?

  package init(
    _ head: RunHead, beganAt: WallInstant? = nil, endedAt: WallInstant? = nil,
    duration: Duration? = nil, attempts: Int = 0, end: RunEnd? = nil, use: ResourceUse? = nil,
    parameters: Shared<ShownParameters>? = nil
  ) {
    self.head = head
    self.beganAt = beganAt
    self.endedAt = endedAt
    self.duration = duration
    self.attempts = attempts
    self.end = end
    boxedUse = use.map { Shared($0) }
    self.parameters = parameters
  }

  package mutating func apply(_ record: RunRecord) {
    endedAt = record.endedAt
    duration = record.knownDuration(beganAt)
    attempts = record.attempts
    end = record.end
    use = record.totals.use?.value.run
  }
}

/// A run that a previous daemon left unfinished.
package struct PreviousRun: Hashable, Sendable {
  package var head: RunHead
  /// True if it never got further than its claim, so that its slot has no verdict.
  package var isUndecided: Bool
  package var attempts: Int
  /// Set if it waited for its next attempt.
  package var retry: RetryPosition?
  /// True if it has an end: it waited for an attempt when takt was stopped.
  package var isEnded: Bool
  /// The start of the first of its attempts, including those of the runs that it continues; nil if
  /// unknown.
  package var firstStart: WallInstant?

  package init(
    _ head: RunHead, isUndecided: Bool = false, attempts: Int, retry: RetryPosition? = nil,
    isEnded: Bool = false, firstStart: WallInstant? = nil
  ) {
    self.head = head
    self.isUndecided = isUndecided
    self.attempts = attempts
    self.retry = retry
    self.isEnded = isEnded
    self.firstStart = firstStart
  }
}
