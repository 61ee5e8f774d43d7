import Foundation
import Testing

/// `takt why` and `takt runs --stats`, from the ledger of a daemon.
@Suite(.ownThreads) struct WhyCommandTests {
  /// The object of each line.
  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
  }

  @Test func `a slot that ran, one that was skipped, and one during a suspension are explained`()
    throws
  {
    let live = try LiveTakt(
      """
      jobs:
        quick: {every: 300ms, first: now, run: 'true'}
        long: {every: 300ms, first: now, run: sleep 1000}
        calm: {every: 300ms, first: now, run: 'true'}

      """)
    try live.process.line("a run") { $0.job == "quick" && $0.outcome == "succeeded" }
    try live.process.line("an overlap") { $0.job == "long" && $0.reason == "overlap" }
    #expect(try live.takt("suspend", "calm", "--reason", "the disk").status == 0)
    #expect(try live.takt("resume", "calm").status == 0)
    let served = try live.process.line("a slot of it") { $0.job == "calm" && $0.verdict == "ran" }
    let skipped = try live.process.line("an overlap") { $0.job == "long" && $0.reason == "overlap" }
    let slot = try #require(skipped.slot)
    // An entry of the log may be in the ledger a moment later.
    #expect(try live.takt("trigger", "quick", "--wait").status == 0)
    let calm = try live.takt("why", "calm", "--at", try #require(served.slot))
    #expect(calm.output.contains(": ran, run "), "\(calm)")
    let long = try live.takt("why", "long", "--at", slot)
    #expect(long.output.contains("skipped(overlap)"), "\(long)")
    #expect(long.output.contains("of the job was active: started at "))
    #expect(
      long.output.contains("With overlap: skip, a slot that is due during a run is passed over.\n"))
    let ran = live.process.lines.first { $0.job == "quick" && $0.verdict == "ran" }
    let quick = try live.takt("why", "quick", "--at", try #require(ran?.slot), "--json")
    let object = try #require(try objects(quick.output).first)
    #expect(object["verdict"] as? String == "ran" && object["late_ms"] is Double)
    #expect((object["words"] as? [String])?.contains { $0.contains("after it was due") } == true)
    let passed = try live.takt("slots", "--since", "today", "--not-run", "--json")
    let slots = try objects(passed.output)
    #expect(
      slots.contains { $0["job"] as? String == "long" && $0["reason"] as? String == "overlap" })
    #expect(!slots.contains { $0["verdict"] as? String == "ran" }, "\(passed)")
    let table = try live.takt("slots", "quick", "-n", "1").output
    #expect(table.contains("SLOT") && table.contains("ran"), "\(table)")
    #expect(try live.takt("slots", "--until", "2020-01-01").errors.contains("takt: no slots"))
    #expect(try live.takt("slots", "quik").status == 64)
    // There is no slot at that instant.
    let none = try live.takt("why", "quick", "--at", "2020-01-01T00:00")
    #expect(none.status == 0 && none.output.contains("has no slot at 2020-01-01T00:00:00.000"))
    #expect(none.output.contains("takt has known the job only since"))
    #expect(try live.takt("why", "quik").errors.contains("did you mean 'quick'?"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a slot that was missed while takt was down says when that was`() throws {
    let (folder, first) = try TaktProcess.running(
      "jobs: {a: {every: 200ms, missed: {policy: skip}, run: 'true'}}\n")
    try first.line("a run") { $0.job == "a" && $0.outcome != nil }
    first.crash()
    // Slots pass without a running daemon.
    let pause = try TaktProcess(["-c", "sleep 1"], program: "/bin/sh", in: folder)
    _ = pause.waitForExit()
    let second = try TaktProcess(["run"], in: folder)
    let missed = try second.line("what was missed") { $0.job == "a" && $0.verdict == "missed" }
    try second.line("a run") { $0.job == "a" && $0.outcome != nil }
    #expect(try second.stop() == 0)
    let why = try folder.takt(["why", "a", "--at", try #require(missed.slot)])
    #expect(why.output.contains("missed(down)"), "\(why.output)")
    #expect(why.output.contains("takt was killed, or the machine lost power: it was last seen at "))
    #expect(why.output.contains(", and started again at "))
    #expect(why.output.contains("The job has 'missed: skip': "), "\(why.output)")
    // A day instead of an instant: the missed slots of today, or of a night that has just begun.
    let day = try folder.takt(["why", "a", "--at", "today"]).output
    let before = try folder.takt(["why", "a", "--at", "yesterday"]).output
    #expect((day + before).contains(", run "), "\(day)\(before)")
  }

  @Test func `a job whose condition never holds is stale, and its slots are listed`() throws {
    let live = try LiveTakt(
      "jobs: {calm: {every: 200ms, first: now, only_if: ['false'], run: 'true'}}\n")
    for _ in 0..<3 {
      try live.process.line("a slot") { $0.job == "calm" && $0.reason == "condition" }
    }
    let status = try live.takt("status").output
    #expect(status.contains("NOT RUN") && status.contains(" of "), "\(status)")
    #expect(status.contains("stale"))
    #expect(try live.takt("status", "--only", "stale").output.contains("calm"))
    let answer = try live.ask("GET", "/api/v1/slots?job=calm&not_run=true&limit=1").text
    #expect(answer.contains("\"reason\":\"condition\"") && answer.contains("\"truncated\":true"))
    #expect(try live.ask("GET", "/api/v1/jobs/calm").text.contains("\"recent\":\"ss"))
    let stats = try live.takt("runs", "--stats").output
    #expect(stats.contains("calm") && stats.contains("NOT RUN"), "\(stats)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `statistics tell success, durations and lateness by job`() throws {
    let live = try LiveTakt(
      """
      jobs:
        good: {cron: '@yearly', run: 'true'}
        half: {cron: '@yearly', run: 'exit $TAKT_PARAM_STATUS'}
        beat: {every: 200ms, run: 'true'}

      """)
    for status in ["0", "1", "0", "2"] {
      _ = try live.takt("trigger", "half", "--with", "status=\(status)", "--wait")
    }
    #expect(try live.takt("trigger", "good", "--wait").status == 0)
    try live.process.line("a beat") { $0.job == "beat" && $0.outcome != nil }
    #expect(try live.takt("suspend", "beat").status == 0)
    let table = try live.takt("runs", "--stats")
    let lines = table.output.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(lines.first?.prefix(4) == ["JOB", "RUNS", "OK", "FAILED"], "\(table)")
    #expect(lines.contains { $0.prefix(4) == ["half", "4", "50%", "2"] }, "\(table.output)")
    #expect(lines.contains { $0.prefix(4) == ["good", "1", "100%", "0"] })
    let json = try objects(try live.takt("runs", "--stats", "--json").output)
    let half = try #require(json.first { $0["job"] as? String == "half" })
    #expect(half["success_rate"] as? Double == 0.5 && half["late_p50_ms"] == nil)
    #expect((half["outcomes"] as? [String: Int]) == ["succeeded": 2, "failed": 2])
    let beat = try #require(json.first { $0["job"] as? String == "beat" })
    #expect(beat["late_p95_ms"] is Double && beat["duration_p95_ms"] is Double)
    #expect(try objects(try live.takt("runs", "good", "--stats", "--json").output).count == 1)
    #expect(try live.takt("runs", "--stats", "--failed").status == 64)
    #expect(try live.process.stop() == 0)
  }
}
