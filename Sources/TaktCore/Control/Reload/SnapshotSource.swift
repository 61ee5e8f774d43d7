package import TaktTime

/// A source of a set of jobs: a jobs file with all its includes.
///
/// Blocks while it reads; called off the scheduler's queue.
package protocol SnapshotSource: Sendable {
  /// As it was given.
  var path: String { get }

  func load() -> LoadedSnapshot

  /// The load if the main file had this text.
  ///
  /// - Parameter files: those that may be opened for it, in their earlier state; nil for any.
  func load(text: [UInt8], within files: FilesRead?) -> LoadedSnapshot

  /// The files that differ from those read, and new files that a load would read. Blocks.
  func changedFiles(since files: FilesRead) -> [String]

  /// The load of a main file with this job alone; later loads know nothing of it.
  func load(once job: OnceJob) -> LoadedSnapshot

  /// The jobs in the labels of a container, for a main file with these settings. They name no file,
  /// no other container, and nothing of this machine.
  func load(
    labelsOf container: LabelledContainer, beside settings: SchedulerSettings
  ) -> LabelledJobs
}

extension SnapshotSource {
  /// None if labels are not read.
  package func load(
    labelsOf container: LabelledContainer, beside settings: SchedulerSettings
  ) -> LabelledJobs { LabelledJobs() }
}

package struct LoadedSnapshot: Sendable {
  /// Nil if there is any error.
  package var snapshot: Snapshot?
  /// Errors and warnings, in the order of places.
  package var diagnostics: [Diagnostic]
  package var files: FilesRead
  /// The jobs made from lines of files, whose names are those files' text.
  package var listedJobs: Set<JobName>

  package init(
    snapshot: Snapshot?, diagnostics: [Diagnostic], files: FilesRead,
    listedJobs: Set<JobName> = []
  ) {
    self.listedJobs = listedJobs
    self.snapshot = snapshot
    self.diagnostics = diagnostics
    self.files = files
  }
}

/// Files and folders whose change may change a set of jobs.
package struct FilesRead: Sendable {
  /// Absolute.
  package var paths: [String]
  /// The time at which reading started, by the clock that stamps files: a later change may not be
  /// in the set.
  package let readAt: WallInstant
  /// The files opened at the paths that could be read. Nothing else distinguishes an older file
  /// that a renamed folder brings to a path.
  package let identities: [String: FileIdentity]
  package let stamps: [String: FileStamp]
  package let matches: [PatternMatches]
  /// The roles of files that are no jobs files, such as lists.
  package let roles: [String: Set<String>]
  /// Absolute.
  package let pluginFolders: [String]
  /// A hash of each definition whose values are lines of files.
  package let families: Set<UInt64>

  package init(
    paths: [String], readAt: WallInstant, identities: [String: FileIdentity] = [:],
    stamps: [String: FileStamp] = [:], matches: [PatternMatches] = [],
    roles: [String: Set<String>] = [:], pluginFolders: [String] = [], families: Set<UInt64> = []
  ) {
    self.families = families
    self.stamps = stamps
    self.matches = matches
    self.roles = roles
    self.pluginFolders = pluginFolders
    self.paths = paths
    self.readAt = readAt
    self.identities = identities
  }
}

/// Equal for two paths of one file.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// Distinguishes a file from another one at its path, and from itself after a change. A copy may
/// have an old time of writing, but not of its last change.
package struct FileStamp: Hashable, Sendable {
  package var identity: FileIdentity
  package var sizeBytes: Int
  /// The time of the last write, which anyone may set.
  package var modified: WallInstant
  /// The time of the last change of contents, name or rights.
  package var changed: WallInstant

  package init(
    identity: FileIdentity, sizeBytes: Int, modified: WallInstant, changed: WallInstant
  ) {
    self.identity = identity
    self.sizeBytes = sizeBytes
    self.modified = modified
    self.changed = changed
  }
}

package struct PatternMatches: Hashable, Sendable {
  package var pattern: String
  /// The folder that the pattern is relative to.
  package var folder: String
  /// Absolute.
  package var paths: [String]

  package init(pattern: String, folder: String, paths: [String]) {
    self.pattern = pattern
    self.folder = folder
    self.paths = paths
  }
}
