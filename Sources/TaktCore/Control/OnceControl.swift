package enum OnceReply: Sendable {
  case added(JobName)
  /// Another job has its name.
  case nameTaken
  /// The limit on waiting jobs, which is reached.
  case tooMany(Int)
  /// A jobs file with this job would be refused.
  case refused([Diagnostic])
}

/// Accepts jobs that run once.
///
/// Safe from any thread; `reply` is called on another one.
package protocol OnceControl: Sendable {
  /// Adds a job to the existing ones.
  ///
  /// - Parameter isNamed: true if a user chose the name. Any other name gets a number if it is
  ///   taken.
  func add(
    _ job: OnceJob, isNamed: Bool, reply: @escaping @Sendable (OnceReply) -> Void)

  /// Removes a job that is not due yet; replies true if there was one.
  func remove(_ name: JobName, reply: @escaping @Sendable (Bool) -> Void)
}
