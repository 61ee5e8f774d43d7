import Synchronization
import TaktCore
import TaktTime

/// What the last load of a daemon's jobs file came to, job by job: the next load makes only those
/// anew that say something else.
///
/// A job is remembered if nothing had to be reported of it, and if its spec depends on nothing but
/// its text, the keys above it, and questions that are asked again first. All others, such as those
/// with an `env_file`, a plugin or `until`, are volatile: they are made each time.
///
/// Safe from any thread.
package final class LoadMemory: Sendable {
  private let last = Mutex(RememberedLoad())

  package init() {}

  var load: RememberedLoad { last.withLock { $0 } }

  func keep(_ load: RememberedLoad) { last.withLock { $0 = load } }
}

/// The jobs of all files of a load, and what the machine and the time have answered while they were
/// made: each may answer otherwise at the next load.
struct RememberedLoad: Sendable {
  /// To ask for more than so many again takes as long as to make the jobs.
  private static let answersMax = 10_000

  /// By absolute path.
  private var files: [String: EqualJobs] = [:]
  /// As root, who owned the files that were read, by absolute path.
  private(set) var owners: [String: UInt32] = [:]
  private var hostName = ""
  private var zones: [String: Zone?] = [:]
  private var accounts: [UserAndGroup: Account?] = [:]
  private var rules: [RuleTable.Question: RuleTable.Answer] = [:]
  private var gaps: [RuleTable.Gap: Duration?] = [:]
  /// Built-ins whose names plugins may have, and none has.
  private var builtIns: Set<String> = []

  init() {}

  /// What a load came to, which had no errors.
  init(_ files: [String: EqualJobs], _ sources: LoadSources) {
    // With what earlier loads were answered for jobs that this one has not made anew.
    if sources.lastHolds == true, let last = sources.last { self = last }
    hostName = sources.hostName
    zones.merge(sources.zones.answers) { $1 }
    accounts.merge(sources.accounts.answers) { $1 }
    rules.merge(sources.rules.answers) { $1 }
    gaps.merge(sources.rules.gaps) { $1 }
    builtIns.formUnion(sources.actions.namesWithoutPlugin)
    self.files = files
    // Most of too many may be of jobs that are gone: the load after the next one begins with its own.
    let count = zones.count + accounts.count + rules.count + gaps.count + builtIns.count
    if count > Self.answersMax { self = RememberedLoad() }
    owners = sources.files.owners
  }

  /// Whether all questions have the same answers now.
  func holds(in sources: LoadSources) -> Bool {
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

  /// The jobs of a file at an absolute path, as far as they may be what they were.
  func jobs(of path: String, in context: EqualJobs.Context, _ sources: LoadSources) -> EqualJobs {
    guard let file = files[path], file.context == context, sources.holdLast() else {
      return EqualJobs(context)
    }
    return file
  }

  /// Calendars that say what they said before are those of before: jobs that have them are then
  /// compared at once.
  func unchanged(_ calendars: [String: SharedCalendar], of path: String)
    -> [String: SharedCalendar]
  {
    guard let before = files[path]?.context?.calendars else { return calendars }
    return calendars.mapValues { calendar in
      guard let known = before[calendar.name], known == calendar else { return calendar }
      return known
    }
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
