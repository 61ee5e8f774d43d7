import Foundation
import TaktConfig
import TaktCore
import TaktEngine
import TaktTime
import Testing

@testable import TaktImport

/// A tree of files, imported in process.
final class ImportFixture {
  let folder: URL
  var options = ImportOptions(
    header: "test", isZone: { ZoneFiles().zone(named: $0) != nil },
    readYAML: { _, _ in ForeignFile(documents: [], problems: []) })

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "takt-import-\(UUID().uuidString)")
    try write(
      "root:x:0:0:root:/root:/bin/bash\nanna:x:1000:1000::/home/anna:/bin/sh\n", to: "etc/passwd")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  func write(_ text: String, to path: String, isProgram: Bool = false) throws -> String {
    try write(Array(text.utf8), to: path, isProgram: isProgram)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to path: String, isProgram: Bool = false) throws -> String {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    try FileManager.default.setAttributes(
      [.posixPermissions: isProgram ? 0o755 : 0o644], ofItemAtPath: file.path)
    return "/" + path
  }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(path), withIntermediateDirectories: true)
  }

  func link(_ path: String, to target: String) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
  }

  func run(_ paths: String..., input: String? = nil) -> Importer.Result {
    Importer(options, tree: ImportTree(root: folder.path), machine: SystemAccounts())
      .run(paths, standardInput: input.map { Array($0.utf8) })
  }

  /// Loads the text; every user exists.
  static func load(_ text: String) throws -> Snapshot {
    let loader = JobsLoader(
      catalogue: BuiltinRegistry.standard, zones: ZoneFiles(), accounts: AnyAccounts(),
      time: SystemTimeSource())
    let loaded = loader.load(path: "/jobs.yaml", text: Array(text.utf8))
    let errors = loaded.diagnostics.filter { $0.severity == .error }.map(\.text)
    return try #require(loaded.snapshot, "\(errors.joined(separator: "\n"))\n\(text)")
  }
}

/// Every user exists.
struct AnyAccounts: AccountSource {
  func account(for identity: UserAndGroup) -> Account? {
    Account(
      name: identity.user ?? "root", uid: 0, gid: 0, groups: [0], home: "/root", shell: "/bin/sh")
  }
}

extension Importer.Result {
  /// Each token that is not kept, with its sentence.
  var lost: [String] { report.entries(.lost).map { "\($0.token.text): \($0.sentence)" } }
  var changed: [String] { report.entries(.differently).map { "\($0.token.text): \($0.sentence)" } }
}
