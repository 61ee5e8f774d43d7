import TaktCore

protocol PluginSource: AnyObject {
  /// The absolute folders that are searched, in order.
  var searchPath: [String] { get }

  /// The names of all plugins, including those with wrong manifests.
  var names: [String] { get }

  func contains(_ name: String) -> Bool

  /// Nil for an unknown name, and for a wrong manifest, which is reported.
  func manifest(named name: String) -> PluginManifest?
}

/// The catalogue's answers, requested once per name however many jobs use it.
final class ActionTable {
  private let catalogue: any ActionCatalogue
  private let plugins: any PluginSource
  private var answers: [String: [ParameterSchema]?] = [:]
  private lazy var catalogueNames = Set(catalogue.actionNames)
  private var isPluginByName: [String: Bool] = [:]
  /// The last name that is no plugin's: many jobs in a row use one action.
  private var lastBuiltIn: String?
  /// The number of lookups of plugins.
  private(set) var pluginUseCount = 0

  /// Built-ins as old as plugins. A plugin may have the name of any other, and keeps its meaning
  /// where that is new.
  private static let old: Set<String> = ["http", "log", "mail", "prune", "signal", "touch"]

  init(_ catalogue: any ActionCatalogue, _ plugins: any PluginSource) {
    self.catalogue = catalogue
    self.plugins = plugins
  }

  /// The hint for a `use` that names neither a built-in nor a plugin.
  func hint(for name: String) -> String {
    if let meant = meant(by: name) { return meant }
    if let nearest = NearestName.of(name, among: catalogue.actionNames + plugins.names) {
      return "did you mean '\(nearest)'?"
    }
    let builtIns = catalogue.actionNames.sorted().joined(separator: ", ")
    return "the built-ins are \(builtIns); plugins are searched for in "
      + plugins.searchPath.joined(separator: ", ")
  }

  /// The hint for a service that a built-in supports, and for a built-in by another tool's name;
  /// nil for any other name.
  private func meant(by name: String) -> String? {
    let small = name.lowercased()
    for action in catalogue.actionNames.sorted() {
      let to = parameters(of: action)?.first { $0.name == "to" }
      if case .choice(let services)? = to?.kind, services.contains(small) {
        return "write \(JobKey.use): \(action), \(JobKey.with): {to: \(small), …}"
      }
    }
    if Self.commands.contains(small) { return "use '\(JobKey.run)' for a command" }
    guard let action = Self.foreignNames[small], catalogueNames.contains(action) else { return nil }
    return "did you mean '\(action)'?"
  }

  private static let commands: Set<String> = [
    "bash", "cmd", "command", "exec", "python", "run", "script", "sh", "shell",
  ]
  private static let foreignNames = [
    "cronitor": "ping", "curl": "http", "docker": "container", "email": "mail",
    "healthcheck": "ping", "podman": "container",
    "healthchecks": "ping", "heartbeat": "ping", "sendmail": "mail", "smtp": "mail",
    "webhook": "http",
  ]

  /// True for any plugin of the name, even a wrong one; most built-ins take precedence.
  func isPlugin(_ name: String) -> Bool {
    if name == lastBuiltIn { return false }
    if catalogueNames.contains(name), Self.old.contains(name) {
      lastBuiltIn = name
      return false
    }
    let answer = isPluginByName[name] ?? plugins.contains(name)
    isPluginByName[name] = answer
    if answer { pluginUseCount += 1 }
    return answer
  }

  /// Names of built-ins that plugins may have, but none has.
  var namesWithoutPlugin: Set<String> {
    Set(isPluginByName.filter { !$0.value && catalogueNames.contains($0.key) }.keys)
  }

  /// Nil if there is none, and if its manifest is wrong, which is reported in its own file.
  func plugin(named name: String) -> PluginManifest? {
    isPlugin(name) ? plugins.manifest(named: name) : nil
  }

  /// The problems of parameters, each of which has the right type.
  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    if let plugin = plugin(named: action) {
      return ParameterBounds.problems(with: parameters, of: plugin.parameters)
    }
    return catalogue.problems(of: action, in: parameters)
  }

  /// The effects of an action of the catalogue on the machine; empty for any other action.
  func traits(of action: Action) -> ActionTraits {
    guard case .use(let name, let parameters) = action else { return [] }
    return catalogue.traits(of: name, with: parameters)
  }

  /// The parameters of an action; nil for an unknown name.
  func parameters(of action: String) -> [ParameterSchema]? {
    if let answer = answers[action] {
      // The answer includes that of the plugin.
      if isPluginByName[action] == true { pluginUseCount += 1 }
      return answer
    }
    let answer =
      plugin(named: action)?.parameters.map(\.schema) ?? catalogue.parameters(of: action)
    answers[action] = .some(answer)
    return answer
  }
}
