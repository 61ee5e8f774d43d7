import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// `only_if` in jobs files.
struct ConditionKeysTests {
  private func condition(_ text: String) throws -> Condition {
    let loaded = load("jobs: {a: {on: start, run: x, only_if: \(text)}}\n")
    #expect(loaded.diagnostics.map(\.headline) == [])
    return try #require(loaded.snapshot?.jobs.first?.policies.onlyIf?.value)
  }

  @Test func `a condition is a list of words, or a mapping with bounds`() throws {
    #expect(try condition("[test, -e, x]") == Condition(.argv(["test", "-e", "x"])))
    #expect(
      try condition("{run: 'test -e x', timeout: 1s, wait: 30s}")
        == Condition(
          .shell("test -e x"), timeout: .seconds(1), wait: .seconds(30), interval: .seconds(30)))
    #expect(try condition("{use: log, wait: 2h, every: 5m}").interval == .seconds(300))
  }

  @Test func `null takes away the condition of defaults`() throws {
    let loaded = load(
      """
      defaults: {only_if: [x]}
      jobs: {a: {on: start, run: x}, b: {on: start, run: x, only_if: null}}

      """)
    #expect(loaded.snapshot?.jobs.map { $0.policies.onlyIf != nil } == [true, false])
  }

  @Test(arguments: [
    "missingKey | only_if: »{wait: 2h}", "missingKey | only_if: {run: [x], »every: 1m}",
    "outOfRange | only_if: {run: [x], wait: 1m, every: »2m}", "wrongType | only_if: »true",
    "wrongType | only_if: »x", "badValue | only_if: »[]", "badValue | only_if: {run: »''}",
    "unknownKey | only_if: {run: [x], »wiat: 1m}", "outOfRange | only_if: {run: [x], timeout: »0s}",
    "outOfRange | only_if: {run: [x], timeout: »2h}",
    "outOfRange | only_if: {run: [x], wait: »1ms}",
    "badDuration | only_if: {run: [x], wait: »1}", "unknownAction | only_if: {use: »lgo}",
    "conflictingKeys | only_if: {run: [x], »use: log}",
    "conflictingKeys | user: worker, inherit_env: true, only_if: {use: »touch}",
  ])
  func `a mistake is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {on: start, run: x, \($0)}}\n" }
  }

  @Test func `a condition of defaults that uses takt's own rights is refused for another user`()
    throws
  {
    try check(
      badRow: """
        conflictingKeys | defaults: {only_if: {use: touch}, inherit_env: false}
        jobs:
          »a: {on: start, run: x, user: worker}
          b: {on: start, run: x, user: worker, only_if: null}
          c: {on: start, run: x}
        """)
  }

  @Test func `keys of commands have a use where only the condition is one`() {
    let loaded = load(
      "jobs: {a: {on: start, use: log, shell: [sh, -c], env: {A: b}, only_if: {run: 'test $A'}}}\n")
    #expect(loaded.diagnostics.map(\.headline) == [])
  }

  @Test func `a program that does not exist is reported when the file is checked`() {
    let folder = TemporaryFolder()
    let path = folder.write(
      "jobs: {a: {on: start, run: 'true', only_if: [/no/such/program]}}\n", to: "jobs.yaml")
    let diagnostics = loader.load(path: path, isThorough: true).diagnostics
    #expect(diagnostics.map(\.code) == [.suspicious])
    #expect(diagnostics.first?.message.contains("/no/such/program") == true)
  }
}
