/// A checked `plugin.yaml`. `plugins/PROTOCOL.md` explains each part.
package struct PluginManifest: Hashable, Sendable {
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

  /// The name after `use:`, and of its folder.
  package var name: String
  package var version: String
  /// One sentence; nil if the manifest has none.
  package var summary: String?
  /// Default `action`.
  package var kind: Kind
  /// Default `oneshot`.
  package var mode: Mode
  /// The program, absolute or searched for in `PATH`, and its arguments; empty if the plugin is a
  /// request.
  package var command: [String]
  /// The request that takt sends itself; nil for a plugin with a program.
  package var request: RequestTemplate?
  /// Absolute.
  package var folder: String
  /// The timeout of a run whose job has none; nil (the default) for none.
  package var timeout: Duration?
  /// True if exit status and output have the meaning that they have to Nagios. Default false.
  package var isNagios: Bool
  /// The time after the last run until a service is stopped. Default 5 minutes.
  package var idleStop: Duration
  /// The time between checks that a service is alive. Default 10 seconds.
  package var pingInterval: Duration
  /// The most runs that a service gets at once. Default 1000.
  package var runsMax: Int
  /// The SHA-256 that the program must have, in lower-case hexadecimal digits; nil for any.
  package var sha256: String?
  /// The parameters under `with:`, in the manifest's order.
  package var parameters: [BoundedParameter]

  /// In a word for people.
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
