import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct TestCommandTests {
  private static let jobs = """
    scheduler: {timezone: UTC, state: none}
    jobs:
      backup: {cron: '30 3 * * *', run: x, expected: 20m, timeout: 1h}
      report: {after: {job: backup}, run: x, expected: 10m}
      sync:
        cron: '0 * * * *'
        retry: {attempts: 3, delay: 1m}
        on_failure: {run: x}
        run: x
      poll: {every: 10m, run: x, expected: 25m}
    """

  private func folder(_ tests: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(Self.jobs)
    try folder.write(tests, to: "jobs.test.yaml")
    return folder
  }

  /// A test of a day with one expectation.
  private static func test(_ expectation: String, _ keys: String = "") -> String {
    "tests:\n  one: {from: 2027-01-04T00:00, \(keys)expect: [{\(expectation)}]}\n"
  }

  /// An expectation that is not met, more keys of the test, and the message.
  static let failing = [
    "backup: {ran: 2} |  | backup: ran: expected 2, got 1",
    "backup: {slots: '> 1'} |  | backup: slots: expected > 1, got 1",
    "all: {missed: 1} |  | all: missed: expected 1, got 0",
    "poll: {skipped: 0} |  | poll: skipped: expected 0, got ",
    "poll: {skipped: {overlap: 0}} |  | poll: skipped(overlap): expected 0, got ",
    "poll: {coalesced: 1..2} |  | poll: coalesced: expected 1..2, got 0",
    "poll: {cancelled: 1} |  | poll: cancelled: expected 1, got 0",
    "backup: {ran: [03:31]} |  | ran: expected 03:31 (1), got 2027-01-04T03:30:00.000Z (1)",
    "backup: {at: [03:30, 04:30]} |  | expected 03:30, 04:30 (2), got 2027-01-04T03:30:00.000Z (1)",
    "report: {starts: 03:51} |  | starts: expected 03:51 (1), got 2027-01-04T03:50:00.000Z (1)",
    "sync: {runs: 23} |  | sync: runs: expected 23, got 24",
    "sync: {succeeded: 24} | runs: {sync: {fails: always}}, | sync: succeeded: expected 24, got 0",
    "sync: {failed: 0} | runs: {sync: {fails: 3}}, | sync: failed: expected 0, got 1",
    "backup: {timed_out: 0} | runs: {backup: {hangs: true}}, | backup: timed_out: expected 0, got 1",
    "backup: {interrupted: 0} | faults: [crash=1m@03:35], | backup: interrupted: expected 0, got 1",
    "sync: {retries: 1} | runs: {sync: {fails: 2}}, | sync: retries: expected 1, got 2",
    "sync: {alarms: 0} | runs: {sync: {fails: 3, exit: 7}}, | sync: alarms: expected 0, got 1",
    "sync: {on_failure: 2} | runs: {sync: {fails: 3}}, | sync: on_failure: expected 2, got 1",
    "backup: {late: 0s} | faults: [sleep=1h@03:00], | backup: late: expected 0s, got 30m",
    "backup: {lasts: '< 20m'} |  | backup: lasts: expected < 20m, got 20m",
    "all: {at_once: '<= 1'} |  | all: at_once: expected <= 1, got ",
    "'*p*': {at_once: '> 9'} |  | *p*: at_once: expected > 9, got ",
    "all: {wakes: 1} |  | all: wakes: expected 1, got ",
    "backup: {after: report} |  | backup started at 2027-01-04T03:30:00.000Z without one",
    "report: {before: backup} |  | expected a run ends before each of backup, got backup started at",
    "report: {after: backup} | runs: {backup: {fails: always}}, | got no run of report started",
    "poll: {never_with: backup} |  | never_with: expected no run beside one of backup, got poll",
    "backup at 03:30: {verdict: missed} |  | backup at 03:30: verdict: expected missed, got ran",
    "backup at 03:31: {verdict: ran} |  | verdict: expected ran, got no slot at this time",
    "backup at 03:30: {verdict: none} |  | verdict: expected none, got ran",
    "backup at 03:30: {late: '> 1m'} |  | backup at 03:30: late: expected > 1m, got 0s",
    "backup at 03:30: {starts: 04:00} |  | starts: expected 04:00, got 2027-01-04T03:30:00.000Z",
    "backup at 03:30: {outcome: failed} |  | outcome: expected failed, got succeeded",
    "backup at 03:30: {lasts: 1m} |  | backup at 03:30: lasts: expected 1m, got 20m",
    "backup at 03:30: {retries: 1} |  | backup at 03:30: retries: expected 1, got 0",
    "each all: {ran: 1} |  | sync: ran: expected 1, got 24",
  ]

  @Test(arguments: failing) func `what is not met is said`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let answer = try folder(Self.test(parts[0], parts[1])).takt("test")
    #expect(answer.status == 1, "\(answer.text)")
    #expect(answer.output.contains(parts[2]), "\(answer.text)")
    #expect(answer.output.contains("jobs.test.yaml:2:"), "\(answer.output)")
    #expect(answer.output.contains("jobs.test.yaml: 0 passed, 1 failed"))
  }

  @Test func `a failure shows the job's place and what happened`() throws {
    let folder = try folder(Self.test("backup: {ran: 2}"))
    let answer = try folder.takt("test")
    #expect(answer.output.contains("the job is at jobs.yaml:3:3"), "\(answer.output)")
    #expect(answer.output.contains("2027-01-04T03:30:00.000Z  backup  ran"))
    #expect(answer.output.contains("backup  run ended: succeeded"))
    let outputs = try folder.takt("test", "--junit", "r.xml", "--svg", "f.svg", "--json")
    #expect(outputs.status == 1)
    #expect(outputs.output.contains(#""failed":1"#) && outputs.output.contains(#""actual":"1""#))
    #expect(folder.read("r.xml").contains(#"<failure message="backup: ran: expected 2, got 1">"#))
    #expect(folder.read("f.svg").contains("expected 2, got 1"))
  }

  @Test func `tests are listed, chosen and recorded`() throws {
    let folder = try folder(
      """
      tests:
        a night: {from: 2027-01-04T00:00, expect: {backup: {ran: 1}}}
        a day: {from: 2027-01-04T06:00, for: 12h, expect: {backup: {ran: 1}}}
      """)
    #expect(try folder.takt("test", "--list").output == "a night\na day\n")
    let night = try folder.takt("test", "jobs.test.yaml", "--filter", "night")
    #expect(night.status == 0 && night.output.contains("1 passed, 0 failed"), "\(night.text)")
    #expect(try folder.takt("test", "--filter", "week").status == 64)
    #expect(try folder.takt("test", "--from", "2027-01-04T00:00").status == 64)
    for arguments in [
      ["a day"], ["new", "--from", "2027-01-04T00:00", "--for", "2d"],
    ] {
      let record = try folder.takt(["test", "--record"] + arguments)
      #expect(record.status == 0, "\(record.text)")
      try folder.write(record.output, to: "other.test.yaml")
      try folder.write(Self.jobs, to: "other.yaml")
      let again = try folder.takt("test", "other.yaml")
      #expect(again.status == 0, "\(record.output)\(again.text)")
    }
  }

  /// As a shell leaves it for `takt test --record NAME > jobs.test.yaml`.
  @Test func `the first test is recorded into the file that is still empty`() throws {
    let folder = try folder("")
    let record = try folder.takt("test", "--record", "first")
    #expect(record.status == 0, "\(record.text)")
    try folder.write(record.output, to: "jobs.test.yaml")
    #expect(try folder.takt("test").status == 0)
  }

  @Test func `a test that is recorded for another time keeps what its runs do`() throws {
    let folder = try folder(
      """
      tests:
        fails:
          from: 2027-01-04T00:00
          faults: [crash=1m@20:00]
          runs: {sync: {fails: 3, exit: 7}, backup: {lasts: 5m}}
          expect: {backup: {ran: 1}}
      """)
    let longer = try folder.takt("test", "--record", "fails", "--for", "2d")
    #expect(longer.status == 0 && longer.errors.isEmpty, "\(longer.text)")
    for kept in [
      "from: 2027-01-04T00:00\n", "for: 2d\n", "sync: {fails: 3, exit: 7}\n",
      "backup: {lasts: 5m}\n", "faults: ['crash=1m@20:00']\n",
    ] { #expect(longer.output.contains(kept), "\(longer.output)") }
    let later = try folder.takt("test", "--record", "fails", "--from", "2027-01-06T00:00")
    #expect(later.status == 0 && later.output.contains("sync: {fails: 3, exit: 7}\n"))
    #expect(later.output.contains("for: 1d\n") && !later.output.contains("faults:"))
    #expect(later.errors.contains("the faults of 'fails' are left out"), "\(later.errors)")
    try folder.write(later.output, to: "other.test.yaml")
    try folder.write(Self.jobs, to: "other.yaml")
    #expect(try folder.takt("test", "other.yaml").status == 0)
  }

  @Test func `a wrong file is refused with 78`() throws {
    let wrong = try folder(Self.test("bakup: {ran: 1}")).takt("test")
    #expect(wrong.status == 78 && wrong.output.isEmpty)
    #expect(wrong.errors.contains("did you mean 'backup'?"))
    let missing = try TemporaryFolder(Self.jobs).takt("test")
    #expect(missing.status == 78 && missing.errors.contains("there are no tests jobs.test.yaml"))
    let folder = try folder(Self.test("backup: {ran: 1}"))
    try folder.write("jobs: {a: {evry: 1h, run: x}}")
    #expect(try folder.takt("test").status == 78)
  }

  @Test func `a test means the same in each zone of the machine`() throws {
    let folder = try TemporaryFolder("jobs: {backup: {cron: '30 3 * * *', run: x}}")
    try folder.write(
      "timezone: America/New_York\n"
        + Self.test("backup: {ran: [2027-01-04T08:30Z]}"), to: "jobs.test.yaml")
    let answer = try folder.takt(
      ["TZ=Asia/Tokyo", TaktProcess.executable.path, "test"], program: "/usr/bin/env")
    #expect(answer.status == 0, "\(answer.text)")
  }

  @Test func `the tests of the repository pass`() throws {
    let folder = try TemporaryFolder()
    let answer = try folder.takt("test", CommandTests.example.path)
    #expect(answer.status == 0, "\(answer.text)")
  }

  @Test func `the examples in the docs pass`() throws {
    let page = try Repository.text("docs/reference/testing-jobs.md")
    let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    // The first one is a file of tests for the jobs that follow.
    #expect(blocks.count == 11)
    var pairs = stride(from: 1, to: blocks.count, by: 2).map { (blocks[$0], blocks[$0 + 1]) }
    pairs.append((blocks[1], blocks[0]))
    for (jobs, tests) in pairs {
      let folder = try TemporaryFolder(jobs)
      try folder.write(tests, to: "jobs.test.yaml")
      let answer = try folder.takt("test")
      #expect(answer.status == 0, "\(tests)\(answer.text)")
    }
  }

  @Test func `the schema of tests in the repository is that of the program`() throws {
    let folder = try TemporaryFolder()
    let schema = try Repository.text("docs/schemas/jobs.test.schema.json")
    #expect(try schema == folder.takt("schema", "--tests").output, "run: make schema")
  }
}
