import TaktCore
import TaktTime

@testable import TaktTesting

/// Makes jobs of all kinds, with all that a job may say which a core looks at: those of the
/// simulation, and more.
struct StormSpecs {
  /// Whether intervals are minutes and hours, rules are of zones, and days are excluded.
  let isSlow: Bool
  private static let actions: [Action] = [
    .shell("true"), .argv(["true", "x"]), .use("log", ["message": .string("{{job}}")]),
    .plugin(
      PluginManifest(name: "hello", version: "1", command: ["hello"], folder: "/plugins/hello"),
      ["level": .integer(3)]),
    .steps([
      Step(.shell("a"), continues: true), Step(.use("http", ["url": .list([.string("x")])])),
      Step(.argv(["b"]), continues: true),
    ]),
    .steps([Step(.argv(["one"]))]),
  ]
  static let watches = ["/etc/a", "/etc/b"].map { PathWatch(path: $0, debounce: .seconds(1)) }

  func snapshot(of count: Int, at now: Now, _ random: inout SplitMix64) -> Snapshot {
    var jobs: [JobSpec] = []
    for _ in 0..<count * 4 where jobs.count < count {
      guard let job = job(at: now, &random) else { continue }
      if !jobs.contains(where: { $0.name == job.name }) { jobs.append(job) }
    }
    return Snapshot(settings: settings(&random), jobs: jobs)
  }

  func settings(_ random: inout SplitMix64) -> SchedulerSettings {
    var settings = SchedulerSettings(
      maxRunning: [1, 2, 3, 5, 16, 200].randomElement(using: &random) ?? 3,
      shutdownGrace: .milliseconds(random.oneIn(4) ? 0 : Int.random(in: 0...4000, using: &random)))
    settings.concurrency = ["db": Int.random(in: 1...2, using: &random)]
    if random.oneIn(2) { settings.concurrency["net"] = 1 }
    if random.oneIn(5) { settings.history.runsMax = 50 }
    return settings
  }

  /// A job of the simulation, changed in a few places.
  private func job(at now: Now, _ random: inout SplitMix64) -> JobSpec? {
    guard var spec = SpecGenerator.snapshot(at: now, &random).jobs.randomElement(using: &random)
    else { return nil }
    if isSlow { spec.timing = StormTimings.timing(of: spec, at: now, &random) }
    for _ in 0..<Int.random(in: 0...4, using: &random) { change(&spec, at: now, &random) }
    return spec
  }

  func change(_ spec: inout JobSpec, at now: Now, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<16, using: &random) {
    case 0: spec.action = Self.actions.randomElement(using: &random) ?? spec.action
    case 1:
      let steps = Self.actions.prefix(4).map { Step($0) }.shuffled(using: &random)
      spec.hooks[HookKind.allCases.randomElement(using: &random) ?? .onLate] =
        Array(steps.prefix(Int.random(in: 0...2, using: &random)))
    case 2:
      spec.execution.directory = "/srv"
      spec.execution.secrets = ["TOKEN": Secret(.environment("HOME"))]
      spec.execution.limits.files = 64
    case 3:
      spec.execution.environment = ["A": "\(Int.random(in: 0...2, using: &random))"]
      spec.execution.stdin = "in"
      spec.execution.output.file = OutputFile(path: "/var/log/x")
      spec.execution.output.keepBytes = Int.random(in: 0...12, using: &random)
    case 4: spec.execution.success = success(&random)
    case 5:
      spec.execution.stop = StopPolicy(
        signal: StopSignal.allCases.randomElement(using: &random) ?? .terminate,
        grace: .milliseconds(Int.random(in: 0...1500, using: &random)),
        leftovers: random.oneIn(2) ? .leave : .end)
    case 6: spec.timing.schedule.watch = [Self.watches[Int.random(in: 0...1, using: &random)]]
    case 7: follow(&spec, &random)
    case 8: spec.expectedDuration = .milliseconds(Int.random(in: 1...2000, using: &random))
    case 9: spec.summary = "another sentence"
    case 10: spec.concurrencyGroup = ["db", "net", "free"].randomElement(using: &random)
    case 11: spec.timing.schedule.limit = Int.random(in: 1...12, using: &random)
    case 12: spec.overlap = Overlap.allCases.randomElement(using: &random) ?? .allow
    case 13: spec.delivery = Delivery.allCases.randomElement(using: &random) ?? .atMostOnce
    case 14: retry(&spec, &random)
    default: spec.timing.isEnabled.toggle()
    }
  }

  /// Only names from `m` on follow others, which keeps them from waiting for one another.
  private func follow(_ spec: inout JobSpec, _ random: inout SplitMix64) {
    guard spec.name.text >= "m" else { return }
    for text in ["c0", "d0", "f1", "g1", "g2", "m0"] where text < spec.name.text {
      guard random.oneIn(3), let name = JobName(text) else { continue }
      spec.timing.schedule.after.insert(
        Following(name, on: Following.Condition.allCases.randomElement(using: &random) ?? .any))
    }
  }

  private func success(_ random: inout SplitMix64) -> SuccessRule {
    SuccessRule(
      exitStatuses: random.oneIn(2) ? [0, 3] : [0], failsOnStandardError: random.oneIn(3),
      failurePattern: random.oneIn(3) ? "bad" : nil, failsWhenSilent: random.oneIn(3))
  }

  private func retry(_ spec: inout JobSpec, _ random: inout SplitMix64) {
    spec.execution.retry = RetryPolicy(
      attempts: Int.random(in: 1...5, using: &random),
      delay: .milliseconds(Int.random(in: 0...5000, using: &random)),
      factor: Double.random(in: 1...3, using: &random),
      delayMax: .milliseconds(Int.random(in: 0...20_000, using: &random)),
      jitterPercent: Double(Int.random(in: 0...100, using: &random)),
      causes: Set(RetryPolicy.Cause.allCases.filter { _ in !random.oneIn(3) }),
      end: random.oneIn(2) ? .nextSlot : .exhausted)
  }

  // MARK: Reloads

  /// Another set of jobs: a few are changed, removed, added or renamed, or nearly all are.
  func mutation(
    of snapshot: Snapshot, at now: Now, _ random: inout SplitMix64
  ) -> Snapshot {
    var next = snapshot
    if random.oneIn(4) { next.settings = settings(&random) }
    if random.oneIn(12) { next.jobs = [] }
    for _ in 0..<Int.random(in: 0...5, using: &random) { mutate(&next.jobs, at: now, &random) }
    if random.oneIn(8) { next.jobs.shuffle(using: &random) }
    return next
  }

  private func mutate(
    _ jobs: inout [JobSpec], at now: Now, _ random: inout SplitMix64
  ) {
    let index = jobs.indices.randomElement(using: &random)
    switch (Int.random(in: 0..<7, using: &random), index) {
    case (0, let index?): jobs.remove(at: index)
    case (1, let index?):
      // Renamed: a job that looks like one that is gone.
      guard let name = JobName("x\(Int.random(in: 0...3, using: &random))"),
        !jobs.contains(where: { $0.name == name })
      else { return }
      jobs[index].name = name
    case (2, let index?):
      guard let other = job(at: now, &random) else { return }
      jobs[index].timing = other.timing
    case (3...5, let index?): change(&jobs[index], at: now, &random)
    default:
      guard let fresh = job(at: now, &random) else { return }
      jobs.removeAll { $0.name == fresh.name }
      jobs.append(fresh)
    }
  }
}
