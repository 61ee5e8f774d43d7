package import TaktTime

/// The jobs file of a takt that runs, as those see it who steer takt.
///
/// Safe from any thread. Replies come on a queue of the reloader's own.
package protocol ReloadControl: Sendable {
  /// Reads the jobs file again and changes what changed; `cause` says in the log who wanted it.
  func reload(cause: String, reply: @escaping @Sendable (ReloadReport) -> Void)

  /// What a reload would do if the main jobs file had this text. Nothing is applied.
  ///
  /// - Parameter isRemote: whether it came over TCP. Then it opens no files but those of the set of
  ///   jobs that is running.
  func plan(
    text: [UInt8], isRemote: Bool, reply: @escaping @Sendable (ReloadReport) -> Void)

  /// What a reload would do with the jobs file as it is on disk. Nothing is applied.
  func plan(reply: @escaping @Sendable (ReloadReport) -> Void)

  /// What the last reload did; nil before the first.
  var lastReport: ReloadReport? { get }

  /// Which of the files that the running jobs were read from have changed since. The reply may never
  /// come, where a file system does not answer.
  func changedFiles(reply: @escaping @Sendable ([String]) -> Void)

  /// Why jobs of containers' labels are left out.
  var labelProblems: [Diagnostic] { get }
}

extension ReloadControl {
  /// None, where nobody looks.
  package func changedFiles(reply: @escaping @Sendable ([String]) -> Void) { reply([]) }

  /// None, where labels are not read.
  package var labelProblems: [Diagnostic] { [] }
}

/// What a reload did, or would do.
package struct ReloadReport: Sendable {
  package var at: WallInstant
  /// The plan; nil when the file was refused.
  package var plan: ReloadPlan?
  /// What changes of the scheduler itself, a line each.
  package var settings: [String]
  /// The keys of the scheduler among them that count at the start only.
  package var keysForRestart: [String]
  package var diagnostics: [Diagnostic]
  /// The jobs that lines of files have made: their names are those files' text.
  package var listedJobs: Set<JobName>

  package init(
    at: WallInstant, plan: ReloadPlan?, settings: [String], keysForRestart: [String] = [],
    diagnostics: [Diagnostic], listedJobs: Set<JobName> = []
  ) {
    self.listedJobs = listedJobs
    self.at = at
    self.plan = plan
    self.settings = settings
    self.keysForRestart = keysForRestart
    self.diagnostics = diagnostics
  }
}
