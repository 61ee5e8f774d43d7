import Glibc
package import TaktCore
import TaktSystem

/// The plugins that a load finds. Each manifest is read once, when a job names it.
final class PluginTable: PluginSource {
  static let manifestName = FileReach.manifestName
  /// The default folder of plugins, beside the jobs file.
  static let defaultFolder = "plugins"
  private static let sizeBound = 1 << 20

  /// The absolute folders that the jobs file names, or the one beside it, in order.
  var folders: [String] = []
  /// The folder of the plugins that are installed with takt; nil for none.
  private let bundled: String?
  /// Manifests that were read or tried, in order.
  private(set) var paths: [String] = []
  private(set) var identities: [String: FileIdentity] = [:]
  private(set) var log = ProblemLog()

  private let files: LoadFiles
  private var answers: [String: PluginManifest?] = [:]

  init(_ files: LoadFiles, bundled: String? = nil) {
    self.bundled = bundled
    self.files = files
  }

  /// The absolute folders that are searched, in order: a plugin of the jobs file's own takes
  /// precedence over an installed one.
  var searchPath: [String] {
    let all = folders + (bundled.map { [$0] } ?? [])
    return files.reach.map { reach in all.filter(reach.hasPlugins) } ?? all
  }

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

  func contains(_ name: String) -> Bool { path(of: name) != nil }

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
      try files.check(FilePath.folder(of: folder), as: .pluginFolder)
      try files.check(folder, as: .pluginFolder)
      let contents = try files.read(path, as: .manifest, bound: Self.sizeBound)
      identities[path] = contents.identity
      let source = SourceText(file: path, bytes: contents.bytes)
      let reporter = Reporter(source)
      defer { log.add(reporter.log) }
      return ManifestReader(
        reporter: reporter, source: source, folder: FilePath.folder(of: path),
        files: files
      ).manifest()
    } catch {
      let (code, message, hint) = error.sentence
      log.add(Diagnostic(code, at: SourceLocation(file: path), message, hint: hint))
      return nil
    }
  }
}

enum PluginName {
  static func isValid(_ name: String) -> Bool {
    guard (1...64).contains(name.utf8.count), let first = name.utf8.first,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
    else { return false }
    return name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0.isDigit || $0 == 0x2d }
  }
}

/// The plugins in some folders, for commands without a jobs file.
package struct PluginCatalog {
  /// A plugin, or its mistakes.
  package struct Entry: Sendable {
    package var name: String
    /// Nil for a wrong manifest.
    package var manifest: PluginManifest?
    package var diagnostics: [Diagnostic]
  }

  private let folders: [String]

  /// - Parameter folders: in the order of the search; relative ones start at the working directory.
  package init(folders: [String]) {
    self.folders = folders.map(FilePath.absolute)
  }

  /// Sorted.
  package var names: [String] { table().names }

  /// Nil if there is none.
  package func entry(named name: String) -> Entry? {
    let table = table()
    guard table.contains(name) else { return nil }
    let manifest = table.manifest(named: name)
    return Entry(
      name: name, manifest: manifest, diagnostics: table.log.sorted(files: table.paths))
  }

  private func table() -> PluginTable {
    let files = LoadFiles(judgesAsRoot: geteuid() == 0)
    // There is no jobs file: anyone who names the folder trusts its owner.
    if let folder = folders.first, let status = try? FileStatus(at: folder) {
      files.noteJobsFile(owner: status.owner)
    }
    let table = PluginTable(files)
    table.folders = folders
    return table
  }
}
