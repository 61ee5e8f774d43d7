package import TaktTime

/// Which run it is and what for: known from its first moment on, and never changed.
package struct RunHead: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A slot, which is decided by it.
    case slot
    case manual
    /// Another run has come to something.
    case hook
    /// A run that a previous daemon did not bring to its end; its slot has been decided.
    case resumed
    /// A slot of the past, whose verdict it leaves as it is.
    case backfill
  }

  package var run: RunID
  package var job: JobName
  /// The instant that it is told: its slot, or when it was asked for.
  package var slot: WallInstant
  /// Of a hook the run that it is for, of a resumed run that which it goes on with.
  package var parent: RunID?
  package var kind: Kind
  package var delivery: Delivery
  /// Of a hook which one.
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

/// A run that starts, or wants to.
package struct RunBeginning: Hashable, Sendable {
  package var head: RunHead
  /// The number of its first attempt; above 1 when it goes on where another has stopped.
  package var attempt: Int
  package var at: WallInstant
  /// How long after its slot was due it starts; nil for a run that only wants to, or of no slot.
  package var lateness: Duration?

  package init(_ head: RunHead, attempt: Int, at: WallInstant, lateness: Duration? = nil) {
    self.head = head
    self.attempt = attempt
    self.at = at
    self.lateness = lateness
  }
}

/// Where a run stands between two attempts.
package struct RetryPosition: Hashable, Sendable {
  /// How many attempts it has had.
  package var attempt: Int
  /// When the next one is due.
  package var until: WallInstant
  package var end: RunEnd

  package init(attempt: Int, until: WallInstant, end: RunEnd) {
    self.attempt = attempt
    self.until = until
    self.end = end
  }
}

/// What the attempts of a run have come to, besides how they ended. What each record of a run's end
/// is to carry has its place here: how attempts add to it, and what the log says of it.
package struct RunTotals: Hashable, Sendable {
  /// What the last attempt has printed, its steps together.
  package var output: KeptOutput
  /// What the processes of its attempts have used; nil where there were none.
  package var use: Shared<RunUse>?

  package init(output: KeptOutput = KeptOutput(), use: Shared<RunUse>? = nil) {
    self.output = output
    self.use = use
  }

  /// All but the output, for those who have that already.
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

  /// Nothing is left of what a step has left behind.
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

/// A run that has ended: all that the ledger, the log, the metrics and the API say of its end is made
/// of this.
package struct RunRecord: Hashable, Sendable {
  package var head: RunHead
  /// How many attempts it had; 0 when it never started.
  package var attempts: Int
  package var end: RunEnd
  package var endedAt: WallInstant
  /// In nanoseconds, as the clocks count; negative where nobody knows.
  private var nanoseconds: Int64
  /// Without the output where that is in the ledger already.
  package var totals: RunTotals
  /// Boxed: few runs have one.
  private var parting: Shared<RetryPosition>?

  /// How long it took from its first start; zero when it never started, or nobody saw its end.
  package var duration: Duration {
    get { .nanoseconds(max(0, nanoseconds)) }
    set { nanoseconds = newValue.nanosecondsSaturated }
  }

  /// Where a takt to come goes on with it; nil (the default) for a run that is over for good.
  package var retry: RetryPosition? {
    get { parting?.value }
    set { parting = newValue.map { Shared($0) } }
  }
}

extension RunRecord {
  /// How long it took; nil for one that never started, and for one of which nobody saw the end.
  fileprivate func knownDuration(_ beganAt: WallInstant?) -> Duration? {
    beganAt == nil || (end.outcome == .interrupted && duration == .zero) ? nil : duration
  }

  /// What the log says of the end.
  func put(into sink: inout some FieldSink) {
    sink.put(.outcome, text: end.outcome.rawValue)
    sink.put(.reason, text: end.reason.description)
    if nanoseconds >= 0 {
      sink.put(.durationMilliseconds, milliseconds: duration)
      // A run ends when nothing is left of it, and never before.
      sink.put(.descendants, number: 0)
    }
    totals.use?.value.run.put(into: &sink)
    if let advice = end.reason.advice { sink.put(.message, text: advice) }
  }

  /// - Parameter duration: zero where nobody knows it.
  package init(
    _ head: RunHead, attempts: Int, end: RunEnd, endedAt: WallInstant, duration: Duration,
    totals: RunTotals = RunTotals(), retry: RetryPosition? = nil
  ) {
    self.init(
      head: head, attempts: attempts, end: end, endedAt: endedAt,
      nanoseconds: duration == .zero ? -1 : duration.nanosecondsSaturated, totals: totals,
      parting: retry.map { Shared($0) })
  }

  /// The end of a run that started then; nil for one that never did.
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

/// A run as it is shown, whether it has ended or not.
package struct StoredRun: Hashable, Sendable {
  package var head: RunHead
  /// When its first attempt started; nil for one that never did.
  package var beganAt: WallInstant?
  /// When it ended; nil while it has not.
  package var endedAt: WallInstant?
  /// How long it took, or has taken so far, from its first start.
  package var duration: Duration?
  /// How many attempts have begun.
  package var attempts: Int
  /// How it ended; nil while it has not.
  package var end: RunEnd?
  /// What its processes have used; nil while it has not ended, and where there were none.
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

/// A run that a previous daemon did not bring to its end.
package struct PreviousRun: Hashable, Sendable {
  package var head: RunHead
  /// Whether it never got further than its claim, so that its slot has no verdict.
  package var isUndecided: Bool
  package var attempts: Int
  /// Set when it waited for its next attempt.
  package var retry: RetryPosition?
  /// Whether it has an end: it waited for an attempt when takt was stopped.
  package var isEnded: Bool
  /// When the first of its attempts started, those of the runs that it goes on with among them; nil
  /// where that is not known.
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
