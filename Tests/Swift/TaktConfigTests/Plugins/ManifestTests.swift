import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Manifests of plugins, and jobs that use them.
struct ManifestTests {
  private let loader = JobsLoader()

  private func load(_ manifest: String, with job: String) -> LoadedJobs {
    let folder = TemporaryFolder()
    for name in ["plugins", "plugins/p"] { folder.makeFolder(name) }
    folder.write(Array("#!/bin/sh\n".utf8), to: "plugins/p/program", mode: 0o755)
    folder.write(
      "name: p\nversion: 1.0.0\nprotocol: 1\nexec: [./program]\n\(manifest)\n",
      to: "plugins/p/plugin.yaml")
    let path = folder.write("jobs:\n  a: {on: start, use: p, \(job)}\n", to: "jobs.yaml")
    return loader.load(path: path)
  }

  /// The place and the message of each mistake, without folders.
  private func headlines(_ loaded: LoadedJobs) -> [String] {
    loaded.diagnostics.map { diagnostic in
      let file = diagnostic.location.file.split(separator: "/").last ?? ""
      return "\(file):\(diagnostic.location.line):\(diagnostic.location.column): "
        + diagnostic.message
    }
  }

  @Test func `a plugin's parameters are those of its manifest`() throws {
    let loaded = load(
      """
      timeout: 5s
      parameters:
        who: {type: string, default: world}
        wait: {type: duration, minimum: 1s, maximum: 1m}
        mode: {type: enum, values: [a, b], default: b}
        sizes: {type: list, of: size}
        names: {type: map}
      """, with: "with: {wait: 30s, sizes: [1KB, 2KB], names: {x: y}}")
    #expect(headlines(loaded) == [])
    let job = try #require(loaded.snapshot?.jobs.first)
    guard case .plugin(let manifest, let parameters) = job.action else {
      Issue.record("\(job.action)")
      return
    }
    #expect(manifest.name == "p" && manifest.mode == .oneshot)
    #expect(job.execution.timeout == .seconds(5))
    #expect(
      parameters == [
        "who": .string("world"), "wait": .duration(.seconds(30)), "mode": .string("b"),
        "sizes": .list([.integer(1024), .integer(2048)]), "names": .map(["x": .string("y")]),
      ])
  }

  @Test(arguments: [
    ("with: {wait: 2m}", "jobs.yaml:2:39: the action 'p': 'wait' must be at most 1m"),
    ("with: {wait: 1ms}", "jobs.yaml:2:39: the action 'p': 'wait' must be at least 1s"),
    ("with: {who: NO, wait: 2s}", "jobs.yaml:2:38: the action 'p': 'who' must match [a-z]+"),
    ("with: {wiat: 2s, wait: 2s}", "jobs.yaml:2:33: the action 'p' has no parameter 'wiat'"),
    ("enabled: true", "jobs.yaml:2:23: the action 'p' needs the parameter 'wait'"),
  ])
  func `a parameter out of bounds is reported where it stands`(job: String, message: String) {
    let loaded = load(
      """
      parameters:
        who: {type: string, pattern: "[a-z]+", default: world}
        wait: {type: duration, minimum: 1s, maximum: 1m, required: true}
      """, with: job)
    #expect(headlines(loaded) == [message])
  }

  @Test(arguments: [
    ("mdoe: service", "plugin.yaml:5:1: unknown key 'mdoe' in the file"),
    ("sha256: abc", "plugin.yaml:5:9: not a SHA-256"),
    ("max_runs: 5", "plugin.yaml:5:1: 'max_runs' has no effect on a plugin of mode 'oneshot'"),
    ("parameters: {x: {}}", "plugin.yaml:5:14: the parameter 'x' has no 'type'"),
    ("parameters: {x: {type: enum}}", "plugin.yaml:5:14: the enum 'x' has no 'values'"),
    (
      "parameters: {x: {type: integer, minimum: 5, maximum: 3}}",
      "plugin.yaml:5:54: 'maximum' is less than 'minimum'"
    ),
    (
      "parameters: {x: {type: integer, minimum: 5, default: 3}}",
      "plugin.yaml:5:54: 'x' must be at least 5"
    ),
    (
      "parameters: {x: {type: path, pattern: x}}",
      "plugin.yaml:5:30: only a 'string' can have a 'pattern'"
    ),
    ("kind: [", "plugin.yaml:6:1"),
  ])
  func `a mistake of a manifest is reported where it stands`(manifest: String, message: String) {
    let loaded = load(manifest, with: "enabled: true")
    #expect(loaded.snapshot == nil)
    #expect(loaded.diagnostics.isEmpty == false)
    #expect(headlines(loaded).first?.hasPrefix(message) == true, "\(headlines(loaded))")
  }

  @Test func `a notifier is for hooks alone`() {
    #expect(
      headlines(load("kind: notifier", with: "enabled: true")) == [
        "jobs.yaml:2:23: the plugin 'p' is a notifier in job 'a'"
      ])
  }

  @Test func `a manifest that nobody names may be wrong`() {
    let folder = TemporaryFolder()
    for name in ["plugins", "plugins/p"] { folder.makeFolder(name) }
    folder.write("rubbish: [", to: "plugins/p/plugin.yaml")
    let path = folder.write("jobs:\n  a: {on: start, run: x}\n", to: "jobs.yaml")
    #expect(loader.load(path: path).diagnostics.isEmpty)
  }

  @Test(arguments: ["ping | true", "mail | false"])
  func `a plugin with the name of a younger built-in stays what it was`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let folder = TemporaryFolder()
    for name in ["plugins", "plugins/\(parts[0])"] { folder.makeFolder(name) }
    folder.write(Array("#!/bin/sh\n".utf8), to: "plugins/\(parts[0])/program", mode: 0o755)
    folder.write(
      "name: \(parts[0])\nversion: 1.0.0\nprotocol: 1\nexec: [./program]\n",
      to: "plugins/\(parts[0])/plugin.yaml")
    let with = parts[0] == "mail" ? ", with: {to: a, subject: b}" : ""
    let path = folder.write("jobs:\n  a: {on: start, use: \(parts[0])\(with)}\n", to: "jobs.yaml")
    let job = try #require(loader.load(path: path).snapshot?.jobs.first)
    let isPlugin = if case .plugin = job.action { true } else { false }
    #expect(isPlugin == (parts[1] == "true"))
  }

  @Test func `a plugin that does not exist is reported, with the nearest name`() {
    let folder = TemporaryFolder()
    for name in ["plugins", "plugins/backup"] { folder.makeFolder(name) }
    folder.write("name: backup\n", to: "plugins/backup/plugin.yaml")
    let path = folder.write("jobs:\n  a: {on: start, use: bakcup}\n", to: "jobs.yaml")
    #expect(loader.load(path: path).diagnostics.first?.hint == "did you mean 'backup'?")
  }
}
