package import TaktTime

/// The jobs file of the running daemon, for clients that control it.
///
/// Safe from any thread. Replies come on a queue of the reloader's own.
package protocol ReloadControl: Sendable {
  /// Reads the jobs file again and applies the differences; `cause` names the origin in the log.
  func reload(cause: String, reply: @escaping @Sendable (ReloadReport) -> Void)

  /// The plan of a reload if the main jobs file had this text. Nothing is applied.
  ///
  /// - Parameter isRemote: true if it came over TCP. Then it opens no files but those of the
  ///   running set of jobs.
  func plan(
    text: [UInt8], isRemote: Bool, reply: @escaping @Sendable (ReloadReport) -> Void)

  /// The plan of a reload of the jobs file as it is on disk. Nothing is applied.
  func plan(reply: @escaping @Sendable (ReloadReport) -> Void)

  /// Nil before the first reload.
  var lastReport: ReloadReport? { get }

  /// The files of the running jobs that have changed since they were read. The reply may never
  /// come, if a file system does not answer.
  func changedFiles(reply: @escaping @Sendable ([String]) -> Void)

  /// The problems of jobs in labels of containers, which are left out.
  var labelProblems: [Diagnostic] { get }
}

extension ReloadControl {
  package func changedFiles(reply: @escaping @Sendable ([String]) -> Void) { reply([]) }

  /// None if labels are not read.
  package var labelProblems: [Diagnostic] { [] }
}

/// The result of a reload, or of a plan for one.
package struct ReloadReport: Sendable {
  package var at: WallInstant
  /// Nil if the file was refused.
  package var plan: ReloadPlan?
  /// A line for each change of the scheduler's own settings.
  package var settings: [String]
  /// The changed keys of the scheduler that take effect at a restart only.
  package var keysForRestart: [String]
  package var diagnostics: [Diagnostic]
  /// The jobs made from lines of files, whose names are those files' text.
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
