import Foundation
import TestSupport
import Testing

/// Output of commands: the times of a job, levels of the log, secrets of other jobs.
@Suite(.ownThreads) struct ForegroundTests {
  @Test func `explain shows the times that next and status show`() throws {
    let live = try LiveTakt("jobs:\n  grid: {every: 1h, first: 7m, run: 'true'}\n")
    let answer = try live.object("GET", "/api/v1/jobs/grid/slots?n=3")
    let slots = (answer["slots"] as? [[String: Any]] ?? []).compactMap { $0["slot"] as? String }
    #expect(slots.count == 3)
    #expect(try live.process.stop() == 0)
    struct Explained: Decodable { var next: [String] }
    struct Next: Decodable { var slot: String }
    func explained(_ arguments: String...) throws -> [Int64?] {
      let command = try live.folder.takt(["explain", "grid", "--json", "-n", "3"] + arguments)
      return try JSONDecoder().decode(Explained.self, from: Data(command.output.utf8)).next.map(
        milliseconds)
    }
    let next = try live.takt("next", "grid", "--json", "-n", "3").output.split(separator: "\n")
      .map { milliseconds(try JSONDecoder().decode(Next.self, from: Data($0.utf8)).slot) }
    #expect(try explained() == next)
    #expect(next == slots.map(milliseconds))
    // A later start is on the same grid.
    #expect(try explained("--after", slots[0]).prefix(2) == next.suffix(2))
  }

  @Test func `log level info prints no debug records`() throws {
    let folder = try TemporaryFolder("jobs:\n  beat: {every: 200ms, run: 'true'}\n")
    let levels = [("info", false), ("debug", true), (nil, true)]
    for (level, hasDebug) in levels {
      let arguments = level.map { ["run", "--log-level", $0] } ?? ["run"]
      let takt = try TaktProcess(arguments, in: folder)
      for _ in 0..<2 { try takt.line("a beat") { $0.job == "beat" && $0.verdict == "ran" } }
      #expect(try takt.stop() == 0)
      #expect(takt.lines.contains { $0.level == "debug" } == hasDebug, "\(level ?? "none")")
      #expect(takt.lines.contains { $0.level == "info" })
    }
  }

  @Test func `exec keeps secrets of other jobs and the service manager from the command`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        job: {every: 1h, run: env}
        own: {every: 1h, run: 'env; echo $OWN', secrets: {OWN: {env: OWN_TOKEN}}}
        other: {every: 1h, run: 'true', secrets: {S: {env: OTHER_TOKEN}}}
      """)
    let variables = [
      "OTHER_TOKEN=hunter2", "OWN_TOKEN=swordfish", "NOTIFY_SOCKET=/nowhere/notify",
      "WATCHDOG_USEC=1000000", "WATCHDOG_PID=1", "LISTEN_FDS=1", "LISTEN_PID=1",
      "LISTEN_FDNAMES=x", "PLAIN=seen",
    ]
    for job in ["job", "own"] {
      let takt = try folder.takt(
        variables + [TaktProcess.executable.path, "exec", job, "--quiet"], program: "/usr/bin/env")
      #expect(takt.status == 0, "\(takt.errors)")
      #expect(takt.output.contains("PLAIN=seen"))
      for hidden in [
        "hunter2", "OTHER_TOKEN", "NOTIFY_SOCKET", "WATCHDOG_", "LISTEN_", "swordfish",
      ] {
        #expect(!takt.output.contains(hidden), "\(job): \(hidden)\n\(takt.output)")
      }
      #expect(takt.output.contains("***") == (job == "own"))
    }
  }

  @Test func `the unit of systemd lets one job end alone, and delegates its control group`() throws
  {
    let lines = try Repository.text("packaging/systemd/takt.service").split(separator: "\n")
    let service = lines.drop { $0 != "[Service]" }.prefix { $0 != "[Install]" }
    #expect(service.contains("OOMPolicy=continue"))
    #expect(service.contains("Delegate=yes"))
  }
}
