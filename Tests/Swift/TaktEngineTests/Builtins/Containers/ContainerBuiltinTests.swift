import Foundation
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: container` with an engine that answers correctly, or is hostile.
@Suite struct ContainerBuiltinTests {
  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench() }

  private func start(_ mode: String) throws -> PythonServer {
    try PythonServer(FakeEngine.script, [folder["e.sock"], mode, folder["seen"]], folder: folder)
  }

  private func request(
    _ more: Parameters = [:], _ change: (inout JobSpec) -> Void = { _ in }
  ) -> AttemptRequest {
    let own: Parameters = [
      "image": "localhost/tiny", "command": .list(["echo", "hi"]),
      "socket": .string(folder["e.sock"]),
    ]
    return bench.request("container", own.merging(more) { $1 }, change)
  }

  private func run(_ mode: String, _ more: Parameters = [:]) async throws -> AttemptReport {
    let server = try start(mode)
    defer { withExtendedLifetime(server) {} }
    bench.router.start([request(more)])
    return await bench.ends(1)[0].report
  }

  private var seen: [String] { folder.read("seen").split(separator: "\n").map(String.init) }

  @Test func `a container runs, prints and ends as a process does`() async throws {
    let report = try await run("right")
    #expect(report.result == .exited(3))
    #expect(report.output.stdoutBytes == 8)
    #expect(report.output.stderrBytes == 5)
    #expect(
      bench.lines.texts == ["one", "oops", "two"] || bench.lines.texts == ["oops", "one", "two"])
    let created = try #require(
      seen.first { $0.contains("/v1.41/containers/create?name=takt-job-") })
    #expect(created.contains(#""Cmd":["echo","hi"]"#))
    #expect(created.contains(#""dev.takt.state""#))
    #expect(created.contains("TAKT_JOB=job"))
    #expect(seen.last?.hasPrefix("DELETE /v1.41/containers/takt-job-") == true)
  }

  @Test func `a stream that breaks off is continued where it broke`() async throws {
    let report = try await run("cut")
    #expect(report.result == .exited(3))
    #expect(report.output.stdoutBytes == 8)
    #expect(report.output.stderrBytes == 5)
  }

  @Test func `a newer engine is spoken to in its oldest version`() async throws {
    #expect(try await run("new").result == .exited(3))
    #expect(seen.contains { $0.contains("/v1.44/containers/create") })
  }

  @Test(arguments: [
    ("old", "not_an_engine"), ("stranger", "not_an_engine"), ("endless-head", "not_an_engine"),
    ("errors", "engine(500)"), ("no-image", "image"), ("pull-fails", "image"),
    ("removed", "removed"),
  ])
  func `an engine that cannot be used ends the attempt with a reason`(
    mode: String, reason: String
  ) async throws {
    #expect(try await run(mode).result == .failed(reason), "\(bench.lines.texts)")
    #expect(!bench.lines.texts.isEmpty)
    #expect(bench.lines.texts.allSatisfy { !$0.contains("\u{1b}") })
  }

  @Test func `an image that is missing is pulled`() async throws {
    #expect(try await run("pull").result == .exited(3))
    #expect(seen.contains { $0.contains("/images/create?fromImage=localhost%2Ftiny%3Alatest") })
  }

  @Test func `output without frames is an error of the log, and the status counts`() async throws {
    #expect(try await run("wrong-frames").result == .exited(3))
    #expect(bench.lines.texts.contains("the output of the container cannot be read"))
  }

  @Test func `a container that ran out of memory says so`() async throws {
    let report = try await run("memory")
    #expect(report.result == .exited(137))
    #expect(report.ranOutOfMemory)
  }

  @Test func `a stop sends the job's signal, and the container is removed`() async throws {
    let server = try start("waits")
    defer { withExtendedLifetime(server) {} }
    bench.router.start([request()])
    // At an arbitrary stage of its work.
    bench.router.stop(RunID(1), signal: .terminate)
    let report = await bench.ends(1)[0].report
    #expect([.exited(143), .failed("cancelled")].contains(report.result), "\(seen)")
    let made = seen.filter { $0.contains("containers/create") }.count
    #expect(seen.filter { $0.hasPrefix("DELETE") }.count == made)
    if report.result == .exited(143) { #expect(seen.contains { $0.contains("kill?signal=15") }) }
  }

  @Test func `runs that wait for an engine that hangs end at once when they are stopped`()
    async throws
  {
    let server = try start("hangs")
    defer { withExtendedLifetime(server) {} }
    let begin = ContinuousClock.now
    let requests = (UInt64(1)...3).map { run in
      var attempt = request()
      attempt.run = RunID(run)
      return attempt
    }
    bench.router.start(requests)
    while !seen.contains(where: { $0.hasPrefix("GET /version") }) {
      try await Task.sleep(for: .milliseconds(20))
    }
    for run in requests { bench.router.stop(run.run, signal: .terminate) }
    for end in await bench.ends(3) { #expect(end.report.result == .failed("cancelled")) }
    // The limit of one request is longer.
    #expect(begin.duration(to: .now) < .seconds(20))
  }

  @Test func `a container that the engine does not remove is removed later, without another run`()
    async throws
  {
    let server = try start("keeps")
    defer { withExtendedLifetime(server) {} }
    bench.router.start([request()])
    #expect(await bench.ends(1)[0].report.result == .exited(3))
    while seen.filter({ $0.hasPrefix("DELETE /v1.41/containers/takt-job-") }).count < 2 {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test func `what previous daemons left is ended, and nothing else`() async throws {
    _ = try await run("leftovers")
    let ended = seen.filter { $0.hasPrefix("DELETE") || $0.contains("/kill?") }
    #expect(ended.count == 3, "\(ended)")
    #expect(ended[0].hasPrefix("DELETE /v1.41/containers/left?"))
    #expect(ended[1].hasPrefix("POST /v1.41/containers/kept/kill?signal=9"))
    #expect(ended[2].hasPrefix("DELETE /v1.41/containers/takt-job-"))
  }

  @Test func `a socket that is missing, or none, is named`() async throws {
    bench.router.start([request()])
    #expect(await bench.ends(1)[0].report.result == .failed("no_engine"))
    #expect(bench.lines.texts.last?.contains(folder["e.sock"]) == true)
    let file = folder.write("text", to: "file")
    bench.router.start([request(["socket": .string(file)])])
    #expect(await bench.ends(1)[0].report.result == .failed("no_engine"))
    #expect(bench.lines.texts.last == "\(file) is no socket")
  }

  @Test(
    arguments: [
      ([:], nil), (["image": "a", "exec": "b"], "exec"), (["image": "A"], "image"),
      (["exec": "b"], "exec"), (["exec": "b", "shell": "ls", "network": "none"], "network"),
      (["image": "a", "shell": "ls", "command": .list(["ls"])], "shell"),
      (["image": "a", "mounts": .list(["/a/../b:/c"])], "mounts"),
      (["image": "a", "env": .map(["A=B": "c"])], "env"),
      (["image": "a", "workdir": "srv"], "workdir"), (["image": "a", "user": "a b"], "user"),
      (["image": "a", "memory": .integer(1000)], "memory"),
      (["image": "a", "socket": "/{{job}}"], "socket"),
    ] as [(Parameters, String?)])
  func `parameters that make no sense are refused at load`(
    parameters: Parameters, name: String?
  ) {
    let problems = ContainerBuiltin().problems(in: parameters)
    #expect(problems.count == 1, "\(problems)")
    #expect(problems.first?.parameter == name)
  }
}
