import ArgumentParser
import Glibc
import TaktConfig
import TaktCore
import TaktEngine

struct PluginsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "List, show, check, create and try plugins.",
    discussion: """
      takt looks for plugins in the folders that the jobs file names, by default plugins/ beside it, \
      and then in lib/takt/plugins of its own installation. plugins/PROTOCOL.md describes how to write one.
      """,
    subcommands: [
      PluginListCommand.self, PluginShowCommand.self, PluginCheckCommand.self,
      PluginNewCommand.self, PluginTestCommand.self,
    ])
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
        Console.print("\(padded)  invalid; run: takt plugins check \(name)")
        continue
      }
      let kind = "\(manifest.kind.rawValue), \(manifest.way)"
      Console.print(
        "\(padded)  \(manifest.version)  \(kind)  \(manifest.summary ?? "")".printable)
    }
  }
}

struct PluginCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the manifests of plugins."
  )

  @Argument(help: "The plugins' names. (default: all plugins)")
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
        Console.error("\(name): the SHA-256 of \(program) is \(found), not the one in the manifest")
        isWrong = true
        continue
      }
      Console.print("\(name): ok")
    }
    if isWrong { throw ExitCode.configuration }
  }
}

struct PluginFolders: ParsableArguments {
  @Option(
    help: "The jobs file, which names the plugin folders. (default: jobs.yaml)", completion: .file()
  )
  var file: String?

  @Option(help: "A plugin folder, instead of those in the jobs file. Repeatable.")
  var folder: [String] = []

  var all: [String] {
    if !folder.isEmpty { return folder }
    let path = file ?? "jobs.yaml"
    if file == nil, access(path, F_OK) != 0 {
      return ["plugins"] + [Installation.plugins].compactMap(\.self)
    }
    return JobsFileSource(path: path, catalogue: BuiltinRegistry.standard).pluginFolders
  }

  var catalog: PluginCatalog { PluginCatalog(folders: all) }

  /// Ends the program if a named file or folder does not exist.
  func validate() throws {
    for path in [file].compactMap(\.self) + folder where access(path, F_OK) != 0 {
      throw ValidationError("'\(path)' does not exist.")
    }
  }

  /// Ends the program if there is no such plugin.
  func entry(named name: String) throws -> PluginCatalog.Entry {
    if let entry = catalog.entry(named: name) { return entry }
    let nearest = NearestName.of(name, among: catalog.names)
    Console.error(
      "takt: there is no plugin '\(name)' in \(all.joined(separator: ", "))"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    throw ExitCode.usage
  }
}
