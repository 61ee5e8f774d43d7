import ArgumentParser
import Glibc
import TaktConfig
import TaktCore
import TaktEngine

struct PluginsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "List, show, check, make and try plugins.",
    discussion: """
      Plugins are looked for where the jobs file says, by default in plugins/ beside it. \
      plugins/PROTOCOL.md says how one is written.
      """,
    subcommands: [
      PluginListCommand.self, PluginShowCommand.self, PluginCheckCommand.self,
      PluginNewCommand.self, PluginTestCommand.self,
    ])
}

/// Where plugins are looked for.
struct PluginFolders: ParsableArguments {
  @Option(help: "The jobs file that says where plugins are.", completion: .file())
  var file = "jobs.yaml"

  @Option(help: "A folder of plugins, in place of those of the jobs file; may be given again.")
  var folder: [String] = []

  /// The folders, in order.
  var all: [String] {
    if !folder.isEmpty { return folder }
    guard access(file, F_OK) == 0 else { return ["plugins"] }
    return JobsFileSource(path: file, catalogue: BuiltinRegistry.standard).pluginFolders
  }

  var catalog: PluginCatalog { PluginCatalog(folders: all) }

  /// The plugin of a name; ends the program when there is none.
  func entry(named name: String) throws -> PluginCatalog.Entry {
    if let entry = catalog.entry(named: name) { return entry }
    let nearest = NearestName.of(name, among: catalog.names)
    Console.error(
      "takt: there is no plugin '\(name)' in \(all.joined(separator: ", "))"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    throw ExitCode.usage
  }
}

struct PluginListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all plugins.")

  @OptionGroup var folders: PluginFolders

  func run() throws {
    let catalog = folders.catalog
    let names = catalog.names
    guard !names.isEmpty else {
      Console.error("takt: there are no plugins in \(folders.all.joined(separator: ", "))")
      return
    }
    let width = names.map(\.count).max() ?? 0
    for name in names {
      let padded = name + String(repeating: " ", count: width - name.count)
      guard let manifest = catalog.entry(named: name)?.manifest else {
        Console.print("\(padded)  wrong: takt plugins check \(name)")
        continue
      }
      let kind = "\(manifest.kind.rawValue), \(manifest.mode.rawValue)"
      Console.print(
        "\(padded)  \(manifest.version)  \(kind)  \(manifest.summary ?? "")")
    }
  }
}

struct PluginShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what a plugin is and takes.")

  @Argument(help: "The plugin's name.")
  var name: String

  @OptionGroup var folders: PluginFolders

  func run() throws {
    let entry = try folders.entry(named: name)
    for diagnostic in entry.diagnostics { Console.error(diagnostic.text) }
    guard let manifest = entry.manifest else { throw ExitCode.configuration }
    Console.print("\(manifest.name) \(manifest.version)")
    if let summary = manifest.summary { Console.print(summary) }
    Console.print("")
    Console.print("kind      \(manifest.kind.rawValue)")
    Console.print("mode      \(manifest.mode.rawValue)")
    Console.print("program   \(manifest.command.joined(separator: " "))")
    if let timeout = manifest.timeout {
      Console.print("timeout   \(DurationText.format(timeout))")
    }
    guard !manifest.parameters.isEmpty else { return }
    Console.print("")
    let width = manifest.parameters.map(\.schema.name.count).max() ?? 0
    for parameter in manifest.parameters {
      let name = parameter.schema.name
      let padded = name + String(repeating: " ", count: width - name.count)
      Console.print("\(padded)  \(parameter.phrase)")
    }
  }
}

struct PluginCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the manifests of plugins: of all, unless some are named."
  )

  @Argument(help: "Names of plugins.")
  var names: [String] = []

  @OptionGroup var folders: PluginFolders

  func run() throws {
    let all = names.isEmpty ? folders.catalog.names : names
    var isWrong = false
    for name in all {
      let entry = try folders.entry(named: name)
      for diagnostic in entry.diagnostics { Console.error(diagnostic.text) }
      guard let manifest = entry.manifest else {
        isWrong = true
        continue
      }
      if let wanted = manifest.sha256, let program = manifest.command.first,
        let found = PluginDigest.ofFile(program), found != wanted
      {
        Console.error("\(name): the SHA-256 of \(program) is \(found), not that of the manifest")
        isWrong = true
        continue
      }
      Console.print("\(name): ok")
    }
    if isWrong { throw ExitCode.configuration }
  }
}

extension PluginParameter {
  /// `duration, default 10s: how long to wait`
  fileprivate var phrase: String {
    var parts = [schema.kind.word]
    if schema.isRequired { parts.append("must be given") }
    if schema.isSecret { parts.append("secret") }
    if let value = schema.defaultValue, !schema.isSecret {
      parts.append("default \(value.shown(as: schema.kind))")
    }
    return parts.joined(separator: ", ") + (schema.summary.isEmpty ? "" : ": \(schema.summary)")
  }
}

extension ParameterSchema.Kind {
  fileprivate var word: String {
    switch self {
    case .string: "string"
    case .choice(let words): words.joined(separator: " | ")
    case .path: "path"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .duration: "duration"
    case .size: "size"
    case .percent: "percent"
    case .list(let kind): "list of \(kind.word)"
    case .map(let kind): "map of \(kind.word)"
    }
  }
}

extension ParameterValue {
  fileprivate func shown(as kind: ParameterSchema.Kind) -> String {
    switch self {
    case .string(let text): text.isEmpty ? "''" : text
    case .integer(let number): if case .size = kind { "\(number)B" } else { "\(number)" }
    case .number(let number):
      (number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)")
        + (kind == .percent ? "%" : "")
    case .boolean(let flag): "\(flag)"
    case .duration(let duration): DurationText.format(duration)
    case .list(let items):
      "[" + items.map { $0.shown(as: .string) }.joined(separator: ", ") + "]"
    case .map(let entries):
      "{"
        + entries.sorted { $0.key < $1.key }
        .map { "\($0.key): \($0.value.shown(as: .string))" }.joined(separator: ", ") + "}"
    }
  }
}
