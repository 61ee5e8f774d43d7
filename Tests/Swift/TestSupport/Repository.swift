package import Foundation

/// The sources that the tests were built from.
package enum Repository {
  /// The folder of `Package.swift`.
  package static let root: URL = {
    var folder = URL(filePath: #filePath)
    repeat { folder.deleteLastPathComponent() } while !isRoot(folder) && folder.path != "/"
    return folder
  }()

  private static func isRoot(_ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
  }

  /// A file or a folder by its path from there.
  package static func url(_ path: String) -> URL { root.appending(path: path) }

  /// The same as a path; without a name, of the repository's folder.
  package static func path(_ name: String = "") -> String { url(name).standardized.path }

  package static func text(_ path: String) throws -> String {
    try String(contentsOf: url(path), encoding: .utf8)
  }
}
