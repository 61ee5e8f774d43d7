@testable import FormerCore
@testable import TaktCore
import TaktTime

/// The present core in virtual time, and the former one beside it: both are told the same, and all
/// that they answer is compared.
struct TwinScheduler {
  private(set) var scheduler: VirtualScheduler
  private(set) var former = FormerCore.SchedulerCore()
  private(set) var census = Census()
  /// The first difference; nothing is compared after it.
  private(set) var difference: Difference?

  private let isQuiet: Bool
  private var snapshot = TaktCore.Snapshot()
  private var formerSnapshot = FormerCore.Snapshot()
  private let translation = FormerEffects()
  private var tokens = FormerTokens()
  private var eventNumber = 0
  /// The latest events, for whoever looks at a difference.
  private var story: [String] = []

  init(at now: Now, isPunctual: Bool = false, isQuiet: Bool = false) {
    self.isQuiet = isQuiet
    scheduler = VirtualScheduler(at: now, isPunctual: isPunctual, isQuiet: isQuiet)
    former.isQuiet = isQuiet
  }

  var core: TaktCore.SchedulerCore { scheduler.core }
  var isSame: Bool { difference == nil }
  var now: Now {
    get { scheduler.now }
    set { scheduler.now = newValue }
  }

  // MARK: Events

  mutating func start(
    _ snapshot: TaktCore.Snapshot, after books: TaktCore.FormerBooks = TaktCore.FormerBooks()
  ) -> [TaktCore.SchedulerEffect] {
    self.snapshot = snapshot
    formerSnapshot = snapshot.former
    return tell(
      .started(snapshot, after: books), .started(formerSnapshot, after: books.former))
  }

  /// Each core's own plan leads to the same snapshot.
  mutating func reload(to next: TaktCore.Snapshot) -> [TaktCore.SchedulerEffect] {
    let formerNext = next.former
    let plan = TaktCore.ReloadPlan(from: snapshot, to: next)
    let formerPlan = FormerCore.ReloadPlan(from: formerSnapshot, to: formerNext)
    (snapshot, formerSnapshot) = (next, formerNext)
    return tell(.reloaded(plan), .reloaded(formerPlan))
  }

  mutating func send(_ event: TaktCore.SchedulerEvent) -> [TaktCore.SchedulerEffect] {
    tell(event, formerEvent(event))
  }

  mutating func obey(
    _ command: TaktCore.SchedulerCommand
  ) -> (reply: TaktCore.SchedulerReply, effects: [TaktCore.SchedulerEffect]) {
    begin("obey \(command)", kind: "obey")
    let (formerReply, formerEffects) = former.obey(command.former, at: now)
    let (reply, effects) = scheduler.obey(command)
    census.count(reply: formerReply)
    expect("reply", reply.former, formerReply)
    compare(effects, formerEffects)
    return (reply, effects)
  }

  mutating func step(
    by step: Duration, slept: Duration = .zero
  ) -> [TaktCore.SchedulerEffect] {
    now.wall = now.wall + step
    return send(.clockStepped(slept: slept))
  }

  mutating func passHeld() -> [TaktCore.SchedulerEffect] {
    begin("pass held", kind: "passHeld")
    let formerEffects = former.passHeld(at: now)
    let effects = scheduler.passHeld()
    compare(effects, formerEffects)
    return effects
  }

  /// takt is killed, with all that runs.
  mutating func crash() {
    begin("crash", kind: "crash")
    scheduler.crash()
    former = FormerCore.SchedulerCore()
    former.isQuiet = isQuiet
    tokens = FormerTokens()
  }

  private func formerEvent(_ event: TaktCore.SchedulerEvent) -> FormerCore.SchedulerEvent {
    switch event {
    case .started, .reloaded: preconditionFailure("use start and reload")
    case .timerFired(let key, let token):
      let key = translation.timers.former(key, in: core)
      return .timerFired(key, token: tokens.fired(token, of: key))
    case .commanded(let command): return .commanded(command.former)
    case .attemptEnded(let run, let report): return .attemptEnded(run.former, report.former)
    case .groupEnded(let run): return .groupEnded(run.former)
    case .kept(let run): return .kept(run.former)
    case .ledgerRenewed: return .ledgerRenewed
    case .clockStepped(let slept): return .clockStepped(slept: slept)
    case .changed(let job, let watch): return .changed(job.former, watch.former)
    case .dumpStatus: return .dumpStatus
    case .stop: return .stop
    }
  }

  private mutating func tell(
    _ event: TaktCore.SchedulerEvent, _ formerEvent: FormerCore.SchedulerEvent
  ) -> [TaktCore.SchedulerEffect] {
    begin(formerEvent.words, kind: formerEvent.kind)
    let formerEffects = former.handle(formerEvent, at: now)
    let effects = scheduler.send(event)
    compare(effects, formerEffects)
    return effects
  }

  // MARK: Comparison

  private mutating func begin(_ event: String, kind: String) {
    eventNumber += 1
    census.count("event", kind)
    if story.count == 12 { story.removeFirst() }
    story.append("#\(eventNumber) \(now.monotonic.nanoseconds / 1000) µs: \(event)")
  }

  private mutating func compare(
    _ effects: [TaktCore.SchedulerEffect], _ formerEffects: [FormerCore.SchedulerEffect]
  ) {
    guard isSame else { return }
    census.count(formerEffects)
    tokens.take(formerEffects)
    let translated = effects.map { translation.former($0, of: core, &tokens) }
    guard translated == formerEffects else {
      difference = Difference(story: story, effects: translated, former: formerEffects)
      return
    }
    compareViews(after: formerEffects)
  }

  /// Compares the jobs and runs that the effects are of; every now and then all of them.
  private mutating func compareViews(after effects: [FormerCore.SchedulerEffect]) {
    let (view, formerView) = (core.view, former.view)
    expect("view", view.former(with: formerView.settings), formerView)
    expect("begun runs", core.begunRuns.map(\.run.number), former.begunRuns.map(\.run.number))
    let isFull = eventNumber % 100 == 0
    let names = isFull ? Set(former.jobNames) : Set(effects.compactMap(\.job))
    if isFull {
      expect("settings", view.settings.former, formerView.settings)
      expect(
        "names", Set(core.jobNames.map(\.text)), Set(former.jobNames.map(\.text)))
    }
    for name in names { compareView(of: name, isFull: isFull) }
    for case .signal(let run, _) in effects { compareView(of: run) }
    for case .start(let request) in effects { compareView(of: request.run) }
  }

  private mutating func compareView(of name: FormerCore.JobName, isFull: Bool) {
    guard let present = TaktCore.JobName(name.text) else { return }
    let (view, formerView) = (core.view(of: present, at: now), former.view(of: name, at: now))
    if let formerView { census.count(formerView) }
    expect("view of \(name)", view.map(FormerJobView.init), formerView.map(FormerJobView.init))
    guard isFull else { return }
    expect("spec of \(name)", view?.spec.former, formerView?.spec)
    compareForesight(of: present)
  }

  private mutating func compareView(of run: FormerCore.RunID) {
    expect(
      "view of run \(run)", core.view(of: TaktCore.RunID(run.number), at: now)?.former,
      former.view(of: run, at: now))
  }

  private mutating func compareForesight(of name: TaktCore.JobName) {
    guard !hasExclusions(name) else { return }
    census.count("comparison", "foresight")
    expect(
      "foresight of \(name)", core.foresight(of: name, at: now)?.slots(count: 4).former,
      former.foresight(of: name.former, at: now)?.slots(count: 4))
  }

  /// Compares what anybody can foresee of all jobs, by what the books have of them.
  mutating func comparePreviews(after books: TaktCore.FormerBooks, count: Int = 5) {
    for (spec, formerSpec) in zip(snapshot.jobs, formerSnapshot.jobs)
    where !hasExclusions(spec.name) {
      let job = books.jobs[spec.name]
      census.count("comparison", "preview")
      expect(
        "preview of \(spec.name)",
        TaktCore.SlotPreview.slots(of: spec, after: job, startingAt: now, count: count).former,
        FormerCore.SlotPreview.slots(
          of: formerSpec, after: job?.former, startingAt: now, count: count))
    }
  }

  /// Where all slots are excluded a search for one that is not takes seconds.
  private func hasExclusions(_ name: TaktCore.JobName) -> Bool {
    guard let job = snapshot.jobs.first(where: { $0.name == name }) else { return false }
    return !job.timing.schedule.exclusions.isEmpty
  }

  private mutating func expect<Value: Equatable>(
    _ what: @autoclosure () -> String, _ present: Value, _ former: Value
  ) {
    guard isSame, present != former else { return }
    difference = Difference(story: story, what: what(), present: "\(present)", former: "\(former)")
  }
}

// MARK: - Time and timers, as the present core has them

extension TwinScheduler {
  mutating func next(until limit: MonotonicInstant) -> [VirtualScheduler.Due]? {
    scheduler.next(until: limit)
  }

  mutating func move(to instant: MonotonicInstant) { scheduler.move(to: instant) }
  mutating func pass(_ duration: Duration) { scheduler.pass(duration) }

  mutating func arm(
    _ key: PresentTimer, _ deadline: MonotonicInstant, token: UInt64
  ) {
    scheduler.arm(key, deadline, token: token)
  }

  func end(of run: TaktCore.RunID) -> VirtualScheduler.End? { scheduler.end(of: run) }

  mutating func setEnd(
    of run: TaktCore.RunID, _ end: VirtualScheduler.End, at instant: MonotonicInstant
  ) {
    scheduler.setEnd(of: run, end, at: instant)
  }
}
