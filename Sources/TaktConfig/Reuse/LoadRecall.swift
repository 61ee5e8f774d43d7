import TaktCore

/// A memory during one load: what it holds of the load before, and what it is to hold of this one.
final class LoadRecall {
  private let memory: LoadMemory
  private let before: RememberedLoad?
  private let sources: LoadSources
  private var files: [String: RememberedFile] = [:]
  /// Nil until it is asked.
  private var answersHold: Bool?

  init(_ memory: LoadMemory, _ sources: LoadSources) {
    self.memory = memory
    self.sources = sources
    before = memory.load
  }

  /// The jobs of a file at an absolute path, as far as they may be what they were.
  func jobs(of path: String, in context: RememberedFile.Context) -> RememberedJobs {
    guard let file = before?.files[path], file.context == context, holds else {
      return RememberedJobs([])
    }
    return RememberedJobs(file.jobs)
  }

  /// Calendars that say what they said before are those of before: jobs that have them are then
  /// compared at once.
  func unchanged(_ calendars: [String: SharedCalendar], of path: String)
    -> [String: SharedCalendar]
  {
    guard let before = before?.files[path]?.context.calendars else { return calendars }
    return calendars.mapValues { calendar in
      guard let known = before[calendar.name], known == calendar else { return calendar }
      return known
    }
  }

  private var holds: Bool {
    if let answersHold { return answersHold }
    let result = before?.answers.hold(in: sources) ?? false
    answersHold = result
    return result
  }

  /// Takes the jobs of a file that has been read.
  func add(_ file: RememberedFile, of path: String) { files[path] = file }

  /// Keeps what the load came to, which had no errors.
  func keep() {
    let answers = LoadAnswers(sources, after: answersHold == true ? before?.answers : nil)
    // Most of too many may be of jobs that are gone: the load after the next one begins with its own.
    memory.keep(
      answers.count > LoadAnswers.countMax
        ? RememberedLoad(owners: sources.files.owners)
        : RememberedLoad(answers: answers, files: files, owners: sources.files.owners))
  }
}
