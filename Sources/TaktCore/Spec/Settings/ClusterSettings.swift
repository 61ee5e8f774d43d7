import TaktTime

/// What a jobs file says of the machines that share its jobs.
package struct ClusterSettings: Hashable, Sendable {
  /// Where claims are kept.
  package enum Engine: Hashable, Sendable {
    /// A PostgreSQL database, by a connection string of libpq: a URL or `key=value` words. Empty for
    /// what libpq's own environment says.
    case postgres(url: String)
    case etcd(EtcdSettings)
  }

  /// What takt does when it cannot join at its start for a reason that waiting does not mend.
  package enum Start: String, CaseIterable, Hashable, Sendable {
    /// It does not start.
    case refuse
    /// It starts, and its shared jobs wait.
    case degrade
  }

  package var engine: Engine
  /// Which of the clusters in one database or etcd. Default `default`.
  package var name: String
  /// How long a machine that is not heard of counts as alive. Default 15 s.
  package var lease: Duration
  /// What this machine is called. Nil (the default) for its host name.
  package var machine: String?
  /// What jobs with `machines: {…}` look for. Default none.
  package var labels: [String: String]
  package var start: Start
  /// Where other machines reach this one's API; nil (the default) for what `http` says.
  package var api: APIAddress?
  /// The file with the token that reads the APIs of all machines: an absolute path. Default none.
  package var apiTokenFile: String?
  /// The same for the token that may do everything.
  package var apiWriteTokenFile: String?

  package static let defaultLease = Duration.seconds(15)
  package static let leaseMin = Duration.seconds(3)
  package static let leaseMax = Duration.seconds(300)

  package init(
    engine: Engine, name: String = "default", lease: Duration = Self.defaultLease,
    machine: String? = nil, labels: [String: String] = [:], start: Start = .refuse,
    api: APIAddress? = nil, apiTokenFile: String? = nil, apiWriteTokenFile: String? = nil
  ) {
    self.engine = engine
    self.name = name
    self.lease = lease
    self.machine = machine
    self.labels = labels
    self.start = start
    self.api = api
    self.apiTokenFile = apiTokenFile
    self.apiWriteTokenFile = apiWriteTokenFile
  }

  package var engineName: String {
    switch engine {
    case .postgres: "postgres"
    case .etcd: "etcd"
    }
  }

  /// Without where the engine is, since a password may be in that.
  var words: String {
    let machineName = machine ?? "host name"
    let found = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return
      (["\(engineName) \(name)", "lease \(DurationText.format(lease))", "machine \(machineName)"]
      + (found.isEmpty ? [] : ["labels \(found.joined(separator: " "))"])
      + ["start \(start.rawValue)"] + (api.map { ["API at \($0)"] } ?? [])
      + (apiTokenFile.map { ["token in \($0)"] } ?? [])
      + (apiWriteTokenFile.map { ["token that may write in \($0)"] } ?? [])).joined(separator: ", ")
  }
}

/// On which machines of a cluster a job runs.
package enum JobMachines: Hashable, Sendable {
  /// Each slot on one of them.
  case one
  /// Each slot on each of them.
  case each
  /// Each slot on one of those that have all of these labels.
  case labelled([String: String])

  /// `one`, `each` or `site=east, disk=fast`
  package var words: String {
    switch self {
    case .one: "one"
    case .each: "each"
    case .labelled(let labels):
      labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }
  }

  /// Whether a machine with these labels is one of them.
  package func includes(_ labels: [String: String]) -> Bool {
    guard case .labelled(let wanted) = self else { return true }
    return wanted.allSatisfy { labels[$0.key] == $0.value }
  }
}

/// What becomes of a shared slot while the engine cannot be reached.
package enum PartitionPolicy: String, CaseIterable, Hashable, Sendable {
  /// It waits: run once, perhaps late.
  case wait
  /// It runs without a claim when its window is over: in time, perhaps on several machines.
  case run
}

/// What becomes of a run whose machine has lost its lease.
package enum LeaseLostPolicy: String, CaseIterable, Hashable, Sendable {
  /// It is stopped, since another machine may take its slot over.
  case stop
  /// It goes on.
  case finish
}
