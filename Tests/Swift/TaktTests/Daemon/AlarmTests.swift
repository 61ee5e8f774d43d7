import Foundation
import Glibc
import Testing

/// Alarms of the built program: quiet hooks, staleness, pings, and the reasons of waiting runs.
@Suite(.ownThreads) struct AlarmTests {
  /// Waits for this many ends of runs of a job.
  private func runs(_ count: Int, of job: String, _ takt: TaktProcess) throws {
    for _ in 0..<count {
      try takt.line("the end of a run") {
        $0.job == job && $0.to == "ended"
      }
    }
  }

  @Test func `a series of failures alarms once, before and after a restart`() throws {
    let (folder, first) = try TaktProcess.running(
      """
      jobs:
        flaky:
          every: 50ms
          from: end
          run: '[ -e mended ]'
          on_failure:
            - {run: 'echo "$TAKT_HOOK $TAKT_STREAK" >> alarms', when: first, repeat: 1h}
            - {run: 'echo "$TAKT_HOOK $TAKT_STREAK" >> alarms', when: streak >= 3}
          on_recover: {run: 'echo "$TAKT_HOOK" >> alarms', when: streak >= 3}
      """)
    #expect(try folder.lines(2, of: "alarms") == ["on_failure 1", "on_failure 3"])
    try runs(3, of: "flaky", first)
    #expect(try first.stop() == 0)
    let second = try TaktProcess(["run"], in: folder)
    try runs(5, of: "flaky", second)
    #expect(folder.read("alarms") == "on_failure 1\non_failure 3\n")
    try folder.write("", to: "mended")
    #expect(try folder.lines(3, of: "alarms") == ["on_failure 1", "on_failure 3", "on_recover"])
    try runs(3, of: "flaky", second)
    #expect(try second.stop() == 0)
    #expect(folder.read("alarms").split(separator: "\n").count == 3)
  }

  @Test func `an alarm that the end of takt cut off is sent again, one that was sent is not`()
    throws
  {
    let (folder, killed) = try TaktProcess.running(
      """
      scheduler: {shutdown_grace: 0s}
      jobs:
        flaky:
          every: 50ms
          from: end
          run: 'false'
          kill: {grace: 0s}
          on_failure: {run: 'echo "$TAKT_STREAK" >> alarms; [ -e answered ] || sleep 600', when: first}
      """)
    _ = try folder.lines(1, of: "alarms")
    killed.crash()
    let stopped = try TaktProcess(["run"], in: folder)
    _ = try folder.lines(2, of: "alarms")
    #expect(try stopped.stop() == 0)
    try folder.write("", to: "answered")
    let third = try TaktProcess(["run"], in: folder)
    try third.line("the end of the hook") { $0.to == "ended" && $0.hook == "on_failure" }
    #expect(try third.stop() == 0)
    let fourth = try TaktProcess(["run"], in: folder)
    try runs(5, of: "flaky", fourth)
    #expect(try fourth.stop() == 0)
    #expect(folder.read("alarms").split(separator: "\n").count == 3)
  }

  @Test func `when a mail cannot be sent, another hook is called and the job has a problem`() throws
  {
    let (folder, takt) = try TaktProcess.running(
      """
      defaults:
        on_alarm_failed: {run: 'echo "$TAKT_HOOK $TAKT_RUN $TAKT_OUTCOME" >> alarms; exit 1'}
      jobs:
        backup: {on: start, run: exit 3, on_failure: {run: exit 7}}
      """)
    #expect(try folder.lines(1, of: "alarms") == ["on_alarm_failed 1 failed"])
    try takt.line("the end of it") { $0.hook == "on_alarm_failed" && $0.outcome == "failed" }
    let text = try folder.takt("status", "backup").text
    #expect(text.contains("\nproblem: The hook on_failure failed (failed, exit(7))"), "\(text)")
    #expect(try takt.stop() == 0)
    #expect(folder.read("alarms") == "on_alarm_failed 1 failed\n")
  }

  @Test func `a stale job alarms once and recovers once, across a restart`() throws {
    let (folder, first) = try TaktProcess.running(
      """
      jobs:
        backup:
          every: 100ms
          from: end
          run: '[ -e mended ]'
          expect_success_within: 1s
          on_stale: {run: 'echo "$TAKT_HOOK ${TAKT_RUN-none}" >> alarms'}
          on_recover: {run: 'echo "$TAKT_HOOK" >> alarms'}
      """)
    let line = try first.line("the staleness") { $0.message?.hasPrefix("stale: ") == true }
    #expect(line.message == "stale: no run has succeeded for 1 s; expect_success_within is 1 s")
    #expect(try folder.lines(1, of: "alarms") == ["on_stale none"])
    let status = try TaktProcess(["status", "backup"], in: folder)
    #expect(try status.text().contains("\nstale since "))
    #expect(try first.stop() == 0)
    let second = try TaktProcess(["run"], in: folder)
    try runs(15, of: "backup", second)
    #expect(folder.read("alarms") == "on_stale none\n")
    try folder.write("", to: "mended")
    #expect(try folder.lines(2, of: "alarms") == ["on_stale none", "on_recover"])
    try runs(3, of: "backup", second)
    #expect(try second.stop() == 0)
    #expect(folder.read("alarms").split(separator: "\n").count == 2)
  }

  @Test func `the start of a run is reported during it, and its end after that`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        a:
          on: start
          run: 'echo Grüße; while [ ! -e told ]; do sleep 0.01; done'
          on_start: {run: 'echo "$TAKT_HOOK $TAKT_RUN" >> hooks; : > told; sleep 0.2; echo over >> hooks'}
          on_success: {run: 'echo "$TAKT_HOOK $TAKT_RUN $TAKT_ATTEMPTS $TAKT_OUTPUT" >> hooks'}
      """)
    #expect(try folder.lines(3, of: "hooks") == ["on_start 1", "over", "on_success 1 1 Grüße"])
    #expect(try takt.stop() == 0)
  }

  @Test func `facts in the place of placeholders are data`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      scheduler: {http: {listen: 0, public_url: "https://jobs.example.org/takt/"}}
      jobs:
        a:
          on: start
          run: 'printf "%s" "{{job}} \\$(touch owned)"; exit 1'
          on_failure:
            - use: log
              with: {message: "{{output}} {{attempts}} {{run_url}}"}
            - run: 'echo "$TAKT_OUTPUT $TAKT_RUN_URL" >> told'
      """)
    let url = "https://jobs.example.org/takt/#/job/a/run/1"
    #expect(try folder.lines(1, of: "told") == ["{{job}} $(touch owned) \(url)"])
    let words = "{{job}} $(touch owned) 1 \(url)"
    if !takt.lines.contains(where: { $0.line == words }) {
      try takt.line("the log's line") { $0.line == words }
    }
    #expect(try takt.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/owned"))
  }

  @Test func `a mail has the time of the slot in the zone of the jobs file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("#!/bin/sh\ncat >> mails\n", to: "sendmail")
    chmod(folder.url.appendingPathComponent("sendmail").path, 0o755)
    func jobs(in zone: String) -> String {
      """
      scheduler: {timezone: \(zone)}
      jobs:
        a:
          every: 50ms
          from: end
          run: 'false'
          on_failure:
            use: mail
            with: {sendmail: ./sendmail, from: takt@example.org, to: ops@example.org}

      """
    }
    func slots() -> [Substring] {
      folder.read("mails").split(separator: "\n").filter { $0.hasPrefix("Slot: ") }
    }
    try folder.write(jobs(in: "Asia/Kolkata"))
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("a mail") { $0.hook == "on_failure" && $0.to == "ended" }
    let first = try #require(slots().first)
    #expect(first.hasSuffix("+05:30"), "\(first)")
    try folder.write(jobs(in: "Asia/Tokyo"))
    takt.signal(SIGHUP)
    try takt.line("the reload") { $0.event == "reload" }
    let deadline = Date() + TaktProcess.patience
    while slots().last?.hasSuffix("+09:00") != true, Date() < deadline { usleep(5000) }
    #expect(slots().last?.hasSuffix("+09:00") == true)
    #expect(try takt.stop() == 0)
  }

  @Test func `a recovery whose mail the end of takt cut off is sent by the next success`() throws {
    let (folder, killed) = try TaktProcess.running(
      """
      jobs:
        flaky:
          every: 50ms
          from: end
          run: '[ -e mended ]'
          kill: {grace: 0s}
          on_recover: {run: 'echo told >> alarms; [ -e answered ] || sleep 600'}
      """)
    try runs(2, of: "flaky", killed)
    try folder.write("", to: "mended")
    _ = try folder.lines(1, of: "alarms")
    // The call of the hook is recorded by the time of the next runs.
    try runs(10, of: "flaky", killed)
    killed.crash()
    try folder.write("", to: "answered")
    let second = try TaktProcess(["run"], in: folder)
    _ = try folder.lines(2, of: "alarms")
    try runs(5, of: "flaky", second)
    #expect(try second.stop() == 0)
    #expect(folder.read("alarms") == "told\ntold\n")
  }

  @Test func `ping tells a monitor of the start and the end of each run`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    try folder.write(
      """
      jobs:
        a: {on: start, run: 'echo done', ping: "http://127.0.0.1:\(server.port)/check/{{job}}"}
      """)
    let takt = try TaktProcess(["run"], in: folder)
    let requests = try folder.lines(2, of: "requests").map { line in
      try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }
    let paths = requests.map { $0["path"]?.split(separator: "?").map(String.init) ?? [] }
    #expect(paths.map(\.first) == ["/check/a/start", "/check/a"])
    #expect(paths[0].last?.hasPrefix("rid=") == true && paths[0].last == paths[1].last)
    #expect(requests.map { $0["body"] } == ["", "done\n"])
    #expect(try takt.stop() == 0)
  }

  @Test func `a run that waits for a group says for what`() throws {
    let live = try LiveTakt(
      """
      scheduler: {concurrency: {db: 1, cam: {max: 1, when_full: skip}}}
      jobs:
        first: {on: start, run: sleep 600, concurrency: db, kill: {grace: 0s}}
        second: {on: start, run: 'true', concurrency: db, after: {job: first}}
        third: {on: start, run: sleep 600, concurrency: cam, kill: {grace: 0s}}
        fourth: {on: start, run: 'true', concurrency: cam}
      """)
    let words = "waits for a place in the group 'db', which has 1: run 1 of first"
    let said = live.process.lines.contains { $0.message == words }
    if !said { try live.process.line("the wait") { $0.message == words } }
    #expect(try live.takt("status", "second").output.contains("queued, \(words)"))
    // The ledger has the job soon after.
    let deadline = Date() + TaktProcess.patience
    var told = ""
    while Date() < deadline, !told.contains("waits for a place in the group 'db'") {
      told = try live.takt("why", "second").output
    }
    #expect(
      told.contains("Run 2 waits for a place in the group 'db', which has 1: run 1 of first."))
    let why = try live.takt("why", "fourth").output
    #expect(why.contains("skipped") && why.contains("'when_full' is 'skip'"))
    _ = try live.takt("cancel", "first", "third")
  }
}
