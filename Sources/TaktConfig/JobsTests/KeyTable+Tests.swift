import TaktCore

enum TestKey {
  static let jobs = "jobs"
  static let timezone = "timezone"
  static let tests = "tests"
  static let from = "from"
  static let span = "for"
  static let until = "until"
  static let faults = "faults"
  static let runs = "runs"
  static let expect = "expect"
  static let lasts = "lasts"
  static let fails = "fails"
  static let exit = "exit"
  static let hangs = "hangs"
  static let onlyIf = "only_if"
  static let always = "always"
}

extension KeyTable {
  package static let testFile: KeyRows = [
    KeyEntry(
      TestKey.jobs, .path, default: "`jobs.yaml` for `jobs.test.yaml`", reload: nil,
      "The jobs file that is tested."),
    KeyEntry(
      TestKey.timezone, .zone, default: "that of the jobs file; UTC for `local`", reload: nil,
      "The time zone of times in the tests, and the one that `local` is in the jobs file."),
    KeyEntry(
      TestKey.tests, .map(.text, .anything), reload: nil, "Required. The tests, by name."),
  ]

  package static let test: KeyRows = [
    KeyEntry(
      TestKey.from, .instant, reload: nil,
      "Required. When takt starts, for the first time: `2027-03-27T20:00`."),
    KeyEntry(
      TestKey.span, .duration(least: .milliseconds(1), most: Simulator.spanMax), default: "1d",
      reload: nil, "How long the test lasts, in virtual time."),
    KeyEntry(TestKey.until, .instant, reload: nil, "When the test ends, instead of `for`."),
    KeyEntry(
      TestKey.timezone, .zone, default: "that of the file", reload: nil,
      "The time zone of this test."),
    KeyEntry(
      TestKey.faults, .oneOrMore(.text(allowsEmpty: false)), default: "none", reload: nil,
      "What goes wrong, as with `takt simulate --fault`: `sleep=8h@01:00`, `crash=30s@+2h`, "
        + "`step=-1h@T`, `stall=5m@T`, `slow=JOB:2m@T`, `reload=FILE@T`."),
    KeyEntry(
      TestKey.runs, .map(.text, .object(testRuns)), default: "every run succeeds", reload: nil,
      "What the runs of jobs do, by the name of a job, of a definition with `for_each`, or a "
        + "pattern such as `etl-*`."),
    KeyEntry(
      TestKey.expect, .oneOrMore(.map(.text, .anything)), reload: nil,
      "Required. What is expected, by job: `- backup: {ran: 2}`."),
  ]

  package static let testRuns: KeyRows = [
    KeyEntry(
      TestKey.lasts, .duration(least: .zero, most: Simulator.spanMax),
      default: "`expected` of the job, or 1s", reload: nil, "How long an attempt lasts."),
    KeyEntry(
      TestKey.fails, .oneOf([.integer(0...1_000_000), .choice([TestKey.always])]), default: "0",
      reload: nil, "How many attempts fail, the first ones, or `always`. Retries count."),
    KeyEntry(
      TestKey.exit, .integer(0...255), default: "1", reload: nil,
      "The exit status of attempts that fail. Without `fails`, that of all attempts."),
    KeyEntry(
      TestKey.hangs, .boolean, default: "`false`", reload: nil,
      "Whether no attempt ends until takt stops it, by `timeout` for example."),
    KeyEntry(
      TestKey.onlyIf, .boolean, default: "`true`", reload: nil,
      "Whether the job's `only_if` answers yes."),
  ]

  /// The most values of a file of tests, those of aliases counted each time.
  static let testLimits = YAMLLimits(depth: 64, nodes: 1_000_000)
}

/// An expectation that a test can have of jobs, or of one slot.
package struct TestCheckRow: Sendable {
  /// The type of its values.
  package enum Kind: Sendable {
    /// A number or a comparison; for a verdict with reasons, numbers by reason; a list of times.
    case slots
    case count
    case duration
    case times
    case jobs
    case verdict, outcome, time
  }

  package let name: String
  package let kind: Kind
  package let summary: String

  private init(_ name: String, _ kind: Kind, _ summary: String) {
    self.name = name
    self.kind = kind
    self.summary = summary
  }

  /// For a job, several or all.
  package static let ofJobs: [TestCheckRow] = slotRows + runRows + hookRows + otherRows

  private static let slotRows: [TestCheckRow] = [
    row(.slots, "Slots, whatever became of them: a number, or a list of all their times."),
    row(.ran, "Slots that ran: a number, or a list of their times."),
    row(.skipped, "Slots that were skipped: a number, times, or numbers by reason."),
    row(.coalesced, "Slots that a later one covered."),
    row(.missed, "Slots that were missed: a number, times, or numbers by cause."),
    row(.cancelled, "Slots that were taken away."),
    TestCheckRow("at", .times, "All times of slots that ran, in order: as a list for `ran`."),
  ]

  private static let runRows: [TestCheckRow] = [
    TestCheckRow("starts", .times, "All times at which runs started, in order."),
    row(.runs, "Runs that started."),
    row(.succeeded, "Runs that succeeded."),
    row(.failed, "Runs that failed or timed out, after their last attempt."),
    row(.timedOut, "Runs that timed out."),
    row(.interrupted, "Runs that a crash ended."),
    row(.retries, "Attempts after the first of their run."),
    row(.alarms, "Calls of `on_failure`, `on_late`, `on_stale` and `on_alarm_failed`."),
  ]

  private static let hookRows: [TestCheckRow] = HookKind.allCases.map {
    TestCheckRow($0.rawValue, .count, "Calls of the hook `\($0.rawValue)`.")
  }

  private static let otherRows: [TestCheckRow] = [
    TestCheckRow("late", .duration, "How long after it was due a slot started, at most."),
    TestCheckRow("lasts", .duration, "How long a run took, at most, with its retries."),
    TestCheckRow("at_once", .count, "How many runs were active at once, at most."),
    TestCheckRow("wakes", .count, "How often takt woke. Only for `all`."),
    TestCheckRow("before", .jobs, "Jobs before each of whose runs a run of this one ends."),
    TestCheckRow("after", .jobs, "Jobs of which a run ends before each run of this one."),
    TestCheckRow("never_with", .jobs, "Jobs whose runs never overlap the runs of this one."),
  ]

  /// For one slot: `backup at 02:30`.
  package static let ofSlot: [TestCheckRow] = [
    TestCheckRow(
      "verdict", .verdict, "`ran`, `skipped`, `missed(asleep)` and so on; `none` for no slot."),
    TestCheckRow("late", .duration, "How long after it was due it started."),
    TestCheckRow("starts", .time, "When its run started."),
    TestCheckRow("outcome", .outcome, "How its run ended."),
    TestCheckRow("lasts", .duration, "How long its run took, with its retries."),
    TestCheckRow("retries", .count, "How many attempts it needed after the first."),
  ]

  private static func row(_ count: TestCount, _ summary: String) -> TestCheckRow {
    TestCheckRow(count.rawValue, count.isOfSlots ? .slots : .count, summary)
  }
}
