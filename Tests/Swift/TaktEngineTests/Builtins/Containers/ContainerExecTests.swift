import Foundation
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// A command in a container that runs, with an engine that answers rightly, or of another container.
@Suite struct ContainerExecTests {
  private static let id = String(repeating: "e", count: 64)
  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench() }

  private func run(
    _ mode: String, in container: String = id, _ change: (inout JobSpec) -> Void = { _ in }
  ) async throws -> AttemptReport {
    let server = try PythonServer(
      FakeEngine.script, [folder["e.sock"], mode, folder["seen"]], folder: folder)
    defer { withExtendedLifetime(server) {} }
    let parameters: Parameters = [
      "exec": .string(container), "command": .list(["x"]), "socket": .string(folder["e.sock"]),
    ]
    bench.router.start([bench.request("container", parameters, change)])
    return await bench.ends(1)[0].report
  }

  private var seen: [String] { folder.read("seen").split(separator: "\n").map(String.init) }

  @Test func `the status is that of the command`() async throws {
    let report = try await run("exec")
    #expect(report.result == .exited(3), "\(bench.lines.texts)")
    #expect(report.output.stdoutBytes == 64 * 256)
  }

  /// One rule for jobs of the file and for labels.
  @Test func `the engine is at the socket that is named, or the first that there is`() {
    let (docker, podman) = (folder["docker.sock"], folder.write("", to: "podman.sock"))
    func socket(_ named: String?, _ host: String?) -> String? {
      try? ContainerEngines.socket(named, host: host, places: [docker, podman]).get()
    }
    #expect(socket("/a", "unix:///b") == "/a")
    #expect(socket(nil, "unix:///b") == "/b")
    #expect(socket(nil, "tcp://host:2375") == nil)
    #expect(socket(nil, nil) == podman && socket(nil, "") == podman)
    _ = folder.write("", to: "docker.sock")
    #expect(socket(nil, nil) == docker)
  }

  /// A full id is that of one container: whatever else the engine finds by it has it for a name.
  @Test(arguments: ["exec-renamed", "exec-moved"])
  func `nothing is started where the id has become the name of another container`(
    mode: String
  ) async throws {
    #expect(try await run(mode).result == .failed("container"))
    #expect(bench.lines.texts.contains("the container \(Self.id) is gone"))
    #expect(!seen.contains { $0.contains("/exec/e1/start") }, "\(seen)")
  }

  @Test func `by its name, the container that has it now is meant`() async throws {
    #expect(try await run("exec-moved", in: "web").result == .exited(3))
  }

  /// As in the seconds for which the jobs of a container stay that has gone.
  @Test(arguments: ["exec-gone", "exec-stopped"])
  func `a container that is gone is the reason of the failure`(mode: String) async throws {
    #expect(try await run(mode).result == .failed("container"), "\(bench.lines.texts)")
    let words = mode == "exec-gone" ? "is gone" : "does not run"
    #expect(bench.lines.texts.contains("the container \(Self.id) \(words)"))
  }

  @Test func `of what a job of labels prints, nothing is lost`() async throws {
    let report = try await run("exec-flood") { $0.concurrencyGroup = ContainerAccess.group }
    #expect(report.output.stdoutBytes == 768 * 1024, "\(bench.lines.texts.suffix(2))")
  }
}
