import Synchronization
import TaktCore

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

/// The jobs of all files of a load.
struct RememberedLoad: Sendable {
  private(set) var answers = LoadAnswers()
  /// By absolute path.
  private(set) var files: [String: RememberedFile] = [:]
  /// As root, who owned the files that were read, by absolute path.
  private(set) var owners: [String: UInt32] = [:]

  init() {}

  /// What a load came to, which had no errors.
  init(_ files: [String: RememberedFile], _ sources: LoadSources, after last: RememberedLoad) {
    owners = sources.files.owners
    let answers = LoadAnswers(
      sources, after: sources.earlierAnswersHold == true ? last.answers : nil)
    // Most of too many may be of jobs that are gone: the load after the next one begins with its own.
    if answers.count <= LoadAnswers.countMax { (self.answers, self.files) = (answers, files) }
  }

  /// The jobs of a file at an absolute path, as far as they may be what they were.
  func jobs(
    of path: String, in context: RememberedFile.Context, _ sources: LoadSources
  ) -> RememberedJobs {
    guard let file = files[path], file.context == context, sources.hold(answers) else {
      return RememberedJobs([])
    }
    return RememberedJobs(file.jobs)
  }

  /// Calendars that say what they said before are those of before: jobs that have them are then
  /// compared at once.
  func unchanged(_ calendars: [String: SharedCalendar], of path: String)
    -> [String: SharedCalendar]
  {
    guard let before = files[path]?.context.calendars else { return calendars }
    return calendars.mapValues { calendar in
      guard let known = before[calendar.name], known == calendar else { return calendar }
      return known
    }
  }
}

/// The jobs of one file, in its order.
struct RememberedFile: Sendable {
  struct Job: Sendable {
    var digest: JobDigest
    var spec: JobSpec
  }

  /// What the jobs of a file depend on besides their own text.
  struct Context: Equatable, Sendable {
    var settings: SchedulerSettings
    var defaultsNode: YAMLNode?
    /// What `defaults` come to, environment files included.
    var execution: Shared<Execution>
    var policies: Shared<JobPolicies>
    var fileVariables: [String: String]
    var fileOwners: [String: UInt32]
    /// Those of the main file, with what their files say.
    var calendars: [String: SharedCalendar]
  }

  var context: Context
  var jobs: [Job] = []
}

/// The jobs of a file as they were, looked up in the order of the file as it is.
struct RememberedJobs {
  private let jobs: [RememberedFile.Job]
  private var next = 0
  /// Made when the orders differ.
  private var places: [JobDigest: Int]?

  init(_ jobs: [RememberedFile.Job]) { self.jobs = jobs }

  /// The spec of a job that says the same; nil where there was none.
  mutating func spec(of digest: JobDigest) -> JobSpec? {
    if next < jobs.count, jobs[next].digest == digest {
      next += 1
      return jobs[next - 1].spec
    }
    let places = self.places ?? Self.places(of: jobs)
    self.places = places
    guard let place = places[digest] else { return nil }
    next = place + 1
    return jobs[place].spec
  }

  private static func places(of jobs: [RememberedFile.Job]) -> [JobDigest: Int] {
    var places = [JobDigest: Int](minimumCapacity: jobs.count)
    for (place, job) in jobs.enumerated() { places[job.digest] = place }
    return places
  }
}
