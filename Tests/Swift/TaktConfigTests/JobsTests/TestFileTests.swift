import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// Mistakes in files of tests are reported with their places.
struct TestFileTests {
  private static let jobs = """
    scheduler: {timezone: UTC}
    jobs:
      backup: {cron: '30 3 * * *', run: x}
      report: {after: {job: backup}, run: x}
      etl: {for_each: {n: [a, b]}, every: 1h, run: x}
    """

  private func read(_ text: String) throws -> (tests: [JobsTest], diagnostics: [Diagnostic]) {
    let folder = TemporaryFolder()
    let jobs = folder.write(Self.jobs, to: "jobs.yaml")
    let path = folder.write(text, to: "jobs.test.yaml")
    let reader = TestFileReader(path: path, jobsFile: jobs, zones: TestZones()) { path, _ in
      try #require(loader.load(path: path).snapshot)
    }
    let (tests, diagnostics, _) = try reader.read()
    return (tests, diagnostics)
  }

  /// Whole files.
  static let badFiles = [
    "the file is empty | ",
    "must be a mapping | »[a]",
    "the file has no 'tests' | x-a: 1",
    "unknown key 'test' | »test: {}",
    "unknown key 'scheduler' | tests: {}\n»scheduler: {}",
    "a mapping of names to values | tests: »[a]",
    "is not a valid name | tests: {»'': {}}",
    "test 'a' must be a mapping | tests: {a: »1}",
    "test 'a' has no 'from' | tests: {»a: {expect: [{backup: {ran: 1}}]}}",
    "test 'a' has no 'expect' | tests: {»a: {from: 2027-01-01T00:00}}",
    "there is no time zone | timezone: »Europe/Berlim\ntests: {}",
    "cannot be local | timezone: »local\ntests: {}",
    "a second document | tests: {}\n»---\ntests: {}",
    "'jobs' is empty | jobs: »''\ntests: {}",
  ]

  /// The keys of a test, besides those that it needs.
  static let badKeys = [
    "unknown key 'form' in test 'a'; did you mean 'from'? | »form: 2027-01-01T00:00",
    "unknown key 'fault' in test 'a'; did you mean 'faults'? | »fault: sleep",
    "is not a duration | for: »long",
    "has no unit; write 5s | for: »5",
    "must be from 1ms | for: »0s",
    "cannot be combined; remove one of them | until: 2027-01-02T00:00, »for: 1d",
    "'until' is not after 'from' | until: »2026-12-31T00:00",
    "is not a date with a time of day | until: »later",
    "has no time of day; write 2027-01-02T00:00 | until: »2027-01-02",
    "there is no time zone | timezone: »Mars",
    "'sleeep' is not a fault; did you mean 'sleep'? | faults: [»sleeep]",
    "is not a fault; the fault takes a duration | faults: [»sleep=x]",
    "is not a fault; step takes +1h or -1h | faults: [»step=x]",
    "is not a fault; slow takes JOB:2m | faults: [»slow=x]",
    "there is no job 'bakup' in the jobs file; did you mean | faults: [»'slow=bakup:2m']",
    "is outside the test | faults: [»sleep=1h@2026-01-01T00:00]",
    "after '@' write an instant | faults: [»sleep=1h@noon]",
    "the list of 'faults' is empty | faults: »[]",
    "a mapping of names to values | runs: »[backup]",
    "there is no job 'bakup' | runs: {»bakup: {fails: 1}}",
    "no job's name matches 'x*' | runs: {»x*: {fails: 1}}",
    "unknown key 'fail' in 'backup' of test 'a'; did you | runs: {backup: {»fail: 1}}",
    "did you mean 'always'? | runs: {backup: {fails: »alway}}",
    "from 0 to 1000000 | runs: {backup: {fails: »-1}}",
    "from 0 to 255 | runs: {backup: {exit: »256}}",
    "must be true or false | runs: {backup: {hangs: »maybe}}",
    "'hangs' and 'lasts' cannot be combined | runs: {backup: {hangs: true, »lasts: 1s}}",
    "is written twice | runs: {etl: {fails: 1}, »etl.a: {fails: 2}}",
  ]

  /// Expectations with a mistake.
  static let badExpectations = [
    "there is no job 'bakup' in the jobs file; did you mean 'backup'? | »bakup: {ran: 1}",
    "no job's name matches 'z*' | »z*: {ran: 1}",
    "must be a mapping of what is expected; write {ran: 1} | backup: »2",
    "nothing is expected of 'backup' | backup: »{}",
    "unknown expectation 'run' in test 'a'; did you mean 'ran'? | backup: {»run: 1}",
    "write 'backup at TIME: {verdict: …}' | backup: {»verdict: ran}",
    "it is of a job: remove ' at …' | backup at 03:30: {»at_once: 1}",
    "must be a number such as 2, '>= 2' or 2..5, not 'two' | backup: {ran: »two}",
    "write '>= 2' | backup: {ran: »'=> 2'}",
    "write '>= 2' | backup: {ran: »at least 2}",
    "write '>= 2' | backup: {ran: »2+}",
    "not '-1' | backup: {ran: »-1}",
    "no value is '5..2' | backup: {ran: »5..2}",
    "no value is '< 0' | backup: {ran: »'< 0'}",
    "'ran' has no value | backup: {ran: »}",
    "a duration such as 0s, '< 5m' or 1m..2m, not '5'; write 5s | backup: {late: »5}",
    "not '< five' | backup: {late: »'< five'}",
    "not a list or a mapping | backup: {late: »[5m]}",
    "not a list or a mapping | backup: {retries: »{a: 1}}",
    "is no reason of 'skipped'; did you mean 'overlap'? | backup: {skipped: {»overlp: 1}}",
    "not a list or a mapping | backup: {ran: »{overlap: 1}}",
    "is not a date with a time of day | backup: {ran: [»25:00]}",
    "the list of 'at' is empty; write 'ran: 0' | backup: {at: »[]}",
    "there is no job 'repot' | backup: {never_with: »repot}",
    "'never_with' must name another job | backup: {never_with: »backup}",
    "is not possible with 'each' | each etl: {after: »backup}",
    "'wakes' is of all jobs together | backup: {»wakes: 1}",
    "is not a date with a time of day | »backup at noon: {verdict: ran}",
    "is outside the test; the test is from | »backup at 2028-01-01T00:00: {verdict: ran}",
    "belongs to one job, not to 2; write 'each etl at | »etl at 03:00: {verdict: ran}",
    "did you mean 'missed'? | backup at 03:30: {verdict: »mised}",
    "no verdict; did you mean 'asleep'? | backup at 03:30: {verdict: »missed(asleeep)}",
    "'ran(x)' is no verdict; write ran | backup at 03:30: {verdict: »ran(x)}",
    "did you mean 'failed'? | backup at 03:30: {outcome: »faild}",
    "is not a date with a time of day | backup at 03:30: {starts: »soon}",
  ]

  @Test(arguments: badFiles) func `a wrong file has a place and a sentence`(row: String) throws {
    try check(row) { $0 }
  }

  @Test(arguments: badKeys) func `a wrong key has a place and a sentence`(row: String) throws {
    try check(row) {
      "tests: {a: {from: 2027-01-01T00:00, expect: [{backup: {ran: 1}}], \($0)}}"
    }
  }

  @Test(arguments: badExpectations)
  func `a wrong expectation has a place and a sentence`(row: String) throws {
    try check(row) { "tests: {a: {from: 2027-01-01T00:00, expect: [{\($0)}]}}" }
  }

  private func check(_ row: String, wrap: (String) -> String) throws {
    let parts = row.split(separator: " | ", maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let marked = MarkedText(wrap(String(parts[1])))
    let (tests, diagnostics) = try read(marked.text)
    #expect(tests.isEmpty)
    let first = try #require(diagnostics.first { $0.severity == .error }, "\(row)")
    #expect(first.headline.contains(parts[0]), "\(first.headline)")
    if let place = marked.places.first {
      #expect("\(first.location.line):\(first.location.column)" == place, "\(first.headline)")
    }
  }

  @Test func `a test is read with all that it says`() throws {
    let (tests, diagnostics) = try read(
      """
      x-common: &common {from: 2027-01-01T00:00}
      timezone: Europe/Berlin
      tests:
        one:
          <<: *common
          until: 2027-01-03T00:00
          faults: [sleep=8h@01:00, crash=30s@+12h]
          runs: {backup: {lasts: 20m, fails: 2}, 'e*': {exit: 3}}
          expect:
            - backup: {ran: ">= 1", late: 1m..5m}
            - each etl: {ran: 24}
              backup at 03:30: {verdict: missed(asleep), late: "< 6h"}
            - all: {at_once: "<= 4"}
      """)
    #expect(diagnostics.map(\.headline) == [])
    let test = try #require(tests.first)
    #expect(test.start.rfc3339() == "2026-12-31T23:00:00.000Z")
    #expect(test.span == .seconds(2 * 86_400))
    #expect(
      test.faults.map { $0.at.rfc3339() }
        == ["2027-01-01T00:00:00.000Z", "2027-01-01T11:00:00.000Z"])
    #expect(test.runs.count == 3)
    #expect(
      test.expectations.map(\.subject) == [
        "backup", "backup", "etl.a", "etl.b", "backup at 03:30", "backup at 03:30", "all",
      ])
    #expect(test.runSpan == .seconds(40 * 3600))
  }

  @Test func `a sleep ends with the test`() throws {
    let (tests, _) = try read(
      "tests: {a: {from: 2027-01-01T00:00, faults: [sleep=8h@23:00, stall=1m@02:00], "
        + "expect: [{backup: {ran: 1}}]}}")
    #expect(tests.first?.runSpan == .seconds(23 * 3600))
  }

  @Test func `a time that the clock change skips is refused`() throws {
    let (_, diagnostics) = try read(
      "timezone: Europe/Berlin\n"
        + "tests: {a: {from: 2026-03-29T02:30, expect: [{backup: {ran: 1}}]}}")
    #expect(diagnostics.first?.headline.contains("does not exist in Europe/Berlin") == true)
  }

  @Test func `patterns match any characters`() throws {
    let (tests, _) = try read(
      "tests: {a: {from: 2027-01-01T00:00, expect: [{'*t*': {ran: 1}}, {'etl.*': {ran: 1}}]}}")
    let jobs = tests.first?.expectations.map { $0.jobs?.map(\.text) ?? [] }
    #expect(jobs == [["report", "etl.a", "etl.b"], ["etl.a", "etl.b"]])
  }
}
