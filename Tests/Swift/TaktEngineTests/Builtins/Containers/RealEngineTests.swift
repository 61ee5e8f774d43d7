import Foundation
import TaktCore
import Testing

@testable import TaktEngine

private let realSocket = ProcessInfo.processInfo.environment["TAKT_CONTAINER_SOCKET"]

/// The same with a real engine: `TAKT_CONTAINER_SOCKET=PATH`, and an image with a shell,
/// `TAKT_CONTAINER_IMAGE`, by default `localhost/tiny`.
@Suite(.enabled(if: realSocket != nil, "set TAKT_CONTAINER_SOCKET to test an engine"))
struct RealEngineTests {
  static let image =
    ProcessInfo.processInfo.environment["TAKT_CONTAINER_IMAGE"] ?? "localhost/tiny"
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench() }

  private func request(_ shell: String, _ more: Parameters = [:]) -> AttemptRequest {
    let own: Parameters = [
      "image": .string(Self.image), "shell": .string(shell), "network": "none",
      "socket": .string(realSocket ?? ""),
    ]
    return bench.request("container", own.merging(more) { $1 })
  }

  private func run(_ shell: String, _ more: Parameters = [:]) async -> AttemptReport {
    bench.router.start([request(shell, more)])
    return await bench.ends(1)[0].report
  }

  private func labelled() throws -> [ContainerSummary] {
    try ContainerEngine(socketPath: realSocket ?? "").containers(
      labelled: ["dev.takt.daemon=\(DaemonProcess.instance)"])
  }

  @Test func `output, environment and exit status come back`() async throws {
    let report = await run(
      "echo out $A; echo err >&2; exit 7", ["env": .map(["A": "with space"])])
    #expect(report.result == .exited(7), "\(bench.lines.texts)")
    #expect(report.output.stdoutBytes == 15)
    #expect(report.output.stderrBytes == 4)
  }

  @Test func `a stop ends the container, by force if need be`() async throws {
    bench.router.start([request("trap '' TERM; echo begun; sleep 600")])
    while bench.lines.texts != ["begun"] { try await Task.sleep(for: .milliseconds(50)) }
    bench.router.stop(RunID(1), signal: .terminate)
    bench.router.stop(RunID(1), signal: .kill)
    #expect(await bench.ends(1)[0].report.result == .exited(137))
    #expect(try labelled().isEmpty)
  }

  @Test func `an image that is missing fails the attempt`() async {
    let report = await run("true", ["image": "localhost/takt-no-such-image", "pull": "never"])
    #expect(report.result == .failed("image"))
  }
}
