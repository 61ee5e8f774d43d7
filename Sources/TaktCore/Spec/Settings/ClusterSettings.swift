import TaktTime

/// The cluster's settings in a jobs file.
package struct ClusterSettings: Hashable, Sendable {
  package enum Engine: Hashable, Sendable {
    /// A PostgreSQL database, by a connection string of libpq: a URL or `key=value` words. Empty
    /// for the settings of libpq's own environment.
    case postgres(url: String)
    case etcd(EtcdSettings)
  }

  /// The behavior if takt cannot join at its start for a reason that waiting does not fix.
  package enum Start: String, CaseIterable, Hashable, Sendable {
    /// It does not start.
    case refuse
    /// It starts, and its shared jobs wait.
    case degrade
  }

  package var engine: Engine
  /// The name of the cluster within its database or etcd. Default `default`.
  package var name: String
  /// The time without a sign of life after which a machine counts as lost. Default 15 s.
  package var lease: Duration
  /// The name of this machine. Nil (the default) for its host name.
  package var machine: String?
  /// The labels of this machine, for jobs with `machines: {…}`. Default none.
  package var labels: [String: String]
  package var start: Start
  /// The address of this machine's API for others; nil (the default) for that of `http`.
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

  /// Without the engine's address, since a password may be in it.
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

  package func includes(_ labels: [String: String]) -> Bool {
    guard case .labelled(let wanted) = self else { return true }
    return wanted.allSatisfy { labels[$0.key] == $0.value }
  }
}

/// The treatment of a shared slot while the engine cannot be reached.
package enum PartitionPolicy: String, CaseIterable, Hashable, Sendable {
  /// It waits: run once, perhaps late.
  case wait
  /// It runs without a claim when its window is over: in time, perhaps on several machines.
  case run
}

/// The treatment of a run whose machine has lost its lease.
package enum LeaseLostPolicy: String, CaseIterable, Hashable, Sendable {
  /// It is stopped, since another machine may take over its slot.
  case stop
  case finish
}
