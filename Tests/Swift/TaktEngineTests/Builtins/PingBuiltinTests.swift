import Foundation
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: ping` against a server that follows the protocols of healthchecks.io and Sentry.
@Suite struct PingBuiltinTests {
  private struct Seen: Decodable {
    var kind: String
    var check: String
    var rid: String?
    var create: String?
    var body: String?
    var environment: String?
  }

  private static let check = "5f1c4a2e-8c0e-4d0b-9a53-0a6a1f1d2c3b"

  private let folder = TemporaryFolder()
  private let server: PythonServer
  private let bench: BuiltinBench

  init() throws {
    server = try PythonServer(NoticeServer.script, [folder["seen"]], folder: folder)
    bench = try BuiltinBench()
  }

  private func seen() throws -> [Seen] { try folder.values(of: "seen") }

  private func url(_ path: String) -> ParameterValue {
    .string("http://127.0.0.1:\(server.port)/\(path)")
  }

  private func facts(_ hook: HookKind, _ end: RunEnd?, output: String = "") -> RunFacts {
    var facts = BuiltinBench.facts(output: output)
    (facts.hook, facts.end) = (hook, end)
    return facts
  }

  @Test func `a start and an end are of one run, and the end has its last lines`() async throws {
    let parameters: Parameters = ["url": url(Self.check)]
    #expect(await bench.run("ping", parameters, facts: facts(.onStart, nil)) == .done)
    let end = facts(.onSuccess, RunEnd(.succeeded, .exit(0)), output: "Grüße\nall done\n")
    #expect(await bench.run("ping", parameters, facts: end) == .done)
    let seen = try seen()
    #expect(seen.map(\.kind) == ["start", "success"])
    #expect(seen.map(\.body) == ["", "Grüße\nall done\n"])
    #expect(seen[0].rid != nil && seen[0].rid == seen[1].rid)
    // Neither the log nor anything else shows the path, the only secret part.
    #expect(!bench.lines.texts.contains { $0.contains(Self.check) })
  }

  @Test(
    arguments: [
      (HookKind.onFailure, RunEnd(.failed, .exit(3)), "3"),
      (.onFailure, RunEnd(.failed, .signal(9)), "fail"),
      (.onFailure, RunEnd(.timedOut, .timeout), "fail"),
      // A status that `success.exit` allows is no failure.
      (.onSuccess, RunEnd(.succeeded, .exit(3)), "success"),
      (.onStale, nil, "fail"), (.onAlarmFailed, nil, "fail"), (.onLate, nil, "log"),
    ] as [(HookKind, RunEnd?, String)])
  func `what happened is in the path`(hook: HookKind, end: RunEnd?, kind: String) async throws {
    #expect(await bench.run("ping", ["url": url(Self.check)], facts: facts(hook, end)) == .done)
    #expect(try seen().map(\.kind) == [kind])
  }

  @Test func `a check has a key and a slug, and keeps its query`() async throws {
    let path = "fqOOd6-F4MMNuCEnzTU01w/nightly-backup?create=1"
    #expect(await bench.run("ping", ["url": url(path)], facts: facts(.onStart, nil)) == .done)
    let seen = try #require(try seen().first)
    #expect(seen.kind == "start" && seen.create == "1" && seen.rid != nil)
  }

  @Test func `a job may ping by itself`() async throws {
    #expect(await bench.run("ping", ["url": url(Self.check)]) == .done)
    #expect(try seen().map(\.kind) == ["success"])
  }

  @Test func `a busy server is asked again, an unknown check is not`() async throws {
    let flaky = await bench.run(
      "ping", ["url": url(Self.check + "?flaky=1")], facts: facts(.onStart, nil))
    #expect(flaky == .done)
    #expect(try seen().count == 1)
    let unknown = "00000000-0000-4000-8000-000000000000"
    #expect(await bench.run("ping", ["url": url(unknown)]) == .failed("not_found"))
  }

  @Test func `nobody there is a failure once the retries are over`() async {
    let result = await bench.run(
      "ping", ["url": .string("http://127.0.0.1:1/\(Self.check)"), "retries": .integer(0)])
    #expect(result == .failed("refused"))
  }

  @Test func `Sentry gets check-ins, by URL and by DSN`() async throws {
    let byURL: Parameters = [
      "url": url("api/42/cron/nightly/abc123/"), "environment": "pre production",
    ]
    #expect(await bench.run("ping", byURL, facts: facts(.onStart, nil)) == .done)
    let dsn = "http://abc123@127.0.0.1:\(server.port)/42"
    let byDSN: Parameters = ["dsn": .string(dsn), "monitor": "nightly"]
    for end in [RunEnd(.succeeded, .exit(0)), RunEnd(.failed, .exit(1))] {
      let hook = end.outcome == .succeeded ? HookKind.onSuccess : .onFailure
      #expect(await bench.run("ping", byDSN, facts: facts(hook, end)) == .done)
    }
    // A late run is no check-in.
    #expect(await bench.run("ping", byDSN, facts: facts(.onLate, nil)) == .done)
    let seen = try seen()
    #expect(seen.map(\.kind) == ["in_progress", "ok", "error"])
    #expect(Set(seen.map(\.check)) == ["42/nightly/abc123"])
    #expect(Set(seen.map(\.rid)).count == 1)
    #expect(seen.map(\.environment) == ["pre production", nil, nil])
  }

  @Test(
    arguments: [
      ([:], [nil]), (["url": "https://a/x", "dsn": "https://k@a/1", "monitor": "m"], [nil]),
      (["url": "ftp://a/x"], ["url"]), (["dsn": "https://k@a/1"], ["monitor"]),
      (["dsn": "https://a/1", "monitor": "m"], ["dsn"]),
      (["dsn": "https://k@a/1", "monitor": "a/b"], ["monitor"]),
      (["url": "{{secret.A}}"], []),
      (["dsn": "https://k@o1.ingest.sentry.io/1", "monitor": "m"], []),
    ] as [(Parameters, [String?])])
  func `a target that is none is reported`(parameters: Parameters, expected: [String?]) {
    #expect(PingBuiltin().problems(in: parameters).map(\.parameter) == expected)
  }
}
