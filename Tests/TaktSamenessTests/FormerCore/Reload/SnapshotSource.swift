/// Where a set of jobs comes from: a jobs file with all that it includes.
///
/// Blocks while it reads; called off the scheduler's queue.
package protocol SnapshotSource: Sendable {
  func load() -> LoadedSnapshot

  /// What would be read if the main file had this text.
  func load(text: [UInt8]) -> LoadedSnapshot
}

/// What a source has found.
package struct LoadedSnapshot: Sendable {
  /// The set; nil when there is any error.
  package var snapshot: Snapshot?
  /// All that is wrong or suspicious, in the order of places.
  package var diagnostics: [Diagnostic]
  /// Files and folders whose change may change the set.
  package var watchedPaths: [String]

  package init(snapshot: Snapshot?, diagnostics: [Diagnostic], watchedPaths: [String]) {
    self.snapshot = snapshot
    self.diagnostics = diagnostics
    self.watchedPaths = watchedPaths
  }
}
