import Glibc
package import TaktCore
import TaktSystem

/// The files that a text from a client may open: those of the running set of jobs, as they were at
/// its load, and the manifests of its plugins.
package struct FileReach: Sendable {
  static let manifestName = "plugin.yaml"

  /// The roles of files that are read for their jobs.
  static let jobsFiles: Set = [
    FileTrust.Kind.jobsFile.rawValue, FileTrust.Kind.include.rawValue,
  ]

  private let identities: [String: FileIdentity]
  private let roles: [String: Set<String>]
  private let pluginFolders: Set<String>
  private let families: Set<UInt64>

  /// - Parameters:
  ///   - identities: the files that were read, by absolute path.
  ///   - roles: the roles of files that are no jobs files. An `env_file` read as a list would show
  ///     its lines through diagnostics.
  ///   - pluginFolders: the absolute folders of its plugins.
  ///   - families: the definitions that use lines of files: a hash of each.
  ///   - state: the state folder, of which nothing is opened.
  package init(
    identities: [String: FileIdentity], roles: [String: Set<String>], pluginFolders: [String],
    families: Set<UInt64>, state: String?
  ) {
    self.roles = roles
    self.families = families
    let own = state.map { $0 + "/" }
    self.identities = identities.filter { path, _ in !(own.map(path.hasPrefix) ?? false) }
    self.pluginFolders = Set(pluginFolders)
  }

  func check(_ path: String, as row: FileTrust) throws(FileProblem) {
    if identities[path] != nil, (roles[path] ?? Self.jobsFiles).contains(row.kind.rawValue) {
      return
    }
    guard row.kind == .manifest, isManifest(path) else { throw .beyondReach }
  }

  /// Throws unless the open file is the one that was loaded.
  func check(_ identity: FileIdentity, of path: String) throws(FileProblem) {
    guard identities[path] == identity || isManifest(path) else { throw .beyondReach }
  }

  func has(family number: UInt64) -> Bool { families.contains(number) }

  func hasPlugins(in folder: String) -> Bool { pluginFolders.contains(folder) }

  private func isManifest(_ path: String) -> Bool {
    let folder = FilePath.folder(of: FilePath.folder(of: path))
    return path.hasSuffix("/\(Self.manifestName)") && pluginFolders.contains(folder)
  }

  /// The files among them that match an absolute pattern, sorted by their bytes.
  func matches(of pattern: String) -> [String] {
    identities.keys.filter { fnmatch(pattern, $0, FNM_PERIOD | FNM_PATHNAME) == 0 }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
