import TaktTime

/// A run that has not ended.
///
/// Some functions here and in the tables are always inline for the gate's `slots`: a run is large
/// to hand over.
struct ActiveRun: Sendable {
  enum Origin: Sendable {
    /// A slot of the job, which gets its verdict from this run.
    case slot(Slot)
    case manual(WallInstant)
    /// A slot of the past, whose verdict does not change.
    case backfill(WallInstant)
    /// Follows the outcome of another run.
    case hook(WallInstant)
    /// A previous daemon, or another machine, left this run unfinished; its slot has been decided.
    case resumed(WallInstant, RunID?)
  }

  private(set) var id: RunID
  private(set) var job: JobID
  private(set) var spec: JobSpec
  private(set) var origin: Origin
  /// The facts for a hook; nil for a run of the job itself.
  private(set) var facts: Shared<RunFacts>?
  /// The trigger's parameters; its retries get the same.
  private var parameters: Shared<RunParameters>?
  /// It runs at the same time as other runs of its job, whatever the job's `overlap` is.
  private(set) var isForced = false
  var machine: RunMachine
  var placeState = RunTable.PlaceState.none
  /// True if it counts as one of its job that has started: it has had a place. Hooks do not.
  var hasHadPlace = false
  var transitionCount: Int64 = 0
  var timerToken: UInt64 = 0
  /// The token of the wait for `expected`; 0 without one.
  var expectedToken: UInt64 = 0
  /// The cluster's claim on its slot; nil without one.
  var claim: ClaimGrant?
  /// It waits for the ledger, which must record it first.
  var isClaiming = false
  /// The ledger knows of its next attempt.
  var hasClaim = false
  var firstAttempt = 1
  /// The position from which the next daemon continues it.
  var parting: Shared<RetryPosition>?
  var startedAt: MonotonicInstant?
  var lateness = Duration.zero
  var totals = RunTotals()
  var hasRecordedOutput = false

  /// Fills a missing run, and a free row.
  static let placeholder = ActiveRun()

  private init() {
    id = RunID(0)
    job = JobID(index: .max)
    spec = JobState.placeholder.spec
    origin = .manual(WallInstant(milliseconds: 0))
    machine = RunMachine(rules: RunRules(spec))
  }

  /// Becomes this run, in the place of a placeholder or of one that has been cleared: a run is large,
  /// and one that is made elsewhere is copied to its place. The gate's `slots`.
  mutating func become(
    id: RunID, job: JobID, spec: JobSpec, origin: Origin, facts: Shared<RunFacts>? = nil,
    parameters: RunParameters? = nil, isForced: Bool = false
  ) {
    self.id = id
    self.job = job
    self.spec = spec
    self.origin = origin
    self.facts = facts
    self.isForced = isForced
    if let parameters {
      self.parameters = Shared(parameters)
      self.spec = spec.given(parameters)
    }
    machine = RunMachine(rules: RunRules(self.spec), seed: id.number)
  }

  /// Releases its contents, when it has ended, and everything that the next run in its row must not
  /// start with.
  mutating func clear() {
    facts = nil
    parameters = nil
    placeState = .none
    hasHadPlace = false
    transitionCount = 0
    timerToken = 0
    expectedToken = 0
    claim = nil
    isClaiming = false
    hasClaim = false
    firstAttempt = 1
    parting = nil
    startedAt = nil
    lateness = .zero
    totals = RunTotals()
    hasRecordedOutput = false
  }

  /// The first of its attempts by this daemon starts.
  mutating func begin(at now: MonotonicInstant) {
    startedAt = now
    firstAttempt = machine.attempt + 1
    if case .slot(let slot) = origin { lateness = now - slot.deadline }
  }

  @inline(__always) var nominal: WallInstant {
    switch origin {
    case .slot(let slot): slot.nominal
    case .manual(let slot): slot
    case .backfill(let slot): slot
    case .hook(let slot): slot
    case .resumed(let slot, _): slot
    }
  }

  @inline(__always) var undecidedSlot: Slot? {
    if case .slot(let slot) = origin, startedAt == nil { slot } else { nil }
  }

  var hasParameters: Bool { parameters != nil }

  /// The parameters in its records; nil for none.
  var shownParameters: Shared<ShownParameters>? {
    guard let parameters, !parameters.value.shown.isEmpty else { return nil }
    return Shared(parameters.value.shown)
  }

  @inline(__always) var isBackfill: Bool { if case .backfill = origin { true } else { false } }

  var isInProgress: Bool { mutating get { machine.isInProgress } }
  var isQueued: Bool { mutating get { machine.state == .queued } }

  @inline(__always) var isHook: Bool { if case .hook = origin { true } else { false } }

  /// The request for a step of an attempt. The first step starts the attempt's output.
  /// - Parameter changes: the changes of the paths that its job watches.
  @inline(__always) mutating func request(
    for action: RunRequests.Start, changes: Shared<ChangedPaths>?
  ) -> AttemptRequest {
    if action.step == 0 {
      totals.beginAttempt()
      hasRecordedOutput = false
    }
    return AttemptRequest(
      run: id, attempt: action.attempt, spec: spec(forStep: action.step), slot: nominal,
      action: spec.action.action(ofStep: action.step), step: action.step,
      deadline: action.deadline, fence: claim?.token,
      extra: parameters == nil ? .init(facts, changes) : extra(changes))
  }

  /// The further input of a run that was triggered with parameters.
  private func extra(_ changes: Shared<ChangedPaths>?) -> AttemptRequest.Extra {
    let names = Set(parameters?.value.values.keys ?? [:].keys)
    return names.isEmpty
      ? .init(facts, changes) : .given(Shared(.init(names: names, changes: changes?.value)))
  }

  /// The output of the last attempt, once: the ledger is given it.
  mutating func popUnrecordedOutput() -> KeptOutput? {
    guard !totals.output.isEmpty, !hasRecordedOutput else { return nil }
    hasRecordedOutput = true
    return totals.output
  }

  mutating func stepEnded(_ report: AttemptReport) {
    totals.add(report, step: machine.step, keepBytes: spec.execution.output.keepBytes)
  }

  /// No process of the present step, which had left descendants, is left.
  mutating func groupEnded(_ report: GroupReport) {
    totals.add(report, keepBytes: spec.execution.output.keepBytes)
  }

  /// True if any attempt was made, by this daemon or by a previous one, and its end is the last.
  mutating func hasHadAttempt(_ end: RunEnd) -> Bool {
    if startedAt != nil { return true }
    guard case .resumed = origin else { return false }
    return end != RunEnd(.cancelled, .shutdown)
  }

  /// The job's spec after a reload: it applies to all attempts that have not started.
  mutating func adopt(_ spec: JobSpec) {
    // Parameters of one action mean something else to another.
    if hasParameters, spec.action.usedName != self.spec.action.usedName {
      parameters?.change { $0.values = [:] }
    }
    self.spec = parameters.map { spec.given($0.value) } ?? spec
    machine.adopt(RunRules(spec))
  }

  /// The job's spec for one of its steps. A command that reports that the run could not start must
  /// not fail at the same.
  mutating func spec(forStep step: Int) -> JobSpec {
    guard case .notStarted(let stage, _)? = facts?.value.end?.reason else { return spec }
    if spec.action.steps[step].action.isInternal { return spec }
    var spec = spec
    switch stage {
    case .directory, .stuck: spec.execution.directory = "/"
    case .secret: spec.execution.secrets = [:]
    case .limits: spec.execution.limits = Limits()
    case .nice: spec.execution.nice = nil
    case .inputOutput: spec.execution.inputOutput = nil
    // Only the job's own rights will do.
    case .user, .process, .exec: break
    }
    return spec
  }

  /// Under `skip` a run meets no other run of its job, unless it has waited since a reload changed
  /// that.
  @inline(__always) private var isAlone: Bool {
    spec.overlap.mayMeet ? isBackfill && !isForced : !isHook && !isForced
  }

  @inline(__always) var ticket: RunTable.Ticket {
    RunTable.Ticket(
      rank: spec.execution.qos.rank, isAlone: isAlone, group: spec.concurrencyGroup,
      isFree: false)
  }

  var hookTicket: RunTable.Ticket {
    let isCheck = facts?.value.hook == .onlyIf
    return RunTable.Ticket(
      rank: spec.execution.qos.rank, isAlone: false,
      group: isCheck ? RunTable.checksGroup : nil,
      isFree: isCheck || facts?.value.isPing == true)
  }
}
