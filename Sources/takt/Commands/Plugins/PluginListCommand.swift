import ArgumentParser
import TaktConfig
import TaktCore

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
        "\(padded)  \(manifest.version)  \(kind)  \(manifest.summary ?? "")".printable)
    }
  }
}
