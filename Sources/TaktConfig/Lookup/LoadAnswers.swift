import TaktCore
import TaktTime

/// What the machine and the time have answered while jobs were made that are remembered: each may
/// answer otherwise at the next load.
struct LoadAnswers: Sendable {
  /// To ask for more than so many again takes as long as to make the jobs.
  static let countMax = 10_000

  var hostName = ""
  var zones: [String: Zone?] = [:]
  var accounts: [UserAndGroup: Account?] = [:]
  var rules: [RuleTable.Question: RuleTable.Answer] = [:]
  var gaps: [RuleTable.Gap: Duration?] = [:]
  /// Built-ins whose names plugins may have, and none has.
  var builtIns: Set<String> = []

  init() {}

  /// What a load has been answered, with what earlier ones were for jobs that it has not made anew.
  init(_ sources: LoadSources, after earlier: LoadAnswers?) {
    self = earlier ?? LoadAnswers()
    hostName = sources.hostName
    zones.merge(sources.zones.answers) { $1 }
    accounts.merge(sources.accounts.answers) { $1 }
    rules.merge(sources.rules.answers) { $1 }
    gaps.merge(sources.rules.gaps) { $1 }
    builtIns.formUnion(sources.actions.namesWithoutPlugin)
  }

  var count: Int { zones.count + accounts.count + rules.count + gaps.count + builtIns.count }

  /// Whether all questions have the same answers now.
  func hold(in sources: LoadSources) -> Bool {
    hostName == sources.hostName
      && zones.allSatisfy { sources.zones.zone(named: $0.key) == $0.value }
      && !builtIns.contains { sources.actions.isPlugin($0) }
      && accounts.allSatisfy { sources.accounts.account($0.key) == $0.value }
      && rules.allSatisfy { $0.value.holds(for: $0.key, at: sources.loadedAt) }
      && gaps.allSatisfy { gap, known in
        let found = gap.rules.shortestGap(for: gap.length, from: sources.loadedAt)
        // What is said of a job depends on which of the two is longer.
        return Self.compare(found, gap.length) == Self.compare(known, gap.length)
      }
  }

  /// -1, 0 or 1; no gap is longer than any length.
  private static func compare(_ gap: Duration?, _ length: Duration) -> Int {
    guard let gap else { return 1 }
    return gap < length ? -1 : gap == length ? 0 : 1
  }
}

extension RuleTable.Answer {
  /// Whether it is the answer at an instant, too.
  fileprivate func holds(for question: RuleTable.Question, at now: WallInstant) -> Bool {
    guard let rule = rules.first, (rule.next(after: now) == nil) == isOver else { return false }
    let isSkipping = question.kind != .rrule && !question.dst.isMade
    let known = warnings.first { if case .skippedTime = $0 { true } else { false } }
    return known == (isSkipping ? rule.droppedTime(after: now) : nil)
  }
}
