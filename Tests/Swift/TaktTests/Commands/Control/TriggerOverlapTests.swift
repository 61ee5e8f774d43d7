import Foundation
import Testing

/// Runs by hand while another run of the job is active.
@Suite(.ownThreads) struct TriggerOverlapTests {
  private static let jobs = """
    jobs:
      once: {cron: '@yearly', run: 'echo begun; sleep 1000'}
      turns: {cron: '@yearly', overlap: queue, run: 'echo begun; sleep 1000'}
      newest: {cron: '@yearly', overlap: replace, run: 'echo begun; sleep 1000'}
      all: {cron: '@yearly', overlap: allow, run: 'echo begun; sleep 1000'}

    """

  private func begin(_ job: String, _ live: LiveTakt) throws {
    #expect(try live.takt("trigger", job).status == 0)
    try live.process.line("its output") { $0.job == job && $0.line == "begun" }
  }

  @Test func `a trigger under overlap skip is refused, and --force runs it`() throws {
    let live = try LiveTakt(Self.jobs)
    try begin("once", live)
    let refused = try live.takt("trigger", "once")
    #expect(refused.status == 75, "\(refused)")
    #expect(refused.errors.contains("run 1 of job 'once' has not ended"), "\(refused)")
    #expect(refused.errors.contains("--force"))
    #expect(try live.takt("trigger", "once", "--wait").status == 75)
    let (status, text) = try live.ask("POST", "/api/v1/jobs/once/trigger")
    let problem = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(status == 409 && problem?["code"] as? String == "overlap", "\(text)")
    #expect(problem?["status"] as? Int == 409)
    #expect(try live.takt("trigger", "once", "--force").output == "run 2 of once: running\n")
    let forced = try live.object("POST", "/api/v1/jobs/once/trigger", #"{"force": true}"#)
    #expect(forced["state"] as? String == "running")
    #expect(try live.ask("POST", "/api/v1/jobs/once/trigger", #"{"force": 1}"#).status == 400)
    #expect(try live.takt("cancel", "once").output == "cancelled: run 1, run 2, run 3\n")
    #expect(try live.process.stop() == 0)
    #expect(try live.takt("verify").status == 0)
  }

  @Test func `a trigger waits under queue, replaces under replace and runs under allow`() throws {
    let live = try LiveTakt(Self.jobs)
    for job in ["turns", "newest", "all"] { try begin(job, live) }
    #expect(try live.takt("trigger", "turns").output.hasSuffix("of turns: queued\n"))
    #expect(try live.takt("trigger", "all").output.hasSuffix("of all: running\n"))
    #expect(try live.takt("trigger", "newest").status == 0)
    let end = try live.process.line("its end") { $0.job == "newest" && $0.to == "ended" }
    #expect(end.outcome == "cancelled" && end.reason == "replaced")
    try live.process.line("the next") { $0.job == "newest" && $0.to == "running" }
    for job in ["turns", "newest", "all"] {
      #expect(try live.takt("cancel", job).status == 0)
    }
    #expect(try live.process.stop() == 0)
  }
}
