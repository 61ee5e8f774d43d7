import Foundation
import TaktAPI
import TaktCore
import TaktTime
import Testing

@testable import takt

/// The output of `takt status` and `takt runs` on a terminal.
@Suite(.ownThreads) struct StatusTextTests {
  @Test func `the cells that tell of trouble have a colour, and names never`() {
    let table = """
      JOB          STATE           NEXT      LAST                    LATE  FAILED  NOT RUN
      failed-日本  waiting, stale  in 1m     failed exit(2) 5 s ago  1 ms  3×      2 of 20
      calm         waiting         in 1m 2s  succeeded 5 s ago       -     -       -
      2 jobs, 1 failing, 1 stale

      """
    let painted = StatusColours.paint(table)
    func esc(_ colour: Int, _ text: String) -> String { "\u{1b}[\(colour)m\(text)\u{1b}[0m" }
    #expect(painted.contains("failed-日本  \(esc(33, "waiting, stale"))  in 1m"), "\(painted)")
    #expect(painted.contains(esc(31, "failed exit(2) 5 s ago")))
    #expect(painted.contains("\(esc(31, "3×"))      \(esc(33, "2 of 20"))\n"))
    #expect(painted.contains(esc(32, "succeeded 5 s ago")))
    #expect(painted.hasSuffix("\n2 jobs, 1 failing, 1 stale\n"))
    let plain = painted.replacing(#/\u{1b}\[\d+m/#, with: "")
    #expect(plain == table)
  }

  @Test func `problems come first, with since when and what to type`() {
    var problem = API.StatusProblem()
    problem.kind = "failing"
    problem.message = "a has failed\u{1b}[2J"
    problem.since = WallInstant(milliseconds: 0)
    problem.command = "takt logs a"
    func text(_ problems: [API.StatusProblem], isColoured: Bool = false) -> String {
      let lines = ProblemLines(problems: problems, zone: .utc)
      return String(decoding: lines.text(isColoured: isColoured), as: UTF8.self)
    }
    #expect(text([]) == "")
    let plain = text([problem])
    #expect(plain.hasPrefix("! a has failed") && !plain.contains("\u{1b}"), "\(plain)")
    #expect(plain.hasSuffix(" since 1970-01-01T00:00:00.000Z: takt logs a\n\n"), "\(plain)")
    #expect(text([problem], isColoured: true).hasPrefix("\u{1b}[31m! a has failed"))
  }

  @Test func `one job shows what its row in the list shows`() {
    var detail = API.JobDetail()
    detail.job.name = "cond"
    detail.job.state = "waiting"
    func text() -> String { JobLines(detail, in: .utc).text }
    #expect(text().hasPrefix("cond: waiting\n") && !text().contains("did not run"))
    detail.job.displayName = "Bücher 夜"
    #expect(text().hasPrefix("cond (Bücher 夜): waiting\n"))
    detail.job.displayName = nil
    detail.job.stale = true
    detail.job.verdicts = "rrss"
    var passed = API.Job.Passed()
    (passed.slot, passed.verdict, passed.reason) = (
      WallInstant(milliseconds: 0), "skipped", "condition"
    )
    detail.job.passed = passed
    #expect(
      text().hasPrefix(
        """
        cond: waiting, stale
        stale: its slots pass without a run
        slots that did not run: 2 of the last 4, the newest 1970-01-01T00:00:00.000Z: \
        skipped(condition); 'takt why cond --at 1970-01-01T00:00:00.000Z' says why

        """), "\(text())")
  }

  @Test func `on 80 columns a run has short instants, and its tries with the reason`() throws {
    let slot = WallInstant(milliseconds: 1_790_000_000_000)
    let head = RunHead(
      run: RunID(1234), job: try #require(JobName("nightly-backup")), slot: slot, kind: .slot)
    var run = StoredRun(head, beganAt: slot + .seconds(1), attempts: 3)
    (run.endedAt, run.duration) = (slot + .seconds(5), .seconds(4))
    run.end = RunEnd(.failed, .exit(1))
    func columns(_ now: WallInstant?) -> [String] {
      RunLine(run, narrowAt: now).columns(in: .utc, long: false)
    }
    let narrow = columns(slot + .seconds(60))
    #expect(narrow[2] == "09-21 14:13:20" && narrow[3] == "14:13:21", "\(narrow)")
    #expect(narrow.suffix(2) == ["failed", "exit(1), 3 tries"], "\(narrow)")
    #expect(narrow.count == RunLine.titles(long: false, isNarrow: true).count)
    #expect(narrow.map(\.count).reduce(0, +) + 2 * (narrow.count - 1) <= 80, "\(narrow)")
    #expect(columns(slot + .seconds(400 * 86_400))[2] == "2026-09-21")
    #expect(columns(nil)[2] == "2026-09-21T14:13:20.000Z")
    #expect(columns(nil).count == RunLine.titles(long: false, isNarrow: false).count)
  }

  @Test func `on a terminal what failed is red and runs fit, unless NO_COLOR is set`() throws {
    let live = try LiveTakt(
      "jobs: {a-job-with-a-rather-long-name: {cron: '@yearly', run: 'exit 3'}}\n")
    #expect(try live.takt("trigger", "a-job-with-a-rather-long-name", "--wait").status == 3)
    let takt = TaktProcess.executable.path
    func shown(_ command: String, _ environment: String = "TERM=xterm") throws -> String {
      let script = "stty cols 80; \(takt) \(command)"
      // 'swift test' sets NO_COLOR if its own output is no terminal.
      let terminal = "echo | env -u NO_COLOR \(environment) script -qec '\(script)' /dev/null"
      return try live.folder.takt(["-c", terminal], program: "/bin/sh").output
    }
    let red = "\u{1b}[31m"
    #expect(try shown("status").contains("\(red)! a-job-with-a-rather-long-name has failed"))
    #expect(try shown("status").contains("\(red)failed exit(3)"))
    let runs = try shown("runs")
    #expect(runs.contains("\(red)failed\u{1b}[0m"), "\(runs)")
    let plain = runs.replacing(#/\u{1b}\[\d+m/#, with: "").split(whereSeparator: \.isNewline)
    #expect(
      plain.contains { $0.contains("exit(3)") } && plain.allSatisfy { $0.count <= 80 }, "\(plain)")
    #expect(try shown("check").contains("\u{1b}[32mjobs.yaml: ok, 1 job\u{1b}[0m"))
    for command in ["status", "runs", "check", "plan"] {
      #expect(try !shown(command, "TERM=xterm NO_COLOR=1").contains("\u{1b}["), "\(command)")
      #expect(try !live.takt(command).text.contains("\u{1b}["), "\(command)")
    }
    try live.folder.write("jobs: {other: {cron: '@yearly', run: 'true', evry: 1}}\n")
    #expect(try shown("check").contains(" \(red)error:\u{1b}[0m unknown key"))
    try live.folder.write("jobs: {other: {cron: '@yearly', run: 'true'}}\n")
    #expect(try shown("plan").contains("\u{1b}[32m+ other  added\u{1b}[0m"))
    #expect(try live.process.stop() == 0)
  }
}
