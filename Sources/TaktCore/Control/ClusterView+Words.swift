import TaktTime

extension ClusterView {
  /// The most names in one sentence.
  private static let namesMax = 3

  /// One line: `3 machines, engine answers`, or the problem.
  package var summary: String {
    let problems = self.problems
    guard let first = problems.first else {
      return "\(Self.count(aliveCount, "machine")), engine answers"
    }
    return problems.count == 1
      ? first : "\(first) (and \(problems.count - 1) more; see 'takt cluster')"
  }

  /// A sentence for each problem, the worst first.
  package var problems: [String] {
    engineProblems + memberProblems + jobProblems
  }

  private var engineProblems: [String] {
    if let failure { return ["the engine does not answer: \(failure)"] }
    return member == nil ? ["this machine has not joined yet"] : []
  }

  private var memberProblems: [String] {
    var sentences: [String] = []
    // Without the engine's answers no lease is known.
    if failure == nil {
      sentences += members.filter { !$0.isAlive && !isPredecessor($0) }.map {
        "machine '\($0.facts.machine)' (member \($0.id.number)) has not renewed its lease"
      }
    }
    let versions = Set(members.filter(\.isAlive).compactMap(\.facts.zoneData))
    if versions.count > 1 {
      let places = members.filter { $0.isAlive && $0.facts.zoneData != nil }.map {
        "\($0.facts.zoneData ?? "") on '\($0.facts.machine)'"
      }
      sentences.append(
        "the machines have different time zone data (\(places.joined(separator: ", "))); where they name "
          + "other slots, only the newest run the job; update tzdata and reload")
    }
    if let words = facts.clockWords { sentences.append("this machine's clock is \(words)") }
    for other in members where other.id != member && other.isAlive {
      guard let words = other.facts.clockWords else { continue }
      sentences.append("the clock of machine '\(other.facts.machine)' is \(words)")
    }
    return sentences
  }

  /// True if a member is the daemon that ran here before and crashed without leaving: this one has
  /// replaced it, and its claims are decided when its lease and grace are over.
  private func isPredecessor(_ other: ClusterNews.Member) -> Bool {
    guard let member, other.id < member else { return false }
    return other.facts.machine == facts.machine && other.facts.host == facts.host
  }

  private var jobProblems: [String] {
    // Without the engine's answers it is not known which machines there are.
    var sentences = failure == nil && member != nil ? placementProblems : []
    let drifted = waiting.filter(\.isDrifted)
    if !drifted.isEmpty {
      let have = drifted.count == 1 ? "has a newer schedule" : "have newer schedules"
      sentences.append(
        "\(Self.count(drifted.count, "job")) \(have) on another machine: \(Self.names(drifted)); "
          + "make this machine's file and time zone equal to theirs and reload")
    }
    let behind = waiting.filter { $0.unsettled > 0 }
    if !behind.isEmpty {
      let slots = Self.count(unsettledCount, "slot")
      sentences.append(
        "\(slots) \(unsettledCount == 1 ? "waits" : "wait") for the engine: \(Self.names(behind))")
    }
    return sentences
  }

  private var placementProblems: [String] {
    let machines = Self.words(of: members)
    var sentences = unplaced.prefix(Self.namesMax).map { "\($0.words); \(machines)" }
    let rest = unplaced.dropFirst(Self.namesMax).reduce(0) { $0 + $1.jobs.count }
    if rest > 0 {
      sentences.append("\(Self.count(rest, "more job")) need other labels that no machine has")
    }
    return sentences
  }

  /// The machines that have a lease, with their labels: `machines: 'a' (site=east), 'b' (no labels)`.
  static func words(of members: [ClusterNews.Member]) -> String {
    let alive = members.filter(\.isAlive).map(\.facts).sorted { $0.machine < $1.machine }
    let shown = alive.prefix(10).map { facts in
      let labels = JobMachines.labelled(facts.labels).words
      return "'\(facts.machine)' (\(labels.isEmpty ? "no labels" : labels))"
    }
    let more = alive.count > shown.count ? " and \(alive.count - shown.count) more" : ""
    return "machines: " + shown.joined(separator: ", ") + more
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func names(_ waiting: [Waiting]) -> String { names(waiting.map(\.job)) }

  fileprivate static func names(_ jobs: [JobName]) -> String {
    let names = jobs.prefix(namesMax).map(\.text).joined(separator: ", ")
    return jobs.count > namesMax ? "\(names) and \(jobs.count - namesMax) more" : names
  }
}

extension ClusterView.Unplaced {
  /// `disk=fast, site=east`
  var labelWords: String { JobMachines.labelled(labels).words }

  var jobWords: String { ClusterView.names(jobs) }

  /// The problem, and its jobs.
  var words: String {
    "no machine of the cluster has the labels \(labelWords), so \(jobs.count) "
      + (jobs.count == 1 ? "job does not run" : "jobs do not run") + ": \(jobWords)"
  }
}

extension MemberFacts {
  /// The largest error of a clock that is not reported.
  package static let clockOffsetMax = Duration.seconds(1)

  /// The error of the machine's clock, in words; nil if it is small enough.
  fileprivate var clockWords: String? {
    let distance = clockOffset < .zero ? .zero - clockOffset : clockOffset
    guard distance >= Self.clockOffsetMax else { return nil }
    let side = clockOffset < .zero ? "behind" : "ahead of"
    return "\(DurationText.format(distance)) \(side) the engine's; "
      + "set it by NTP"
  }
}
