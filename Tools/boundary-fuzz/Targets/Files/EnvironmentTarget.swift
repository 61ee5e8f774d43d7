import TaktConfig
import TaktCore
import TaktEngine
import TaktTesting

/// An `env_file`.
struct EnvironmentTarget: FuzzTarget {
  static let name = "env-file"
  static let summary = "the environment file of a job"

  private let folder: ScratchFolder
  private let jobs: LocalJobs

  init() throws {
    folder = try ScratchFolder()
    jobs = LocalJobs("jobs: {a: {every: 1h, run: x, env_file: a.env}}", in: folder)
  }

  mutating func read(_ bytes: [UInt8]) {
    Files.write(bytes, to: "\(folder.path)/a.env")
    jobs.load()
  }
}

/// A plugin's manifest.
struct ManifestTarget: FuzzTarget {
  static let name = "manifest"
  static let summary = "plugin.yaml, and the parameters that a job gives that plugin"

  private let manifest: String
  private let jobs: LocalJobs

  init() throws {
    let folder = try ScratchFolder()
    _ = folder.folder("plugins")
    manifest = folder.folder("plugins/p") + "/plugin.yaml"
    jobs = LocalJobs(
      "jobs: {a: {every: 1h, use: p, with: {path: /, warn: 80%, count: 3, name: [a, b]}}}",
      in: folder)
  }

  mutating func read(_ bytes: [UInt8]) {
    Files.write(bytes, to: manifest)
    jobs.load()
  }
}

/// A jobs file that reads others in its folder.
struct LocalJobs {
  private let text: [UInt8]
  private let path: String
  private let loader = JobsLoader(
    catalogue: BuiltinRegistry.standard, zones: FixedZones(), accounts: FixedAccounts(),
    time: FixedTime(), userID: 0, refusesWritableByOthers: false)

  init(_ text: String, in folder: ScratchFolder) {
    self.text = Array(text.utf8)
    path = "\(folder.path)/jobs.yaml"
  }

  func load() {
    for diagnostic in loader.load(path: path, text: text).diagnostics { _ = diagnostic.text }
  }
}
