import TaktCore
import Testing

@testable import TaktConfig

/// `when` and `repeat` of hooks, `expect_success_within`, `ping`, groups and the page's address.
@Suite struct AlarmKeysTests {
  @Test(arguments: [
    "badChoice | on_failure: {run: a, when: »streak > 3}, on: start, run: x",
    "badChoice | on_failure: {run: a, when: »frist}, on: start, run: x",
    "conflictingKeys | on_success: {run: a, when: »first}, on: start, run: x",
    "conflictingKeys | on_stale: [{run: a}, {run: b, when: »streak >= 2}], on: start, run: x",
    "outOfRange | on_failure: {run: a, repeat: »0s}, on: start, run: x",
    "unknownKey | steps: [{»when: first, run: a}], on: start",
    "outOfRange | expect_success_within: »0s, on: start, run: x",
    "badDuration | expect_success_within: »26, on: start, run: x",
    "unknownParameter | ping: {»link: 'https://hc-ping.com/x'}, on: start, run: x",
    "badPlaceholder | ping: »'https://hc-ping.com/{{secret.KEY}}', on: start, run: x",
    "badPlaceholder | on_failure: {use: log, with: {message: »'{{ouput}}'}}, on: start, run: x",
    "badPlaceholder | use: log, with: {message: »'{{output}}'}, on: start",
    "badPlaceholder | use: log, with: {message: »'{{output|json}}'}, on: start",
    "badPlaceholder | use: log, with: {message: »'{{job|jsn}}'}, on: start",
    "badPlaceholder | on_failure: {use: log, with: {message: »'{{output|}}'}}, on: start, run: x",
    "badPlaceholder | use: log, with: {message: »'{{secret.KEY|json}}'}, on: start",
  ])
  func `a wrong key of a job is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {\($0)}}" }
  }

  @Test(arguments: [
    "badChoice | concurrency: {db: {max: 1, when_full: »drop}}",
    "missingKey | concurrency: {db: »{when_full: skip}}",
    "outOfRange | concurrency: {db: {max: »0}}",
    "badValue | http: {listen: 8080, public_url: »jobs.example.org}",
    "badValue | http: {listen: 8080, public_url: »'https://a/?b'}",
    "badValue | http: {listen: 8080, public_url: »'https://a:65536/takt'}",
    "badValue | http: {listen: 8080, public_url: »'https://[::1]:0'}",
    "conflictingKeys | concurrency: {db: »{max: 1, when_full: skip}}, cluster: {engine: postgres}",
  ])
  func `a wrong key of the scheduler is reported at its place`(row: String) throws {
    try check(badRow: row) { "scheduler: {\($0)}\njobs: {a: {on: start, run: x}}" }
  }

  @Test(arguments: ["//takt", "/a/../b", "/t%61kt", "/takt//", "/api", "/metrics/takt"])
  func `a path below which takt does not answer is a warning`(path: String) throws {
    let loaded = load(
      "scheduler: {http: {listen: 8080, public_url: 'https://a.example\(path)'}}\n"
        + "jobs: {a: {on: start, run: x}}")
    let diagnostic = try #require(loaded.diagnostics.first)
    #expect(loaded.diagnostics.count == 1 && diagnostic.severity == .warning)
    #expect(diagnostic.message == "takt does not answer below the path of 'public_url'")
    #expect(loaded.snapshot?.settings.http?.publicPath == "")
  }

  @Test func `what the keys say is what the job has`() throws {
    let spec = try spec(
      """
      on: start, run: x, expect_success_within: 26h, ping: 'https://hc-ping.com/u', on_failure:
      [{run: a, when: first, repeat: 1h}, {run: b, when: streak>=4}, {run: c}]
      """)
    #expect(
      spec.hooks[.onFailure]?.map(\.rule) == [
        HookRule(.streak(least: 1), interval: .seconds(3600)), HookRule(.streak(least: 4)),
        HookRule(),
      ])
    #expect(spec.policies.freshFor == .seconds(26 * 3600))
    #expect(
      spec.policies.pings == [Step(.use("ping", ["url": .string("https://hc-ping.com/u")]))])
  }

  @Test func `a group waits unless it says otherwise`() throws {
    let loaded = load(
      """
      scheduler:
        concurrency: {a: 2, b: {max: 3}, c: {max: 1, when_full: skip}}
        http: {listen: 8080, public_url: "https://jobs.example.org/takt/"}
      jobs: {j: {on: start, run: x, concurrency: c}}
      """)
    let settings = try #require(loaded.snapshot?.settings)
    #expect(settings.concurrency == ["a": 2, "b": 3, "c": 1])
    #expect(settings.skippingGroups == ["c"])
    #expect(settings.http?.publicURL == "https://jobs.example.org/takt")
    #expect(settings.http?.publicPath == "/takt")
  }
}
