import TaktCore

/// The parts of jobs that an export could not express.
package struct ExportReport {
  package struct Line: Hashable, Sendable {
    package var job: String
    /// The key of the jobs file.
    package var key: String
    package var sentence: String
    /// True if it is kept in another form.
    package var isKept: Bool
  }

  package private(set) var lines: [Line] = []
  private var known: Set<Line> = []

  mutating func lose(_ job: JobSpec, _ key: String, _ sentence: String) {
    add(Line(job: job.name.text, key: key, sentence: sentence, isKept: false))
  }

  mutating func differ(_ job: JobSpec, _ key: String, _ sentence: String) {
    add(Line(job: job.name.text, key: key, sentence: sentence, isKept: true))
  }

  private mutating func add(_ line: Line) {
    if known.insert(line).inserted { lines.append(line) }
  }

  /// The schedule without its bounds and exclusions.
  static func triggers(of job: JobSpec) -> Schedule {
    var schedule = job.timing.schedule
    schedule.notBefore = nil
    schedule.until = nil
    schedule.limit = nil
    schedule.exclusions = []
    return schedule
  }

  /// The key in a jobs file for a rule without an equivalent in other programs.
  static func key(of rule: ClockRule) -> String {
    switch rule.expression {
    case .cron: "cron"
    case .calendar: "calendar"
    case .recurrence: "rrule"
    case .filtered: rule.expression.filter?.workingDay == nil ? "nth" : "working_day"
    case .grid: "every"
    }
  }

  package var isComplete: Bool { lines.allSatisfy(\.isKept) }

  /// Reports each key in which a job differs from one with the other program's behavior.
  ///
  /// - Parameter said: keys that the export has written, or reported already.
  mutating func compare(_ job: JobSpec, with plain: JobSpec, except said: Set<String>) {
    let standard = Dictionary(JobKey.facts(of: plain).map { ($0.key, $0.text) }) { first, _ in first
    }
    for fact in JobKey.facts(of: job)
    where standard[fact.key] != fact.text && !said.contains(fact.key) {
      lose(job, fact.key, "there is nothing for '\(fact.key): \(fact.text)'")
    }
    let hidden = JobKey.surroundings(of: plain)
    for value in JobKey.surroundings(of: job) where !hidden.contains(value) {
      let key = String(value.path.prefix { $0 != "." && $0 != "[" })
      if !said.contains(key) { lose(job, key, "there is nothing for '\(key)'") }
    }
  }
}

package struct ExportResult {
  package struct File: Sendable {
    /// The name of a unit; nil for a crontab.
    package var name: String?
    package var text: String
  }

  package var files: [File]
  package var report: ExportReport
}
