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
  ) -> [RememberedFile.Job] {
    guard let file = files[path], file.context == context, sources.hold(answers) else { return [] }
    return file.jobs
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
