import Glibc
package import TaktCore

/// The plugins in some folders, for commands that look at them without a jobs file.
package struct PluginCatalog {
  /// A plugin, or what is wrong with it.
  package struct Entry: Sendable {
    /// Its name.
    package var name: String
    /// What it says of itself; nil when that is wrong.
    package var manifest: PluginManifest?
    /// What is wrong.
    package var diagnostics: [Diagnostic]
  }

  private let folders: [String]

  /// Looks in these folders, in order; relative ones are seen from the working directory.
  package init(folders: [String]) {
    self.folders = folders.map(FilePath.absolute)
  }

  /// The names of all plugins, sorted.
  package var names: [String] { table().names }

  /// The plugin of the name; nil when there is none.
  package func entry(named name: String) -> Entry? {
    let table = table()
    guard table.contains(name) else { return nil }
    let manifest = table.manifest(named: name)
    return Entry(
      name: name, manifest: manifest, diagnostics: table.log.sorted(files: table.paths))
  }

  private func table() -> PluginTable {
    let table = PluginTable(refusesWritableByOthers: geteuid() == 0)
    table.searchPath = folders
    return table
  }
}
