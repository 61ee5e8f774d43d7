package import TaktCore

/// What came of loading a jobs file.
package struct LoadedJobs: Sendable {
  /// What the files say as a whole; nil if and only if `diagnostics` has an error.
  package var snapshot: Snapshot?
  /// Everything that is wrong or doubtful, file by file in the order of their lines.
  package var diagnostics: [Diagnostic]
  /// The absolute paths of all files that were read or tried, the main file first: a change of one
  /// of them asks for a reload.
  package var files: [String]
  /// The absolute paths of all folders in which an include pattern looked for files.
  package var directories: [String]
  /// The absolute folders in which plugins are looked for, in order.
  package var pluginFolders: [String]
  /// Where takt keeps what outlives it, as far as the files say it rightly.
  package var state: StateFolder
}
