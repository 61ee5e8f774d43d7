import TaktCore
import TaktTime

/// The jobs of one `for_each`, folded into a line.
struct JobFamily {
  let name: JobName
  private(set) var count = 0
  private(set) var states: [JobView.State: Int] = [:]
  private(set) var stale = 0
  private(set) var failing = 0
  /// That of the most urgent job.
  private(set) var attention = JobEntry.Attention.resting
  /// The number of their last slots that did not run.
  private(set) var notRun = 0
  private(set) var next: Slot?
  /// The last run of any that has ended.
  private(set) var last: StoredRun?
  /// The longest delay of their last slots.
  private(set) var lateness: Duration?

  init(_ name: JobName) { self.name = name }

  mutating func add(_ job: JobEntry) {
    count += 1
    states[job.view.state, default: 0] += 1
    if job.isStale { stale += 1 }
    notRun += job.history.notRunCount
    if job.isFailing { failing += 1 }
    attention = min(attention, job.attention)
    if let slot = job.view.next, next.map({ slot.due < $0.due }) ?? true { next = slot }
    if let run = job.history.last, let ended = run.endedAt, ended >= last?.endedAt ?? ended {
      last = run
    }
    if let own = job.history.lateness { lateness = max(lateness ?? own, own) }
  }
}

/// Jobs, with those of one `for_each` folded at the place of the first.
struct JobFold {
  enum Line {
    case job(JobEntry)
    case family(Int)
  }

  private(set) var lines: [Line] = []
  private(set) var families: [JobFamily] = []
  private var places: [JobName: Int] = [:]

  mutating func add(_ job: JobEntry) {
    guard let name = job.view.spec.family else {
      lines.append(.job(job))
      return
    }
    if let place = places[name] { return families[place].add(job) }
    places[name] = families.count
    lines.append(.family(families.count))
    families.append(JobFamily(name))
    families[families.count - 1].add(job)
  }
}
