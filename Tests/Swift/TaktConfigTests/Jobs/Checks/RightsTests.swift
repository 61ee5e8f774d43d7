import Testing

@testable import TaktConfig
import TaktCore

/// Actions that use takt's rights, in jobs of another user.
struct RightsTests {
  @Test(arguments: [
    "user: worker, use: »touch", "use: »touch, group: adm",
    "user: worker, inherit_env: false, steps: [{run: x}, {use: »touch}, {use: log}]",
    "user: worker, inherit_env: false, run: x, on_failure: {use: »touch}",
    "run: x, inherit_env: true, on_late: [{use: log}, {use: »touch}], user: 1000",
    "user: worker, use: »pipe, with: {to: x}",
  ])
  func `an action with takt's own rights is refused where another user is named`(keys: String)
    throws
  {
    try check(badRow: "conflictingKeys | " + keys) { "jobs:\n  a: {on: start, \($0)}\n" }
  }

  @Test func `the user is allowed in defaults, and so is the hook`() throws {
    try check(
      badRow: """
        conflictingKeys | defaults: {user: worker}
        jobs:
          a: {on: start, use: »touch}
          b: {on: start, use: touch, user: null}
        """)
    try check(
      badRow: """
        conflictingKeys | defaults: {on_failure: {use: touch}, inherit_env: false}
        jobs:
          »a: {on: start, run: x, user: worker}
          b: {on: start, run: x, user: worker, on_failure: null}
          c: {on: start, run: x}
        """)
  }

  @Test func `what is said names the action, the user and a way out`() throws {
    let loaded = load("jobs: {a: {on: start, use: touch, user: worker}}\n")
    let diagnostic = try #require(loaded.diagnostics.first)
    #expect(
      diagnostic.message
        == "the action 'touch' would run with takt's own rights, not with those of the user 'worker' "
        + "in job 'a'")
    #expect(diagnostic.hint == "use 'run' instead, or remove 'user' from the job")
    #expect(loaded.diagnostics.count == 1)
  }

  @Test(arguments: [
    "user: worker, inherit_env: true, steps: [{run: x}, {use: log}]",
    "user: worker, inherit_env: true, steps: [{run: x}, {use: pipe}]",
    "user: root, steps: [{run: x}, {use: touch}]",
    "user: root, group: root, run: x, on_success: {use: touch}", "use: touch",
  ])
  func `an action without rights of its own, or with the job's, is allowed there`(keys: String) {
    #expect(load("jobs: {a: {on: start, \(keys)}}\n").diagnostics == [])
  }

  @Test func `a user that there is not is reported for once`() {
    let loaded = load("jobs: {a: {on: start, use: touch, user: nobody-here}}\n")
    #expect(rows(loaded.diagnostics.filter { $0.severity == .error }) == ["1:41 unknownAccount"])
  }
}
