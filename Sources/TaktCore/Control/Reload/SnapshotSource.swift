package import TaktTime

/// Where a set of jobs comes from: a jobs file with all that it includes.
///
/// Blocks while it reads; called off the scheduler's queue.
package protocol SnapshotSource: Sendable {
  /// The main file's path, as it was given.
  var path: String { get }

  func load() -> LoadedSnapshot

  /// What would be read if the main file had this text.
  ///
  /// - Parameter files: those that may be opened for it, as they were; nil for any.
  func load(text: [UInt8], within files: FilesRead?) -> LoadedSnapshot

  /// Where there is something else by now than was read, and what would be read besides. Blocks.
  func changedFiles(since files: FilesRead) -> [String]

  /// What a main file would come to that has this job alone; nothing of it is known to a later load.
  func load(once job: OnceJob) -> LoadedSnapshot

  /// What the labels of a container declare, beside the settings of a main file. They name no file,
  /// no other container, and nothing of this machine.
  func load(
    labelsOf container: LabelledContainer, beside settings: SchedulerSettings
  ) -> LabelledJobs
}

extension SnapshotSource {
  /// None, where labels are not read.
  package func load(
    labelsOf container: LabelledContainer, beside settings: SchedulerSettings
  ) -> LabelledJobs { LabelledJobs() }
}

/// What a source has found.
package struct LoadedSnapshot: Sendable {
  /// The set; nil when there is any error.
  package var snapshot: Snapshot?
  /// All that is wrong or suspicious, in the order of places.
  package var diagnostics: [Diagnostic]
  /// What it was read from.
  package var files: FilesRead
  /// The jobs that lines of files have made: their names are those files' text.
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
  /// Their absolute paths.
  package var paths: [String]
  /// When reading them began, by the clock that stamps files: a later change may not be in the set.
  package let readAt: WallInstant
  /// What was opened at those that could be read. An older file that a renamed folder brings to a
  /// path is told from it by nothing else.
  package let identities: [String: FileIdentity]
  /// How they were when they were read.
  package let stamps: [String: FileStamp]
  /// What patterns matched.
  package let matches: [PatternMatches]
  /// What those of them are that are no jobs files, such as lists.
  package let roles: [String: Set<String>]
  /// The absolute folders in which plugins are looked for.
  package let pluginFolders: [String]
  /// The definitions whose values are lines of files: a hash of what each says.
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

/// What makes two paths one file.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// What a file is told by from another one at its path, and from itself after a change. A copy may
/// have an old time, but not the time at which it was made.
package struct FileStamp: Hashable, Sendable {
  package var identity: FileIdentity
  package var sizeBytes: Int
  /// When it was written last, which anyone may set.
  package var modified: WallInstant
  /// When its contents, name or rights changed last.
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

/// The files that a pattern matched when it was read.
package struct PatternMatches: Hashable, Sendable {
  package var pattern: String
  /// From where it is seen.
  package var folder: String
  /// The absolute paths.
  package var paths: [String]

  package init(pattern: String, folder: String, paths: [String]) {
    self.pattern = pattern
    self.folder = folder
    self.paths = paths
  }
}
