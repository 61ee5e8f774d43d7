import TaktCore
import TaktTime

/// The jobs of one `for_each`, folded into a line.
struct JobFamily {
  let name: JobName
  private(set) var count = 0
  /// How many of them are in each state.
  private(set) var states: [JobView.State: Int] = [:]
  private(set) var stale = 0
  private(set) var failing = 0
  /// That of the job that needs somebody most.
  private(set) var attention = JobEntry.Attention.resting
  /// How many of the last slots of each did not run.
  private(set) var notRun = 0
  /// The earliest next slot of any.
  private(set) var next: Slot?
  /// The run of any that has ended last.
  private(set) var last: StoredRun?
  /// How late the latest of their last slots started.
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

/// Jobs with those of one `for_each` folded, where its first job would stand.
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
