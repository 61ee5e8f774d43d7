import TaktTime

extension ClusterView {
  /// So many names stand in one sentence.
  private static let namesMax = 3

  /// A line for those who want to know whether all is well: `3 machines, engine answers`, or what is
  /// wrong.
  package var summary: String {
    let problems = self.problems
    guard let first = problems.first else {
      return "\(Self.count(aliveCount, "machine")), engine answers"
    }
    return problems.count == 1
      ? first : "\(first) (and \(problems.count - 1) more; see 'takt cluster')"
  }

  /// What is wrong, a sentence each, the worst first.
  package var problems: [String] {
    engineProblems + memberProblems + jobProblems
  }

  private var engineProblems: [String] {
    if let failure { return ["the engine does not answer: \(failure)"] }
    return member == nil ? ["this machine has not joined yet"] : []
  }

  private var memberProblems: [String] {
    var sentences: [String] = []
    // Without the engine's answers nobody's lease is known.
    if failure == nil {
      sentences += members.filter { !$0.isAlive && !isPredecessor($0) }.map {
        "machine '\($0.facts.machine)' (member \($0.id.number)) has not renewed its lease"
      }
    }
    if let words = facts.clockWords { sentences.append("this machine's clock is \(words)") }
    for other in members where other.id != member && other.isAlive {
      guard let words = other.facts.clockWords else { continue }
      sentences.append("the clock of machine '\(other.facts.machine)' is \(words)")
    }
    return sentences
  }

  /// Whether a member is the daemon that ran here before and did not leave, because it crashed: this
  /// one has taken its place, and its claims are decided when its lease and grace are over.
  private func isPredecessor(_ other: ClusterNews.Member) -> Bool {
    guard let member, other.id < member else { return false }
    return other.facts.machine == facts.machine && other.facts.host == facts.host
  }

  private var jobProblems: [String] {
    var sentences: [String] = []
    let drifted = waiting.filter(\.isDrifted)
    if !drifted.isEmpty {
      let have = drifted.count == 1 ? "has a newer schedule" : "have newer schedules"
      sentences.append(
        "\(Self.count(drifted.count, "job")) \(have) on another machine: \(Self.names(drifted)); "
          + "update this machine's file and reload")
    }
    let behind = waiting.filter { $0.unsettled > 0 }
    if !behind.isEmpty {
      let slots = Self.count(unsettledCount, "slot")
      sentences.append(
        "\(slots) \(unsettledCount == 1 ? "waits" : "wait") for the engine: \(Self.names(behind))")
    }
    return sentences
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func names(_ waiting: [Waiting]) -> String {
    let names = waiting.prefix(namesMax).map(\.job.text).joined(separator: ", ")
    return waiting.count > namesMax ? "\(names) and \(waiting.count - namesMax) more" : names
  }
}

extension MemberFacts {
  /// So far may a clock be off before anybody is told.
  package static let clockOffsetMax = Duration.seconds(1)

  /// How wrong the machine's clock is, in words; nil when it is right enough.
  fileprivate var clockWords: String? {
    let distance = clockOffset < .zero ? .zero - clockOffset : clockOffset
    guard distance >= Self.clockOffsetMax else { return nil }
    let side = clockOffset < .zero ? "behind" : "ahead of"
    return "\(DurationText.format(distance)) \(side) the engine's; "
      + "set it by NTP"
  }
}
