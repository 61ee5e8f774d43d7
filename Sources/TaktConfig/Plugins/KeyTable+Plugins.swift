import TaktCore

extension KeyTable {
  /// The keys of `plugin.yaml`.
  package static let plugin: KeyRows = [
    KeyEntry(
      PluginKey.name, .text(allowsEmpty: false), reload: nil,
      "What `use:` says: 1 to 64 lower-case letters, digits and `-`, a letter first; the folder's "
        + "name as well."),
    KeyEntry(
      PluginKey.version, .text(allowsEmpty: false), reload: nil, "Shown, and told in the log."),
    KeyEntry(
      PluginKey.protocolVersion, .integer(1...Int.max), reload: nil,
      "The version of the protocol: 1."),
    KeyEntry(PluginKey.summary, .text(allowsEmpty: true), reload: nil, "A sentence for people."),
    KeyEntry(
      PluginKey.kind, .choice(PluginManifest.Kind.allCases.map(\.rawValue)), default: "`action`",
      reload: nil, "A `notifier` may be used in hooks alone, and gets the run's facts."),
    KeyEntry(
      PluginKey.exec, .list(.text(allowsEmpty: true)), reload: nil,
      "The program and its arguments; with a slash it is seen from the plugin's folder, without "
        + "one it is looked for in `PATH`."),
    KeyEntry(
      PluginKey.mode, .choice(PluginManifest.Mode.allCases.map(\.rawValue)), default: "`oneshot`",
      reload: nil, "A process for each run, or one for many."),
    KeyEntry(
      PluginKey.timeout, .duration(least: .milliseconds(1)), default: "none", reload: nil,
      "The timeout of a run whose job has none."),
    KeyEntry(
      PluginKey.nagios, .boolean, default: "`false`", reload: nil,
      "Whether exit status and output of a oneshot mean what they mean to Nagios."),
    KeyEntry(
      PluginKey.idleStop, .duration(least: .milliseconds(1)), default: "5m", reload: nil,
      "After how long without a run a service is ended."),
    KeyEntry(
      PluginKey.ping, .duration(least: .milliseconds(100)), default: "10s", reload: nil,
      "How often a service is asked whether it lives, and how long it has to answer."),
    KeyEntry(
      PluginKey.maxRuns, .integer(1...10_000), default: "1000", reload: nil,
      "How many runs a service gets at once; more wait."),
    KeyEntry(
      PluginKey.sha256, .text(allowsEmpty: false), reload: nil,
      "The SHA-256 of the program's file; a run whose program differs does not start."),
    KeyEntry(
      PluginKey.parameters, .map(.text, .object(pluginParameter)), reload: nil,
      "What may stand under `with:`, by name."),
  ]

  static let pluginTypes = [
    "string", "integer", "number", "boolean", "duration", "size", "percent", "path", "enum",
    "list", "map",
  ]

  package static let pluginParameter: KeyRows = [
    KeyEntry(PluginKey.type, .choice(pluginTypes), reload: nil, "What values it has."),
    KeyEntry(PluginKey.summary, .text(allowsEmpty: true), reload: nil, "A sentence for people."),
    KeyEntry(
      PluginKey.required, .boolean, default: "`false`", reload: nil, "Whether it must be given."),
    KeyEntry(PluginKey.defaultValue, .anything, reload: nil, "What stands in when it is left out."),
    KeyEntry(
      PluginKey.values, .list(.text(allowsEmpty: false)), reload: nil, "Of an `enum`: its words."),
    KeyEntry(
      PluginKey.of, .choice(pluginTypes.filter { !["list", "map", "enum"].contains($0) }),
      default: "`string`", reload: nil, "Of a `list` or `map`: the type of its elements."),
    KeyEntry(
      PluginKey.minimum, .anything, reload: nil,
      "The least value of an `integer`, `number`, `duration`, `size` or `percent`."),
    KeyEntry(PluginKey.maximum, .anything, reload: nil, "The greatest value of one of these."),
    KeyEntry(
      PluginKey.pattern, .pattern, reload: nil,
      "A regular expression that all of a `string` must match."),
    KeyEntry(
      PluginKey.secret, .boolean, default: "`false`", reload: nil,
      "Whether the value is never shown, and never in the environment."),
  ]
}

/// The keys of a plugin's manifest, as they are written.
enum PluginKey {
  static let name = "name"
  static let version = "version"
  static let protocolVersion = "protocol"
  static let summary = "summary"
  static let kind = "kind"
  static let exec = "exec"
  static let mode = "mode"
  static let timeout = "timeout"
  static let nagios = "nagios"
  static let idleStop = "idle_stop"
  static let ping = "ping"
  static let maxRuns = "max_runs"
  static let sha256 = "sha256"
  static let parameters = "parameters"
  static let type = "type"
  static let required = "required"
  static let defaultValue = "default"
  static let values = "values"
  static let of = "of"
  static let minimum = "minimum"
  static let maximum = "maximum"
  static let pattern = "pattern"
  static let secret = "secret"
}
