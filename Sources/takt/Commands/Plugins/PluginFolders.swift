import ArgumentParser
import Glibc
import TaktConfig
import TaktCore
import TaktEngine

/// Where plugins are looked for.
struct PluginFolders: ParsableArguments {
  @Option(
    help: "The jobs file that says where plugins are. (default: jobs.yaml)", completion: .file())
  var file: String?

  @Option(help: "A folder of plugins, in place of those of the jobs file; may be given again.")
  var folder: [String] = []

  /// The folders, in order.
  var all: [String] {
    if !folder.isEmpty { return folder }
    let path = file ?? "jobs.yaml"
    if file == nil, access(path, F_OK) != 0 { return ["plugins"] }
    return JobsFileSource(path: path, catalogue: BuiltinRegistry.standard).pluginFolders
  }

  var catalog: PluginCatalog { PluginCatalog(folders: all) }

  /// Ends the program when a file or folder that is named is not there.
  func validate() throws {
    for path in [file].compactMap(\.self) + folder where access(path, F_OK) != 0 {
      throw ValidationError("'\(path)' is not there.")
    }
  }

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
