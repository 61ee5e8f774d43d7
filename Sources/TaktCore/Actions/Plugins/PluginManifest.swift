/// What a plugin says of itself in its `plugin.yaml`, checked. `plugins/PROTOCOL.md` explains each
/// part.
package struct PluginManifest: Hashable, Sendable {
  /// What a plugin may be used for.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Jobs, steps and hooks.
    case action
    /// Hooks alone: it gets a run's facts.
    case notifier
  }

  package enum Mode: String, CaseIterable, Hashable, Sendable {
    /// A process for each run.
    case oneshot
    /// One process for many runs.
    case service
  }

  /// The version of the protocol that this program speaks.
  package static let protocolVersion = 1

  /// The name that follows `use:`; that of its folder as well.
  package var name: String
  package var version: String
  /// One sentence for people; nil when none was written.
  package var summary: String?
  /// What it may be used for. Default `action`.
  package var kind: Kind
  /// How it is run. Default `oneshot`.
  package var mode: Mode
  /// The program, absolute or to be looked for in `PATH`, and its arguments; empty where the plugin is
  /// a request.
  package var command: [String]
  /// The request that takt sends itself; nil for a plugin with a program.
  package var request: RequestTemplate?
  /// The absolute folder that it stands in.
  package var folder: String
  /// The timeout of a run whose job has none; nil (the default) for none.
  package var timeout: Duration?
  /// Whether exit status and output mean what they mean to Nagios. Default false.
  package var isNagios: Bool
  /// How long a service stays without a run. Default 5 minutes.
  package var idleStop: Duration
  /// How often a service is asked whether it lives. Default 10 seconds.
  package var pingInterval: Duration
  /// How many runs a service gets at once. Default 1000.
  package var runsMax: Int
  /// The SHA-256 that the program must have, in lower-case hexadecimal digits; nil for any.
  package var sha256: String?
  /// What it takes under `with:`, in the manifest's order.
  package var parameters: [BoundedParameter]

  /// How it is run, in a word for people.
  package var way: String { request == nil ? mode.rawValue : "request" }

  package init(name: String, version: String, command: [String], folder: String) {
    self.name = name
    self.version = version
    self.command = command
    self.folder = folder
    kind = .action
    mode = .oneshot
    isNagios = false
    idleStop = .seconds(300)
    pingInterval = .seconds(10)
    runsMax = 1000
    parameters = []
  }
}
