/// What a plugin says of itself in its `plugin.yaml`, checked. `plugins/PROTOCOL.md` explains each
/// part.
public struct PluginManifest: Hashable, Sendable {
  /// What a plugin may be used for.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Jobs, steps and hooks.
    case action
    /// Hooks alone: it gets a run's facts.
    case notifier
  }

  /// How it is run.
  public enum Mode: String, CaseIterable, Hashable, Sendable {
    /// A process for each run.
    case oneshot
    /// One process for many runs.
    case service
  }

  /// The version of the protocol that this program speaks.
  public static let protocolVersion = 1

  /// The name that follows `use:`; that of its folder as well.
  public var name: String
  /// Its version, for people.
  public var version: String
  /// One sentence for people; nil when none was written.
  public var summary: String?
  /// What it may be used for. Default `action`.
  public var kind: Kind
  /// How it is run. Default `oneshot`.
  public var mode: Mode
  /// The program, absolute or to be looked for in `PATH`, and its arguments; never empty.
  public var command: [String]
  /// The absolute folder that it stands in.
  public var folder: String
  /// The timeout of a run whose job has none; nil (the default) for none.
  public var timeout: Duration?
  /// Whether exit status and output mean what they mean to Nagios. Default false.
  public var isNagios: Bool
  /// How long a service stays without a run. Default 5 minutes.
  public var idleStop: Duration
  /// How often a service is asked whether it lives. Default 10 seconds.
  public var pingInterval: Duration
  /// How many runs a service gets at once. Default 1000.
  public var runsMax: Int
  /// The SHA-256 that the program must have, in lower-case hexadecimal digits; nil for any.
  public var sha256: String?
  /// What it takes under `with:`, in the manifest's order.
  public var parameters: [PluginParameter]

  /// A plugin with the defaults of a manifest that says no more.
  public init(name: String, version: String, command: [String], folder: String) {
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
