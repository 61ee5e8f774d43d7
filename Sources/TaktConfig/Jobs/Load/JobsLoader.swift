import Glibc
package import TaktCore
import TaktSystem
package import TaktTime

/// Loads a jobs file and all that it includes.
///
/// Safe from any thread: a load shares nothing with another, and never traps whatever it reads.
package struct JobsLoader: Sendable {
  private let catalogue: any ActionCatalogue
  private let zones: any ZoneSource
  private let accounts: any AccountSource
  private let time: any TimeSource
  private let userID: UInt32
  private let refusesWritableByOthers: Bool
  private let engineAddresses: EngineAddressCheck?
  private let groupProblem: GroupLimitCheck?
  private let bundledPlugins: String?

  /// - Parameters:
  ///   - engineAddresses: checks the connection string of a cluster; nil to check none.
  ///   - groupProblem: says why whole attempts cannot be limited; nil to check nothing.
  ///   - bundledPlugins: the folder of the plugins that are installed with takt, searched last.
  package init(
    catalogue: any ActionCatalogue, zones: any ZoneSource, accounts: any AccountSource,
    time: any TimeSource, engineAddresses: EngineAddressCheck? = nil,
    groupProblem: GroupLimitCheck? = nil, bundledPlugins: String? = nil
  ) {
    // What root runs, nobody else may write.
    self.init(
      catalogue: catalogue, zones: zones, accounts: accounts, time: time, userID: geteuid(),
      refusesWritableByOthers: geteuid() == 0, engineAddresses: engineAddresses,
      groupProblem: groupProblem, bundledPlugins: bundledPlugins)
  }

  package init(
    catalogue: any ActionCatalogue, zones: any ZoneSource, accounts: any AccountSource,
    time: any TimeSource, userID: UInt32, refusesWritableByOthers: Bool,
    engineAddresses: EngineAddressCheck? = nil, groupProblem: GroupLimitCheck? = nil,
    bundledPlugins: String? = nil
  ) {
    self.groupProblem = groupProblem
    self.catalogue = catalogue
    self.zones = zones
    self.accounts = accounts
    self.time = time
    self.userID = userID
    self.refusesWritableByOthers = refusesWritableByOthers
    self.engineAddresses = engineAddresses
    self.bundledPlugins = bundledPlugins
  }

  /// Reads the file at `path` and its includes; it blocks until all are read.
  ///
  /// - Parameters:
  ///   - text: stands for what the file says; nil for the file itself. What it includes is read where
  ///     it stands.
  ///   - reach: the files that may be opened besides, for a text that a client has sent; nil for
  ///     any.
  ///   - memory: what loads of the same file before came to; nil to make all jobs anew. It is not
  ///     used by a thorough load.
  ///   - settings: those of another file, which hold for what is read; nil for the built-in ones.
  ///   - isThorough: whether the programs, folders and files that jobs name are looked for, and what
  ///     does no harm is said, too. A file system that does not answer would keep a daemon waiting.
  package func load(
    path: String, text: [UInt8]? = nil, reach: FileReach? = nil, memory: LoadMemory? = nil,
    within settings: SchedulerSettings? = nil, isThorough: Bool = false
  ) -> LoadedJobs {
    let files = LoadFiles(
      judgesAsRoot: refusesWritableByOthers, reach: reach,
      ownersBefore: memory?.load.owners ?? [:])
    let plugins = PluginTable(files, bundled: bundledPlugins)
    let load = JobsLoad(
      sources: LoadSources(
        actions: ActionTable(catalogue, plugins), zones: ZoneTable(zones),
        now: time.wall, accounts: AccountTable(accounts, userID: userID), files: files,
        machineFiles: isThorough ? MachineFiles() : nil, engineAddresses: engineAddresses,
        groupProblem: groupProblem, last: isThorough ? nil : memory?.load),
      plugins: plugins, memory: isThorough ? nil : memory, settings: settings)
    return load.result(of: path, text: text.map { FileBytes($0) })
  }
}

/// What came of loading a jobs file.
package struct LoadedJobs: Sendable {
  /// What the files say as a whole; nil if and only if `diagnostics` has an error.
  package var snapshot: Snapshot?
  /// Everything that is wrong or doubtful, file by file in the order of their lines.
  package var diagnostics: [Diagnostic]
  /// The absolute paths of all files that were read or tried, the main file first: a change of one
  /// of them asks for a reload.
  package var files: [String]
  /// What was opened at those of them that could be read.
  package var identities: [String: FileIdentity]
  /// How those were when they were read.
  package var stamps: [String: FileStamp]
  /// What include patterns matched.
  package var matches: [PatternMatches]
  /// What those of them are that are no jobs files.
  package var roles: [String: Set<String>]
  /// The absolute paths of all folders in which an include pattern looked for files.
  package var directories: [String]
  /// The absolute folders in which plugins are looked for, in order.
  package var pluginFolders: [String]
  /// The definitions whose values are lines of files: a hash, of this process, of what each says.
  package var families: Set<UInt64>
  /// The jobs that lines of files have made: their names are those files' text.
  package var listedJobs: Set<JobName>
  /// Where takt keeps what outlives it, as far as the files say it rightly.
  package var state: StateFolder
}
