import TaktTime

/// A run that has not ended.
///
/// What is always inline here and in the tables is so for the gate's `slots`: a run is large to hand
/// over.
struct ActiveRun: Sendable {
  enum Origin: Sendable {
    /// A slot of the job, which gets its verdict by this run's fate.
    case slot(Slot)
    case manual(WallInstant)
    /// A slot of the past, whose verdict stays what it is.
    case backfill(WallInstant)
    /// Another run has come to something.
    case hook(WallInstant)
    /// A previous daemon, or another machine, did not bring this run to its end; its slot has been
    /// decided.
    case resumed(WallInstant, RunID?)
  }

  private(set) var id: RunID
  private(set) var job: JobID
  private(set) var spec: JobSpec
  private(set) var origin: Origin
  /// What a hook is told; nil for a run of the job itself.
  private(set) var facts: Shared<RunFacts>?
  /// What it was given by whoever triggered it; its retries are given the same.
  private var parameters: Shared<RunParameters>?
  /// It runs beside other runs of its job, whatever the job's `overlap` says.
  private(set) var isForced = false
  var machine: RunMachine
  var placeState = RunTable.PlaceState.none
  /// Whether it counts as one of its job that has started: it has had a place. Hooks do not.
  var hasHadPlace = false
  var transitionCount: Int64 = 0
  var timerToken: UInt64 = 0
  /// The token of the wait for `expected`; 0 without one.
  var expectedToken: UInt64 = 0
  /// The cluster's claim on its slot; nil without one.
  var claim: ClaimGrant?
  /// It waits for the ledger, which must know of it first.
  var isClaiming = false
  /// The ledger knows of its next attempt.
  var hasClaim = false
  var firstAttempt = 1
  /// Where a takt to come goes on with it.
  var parting: Shared<RetryPosition>?
  /// When its first attempt started.
  var startedAt: MonotonicInstant?
  var lateness = Duration.zero
  var totals = RunTotals()
  /// The ledger has been given that output.
  var hasRecordedOutput = false

  /// What stands in for a run that is not there, and in a row that is free.
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

  /// Lets go of what it holds, when it has ended, and of all that the next run in its row is not to
  /// begin with.
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

  /// The first of its attempts that this takt makes starts.
  mutating func begin(at now: MonotonicInstant) {
    startedAt = now
    firstAttempt = machine.attempt + 1
    if case .slot(let slot) = origin { lateness = now - slot.deadline }
  }

  /// The nominal instant that the run is told.
  @inline(__always) var nominal: WallInstant {
    switch origin {
    case .slot(let slot): slot.nominal
    case .manual(let slot): slot
    case .backfill(let slot): slot
    case .hook(let slot): slot
    case .resumed(let slot, _): slot
    }
  }

  /// The slot that waits for its verdict.
  @inline(__always) var undecidedSlot: Slot? {
    if case .slot(let slot) = origin, startedAt == nil { slot } else { nil }
  }

  var hasParameters: Bool { parameters != nil }

  /// What it was given, as its records show it; nil for nothing.
  var shownParameters: Shared<ShownParameters>? {
    guard let parameters, !parameters.value.shown.isEmpty else { return nil }
    return Shared(parameters.value.shown)
  }

  @inline(__always) var isBackfill: Bool { if case .backfill = origin { true } else { false } }

  var isInProgress: Bool { mutating get { machine.isInProgress } }
  var isQueued: Bool { mutating get { machine.state == .queued } }

  @inline(__always) var isHook: Bool { if case .hook = origin { true } else { false } }

  /// What is started for a step of an attempt. The first step begins the attempt's output.
  /// - Parameter changes: what the run is told of the paths that its job watches.
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

  /// What is told besides of a run that somebody has triggered with parameters.
  private func extra(_ changes: Shared<ChangedPaths>?) -> AttemptRequest.Extra {
    let names = Set(parameters?.value.values.keys ?? [:].keys)
    return names.isEmpty
      ? .init(facts, changes) : .given(Shared(.init(names: names, changes: changes?.value)))
  }

  /// What the last attempt has printed, once: the ledger is given it.
  mutating func popUnrecordedOutput() -> KeptOutput? {
    guard !totals.output.isEmpty, !hasRecordedOutput else { return nil }
    hasRecordedOutput = true
    return totals.output
  }

  mutating func stepEnded(_ report: AttemptReport) {
    totals.add(report, step: machine.step, keepBytes: spec.execution.output.keepBytes)
  }

  /// Nothing is left of the present step, which had left descendants.
  mutating func groupEnded(_ report: GroupReport) {
    totals.add(report, keepBytes: spec.execution.output.keepBytes)
  }

  /// Whether anything of it has been done, by this takt or by a previous one, and its end is the
  /// last.
  mutating func hasHadAttempt(_ end: RunEnd) -> Bool {
    if startedAt != nil { return true }
    guard case .resumed = origin else { return false }
    return end != RunEnd(.cancelled, .shutdown)
  }

  /// What a reload says of the job: it holds for all attempts that have not begun.
  mutating func adopt(_ spec: JobSpec) {
    // What was given to one action means something else to another.
    if hasParameters, spec.action.usedName != self.spec.action.usedName {
      parameters?.change { $0.values = [:] }
    }
    self.spec = parameters.map { spec.given($0.value) } ?? spec
    machine.adopt(RunRules(spec))
  }

  /// The job as one of its steps is done. A command that tells that the run could not start is not
  /// to fail at the same.
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
    // Nobody's rights but the job's own will do.
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
