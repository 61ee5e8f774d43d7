import Synchronization
import TaktCore
import TaktTime

/// The results of the last load of a daemon's jobs file, job by job: the next load only makes jobs
/// whose text has changed.
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

/// The jobs of all files of a load, with the answers of the machine and the clock while they were
/// made: each may differ at the next load.
struct RememberedLoad: Sendable {
  /// Asking more questions again takes as long as making the jobs.
  private static let answersMax = 10_000

  /// By absolute path.
  private var files: [String: EqualJobs] = [:]
  /// As root, the owners of the files, by absolute path.
  private(set) var owners: [String: UInt32] = [:]
  private var hostName = ""
  private var zones: [String: Zone?] = [:]
  private var accounts: [UserAndGroup: Account?] = [:]
  private var rules: [RuleTable.Question: RuleTable.Answer] = [:]
  private var gaps: [RuleTable.Gap: Duration?] = [:]
  /// Built-ins whose names plugins may have, but none has.
  private var builtIns: Set<String> = []

  init() {}

  /// The results of a load without errors.
  init(_ files: [String: EqualJobs], _ sources: LoadSources) {
    // Includes the answers to earlier loads for jobs that this one has not made again.
    if sources.lastHolds == true, let last = sources.last { self = last }
    hostName = sources.hostName
    zones.merge(sources.zones.answers) { $1 }
    accounts.merge(sources.accounts.answers) { $1 }
    rules.merge(sources.rules.answers) { $1 }
    gaps.merge(sources.rules.gaps) { $1 }
    builtIns.formUnion(sources.actions.namesWithoutPlugin)
    self.files = files
    // Most of too many may belong to jobs that are gone: the load after the next starts with its
    // own.
    let count = zones.count + accounts.count + rules.count + gaps.count + builtIns.count
    if count > Self.answersMax { self = RememberedLoad() }
    owners = sources.files.owners
  }

  /// True if all questions have the same answers now.
  func holds(in sources: LoadSources) -> Bool {
    hostName == sources.hostName
      && zones.allSatisfy { sources.zones.zone(named: $0.key) == $0.value }
      && !builtIns.contains { sources.actions.isPlugin($0) }
      && accounts.allSatisfy { sources.accounts.account($0.key) == $0.value }
      && rules.allSatisfy { $0.value.holds(for: $0.key, at: sources.loadedAt) }
      && gaps.allSatisfy { gap, known in
        let found = gap.rules.shortestGap(for: gap.length, from: sources.loadedAt)
        // Diagnostics of a job depend on which of the two is longer.
        return Self.compare(found, gap.length) == Self.compare(known, gap.length)
      }
  }

  /// -1, 0 or 1; a missing gap is longer than any length.
  private static func compare(_ gap: Duration?, _ length: Duration) -> Int {
    guard let gap else { return 1 }
    return gap < length ? -1 : gap == length ? 0 : 1
  }

  /// The jobs of a file at an absolute path, if they may still be valid.
  func jobs(of path: String, in context: EqualJobs.Context, _ sources: LoadSources) -> EqualJobs {
    guard let file = files[path], file.context == context, sources.holdLast() else {
      return EqualJobs(context)
    }
    return file
  }

  /// Replaces equal calendars by the previous objects, so that jobs with them compare fast.
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
  /// True if the answer is the same at an instant.
  fileprivate func holds(for question: RuleTable.Question, at now: WallInstant) -> Bool {
    guard let rule = rules.first, (rule.next(after: now) == nil) == isOver else { return false }
    let isSkipping = question.kind != .rrule && !question.dst.isMade
    let known = warnings.first { if case .skippedTime = $0 { true } else { false } }
    return known == (isSkipping ? rule.droppedTime(after: now) : nil)
  }
}
