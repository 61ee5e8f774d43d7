import ArgumentParser
import FoundationEssentials
import Glibc
import TaktConfig
import TaktCore
import TaktEngine
import TaktSystem

struct PluginTestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run a plugin once and print the messages.",
    discussion: """
      '→' marks messages of takt, '←' those of the plugin. Exits like `takt exec`.
      """)

  @Argument(help: "The plugin's name.")
  var name: String

  @Option(
    help: "Set a parameter: NAME=VALUE, with the value written as in a jobs file. Repeatable.")
  var with: [String] = []

  @Option(help: "Stop it after this long.")
  var timeout = "1m"

  @OptionGroup var folders: PluginFolders

  func validate() throws {
    for pair in with where !pair.contains("=") || pair.contains("\n") {
      throw ValidationError("--with takes NAME=VALUE on one line, not '\(pair)'.")
    }
  }

  func run() throws {
    Signals.block()
    let entry = try folders.entry(named: name)
    for diagnostic in entry.diagnostics { Console.error(diagnostic.text) }
    guard let manifest = entry.manifest else { throw ExitCode.configuration }
    let (spec, snapshot) = try job(manifest)
    let end: RunEnd?
    do throws(SystemError) {
      let run = try SingleRun(of: spec, in: snapshot, level: .info) {
        isPlugin, line in
        Console.error((isPlugin ? "← " : "→ ") + line)
      }
      end = run.end(for: nil)
    } catch {
      Console.error("takt: cannot start: \(error)")
      throw ExitCode.system
    }
    guard let end else { throw ExitCode.failure }
    if let code = end.exitStatus { throw ExitCode(code) }
  }

  /// The run as a job of a jobs file, so that parameters are read in one way only.
  private func job(_ manifest: PluginManifest) throws -> (job: JobSpec, snapshot: Snapshot) {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("takt-plugin-test-\(getpid()).yaml")
    defer { try? FileManager.default.removeItem(at: place) }
    let searched = URL(fileURLWithPath: manifest.folder).deletingLastPathComponent().path
    // A folder may have any name; JSON is YAML.
    let quoted = try [searched, FileManager.default.currentDirectoryPath].map {
      String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
    }
    var text = "scheduler: {plugins: [\(quoted[0])]}\njobs:\n  test:\n    timeout: \(timeout)\n"
    text += "    cwd: \(quoted[1])\n"
    let action = "use: \(name)\(with.isEmpty ? "" : "\n      with:")"
    let parameters = with.map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return "        \(parts[0]): \(parts[1].isEmpty ? "''" : String(parts[1]))\n"
    }.joined()
    switch manifest.kind {
    case .action: text += "    every: 1h\n    steps:\n    - \(action)\n\(parameters)"
    case .notifier:
      text += "    every: 1h\n    run: 'true'\n    on_success:\n    - \(action)\n\(parameters)"
    }
    try text.write(to: place, atomically: true, encoding: .utf8)
    chmod(place.path, 0o600)
    let loaded = JobsFileSource(path: place.path, catalogue: BuiltinRegistry.standard).load()
    for diagnostic in loaded.diagnostics where diagnostic.severity == .error {
      Console.error(
        "\(name): error: \(diagnostic.message)" + (diagnostic.hint.map { "; \($0)" } ?? ""))
    }
    guard let snapshot = loaded.snapshot, let job = snapshot.jobs.first else {
      throw ExitCode.configuration
    }
    return (job, snapshot)
  }
}
