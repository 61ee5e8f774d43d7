import TaktAPI
import TaktCore
import TaktTime

/// What is wrong now, the worst first: what the page and `takt status` show above all else.
struct ProblemList {
  /// So many jobs are looked at; those behind them are counted.
  private static let jobsMax = JobList.turnCount
  private static let namesMax = 10
  private static let wordsMax = 3
  /// So many wrong labels are shown; those behind them are counted.
  static let labelsMax = 10
  /// From when missed slots count where nobody says.
  private static let missedFor = Duration.seconds(86_400)

  let ports: ControlPorts
  /// From when missed slots count; nil for the last 24 hours.
  let missedSince: WallInstant?

  /// - Parameters:
  ///   - view: the scheduler.
  ///   - changed: the jobs files that have changed since they were read.
  func problems(
    in view: SchedulerView, ledger: DaemonFigures.LedgerFigures?, changed: [String]
  ) async -> [API.StatusProblem] {
    let cluster = await ports.query { core, now in core.clusterView(at: now)?.problems ?? [] }
    return phase(view) + self.ledger(ledger)
      + cluster.map { Self.problem("cluster", "cluster: \($0)", "takt cluster") }
      + (await jobs()) + files(changed) + (await endedWork()) + (await missed()) + places(view)
  }

  private static func problem(
    _ kind: String, _ message: String, _ command: String?, jobs: [JobName] = [], count: Int? = nil,
    since: WallInstant? = nil
  ) -> API.StatusProblem {
    var problem = API.StatusProblem()
    problem.kind = kind
    problem.message = message
    problem.command = command
    problem.jobs = jobs.prefix(namesMax).map(\.text)
    problem.count = count
    problem.since = since
    return problem
  }

  // MARK: takt itself

  private func phase(_ view: SchedulerView) -> [API.StatusProblem] {
    if view.phase == .starting { return [Self.problem("phase", "takt is starting", nil)] }
    let command = view.drain != nil && view.phase == .running ? "takt drain --undo" : nil
    return view.stopWords.map {
      [Self.problem("phase", $0, command, since: view.drain?.since)]
    } ?? []
  }

  private func ledger(_ figures: DaemonFigures.LedgerFigures?) -> [API.StatusProblem] {
    guard let figures, figures.isFailing || figures.lostEntries > 0 else { return [] }
    let prefix = "ledger: "
    let words =
      figures.words.hasPrefix(prefix)
      ? String(figures.words.dropFirst(prefix.count)) : figures.words
    // What is not there cannot be verified.
    let command = ports.archive == nil ? nil : "takt verify"
    return [Self.problem("ledger", "the ledger has a problem: \(words)", command)]
  }

  private func files(_ changed: [String]) -> [API.StatusProblem] {
    var found: [API.StatusProblem] = []
    if let report = ports.reload.lastReport, report.plan == nil {
      let errors = report.diagnostics.count { $0.severity == .error }
      let words =
        "reload refused, \(errors == 1 ? "1 error" : "\(errors) errors"): the previous jobs keep running"
      found.append(Self.problem("reload_refused", words, "takt plan", since: report.at))
    }
    return found + labels()
      + changed.map {
        Self.problem("file_changed", "\(shown($0)) differs from what runs", "takt plan")
      }
  }

  private func labels() -> [API.StatusProblem] {
    let problems = ports.reload.labelProblems
    let shown = problems.prefix(Self.labelsMax).map { Self.problem("labels", $0.sentence, nil) }
    let rest = problems.count - shown.count
    if rest == 0 { return shown }
    let words = "\(rest) more problem\(rest == 1 ? "" : "s") with labels; the log has all of them"
    return shown + [Self.problem("labels", words, nil, count: rest)]
  }

  /// A path as seen from the folder of the jobs file.
  private func shown(_ path: String) -> String {
    guard let slash = ports.facts.file.lastIndex(of: "/") else { return path }
    let folder = ports.facts.file[...slash]
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }

  private func places(_ view: SchedulerView) -> [API.StatusProblem] {
    guard view.queued > 0, view.running >= view.settings.maxRunning else { return [] }
    let runs = view.queued == 1 ? "1 run waits" : "\(view.queued) runs wait"
    return [
      Self.problem(
        "full", "all \(view.settings.maxRunning) places (max_running) are taken: \(runs)",
        "takt status --only queued")
    ]
  }

  private func missed() async -> [API.StatusProblem] {
    let now = await ports.query { _, now in now.wall }
    let since = missedSince ?? now - Self.missedFor
    guard let count = await ports.readModel.read({ $0.missed.count(since: since) }) else {
      return []
    }
    let names = count.jobs.sorted()
    let slots = count.slots == 1 ? "1 slot was" : "\(count.slots) slots were"
    let range = missedSince == nil ? "in the last 24 hours" : "since you last looked"
    let words =
      "\(count.isPartial ? "more than " : "")\(slots) missed \(range): \(Self.words(names, names.count))"
    let command =
      names.count == 1 ? "takt why \(names[0])" : "takt slots --not-run --since 1d"
    var problem = Self.problem("missed", words, command, jobs: names, count: count.slots)
    problem.last = count.last
    return [problem]
  }

  // MARK: Jobs

  /// Those that rest are no problem: somebody has seen to them.
  private func jobs() async -> [API.StatusProblem] {
    let inNeed = await ports.query { core, _ in core.namesInNeed }
    let failing = await entries(of: inNeed.failing)
    let failingNames = Set(inNeed.failing)
    let passing = await ports.jobsPassing()
    let staleNames = (inNeed.stale + passing).filter { !failingNames.contains($0) }
    let stale = await entries(of: staleNames)
    // A job that is failing or stale as well is among those alone.
    let others = Set(inNeed.alarmFailed)
    let alarms =
      await entries(of: inNeed.alarmFailed)
      + (failing + stale).filter { !others.contains($0.view.spec.name) }
    return Self.failing(
      failing.filter { $0.isFailing && !$0.view.isResting }, besides: Self.unseen(inNeed.failing))
      + Self.stale(
        stale.filter { !$0.isFailing && $0.isStale && !$0.view.isResting },
        besides: Self.unseen(staleNames))
      + Self.alarms(
        alarms.filter { !$0.view.alarmFailures.isEmpty && !$0.view.isResting },
        besides: Self.unseen(inNeed.alarmFailed))
  }

  /// Jobs whose commands go on in the background: what they leave there ends with their runs.
  private func endedWork() async -> [API.StatusProblem] {
    let names = await ports.readModel.read { $0.jobsEndingWork }
    let jobs = await entries(of: names).filter {
      !$0.view.isResting && $0.view.spec.execution.stop.leftovers == .end
    }
    guard let first = jobs.first else { return [] }
    let count = jobs.count + Self.unseen(names)
    let shown = jobs.map(\.view.spec.name)
    let words =
      count == 1
      ? "the last run of \(shown[0]) left work in the background, which takt ended "
        + "(\(first.history.last?.end?.reason.description ?? ""))"
      : "the last runs of \(count) jobs left work in the background, which takt ended: "
        + Self.words(shown, count)
    return [
      Self.problem(
        "work_ended", words + "; 'kill: {leftovers: leave}' lets it continue",
        count == 1 ? "takt logs \(shown[0])" : "takt runs --since 1d", jobs: shown, count: count)
    ]
  }

  private static func unseen(_ names: [JobName]) -> Int { max(0, names.count - jobsMax) }

  private func entries(of names: [JobName]) async -> [JobEntry] {
    let first = names.smallest(Self.jobsMax)
    return first.isEmpty ? [] : await ports.entries(of: first)
  }

  private static func failing(_ jobs: [JobEntry], besides unseen: Int) -> [API.StatusProblem] {
    guard let first = jobs.first else { return [] }
    let names = jobs.map(\.view.spec.name)
    let count = names.count + unseen
    let streak = first.view.failureStreak
    let words =
      count == 1
      ? "\(names[0]) " + (streak == 1 ? "has failed" : "has failed \(streak) times in a row")
      : "\(count) jobs fail: \(words(names, count))"
    return [
      problem(
        "failing", words, count == 1 ? "takt logs \(names[0])" : "takt status --only failing",
        jobs: names, count: count, since: jobs.compactMap(\.history.failingSince).min())
    ]
  }

  private static func stale(_ jobs: [JobEntry], besides unseen: Int) -> [API.StatusProblem] {
    guard let first = jobs.first else { return [] }
    let names = jobs.map(\.view.spec.name)
    let count = names.count + unseen
    let words =
      count == 1
      ? "\(names[0]) is stale: "
        + (first.view.staleSince == nil ? "its slots pass without a run" : "no success in time")
      : "\(count) jobs are stale: \(words(names, count))"
    return [
      problem(
        "stale", words, count == 1 ? "takt why \(names[0])" : "takt status --only stale",
        jobs: names, count: count, since: jobs.compactMap(\.view.staleSince).min())
    ]
  }

  private static func alarms(_ jobs: [JobEntry], besides unseen: Int) -> [API.StatusProblem] {
    guard let first = jobs.first else { return [] }
    let names = jobs.map(\.view.spec.name)
    let count = names.count + unseen
    let failures = jobs.flatMap(\.view.alarmFailures.values)
    let telling = AlarmFailure.telling(unseen == 0 && failures.allSatisfy(\.isReported))
    let failure = first.view.alarmFailures.min { $0.key < $1.key }
    var words = "hooks or pings of \(count) jobs failed: \(words(names, count))"
    var command = "takt runs --hooks --failed"
    if count == 1, let failure {
      let run = failure.value.run.number
      words = "\(failure.key) of \(names[0]) failed (\(failure.value.words))"
      if run > 0 { command = "takt logs run:\(run)" }
    }
    return [
      problem(
        "alarm_failed", "\(words); \(telling)", command, jobs: names, count: count,
        since: failures.map(\.at).min())
    ]
  }

  /// `a, b, c and 9 more`
  private static func words(_ names: [JobName], _ count: Int) -> String {
    let shown = names.prefix(wordsMax).map(\.text).joined(separator: ", ")
    return count > wordsMax ? "\(shown) and \(count - wordsMax) more" : shown
  }
}
