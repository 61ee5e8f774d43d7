import Glibc
package import TaktCore
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

  /// Checks files against what `catalogue` offers, in the zones that `zones` knows, for the users
  /// and groups that `accounts` knows.
  package init(
    catalogue: any ActionCatalogue, zones: any ZoneSource, accounts: any AccountSource
  ) {
    // What root runs, nobody else may write.
    self.init(
      catalogue: catalogue, zones: zones, accounts: accounts, userID: geteuid(),
      refusesWritableByOthers: geteuid() == 0)
  }

  /// Reads the clock from `time`, so that one text always takes the same steps.
  package init(
    catalogue: any ActionCatalogue, zones: any ZoneSource, accounts: any AccountSource,
    time: any TimeSource = SystemTimeSource(), userID: UInt32, refusesWritableByOthers: Bool
  ) {
    self.catalogue = catalogue
    self.zones = zones
    self.accounts = accounts
    self.time = time
    self.userID = userID
    self.refusesWritableByOthers = refusesWritableByOthers
  }

  /// Reads the file at `path` and its includes; it blocks until all are read.
  ///
  /// - Parameter text: stands for what the file says; nil for the file itself. What it includes is
  ///   read where it stands.
  package func load(path: String, text: [UInt8]? = nil) -> LoadedJobs {
    let plugins = PluginTable(refusesWritableByOthers: refusesWritableByOthers)
    let load = JobsLoad(
      sources: LoadSources(
        actions: ActionTable(catalogue, plugins), zones: ZoneTable(zones),
        now: time.wall,
        accounts: AccountTable(accounts, userID: userID),
        environmentFiles: EnvironmentFiles(refusesWritableByOthers: refusesWritableByOthers),
        plugins: plugins),
      refusesWritableByOthers: refusesWritableByOthers)
    return load.result(of: path, text: text.map { FileBytes($0) })
  }
}
