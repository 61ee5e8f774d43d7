import Foundation
import Glibc
import Testing

@Suite(.ownThreads) struct OnceCommandTests {
  /// An instant from now, as people type it.
  private static func instant(_ seconds: TimeInterval) -> String {
    Date(timeIntervalSinceNow: seconds).ISO8601Format()
  }

  @Test func `a command runs once at its instant, after a kill and a reload too`() throws {
    let (folder, first) = try TaktProcess.running("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    try first.line("the start") { $0.message?.hasPrefix("started") == true }
    let at = Self.instant(8)
    let added = try folder.takt(
      "once", "--at", at, "--name", "say", "--", "sh", "-c", "pwd; echo \"$TAKT_JOB is it\"")
    #expect(added.status == 0 && added.output.hasPrefix("say runs at "), "\(added)")
    #expect(try folder.takt("status").output.contains("say"))
    // A job that was reported as added survives a kill.
    kill(first.pid, SIGKILL)
    _ = first.waitForExit()
    let second = try TaktProcess(["run"], in: folder)
    try second.line("the start") { $0.message?.hasPrefix("started") == true }
    #expect(try folder.takt("reload").status == 0)
    let end = try second.line("the end") { $0.job == "say" && $0.to == "ended" }
    #expect(end.outcome == "succeeded")
    let lines = second.lines.compactMap(\.line)
    #expect(lines.contains("say is it"))
    #expect(lines.contains { $0.hasSuffix(folder.url.lastPathComponent) }, "\(lines)")
    #expect(try second.stop() == 0)
    let runs = try folder.takt("runs", "say", "--json")
    #expect(runs.output.split(separator: "\n").count == 1, "\(runs)")
    let verified = try folder.takt("verify")
    #expect(verified.status == 0, "\(verified)")
  }

  @Test func `one that is not due yet is cancelled by its name`() throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    let added = try live.folder.takt("once", "--at", Self.instant(3600), "--", "true")
    let name = try #require(added.output.split(separator: " ").first.map(String.init))
    #expect(name.hasPrefix("once-20"))
    let again = try live.folder.takt("once", "--at", Self.instant(3600), "--", "true")
    #expect(again.status == 0)
    let cancelled = try live.folder.takt("cancel", name)
    #expect(cancelled.status == 0, "\(cancelled)")
    #expect(cancelled.output == "\(name): cancelled, it will not run\n")
    #expect(try live.ask("GET", "/api/v1/jobs/\(name)").status == 404)
    #expect(try live.folder.takt("cancel", name).status != 0)
    // Jobs of the file are not affected.
    #expect(try live.folder.takt("cancel", "a").status == 1)
    #expect(try live.ask("GET", "/api/v1/jobs/a").status == 200)
    #expect(try live.process.stop() == 0)
    #expect(try live.folder.takt("verify").status == 0)
  }

  @Test func `over TCP nobody adds one, with the token either`() throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n", http: true)
    let body = #"{"at": "2199-01-01T00:00:00Z", "run": ["true"]}"#
    let curl = try live.folder.takt(
      [
        "-s", "-w", "%{http_code}", "-H", "Authorization: Bearer \(live.token)", "-H",
        "Content-Type: application/json", "-d", body, "http://127.0.0.1:\(live.port)/api/v1/once",
      ], program: "curl")
    #expect(
      curl.output.hasSuffix("403") && curl.output.contains("only on the Unix socket"),
      "\(curl.output)")
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: [
    (["--at", "2020-01-01T00:00:00Z", "--", "true"], "'at' is not in the future"),
    (["--at", "tomorrow 06:00", "--name", "a", "--", "true"], "there is already a job 'a'"),
    (["--at", "tomorrow 06:00", "--name", "a b", "--", "true"], "'a b' is not a valid job name"),
    (["--at", "tomorrow 06:00", "--timeout", "soon", "--", "true"], "'timeout' is not a duration"),
    (["--at", "tomorrow 06:00"], "A command is missing"),
    (["--at", "tomorrow 06:00", "--", "printf", "\u{fffd}"], "The command is not UTF-8"),
    (["--at", "teatime", "--", "true"], "--at takes an instant"),
  ])
  func `what cannot be run is refused with a reason`(
    arguments: [String], reason: String
  ) throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    let process = try TaktProcess(["once"] + arguments, in: live.folder)
    _ = try process.text()
    #expect(process.waitForExit() != 0)
    #expect(process.errors.contains(reason), "\(process.errors)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `one whose name the jobs file has at a start runs under another`() throws {
    let (folder, first) = try TaktProcess.running("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    try first.line("the start") { $0.message?.hasPrefix("started") == true }
    let added = try folder.takt(
      "once", "--at", Self.instant(6), "--name", "b", "--", "echo", "still here")
    #expect(added.status == 0, "\(added)")
    #expect(try first.stop() == 0)
    try folder.write("jobs: {b: {cron: '@yearly', run: 'true'}}\n")
    let second = try TaktProcess(["run"], in: folder)
    try second.line("the new name") {
      $0.message == "'b', which 'takt once' has added, is 'b-2' from now on: the jobs file "
        + "has a job of its name"
    }
    try second.line("its end") { $0.job == "b-2" && $0.to == "ended" }
    #expect(second.lines.contains { $0.line == "still here" })
    #expect(try second.stop() == 0)
    #expect(try folder.takt("verify").status == 0)
  }

  @Test func `one that has run gives its name to the next, and to the jobs file`() throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    for _ in 0..<2 {
      let added = try live.folder.takt("once", "--at", Self.instant(2), "--name", "b", "--", "true")
      #expect(added.status == 0, "\(added)")
      try live.process.line("the end") { $0.job == "b" && $0.to == "ended" }
    }
    try live.folder.write("jobs: {b: {every: 1s, run: 'true'}}\n")
    let reloaded = try live.folder.takt("reload")
    #expect(reloaded.status == 0, "\(reloaded)")
    try live.process.line("the end of the file's") { $0.job == "b" && $0.to == "ended" }
    #expect(try live.process.stop() == 0)
    #expect(try live.folder.takt("verify").status == 0)
    // It belongs to the file after a restart, too.
    let again = try TaktProcess(["run"], in: live.folder)
    try again.line("the start") { $0.message?.hasPrefix("started") == true }
    #expect(!again.lines.contains { $0.message?.contains("'takt once'") == true })
    #expect(try again.stop() == 0)
  }

  @Test func `a jobs file does not take the name of one`() throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    #expect(
      try live.folder.takt("once", "--at", Self.instant(3600), "--name", "b", "--", "true")
        .status == 0)
    try live.folder.write("jobs: {b: {cron: '@yearly', run: 'true'}}\n")
    let refused = try live.folder.takt("reload")
    #expect(refused.status == 78, "\(refused)")
    #expect(refused.errors.contains("'b' is a job that 'takt once' has added"))
    #expect(try live.folder.takt("cancel", "b").status == 0)
    #expect(try live.folder.takt("reload").status == 0)
    #expect(try live.process.stop() == 0)
  }
}
