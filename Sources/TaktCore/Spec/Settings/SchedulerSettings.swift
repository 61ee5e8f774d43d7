package import TaktTime

/// The jobs that have metrics of their own, and their kinds.
package struct MetricsSettings: Hashable, Sendable {
  package static let defaultJobs = 1_000

  /// The most jobs that have series of their own. Default 1,000.
  package var jobs = defaultJobs
  /// True if these have counters of their runs and slots, their last run and their next slot.
  /// Default no.
  package var hasCounters = false
  /// True if these have a histogram of their runs' times. Default no.
  package var hasHistograms = false

  package init() {}

  var words: String { "jobs \(jobs), counters \(hasCounters), histograms \(hasHistograms)" }
}

/// The scheduler's own settings in a jobs file.
package struct SchedulerSettings: Hashable, Sendable {
  /// The zone in which times without an offset are read, and times are shown. Default the
  /// machine's.
  package var zone: Zone
  /// The most runs in progress at once. Default 16.
  package var maxRunning: Int
  /// The time that a stop waits for runs in progress before it stops them. Default 30 s.
  package var shutdownGrace: Duration

  /// The most runs in progress at once of the jobs of a group, by the group's name.
  package var concurrency: [String: Int] = [:]
  /// The groups whose slots are skipped instead of waiting when all places are taken.
  package var skippingGroups: Set<String> = []

  /// The place of takt's state; nil (the default) for `.takt` next to the main file. Takes effect
  /// at the start only.
  package var state: StateFolder?
  package var history = History()
  package var metrics = MetricsSettings()
  /// The HTTP server over TCP; nil (the default) for none. Takes effect at the start only.
  package var http: HTTPSettings?
  /// The machines with which it shares its jobs; nil (the default) for none. Takes effect at the
  /// start only.
  package var cluster: ClusterSettings?
  /// The engine of containers; nil (the default) if the file has none. Takes effect at the start
  /// only.
  package var containers: ContainerAccess?

  package var readsLabels: Bool { containers?.readsLabels == true }

  /// The most conditions in progress at once. Not a key of the file: fewer if the process has few
  /// descriptors.
  package var conditionsMax = 64
  /// The most runs in progress at once, whatever the file sets. Not a key of the file: as many as
  /// the process has descriptors for.
  package var runsMax = Int.max

  /// The most runs in progress at once unless the file sets it: as many as the machine has
  /// processors for when most runs wait for something, and with the descriptors that a process has
  /// by default.
  package static func maxRunning(forProcessors count: Int) -> Int { min(128, max(32, 16 * count)) }

  package init(zone: Zone = .utc, maxRunning: Int = 16, shutdownGrace: Duration = .seconds(30)) {
    self.zone = zone
    self.maxRunning = maxRunning
    self.shutdownGrace = shutdownGrace
  }
}
