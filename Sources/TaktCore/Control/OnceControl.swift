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

  /// Removes a job that is not due yet; whether there was one.
  func remove(_ name: JobName, reply: @escaping @Sendable (Bool) -> Void)
}
