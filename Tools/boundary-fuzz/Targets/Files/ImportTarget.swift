import TaktConfig
import TaktCore
import TaktEngine
import TaktImport
import TaktTesting

/// A crontab of any kind. The result is a jobs file without errors.
struct CrontabTarget: FuzzTarget {
  static let name = "crontab"
  static let summary = "a crontab, from its lines to the jobs file that is made of it"

  private let importing: Importing

  /// In an empty folder.
  init() throws { importing = Importing(root: try ScratchFolder().path) }

  mutating func read(_ bytes: [UInt8]) {
    // One kind each, so that there is time for more of them.
    let kind = [SourceKind.crontab, .cronD, .anacrontab, .supercronic][bytes.count % 4]
    let result = importing.result(kind, [], input: bytes)
    precondition(result.report.sources.count == 1, "nothing was read")
    importing.check(result)
  }
}

/// A timer of systemd with its service, separated by a zero byte.
struct UnitsTarget: FuzzTarget {
  static let name = "units"
  static let summary = "a timer and its service, from units to the jobs file that is made of them"

  private let folder: String
  private let importing: Importing

  init() throws {
    let root = try ScratchFolder()
    _ = (root.folder("etc"), root.folder("etc/systemd"))
    folder = root.folder("etc/systemd/system")
    importing = Importing(root: root.path)
  }

  mutating func read(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    Files.write(Array(parts[0]), to: "\(folder)/a.timer")
    Files.write(parts.count > 1 ? Array(parts[1]) : [], to: "\(folder)/a.service")
    importing.check(importing.result(nil, ["/etc/systemd/system/a.timer"], input: nil))
  }
}

/// An import like that of `takt import`, without the machine.
private struct Importing {
  private let tree: ImportTree
  private let loader = JobsLoader(
    catalogue: BuiltinRegistry.standard, zones: FixedZones(), accounts: FixedAccounts(),
    time: FixedTime(), userID: 0, refusesWritableByOthers: false)

  init(root: String) { tree = ImportTree(root: root) }

  func result(_ kind: SourceKind?, _ paths: [String], input: [UInt8]?) -> Importer.Result {
    var options = ImportOptions(
      header: "fuzzed", isZone: { FixedZones().zone(named: $0) != nil },
      readYAML: { _, _ in ForeignFile(documents: [], problems: []) })
    options.kind = kind
    options.isIdiomatic = (input?.count ?? 0) % 8 < 4
    return Importer(options, tree: tree, machine: FixedAccounts()).run(paths, standardInput: input)
  }

  func check(_ result: Importer.Result) {
    let loaded = loader.load(path: "/nowhere/jobs.yaml", text: Array(result.text.utf8))
    guard let snapshot = loaded.snapshot else {
      let errors = loaded.diagnostics.map(\.text).joined(separator: "\n")
      preconditionFailure("what was imported is refused:\n\(errors)\n\(result.text)")
    }
    precondition(snapshot.jobs.count == result.jobs.count, "a job is missing")
  }
}
