import TaktCore
import Testing

@testable import TaktConfig

/// `on_failure: {add: […]}` and `continue: ignore`.
@Suite struct AddedHookTests {
  private static let defaults = "defaults: {on_failure: [{run: page}], on_success: {run: ping}}"

  private func hooks(_ keys: String) throws -> [HookKind: [String]] {
    try spec(keys, before: Self.defaults).hooks.mapValues { steps in
      steps.map { if case .shell(let text) = $0.action { text } else { "?" } }
    }
  }

  @Test(arguments: [
    ("", ["page"]), ("on_failure: {run: mail}, ", ["mail"]),
    ("on_failure: {add: {run: mail}}, ", ["page", "mail"]),
    ("on_failure: {add: [{run: mail}, {run: log}]}, ", ["page", "mail", "log"]),
    ("on_failure: [{add: [{run: mail}]}], ", ["page", "mail"]),
  ])
  func `a job's hook replaces that of defaults, or adds to it`(keys: String, expected: [String])
    throws
  {
    let hooks = try hooks("\(keys)on: start, run: x")
    #expect(hooks[.onFailure] == expected && hooks[.onSuccess] == ["ping"])
  }

  @Test func `what is added where there are no defaults stands alone`() throws {
    let spec = try spec("on_late: {add: {run: mail}}, on: start, run: x", before: Self.defaults)
    #expect(spec.hooks[.onLate]?.count == 1)
  }

  @Test(arguments: [
    "conflictingKeys | on_failure: {»add: [{run: a}], run: b}, on: start, run: x",
    "conflictingKeys | on_failure: [{run: a}, {»add: [{run: b}]}], on: start, run: x",
    "badValue | on_failure: {add: »[]}, on: start, run: x",
    "wrongType | on_failure: {add: »mail}, on: start, run: x",
    "missingKey | on_failure: {add: [»{}]}, on: start, run: x",
    "unknownKey | on_failure: {add: [{»ran: x}]}, on: start, run: x",
    "misplacedKey | on_failure: {add: [{»continue: true, run: x}]}, on: start, run: x",
    "badChoice | steps: [{run: a, continue: »ignor}], on: start",
    "badBoolean | steps: [{run: a, continue: »'yes'}], on: start",
  ])
  func `a wrong form is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {\($0)}}" }
  }

  @Test
  func `an action with takt's own rights is refused where it is added, and where it is inherited`()
  {
    let added = load(
      "jobs: {a: {on: start, user: worker, inherit_env: true, run: x, on_failure: {add: [{run: y}, {use: touch}]}}}"
    )
    #expect(rows(added.diagnostics) == ["1:99 conflictingKeys"])
    let inherited = load(
      "defaults: {on_failure: {use: touch}}\n"
        + "jobs: {a: {on: start, user: worker, inherit_env: true, run: x, on_failure: {add: {run: y}}}}"
    )
    #expect(rows(inherited.diagnostics) == ["2:8 conflictingKeys"])
  }

  @Test func `continue takes true, false and ignore`() throws {
    for (text, continues, isIgnored) in [
      ("true", true, false), ("false", false, false), ("ignore", true, true),
    ] {
      let spec = try spec("on: start, steps: [{run: a, continue: \(text)}, {run: b}]")
      let step = try #require(spec.action.steps.first)
      #expect(step.continues == continues && step.isFailureIgnored == isIgnored)
    }
  }
}
