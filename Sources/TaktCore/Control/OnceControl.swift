package import TaktTime

/// A job that runs once and that somebody has asked for beside those of the jobs file.
package struct OnceJob: Hashable, Sendable {
  package var name: JobName
  /// Its keys as a JSON object, which say the same as in a jobs file.
  package var text: String
  /// When it is due.
  package var at: WallInstant

  package init(name: JobName, text: String, at: WallInstant) {
    self.name = name
    self.text = text
    self.at = at
  }
}

/// What becomes of a job that runs once.
package enum OnceReply: Sendable {
  case added(JobName)
  /// Another job has its name.
  case nameTaken
  /// So many wait already.
  case tooMany(Int)
  /// A jobs file that said it would be refused.
  case refused([Diagnostic])
}

/// Whoever takes jobs that run once.
///
/// Safe from any thread; `reply` is called on another one.
package protocol OnceControl: Sendable {
  /// Adds a job, beside those that there are.
  ///
  /// - Parameter isNamed: whether the name was chosen by somebody. Another one gets a number where it
  ///   is taken.
  func add(
    _ job: OnceJob, isNamed: Bool, reply: @escaping @Sendable (OnceReply) -> Void)

  /// Removes a job that has not come due; whether there was one.
  func remove(_ name: JobName, reply: @escaping @Sendable (Bool) -> Void)
}
