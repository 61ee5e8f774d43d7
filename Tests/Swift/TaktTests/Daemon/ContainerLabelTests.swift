import Foundation
import Glibc
import Testing

/// Jobs of labels with a real engine: `TAKT_CONTAINER_SOCKET` is its socket, and
/// `TAKT_CONTAINER_IMAGE` an image with a shell, by default `localhost/tiny`. The containers are
/// started by podman.
@Suite(
  .ownThreads, .serialized, .enabled(if: LabelledDaemon.socket != nil, "TAKT_CONTAINER_SOCKET"))
struct ContainerLabelTests {
  @Test func `a job comes with its container, survives a restart, and goes with it`() throws {
    let daemon = try LabelledDaemon()
    let web = try daemon.start(["every": "1s", "run": "echo here $A", "env.A": "it is"])
    try daemon.line("the job comes") { $0.change == "added" && $0.job == "\(web).x" }
    try daemon.line("its output") { $0.job == "\(web).x" && $0.line == "here it is" }
    try daemon.line("its end") { $0.job == "\(web).x" && $0.outcome == "succeeded" }
    try daemon.podman("restart", "--time", "0", web)
    try daemon.line("a run after the restart") { $0.job == "\(web).x" && $0.outcome != nil }
    try daemon.line("another") { $0.job == "\(web).x" && $0.outcome == "succeeded" }
    #expect(!daemon.process.lines.contains { $0.change == "removed" })
    try daemon.podman("rm", "--force", "--time", "0", web)
    try daemon.line("the job goes") { $0.change == "removed" && $0.job == "\(web).x" }
    try daemon.stop()
  }

  @Test func `a job of labels is there when takt starts again, with its slots`() throws {
    let daemon = try LabelledDaemon()
    let web = try daemon.start(["every": "1s", "run": "true"])
    try daemon.line("a run") { $0.job == "\(web).x" && $0.outcome == "succeeded" }
    daemon.process.crash()
    let next = try TaktProcess(["run"], in: daemon.folder)
    try next.line("a run of the next daemon") { $0.job == "\(web).x" && $0.outcome != nil }
    #expect(!next.lines.contains { $0.change == "added" })
    #expect(try next.stop() == 0)
    #expect(try daemon.folder.takt(["verify"]).status == 0)
  }

  @Test func `labels that reach for the host make no job`() throws {
    let daemon = try LabelledDaemon()
    let host = daemon.folder.url.appendingPathComponent("host").path
    let keys = [
      "with.mounts": "/:/host", "use": "touch", "on_failure.run": "touch \(host)",
      "output.file.path": host, "env_file": "/etc/shadow", "cwd": "/",
      "description": "a\"}}}}, \"jobs\": {\"evil\": {\"every\": \"1s\", \"run\": \"touch \(host)\"",
    ]
    var containers: [String] = []
    for (key, value) in keys {
      containers.append(try daemon.start(["every": "1s", "run": "touch \(host)", key: value]))
    }
    let good = try daemon.start(["every": "1s", "run": "id"])
    try daemon.line("the good job") { $0.job == "\(good).x" && $0.outcome != nil }
    let status = try daemon.folder.takt(["status"]).output
    #expect(status.contains("label 'takt.jobs.x."), "\(status)")
    #expect(!status.contains("evil"))
    #expect(!FileManager.default.fileExists(atPath: host))
    #expect(containers.count == keys.count)
    try daemon.stop()
  }

  @Test func `fifty containers that come and go make few reloads, and every slot is accounted for`()
    throws
  {
    let daemon = try LabelledDaemon()
    var names: [String] = []
    for _ in 0..<50 {
      names.append(try daemon.start(["every": "1s", "run": "true"]))
      if names.count > 5 { try daemon.podman("rm", "--force", "--time", "0", names.removeFirst()) }
    }
    for name in names { try daemon.podman("rm", "--force", "--time", "0", name) }
    let last = try #require(names.last)
    try daemon.line("the last one goes") { $0.change == "removed" && $0.job == "\(last).x" }
    let lines = daemon.process.lines
    #expect(lines.count { $0.message == "reloaded" } < 40)
    #expect(!lines.contains { $0.change == "removed" && $0.job == "own" })
    try daemon.stop()
  }
}

private final class LabelledDaemon {
  static let socket = ProcessInfo.processInfo.environment["TAKT_CONTAINER_SOCKET"]
  private static let image =
    ProcessInfo.processInfo.environment["TAKT_CONTAINER_IMAGE"] ?? "localhost/tiny"

  let folder: TemporaryFolder
  let process: TaktProcess
  private var names: [String] = []

  init() throws {
    folder = try TemporaryFolder(
      """
      scheduler: {containers: {labels: true, socket: \(Self.socket ?? "")}}
      jobs: {own: {cron: '@yearly', run: 'true'}}
      """)
    process = try TaktProcess(["run"], in: folder)
    try process.line("the start") { $0.message?.hasPrefix("started;") == true }
  }

  deinit { for name in names { try? podman("rm", "--force", "--ignore", "--time", "0", name) } }

  /// Starts a container with labels for the keys of a job `x`. Returns its name.
  func start(_ keys: [String: String]) throws -> String {
    let name = "takt-test-\(UUID().uuidString.prefix(8).lowercased())"
    names.append(name)
    let labels = keys.flatMap { ["--label", "takt.jobs.x.\($0.key)=\($0.value)"] }
    try podman(["run", "--detach", "--name", name] + labels + [Self.image, "sleep", "1000"])
    return name
  }

  func podman(_ arguments: String...) throws { try podman(arguments) }

  private func podman(_ arguments: [String]) throws {
    let command = try TaktProcess(
      ["--url", "unix://\(Self.socket ?? "")"] + arguments, program: "podman", in: folder)
    let status = command.waitForExit()
    #expect(status == 0, "podman \(arguments): \(command.errors)")
  }

  func line(_ what: String, where isRight: (TaktProcess.Line) -> Bool) throws {
    try process.line(what, where: isRight)
  }

  /// Stops takt and verifies its ledger.
  func stop() throws {
    #expect(try process.stop() == 0)
    let answer = try folder.takt(["verify"])
    #expect(answer.status == 0, "\(answer)")
  }
}
