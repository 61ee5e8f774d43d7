import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct MCPCommandTests {
  private static let jobs = #"""
    jobs:
      greet: {cron: '@yearly', run: 'printf "hello %s \377\n" "$TAKT_PARAM_WHO"'}
      long: {cron: '@yearly', run: 'sleep 600'}
      talk:
        cron: '@yearly'
        output: {keep: 1MB}
        run: 'i=0; while [ $i -lt 10000 ]; do printf …; i=$((i+1)); done'

    """#

  private static let driver = Repository.path("Tests/mcp/drive.py")

  /// The Python with the client of PyPI, if `make test-setup` could install it; as its last step,
  /// `scripts/venv` notes its packages.
  private static let python: String? = {
    let folder = Repository.path(".build/mcp-venv")
    return FileManager.default.fileExists(atPath: "\(folder)/mcp.txt")
      ? "\(folder)/bin/python3" : nil
  }()

  private func drive(_ folder: TemporaryFolder, _ scenario: String, by python: String) throws {
    let words = ["-B", Self.driver, scenario, TaktProcess.executable.path]
    let answer = try folder.takt(words, program: python)
    #expect(answer.status == 0, "\(answer.output) \(answer.errors)")
  }

  @Test(
    .enabled(if: python != nil, "the package mcp is not installed; `make test-setup` installs it"),
    arguments: ["client", "versions"])
  func `the client of PyPI works with it`(scenario: String) throws {
    let live = try LiveTakt(Self.jobs)
    try drive(live.folder, scenario, by: try #require(Self.python))
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: ["long", "stopped"])
  func `it lives with a line without end, and without a daemon`(scenario: String) throws {
    try drive(try TemporaryFolder(Self.jobs), scenario, by: "/usr/bin/python3")
  }

  /// The output for an input, and the status.
  private func answers(to input: String, _ arguments: String = "") throws -> TaktAnswer {
    let folder = try TemporaryFolder(Self.jobs)
    try folder.write(input, to: "input")
    let command = "exec '\(TaktProcess.executable.path)' mcp \(arguments) < input"
    return try folder.takt(["-c", command], program: "/bin/sh")
  }

  @Test(arguments: [
    ("", 0), ("\n\n", 0), (#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, 1),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"met", 2),
    ("nonsense\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n", 1),
  ])
  func `the end of the input ends it, with an answer to each request`(input: String, count: Int)
    throws
  {
    let answer = try answers(to: input)
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer)")
    let lines = answer.output.split(separator: "\n")
    #expect(lines.count == count && lines.allSatisfy { $0.hasPrefix(#"{"jsonrpc":"2.0","id":"#) })
  }

  @Test func `a call that is in progress at the end is answered`() throws {
    let answer = try answers(
      to: """
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status"}}
        {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"trigger"}}
        """)
    let lines = answer.output.split(separator: "\n")
    #expect(answer.status == 0 && lines.count == 3, "\(answer)")
    #expect(lines.contains { $0.contains(#""id":2"#) && $0.contains("no daemon is running here") })
    #expect(lines.contains { $0.contains(#""id":3"#) && $0.contains("--operate") })
  }

  @Test func `its arguments are those of other commands`() throws {
    #expect(try answers(to: "", "--operat").status == 64)
    #expect(try answers(to: "", "--help").output.contains("--operate"))
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
    #expect(try answers(to: ping, "--operate --state elsewhere").output.contains(#""id":1"#))
  }
}
