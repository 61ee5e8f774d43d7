package import TaktTime

/// Which jobs have metrics of their own, and which.
package struct MetricsSettings: Hashable, Sendable {
  package static let defaultJobs = 1_000

  /// How many jobs have series of their own at most. Default 1,000.
  package var jobs = defaultJobs
  /// Whether these have counters of their runs and slots, their last run and their next slot. Default
  /// no.
  package var hasCounters = false
  /// Whether these have a histogram of how long their runs took. Default no.
  package var hasHistograms = false

  package init() {}

  var words: String { "jobs \(jobs), counters \(hasCounters), histograms \(hasHistograms)" }
}

/// What a jobs file says of the scheduler itself.
package struct SchedulerSettings: Hashable, Sendable {
  /// In which zone times without an offset are read, and times are shown. Default the machine's.
  package var zone: Zone
  /// How many runs may be in progress at once. Default 16.
  package var maxRunning: Int
  /// How long a stop waits for runs in progress before it stops them. Default 30 s.
  package var shutdownGrace: Duration

  /// How many runs of the jobs of a group may be in progress at once, by the group's name.
  package var concurrency: [String: Int] = [:]
  /// The groups whose slots are skipped instead of waiting when all places are taken.
  package var skippingGroups: Set<String> = []

  /// Where takt keeps what outlives it; nil (the default) for `.takt` beside the main file. It counts
  /// at the start.
  package var state: StateFolder?
  package var history = History()
  package var metrics = MetricsSettings()
  /// Where it answers HTTP over TCP; nil (the default) for nowhere. It counts at the start.
  package var http: HTTPSettings?
  /// With which machines it shares its jobs, and how; nil (the default) for none. It counts at the
  /// start.
  package var cluster: ClusterSettings?
  /// The engine of containers; nil (the default) where the file says nothing of it. It counts at the
  /// start.
  package var containers: ContainerAccess?

  /// Whether labels of containers declare jobs.
  package var readsLabels: Bool { containers?.readsLabels == true }

  /// How many conditions are asked for at once at most. No key of the file: fewer where the process
  /// has few descriptors.
  package var conditionsMax = 64
  /// How many runs may be in progress at once at most, whatever the file says. No key of the file: as many
  /// as the process has descriptors for.
  package var runsMax = Int.max

  /// How many runs may be in progress at once unless the file says: as many as the machine has
  /// processors for when most runs wait for something, and with the descriptors that a process has
  /// by default.
  package static func maxRunning(forProcessors count: Int) -> Int { min(128, max(32, 16 * count)) }

  package init(zone: Zone = .utc, maxRunning: Int = 16, shutdownGrace: Duration = .seconds(30)) {
    self.zone = zone
    self.maxRunning = maxRunning
    self.shutdownGrace = shutdownGrace
  }
}
