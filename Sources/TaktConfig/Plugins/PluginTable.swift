import Glibc
import TaktCore

/// The plugins that a load finds, each manifest read once, when a job names it.
final class PluginTable {
  /// The name of the manifest in its folder.
  static let manifestName = "plugin.yaml"
  /// The folder beside the jobs file where plugins are looked for unless it says otherwise.
  static let defaultFolder = "plugins"
  /// The most bytes that a manifest may have.
  private static let sizeBound = 1 << 20

  /// The absolute folders in which plugins are looked for, in order.
  var searchPath: [String] = []
  /// Manifests that were read or tried, in order.
  private(set) var paths: [String] = []
  /// What is wrong in them.
  private(set) var log = ProblemLog()

  private let reader: FileReader
  private let folderRights: FolderRights
  private var answers: [String: PluginManifest?] = [:]

  init(refusesWritableByOthers: Bool) {
    folderRights = FolderRights(isChecking: refusesWritableByOthers)
    reader = FileReader(
      bound: Self.sizeBound, refusesWritableByOthers: refusesWritableByOthers)
  }

  /// The names of all plugins that there are, whether their manifests are right or not.
  var names: [String] {
    var result: Set<String> = []
    for folder in searchPath {
      guard let list = opendir(folder) else { continue }
      defer { closedir(list) }
      while let entry = readdir(list) {
        // The kernel ends the name with a NUL within the field.
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        let manifest = "\(folder)/\(name)/\(Self.manifestName)"
        if !name.hasPrefix("."), access(manifest, F_OK) == 0 { result.insert(name) }
      }
    }
    return result.sorted()
  }

  /// Whether there is a plugin of the name.
  func contains(_ name: String) -> Bool { path(of: name) != nil }

  /// The manifest of the name; nil when there is none, or when it is wrong, which is then in the log.
  func manifest(named name: String) -> PluginManifest? {
    if let answer = answers[name] { return answer }
    let answer = path(of: name).flatMap(read)
    answers[name] = .some(answer)
    return answer
  }

  private func path(of name: String) -> String? {
    guard PluginName.isValid(name) else { return nil }
    return searchPath.lazy.map { "\($0)/\(name)/\(Self.manifestName)" }
      .first { access($0, F_OK) == 0 }
  }

  private func read(_ path: String) -> PluginManifest? {
    paths.append(path)
    do throws(FileProblem) {
      let folder = FilePath.folder(of: path)
      try folderRights.check(FilePath.folder(of: folder))
      try folderRights.check(folder)
      let contents = try reader.read(path)
      let source = SourceText(file: path, bytes: contents.bytes)
      let reporter = Reporter(source)
      defer { log.add(reporter.log) }
      return ManifestReader(
        reporter: reporter, source: source, folder: FilePath.folder(of: path),
        refusesWritableByOthers: reader.refusesWritableByOthers
      ).manifest()
    } catch {
      let (code, message, hint) = error.sentence
      log.add(Diagnostic(code, at: SourceLocation(file: path), message, hint: hint))
      return nil
    }
  }
}
