import Foundation
import Glibc
import Testing

/// Many jobs from one, jobs after all of several, conditions and backfills, with the real program.
@Suite(.ownThreads) struct FamilyCommandTests {
  @Test func `jobs of one definition run with their values, and are one line of the status`() throws
  {
    let live = try LiveTakt(
      """
      jobs:
        greet:
          for_each: {who: [ann, bob], mood: [glad, sad], exclude: [{who: bob, mood: sad}]}
          cron: '@yearly'
          run: "echo {{each.who}} is {{each.mood}}"
        other: {cron: '@yearly', run: 'false'}
      """)
    let run = try live.folder.takt("trigger", "greet.ann.sad", "--wait")
    #expect(run.status == 0 && run.text.contains("ann is sad"))
    let status = try live.folder.takt("status", "--group")
    #expect(status.text.contains("greet (3 jobs)"), "\(status.text)")
    #expect(status.text.contains("3 waiting"))
    #expect(!status.text.contains("greet.ann"))
    #expect(try live.folder.takt("status").text.contains("greet.bob.glad"))
    let one = try live.folder.takt("status", "greet")
    #expect(one.status == 0 && one.text.contains("greet (3 jobs)"), "\(one.text)")
    #expect(one.text.contains("greet.bob.glad") && !one.text.contains("other"))
    let all = try live.folder.takt("trigger", "greet", "--wait")
    #expect(all.status == 0 && all.text.contains("bob is glad"), "\(all.text)")
    #expect(all.text.contains("ann is glad") && all.text.contains("ann is sad"))
    let suspended = try live.folder.takt("suspend", "greet")
    #expect(suspended.text.contains("greet.ann.glad is suspended"), "\(suspended.text)")
    #expect(try live.folder.takt("resume", "greet").status == 0)
    let none = try live.ask("POST", "/api/v1/jobs/greet/trigger").text
    #expect(
      none.contains("'greet' is a definition with 'for_each', which makes 'greet.ann.glad', "),
      "\(none)")
    let refused = try live.folder.takt("status", "--group", "--json")
    #expect(refused.status == 64)
    let json = try live.ask("GET", "/api/v1/jobs/greet.ann.sad").text
    #expect(json.contains("\"for_each\":\"greet\""))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a file of values is watched, and its reload touches one job`() throws {
    let folder = try TemporaryFolder()
    try folder.write("acme\nglobex\n", to: "tenants.txt")
    try folder.write(
      "jobs: {b: {for_each: {t: {file: tenants.txt}}, cron: '@yearly', run: 'echo {{each.t}}'}}\n")
    let process = try TaktProcess(["run", "--watch"], in: folder)
    try process.line("the start") { $0.message?.hasPrefix("started") == true }
    try folder.write("acme\nglobex\nhooli\n", to: "tenants.txt")
    try process.line("the plan") { $0.event == "plan" && $0.job == "b.hooli" }
    try process.line("the reload") { $0.message == "reloaded" }
    #expect(Set(process.lines.filter { $0.event == "plan" }.compactMap(\.job)) == ["b.hooli"])
    #expect(try process.stop() == 0)
  }

  @Test func `what a job waits for is said, survives a restart, and makes it due`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        a: {cron: '@yearly', run: 'true'}
        b: {cron: '@yearly', run: 'false'}
        all: {after: {all: [a, {job: b, on: failure}]}, run: echo both}
      """)
    func start() throws -> TaktProcess {
      let process = try TaktProcess(["run"], in: folder)
      try process.line("the start") { $0.message?.hasPrefix("started") == true }
      return process
    }
    var process = try start()
    #expect(try folder.takt("trigger", "a", "--wait").status == 0)
    let status = try folder.takt("status", "all").text
    #expect(status.contains("waits for the end of b (on failure)"), "\(status)")
    #expect(status.contains("a has ended at"))
    process.crash()
    process = try start()
    let why = try folder.takt("why", "all").text
    #expect(why.contains("since the last one b has not failed"), "\(why)")
    #expect(try folder.takt("trigger", "b", "--wait").status == 1)
    try process.line("the run") { $0.line == "both" }
    #expect(try process.stop() == 0)
    #expect(try folder.takt("verify").status == 0)
  }

  @Test func `a condition decides, waits and is shown`() throws {
    let (folder, process) = try TaktProcess.running(
      """
      jobs:
        no: {on: start, only_if: ['false'], run: echo never}
        hung: {on: start, only_if: {run: [sleep, '60'], timeout: 300ms}, run: echo never}
        waits: {on: start, only_if: {run: [test, -e, go], wait: 1m, every: 1s}, run: echo went}
        asks:
          {on: start, env: {A: b}, run: echo asked,
          only_if: {run: 'test "$A-$TAKT_HOOK" = b-only_if && test -n "$TAKT_SLOT"'}}
      """)
    try process.line("the answer") { $0.line == "asked" }
    for job in ["no", "hung"] {
      if !process.lines.contains(where: { $0.job == job && $0.reason == "condition" }) {
        try process.line("the verdict of \(job)") { $0.job == job && $0.reason == "condition" }
      }
    }
    let status = try folder.takt("status", "waits").text
    #expect(status.contains("waits for its condition"), "\(status)")
    let waits = try folder.takt("why", "waits").text
    #expect(waits.contains("waits for its condition (only_if)\n  Run "), "\(waits)")
    #expect(waits.contains(" is the condition: started at "), "\(waits)")
    try folder.write("", to: "go")
    try process.line("the run") { $0.line == "went" }
    let why = try folder.takt("why", "no").text
    #expect(why.contains("The condition of the job (only_if) did not hold"), "\(why)")
    #expect(try folder.takt("runs", "no", "--hooks").text.contains("no (only_if)"))
    #expect(try folder.takt("explain", "waits").text.contains("waiting up to 1m"))
    #expect(try process.stop() == 0)
    #expect(!process.lines.contains { $0.line == "never" })
    #expect(try folder.takt("verify").status == 0)
  }

  @Test func `a backfill runs the slots of a range, and continues where it stopped`() throws {
    let live = try LiveTakt(
      """
      jobs:
        day:
          cron: '0 2 * * *'
          timezone: UTC
          run: 'echo "$TAKT_SLOT" >> slots; case $TAKT_SLOT in 2026-01-03*) test -e mended;; esac'
        event: {on: reload, run: 'true'}
        every: {calendar: '*:*:*', timezone: UTC, until: '2026-02-01T00:00', run: 'true'}
      """)
    let range = ["--from", "2026-01-01T00:00Z", "--to", "2026-01-04T02:00Z"]
    func backfill(_ more: String...) throws -> TaktAnswer {
      try live.folder.takt(["backfill", "day"] + range + more)
    }
    let plan = try backfill("--dry-run")
    #expect(plan.status == 0 && plan.text.contains("4 slots to run"), "\(plan.text)")
    #expect(live.folder.read("slots") == "")
    let first = try backfill()
    #expect(first.status == 1, "\(first.text)")
    #expect(first.text.contains("4/4"))
    #expect(first.text.contains("3 succeeded, 1 did not"))
    #expect(
      live.folder.read("slots").split(separator: "\n").map { $0.prefix(10) }
        == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"])
    try live.folder.write("", to: "mended")
    let second = try backfill()
    #expect(
      second.status == 0 && second.text.contains("3 of 4 slots have been run"), "\(second.text)")
    #expect(live.folder.read("slots").split(separator: "\n").count == 5)
    #expect(try backfill("--again", "--parallel", "4").text.contains("4 succeeded"))
    #expect(try backfill("--missing").status == 0)
    for count in ["0", "33", "-1", "many"] {
      #expect(try backfill("--again", "--parallel", count).status == 64, "\(count)")
    }
    let long = try live.folder.takt(
      "backfill", "every", "--from", "2026-01-01T00:00Z", "--to", "2026-01-03T00:00Z", "--dry-run")
    #expect(long.status == 64 && long.text.contains("choose a shorter range"), "\(long)")
    #expect(try live.folder.takt("backfill", "event", "--from", "2026-01-01T00:00Z").status == 64)
    #expect(try live.folder.takt("backfill", "day", "--from", "2199-01-01T00:00Z").status == 64)
    #expect(try live.folder.takt("backfill", "none", "--from", "2026-01-01T00:00Z").status == 64)
    #expect(try live.process.stop() == 0)
    #expect(try live.folder.takt("verify").status == 0)
    #expect(!live.process.lines.contains { $0.verdict != nil })
  }
}
