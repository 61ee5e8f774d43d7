package import TaktTime

/// A change of a jobs file that the history of its jobs speaks for.
package struct Proposal: Hashable, Sendable {
  /// Text for the job's definition.
  package struct Change: Hashable, Sendable {
    /// The key, or a key and one in its mapping.
    package var path: [String]
    /// In YAML.
    package var value: String
    /// Other keys that go into the same mapping.
    package var others: [Entry] = []

    package struct Entry: Hashable, Sendable {
      package var key: String
      package var value: String
    }

    package init(_ key: JobKey, _ value: String) {
      path = [key.name]
      self.value = value
    }

    /// A key in the mapping of another.
    package init(_ key: JobKey, _ inner: String, _ value: String) {
      path = [key.name, inner]
      self.value = value
    }

    package var yaml: String {
      if path.count == 1 { return "\(path[0]): \(value)" }
      let entries = ([Entry(key: path[1], value: value)] + others).map { "\($0.key): \($0.value)" }
      return "\(path[0]): {\(entries.joined(separator: ", "))}"
    }
  }

  package var job: JobName
  /// The name of the rule that makes it.
  package var rule: String
  /// One sentence about the observation, with its figures.
  package var reason: String
  /// One phrase about the effect of the change, with its figure.
  package var effect: String
  /// Nil if a person has to decide about it.
  package var change: Change?
}

/// The facts that the rules judge.
package struct AdviceInput: Sendable {
  package var snapshot: Snapshot
  package var history: RunHistory
  /// Simulations of the jobs as they are, with that history.
  package var forecast: Forecast
  /// The jobs that are due in the same second with the first seed, if there are several.
  package var dueTogether: [WallInstant: Set<JobName>]
  /// The first time of each job in the ledger.
  package var knownSince: [JobName: WallInstant]
  package var cores: Int

  /// Simulates the jobs.
  package init(
    _ snapshot: Snapshot, _ history: RunHistory, _ plan: Forecast.Plan,
    knownSince: [JobName: WallInstant] = [:], cores: Int,
    _ observe: (Int, SimulatedEvent) -> Bool = { _, _ in true }
  ) {
    self.snapshot = snapshot
    self.history = history
    self.knownSince = knownSince
    self.cores = cores
    var starts: [WallInstant: Set<JobName>] = [:]
    forecast = Forecast(of: snapshot, history, plan) { number, event in
      if number == 0, case .verdict(let record, let lateness, _) = event, record.verdict == .ran {
        let due = (record.at - lateness).milliseconds.flooredQuotient(by: 1000) * 1000
        starts[WallInstant(milliseconds: due), default: []].insert(record.job)
      }
      return observe(number, event)
    }
    dueTogether = starts.filter { $0.value.count > 1 }
  }

  /// The time of the proposals.
  var now: WallInstant { forecast.plan.start }

  /// The same jobs with some of them changed, simulated with as many seeds as a rule needs to compare.
  func changed(_ jobs: Set<JobName>, _ change: (inout JobSpec) -> Void) -> Forecast {
    var other = snapshot
    for place in other.jobs.indices where jobs.contains(other.jobs[place].name) {
      change(&other.jobs[place])
    }
    var plan = forecast.plan
    plan.seeds = min(plan.seeds, Self.comparedSeedsMax)
    return Forecast(of: other, history, plan)
  }

  private static let comparedSeedsMax = 5

  /// The jobs that are enabled and have at least this many runs.
  func experienced(_ count: Int = Self.runsMin) -> [(spec: JobSpec, history: JobRunHistory)] {
    snapshot.jobs.compactMap { spec in
      guard spec.timing.isEnabled, let job = history.jobs[spec.name], job.count >= count else {
        return nil
      }
      return (spec, job)
    }
  }

  /// Fewer runs say nothing about a job's duration.
  static let runsMin = 20
}

/// One kind of proposal.
protocol AdviceRule: Sendable {
  /// As `--json` names it.
  static var name: String { get }
  func proposals(for input: AdviceInput) -> [Proposal]
}

extension AdviceRule {
  func proposal(
    _ job: JobName, _ reason: String, _ effect: String, _ change: Proposal.Change? = nil
  ) -> Proposal {
    Proposal(job: job, rule: Self.name, reason: reason, effect: effect, change: change)
  }
}

package enum Advice {
  private static let rules: [any AdviceRule] = [
    IntervalAdvice(), CrowdAdvice(), TimeoutAdvice(), ExpectedAdvice(), LateToleranceAdvice(),
    RetryAdvice(), MemoryAdvice(), LeewayAdvice(), NeverRunAdvice(),
  ]

  /// All proposals, those of a rule together.
  package static func proposals(for input: AdviceInput) -> [Proposal] {
    rules.flatMap { $0.proposals(for: input) }
  }

  /// A duration that a person would write, not below the given one.
  static func rounded(_ duration: Duration) -> Duration {
    let seconds = max(1, (duration.milliseconds + 999) / 1000)
    let unit: Int64 =
      switch seconds {
      case ...10: 1
      case ...60: 5
      case ...600: 30
      case ...3600: 300
      default: 1800
      }
    return .seconds((seconds + unit - 1) / unit * unit)
  }
}
