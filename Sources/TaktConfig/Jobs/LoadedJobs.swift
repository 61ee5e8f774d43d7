import TaktCore

/// What came of loading a jobs file.
public struct LoadedJobs: Sendable {
  /// What the files say as a whole; nil if and only if `diagnostics` has an error.
  public var snapshot: Snapshot?
  /// Everything that is wrong or doubtful, file by file in the order of their lines.
  public var diagnostics: [Diagnostic]
  /// The absolute paths of all files that were read or tried, the main file first: a change of one
  /// of them asks for a reload.
  public var files: [String]
  /// The absolute paths of all folders in which an include pattern looked for files.
  public var directories: [String]
  /// The absolute folders in which plugins are looked for, in order.
  public var pluginFolders: [String]
  /// Where takt keeps what outlives it, as far as the files say it rightly.
  public var state: StateFolder
}
