import ArgumentParser
import TaktConfig
import TaktCore
import TaktEngine

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
