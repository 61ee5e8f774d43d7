import TaktCore
import Testing

@Suite struct RunReasonTests {
  private static let reasons: [RunReason] =
    [
      .exit(0), .exit(255), .signal(9), .done, .reported("status(500)"), .replaced, .byOperator,
      .timeout, .removed, .shutdown, .down, .ledger, .leaseLost, .outOfMemory,
      .descendantsLeft(3),
    ] + FailureSign.allCases.map { .failsWhen($0) }
    + StartStage.allCases.map { .notStarted($0, errno: 2) }

  @Test(arguments: reasons)
  func `a reason is made of its parts`(reason: RunReason) {
    #expect(RunReason(reason.parts) == reason)
  }

  @Test func `each code has a reason`() {
    #expect(Set(Self.reasons.map(\.parts.code)) == Set(RunReason.Code.allCases))
  }

  @Test(
    arguments: [
      (RunReason.Code.exit, nil, nil), (.exit, Int64.max, nil), (.notStarted, 2, "moon"),
      (.notStarted, nil, "cwd"), (.failsWhen, nil, "rain"), (.reported, 3, nil),
    ] as [(RunReason.Code, Int64?, String?)])
  func `parts that make no sense are no reason`(
    code: RunReason.Code, number: Int64?, text: String?
  ) {
    #expect(RunReason(RunReason.Parts(code, number: number, text: text)) == nil)
  }

  @Test(
    arguments: [
      ("exit(3)", .failed, .exit(3)), ("exit(3)", .succeeded, .exit(3)),
      ("not_started(cwd, ENOENT)", .failed, .notStarted(.directory, errno: 2)),
      ("not_started(exec, errno 123)", .failed, .notStarted(.exec, errno: 123)),
      ("not_started(spawn_stuck)", .failed, .notStarted(.stuck, errno: 0)),
      ("timeout", .timedOut, .timeout), ("timeout", .failed, .reported("timeout")),
      ("operator", .cancelled, .byOperator), ("operator", .failed, .reported("operator")),
      ("exit()", .failed, .reported("exit()")), ("", .failed, .reported("")),
      ("(", .failed, .reported("(")), ("exit(+3)", .failed, .reported("exit(+3)")),
    ] as [(String, Outcome, RunReason)])
  func `a text of an earlier version is read by what it can have meant`(
    text: String, outcome: Outcome, reason: RunReason
  ) {
    #expect(RunReason(text: text, of: outcome) == reason)
    #expect(reason.description == text)
  }
}
