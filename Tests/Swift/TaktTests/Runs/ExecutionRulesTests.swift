import Foundation
import Testing

@Suite(.ownThreads) struct ExecutionRulesTests {
  @Test func `an attempt that fails is followed by others until one succeeds`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        third:
          on: start
          retry: {attempts: 5, delay: 20ms}
          run: 'echo $TAKT_RUN.$TAKT_ATTEMPT >> tries; [ $TAKT_ATTEMPT = 3 ]'
          on_failure: {run: echo failed >> hooks}
          on_success: {run: 'echo "$TAKT_OUTCOME after $TAKT_ATTEMPT" >> hooks'}
      """)
    let end = try takt.line("the end") { $0.job == "third" && $0.to == "ended" }
    #expect(end.outcome == "succeeded")
    #expect(try folder.lines(3, of: "tries") == ["1.1", "1.2", "1.3"])
    #expect(takt.lines.filter { $0.job == "third" && $0.to == "backing_off" }.count == 2)
    #expect(try folder.lines(1, of: "hooks") == ["succeeded after 3"])
    #expect(try takt.stop() == 0)
  }

  @Test func `a run gives its attempts up when the next slot is due`() throws {
    let takt = try TaktProcess.running(
      """
      jobs:
        slow:
          every: 3s
          retry: {attempts: 100, delay: 1h, until: next_slot}
          run: exit 4
      """
    ).process
    let end = try takt.line("the end") { $0.job == "slow" && $0.outcome != nil && $0.to == "ended" }
    #expect(end.from == "backing_off")
    #expect(end.reason == "exit(4)")
    #expect(try takt.stop() == 0)
  }

  @Test func `hooks get the run's facts, and one that fails changes nothing`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        flaky:
          every: 2s
          first: 0s
          from: end
          run: 'echo seen; [ -e mended ]'
          on_failure:
            - run: exit 9
            - run: 'echo "$TAKT_HOOK $TAKT_OUTCOME $TAKT_REASON $TAKT_STREAK $TAKT_OUTPUT" >> facts; : > mended'
          on_recover:
            run: 'echo "$TAKT_HOOK $TAKT_OUTCOME $TAKT_STREAK" >> facts'
      """)
    let facts = try folder.lines(2, of: "facts")
    #expect(facts == ["on_failure failed exit(1) 1 seen", "on_recover succeeded 1"])
    #expect(try takt.stop() == 0)
  }

  @Test func `a run that starts late or takes long is reported while it continues`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        long:
          on: start
          expected: 50ms
          run: until [ -e told ]; do sleep 0.01; done
          on_late: {run: 'echo "$TAKT_HOOK<$TAKT_OUTCOME>" >> told'}
      """)
    let end = try takt.line("the end") { $0.job == "long" && $0.outcome == "succeeded" }
    #expect(end.to == "ended")
    #expect(try folder.lines(1, of: "told") == ["on_late<>"])
    #expect(try takt.stop() == 0)
  }

  @Test func `steps go in order and end at the first failure that is not let pass`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        stops:
          on: start
          steps: [{run: echo one >> stops}, {run: exit 3}, {run: echo three >> stops}]
        goes:
          on: start
          steps:
            - run: echo one >> goes
            - {run: exit 3, continue: true}
            - {use: touch, with: {path: touched}}
            - run: echo four >> goes
      """)
    var ends: [String: String?] = [:]
    while ends.count < 2 {
      let end = try takt.line("an end") { $0.to == "ended" && $0.outcome != nil }
      #expect(end.outcome == "failed")
      ends[end.job ?? ""] = end.reason
    }
    // The log has the failure of the step that was let pass.
    let passed = takt.lines.first {
      $0.job == "goes" && $0.cause == "next_step" && $0.level == "warning"
    }
    #expect(passed?.reason == "exit(3)")
    #expect(ends == ["stops": "exit(3)", "goes": "exit(3)"])
    #expect(folder.read("stops") == "one\n")
    #expect(folder.read("goes") == "one\nfour\n")
    #expect(FileManager.default.fileExists(atPath: folder.url.path + "/touched"))
    #expect(try takt.stop() == 0)
  }

  @Test func `a newer slot replaces a run in progress`() throws {
    let takt = try TaktProcess.running(
      """
      scheduler: {shutdown_grace: 10ms}
      jobs:
        newest: {every: 300ms, overlap: replace, run: exec sleep 1000}
      """
    ).process
    let end = try takt.line("the end") { $0.job == "newest" && $0.to == "ended" }
    #expect(end.outcome == "cancelled")
    #expect(end.reason == "replaced")
    let next = try takt.line("the next") { $0.job == "newest" && $0.to == "running" }
    #expect(next.run != end.run)
    #expect(try takt.stop() == 0)
  }

  @Test func `no more slots wait than a queue has room for`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        queued:
          every: 5ms
          overlap: queue
          run: 'echo $TAKT_SLOT >> ran; until [ -e go ]; do sleep 0.01; done'
      """)
    let skipped = try takt.line("a slot too many") { $0.verdict == "skipped" }
    #expect(skipped.reason == "queue_full")
    #expect(try folder.lines(1, of: "ran").count == 1)
    try folder.write("", to: "go")
    let ran = try folder.lines(3, of: "ran")
    let slots = ran.compactMap { milliseconds($0) }
    #expect(slots.count == ran.count && slots == slots.sorted())
    #expect(try takt.stop() == 0)
  }

  @Test func `a group has no more runs at once than it may`() throws {
    var yaml = "scheduler: {concurrency: {disk: 2}, max_running: 20}\njobs:\n"
    for index in 0..<8 {
      yaml += """
          job\(index):
            on: start
            concurrency: disk
            run: 'echo in >> count; sleep 0.1; echo out >> count'

        """
    }
    let (folder, takt) = try TaktProcess.running(yaml)
    let events = try folder.lines(16, of: "count")
    var active = 0
    var most = 0
    for event in events {
      active += event == "in" ? 1 : -1
      most = max(most, active)
    }
    #expect(most == 2)
    #expect(try takt.stop() == 0)
  }

  @Test(arguments: [
    ("success: {exit: [0, 3]}", "exit 3", "succeeded", "exit(3)"),
    ("success: {exit: [3]}", "exit 0", "failed", "exit(0)"),
    ("fails_when: {stderr: any}", "echo oh >&2", "failed", "fails_when(stderr)"),
    ("fails_when: {stdout: '^ERR[0-9]+'}", "echo ok; echo ERR42", "failed", "fails_when(stdout)"),
    ("fails_when: {stdout: '^ERR[0-9]+'}", "echo noERR4", "succeeded", "exit(0)"),
    ("fails_when: {empty: true}", "echo on stderr >&2", "failed", "fails_when(empty)"),
  ])
  func `success and failure are what the job says`(
    rule: String, script: String, outcome: String, reason: String
  ) throws {
    let takt = try TaktProcess.running(
      "jobs:\n  judged:\n    on: start\n    \(rule)\n    run: '\(script)'\n"
    ).process
    let end = try takt.line("the end") { $0.job == "judged" && $0.to == "ended" }
    #expect(end.outcome == outcome)
    #expect(end.reason == reason)
    #expect(try takt.stop() == 0)
  }

  @Test func `the variable of a secret is inherited by nobody`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        has: {every: 1h, run: 'true', secrets: {KEY: {env: SOURCE_KEY}}}
        looks: {on: start, run: 'echo "<$SOURCE_KEY>"'}
      """)
    let takt = try TaktProcess(
      ["SOURCE_KEY=abc", TaktProcess.executable.path, "run"], program: "/usr/bin/env", in: folder)
    #expect(try takt.line("its output") { $0.job == "looks" && $0.line != nil }.line == "<>")
    #expect(try takt.stop() == 0)
  }

  @Test func `a secret reaches the child and no record`() throws {
    let folder = try TemporaryFolder()
    let token = try folder.write("s3cret-value\n", to: "token")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    try folder.write(
      """
      jobs:
        hidden:
          on: start
          secrets: {TOKEN: {file: token}, PATHED: {file: token, as: file}}
          run: |
            echo "$TOKEN"
            [ "$TOKEN" = s3cret-value ] && [ "$(cat "$PATHED")" = s3cret-value ] && exit 5
          on_failure: {run: 'echo "$TAKT_OUTPUT" > output'}
      """)
    let takt = try TaktProcess(["run"], in: folder)
    let end = try takt.line("the end") { $0.job == "hidden" && $0.to == "ended" }
    #expect(end.reason == "exit(5)")
    #expect(try folder.lines(1, of: "output") == ["***"])
    #expect(try takt.stop() == 0)
    #expect(takt.lines.contains { $0.line == "***" })
    #expect(!takt.lines.contains { "\($0)".contains("s3cret") })
  }
}
