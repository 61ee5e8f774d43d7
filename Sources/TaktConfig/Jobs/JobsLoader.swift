import Glibc
import TaktCore

/// Loads a jobs file and all that it includes.
///
/// Safe from any thread: a load shares nothing with another, and never traps whatever it reads.
public struct JobsLoader: Sendable {
  private let catalogue: any ActionCatalogue
  private let zones: any ZoneSource
  private let refusesWritableByOthers: Bool

  /// Checks files against what `catalogue` offers, in the zones that `zones` knows.
  public init(catalogue: any ActionCatalogue, zones: any ZoneSource) {
    // What root runs, nobody else may write.
    self.init(catalogue: catalogue, zones: zones, refusesWritableByOthers: geteuid() == 0)
  }

  init(
    catalogue: any ActionCatalogue, zones: any ZoneSource, refusesWritableByOthers: Bool
  ) {
    self.catalogue = catalogue
    self.zones = zones
    self.refusesWritableByOthers = refusesWritableByOthers
  }

  /// Reads the file at `path` and its includes; it blocks until all are read.
  public func load(path: String) -> LoadedJobs {
    let load = JobsLoad(
      actions: ActionTable(catalogue), zones: zones,
      refusesWritableByOthers: refusesWritableByOthers)
    return load.result(of: path)
  }
}
