import TaktCore

extension KeyTable {
  package static let plugin: KeyRows = [
    KeyEntry(
      PluginKey.name, .text(allowsEmpty: false), reload: nil,
      "Required. The name for `use:`, and the name of the folder: 1 to 64 lower-case letters, digits "
        + "and `-`, starting with a letter."),
    KeyEntry(
      PluginKey.version, .text(allowsEmpty: false), reload: nil,
      "Required. The plugin's version, for people."),
    KeyEntry(
      PluginKey.protocolVersion, .integer(1...Int.max), reload: nil,
      "Required. The version of the protocol: 1."),
    KeyEntry(PluginKey.summary, .text(allowsEmpty: true), reload: nil, "A description for people."),
    KeyEntry(
      PluginKey.kind, .choice(PluginManifest.Kind.allCases.map(\.rawValue)), default: "`action`",
      reload: nil, "A `notifier` works only in hooks, and gets the facts of the run."),
    KeyEntry(
      PluginKey.exec, .list(.text(allowsEmpty: true)), reload: nil,
      "The program and its arguments; required without `request`. A path with a slash starts at the "
        + "plugin's folder; a name without one is searched for in `PATH`."),
    KeyEntry(
      PluginKey.request, .object(pluginRequest), reload: nil,
      "The HTTP request that takt sends itself, instead of a program."),
    KeyEntry(
      PluginKey.mode, .choice(PluginManifest.Mode.allCases.map(\.rawValue)), default: "`oneshot`",
      reload: nil, "One process for each run (`oneshot`), or one for many (`service`)."),
    KeyEntry(
      PluginKey.timeout, .duration(least: .milliseconds(1)), default: "none", reload: nil,
      "The timeout of runs whose job has none."),
    KeyEntry(
      PluginKey.nagios, .boolean, default: "`false`", reload: nil,
      "Whether exit status and output of a oneshot follow the Nagios conventions."),
    KeyEntry(
      PluginKey.idleStop, .duration(least: .milliseconds(1)), default: "5m", reload: nil,
      "How long a service may be idle before takt ends it."),
    KeyEntry(
      PluginKey.ping, .duration(least: .milliseconds(100)), default: "10s", reload: nil,
      "The interval of health checks of a service, and the time it has to answer one."),
    KeyEntry(
      PluginKey.maxRuns, .integer(1...10_000), default: "1000", reload: nil,
      "The maximum number of runs that a service gets at once. More runs wait."),
    KeyEntry(
      PluginKey.sha256, .text(allowsEmpty: false), reload: nil,
      "The SHA-256 of the program's file. takt does not start a program that differs."),
    KeyEntry(
      PluginKey.parameters, .map(.text, .object(pluginParameter)), reload: nil,
      "The parameters for `with:`, by name."),
  ]

  static let pluginRequest: KeyRows = [
    KeyEntry(
      PluginKey.url, .text(allowsEmpty: false), reload: nil, "Required. The URL, with placeholders."
    ),
    KeyEntry(
      PluginKey.method, .choice(RequestTemplate.methods), default: "`POST`", reload: nil,
      "The method."),
    KeyEntry(
      PluginKey.headers, .map(.text, .text(allowsEmpty: true)), reload: nil,
      "Request headers by name, with placeholders in their values."),
    KeyEntry(
      PluginKey.body, .anything, reload: nil,
      "A mapping or a list, which becomes JSON, or a text; with placeholders."),
    KeyEntry(
      PluginKey.encode, .choice(["json"] + RequestTemplate.Encoding.allCases.map(\.rawValue)),
      default: "`json` for a mapping or a list", reload: nil,
      "How values are written: in a mapping as `json` or `form`, in a text as `form`, `html` or "
        + "`none`."),
  ]

  static let pluginTypes = [
    "string", "integer", "number", "boolean", "duration", "size", "percent", "path", "enum",
    "list", "map",
  ]

  package static let pluginParameter: KeyRows = [
    KeyEntry(
      PluginKey.type, .choice(pluginTypes), reload: nil, "Required. The type of its values."),
    KeyEntry(PluginKey.summary, .text(allowsEmpty: true), reload: nil, "A description for people."),
    KeyEntry(
      PluginKey.required, .boolean, default: "`false`", reload: nil, "Whether it is required."),
    KeyEntry(PluginKey.defaultValue, .anything, reload: nil, "The value if it is omitted."),
    KeyEntry(
      PluginKey.values, .list(.text(allowsEmpty: false)), reload: nil, "The values of an `enum`."),
    KeyEntry(
      PluginKey.of, .choice(pluginTypes.filter { !["list", "map", "enum"].contains($0) }),
      default: "`string`", reload: nil, "The type of the elements of a `list` or `map`."),
    KeyEntry(
      PluginKey.minimum, .anything, reload: nil,
      "The minimum of an `integer`, `number`, `duration`, `size` or `percent`."),
    KeyEntry(PluginKey.maximum, .anything, reload: nil, "The maximum of one of these types."),
    KeyEntry(
      PluginKey.pattern, .pattern, reload: nil,
      "A regular expression that the whole `string` must match."),
    KeyEntry(
      PluginKey.reaches, .choice(ParameterReach.allCases.map(\.rawValue)),
      default: "unknown; `path` for a `path`", reload: nil,
      "What the value leads to. Only a parameter with `nothing` can be opened to triggers over TCP, "
        + "with [`params`](../docs/jobs-file.md#parameters-of-a-trigger) of a job."),
    KeyEntry(
      PluginKey.secret, .boolean, default: "`false`", reload: nil,
      "Whether the value is secret: never shown, and never in the environment."),
  ]
}

enum PluginKey {
  static let name = "name"
  static let version = "version"
  static let protocolVersion = "protocol"
  static let summary = "summary"
  static let kind = "kind"
  static let exec = "exec"
  static let request = Key.request
  static let url = "url"
  static let method = "method"
  static let headers = "headers"
  static let body = "body"
  static let encode = "encode"
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
  static let reaches = "reaches"
}
