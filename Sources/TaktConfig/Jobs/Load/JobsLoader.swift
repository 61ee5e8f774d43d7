import Glibc
package import TaktCore
import TaktSystem
package import TaktTime

/// Loads a jobs file and all that it includes.
///
/// Safe from any thread: loads share nothing, and no input traps.
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
  ///   - groupProblem: returns the reason why whole attempts cannot be limited; nil to check
  ///     nothing.
  ///   - bundledPlugins: the folder of the plugins that are installed with takt, searched last.
  package init(
    catalogue: any ActionCatalogue, zones: any ZoneSource, accounts: any AccountSource,
    time: any TimeSource, engineAddresses: EngineAddressCheck? = nil,
    groupProblem: GroupLimitCheck? = nil, bundledPlugins: String? = nil
  ) {
    // No other user may write files that root runs.
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
  ///   - text: replaces the content of the file; nil for the file itself. Its includes are read
  ///     from their own files.
  ///   - reach: the files that may be opened besides, for a text from a client; nil for any.
  ///   - memory: the results of previous loads of the same file; nil to make all jobs again. A
  ///     thorough load does not use it.
  ///   - settings: those of another file, which apply here; nil for the built-in ones.
  ///   - isThorough: true to look for the programs, folders and files that jobs name, and to report
  ///     harmless mistakes, too. A file system that does not answer would delay a daemon.
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

package struct LoadedJobs: Sendable {
  /// The content of all files; nil if and only if `diagnostics` has an error.
  package var snapshot: Snapshot?
  /// All errors and warnings, file by file in the order of their lines.
  package var diagnostics: [Diagnostic]
  /// The absolute paths of all files that were read or tried, the main file first: a change of one
  /// of them requires a reload.
  package var files: [String]
  /// The identities of those that could be read.
  package var identities: [String: FileIdentity]
  /// The stamps of those when they were read.
  package var stamps: [String: FileStamp]
  package var matches: [PatternMatches]
  /// The roles of those that are no jobs files.
  package var roles: [String: Set<String>]
  /// The absolute paths of all folders that include patterns searched.
  package var directories: [String]
  /// The absolute folders that are searched for plugins, in order.
  package var pluginFolders: [String]
  /// The definitions whose values are lines of files: a hash of each, for this process.
  package var families: Set<UInt64>
  /// The jobs made from lines of files: their names are those files' text.
  package var listedJobs: Set<JobName>
  /// The place of takt's state, as far as the files set it correctly.
  package var state: StateFolder
}
