import Foundation
import Testing

/// The machine's own time zone, which changes while takt runs.
@Suite(.ownThreads) struct LocalZoneTests {
  private func link(_ folder: TemporaryFolder, to zone: String) throws {
    let manager = FileManager.default
    let next = folder.url.appendingPathComponent("next").path
    try manager.createSymbolicLink(atPath: next, withDestinationPath: "/usr/share/zoneinfo/\(zone)")
    #expect(rename(next, folder.url.appendingPathComponent("localtime").path) == 0)
  }

  @Test func `jobs follow the machine's time zone at once, and the log says why`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        local: {cron: '0 9 * * *', run: 'true'}
        fixed: {cron: '0 9 * * *', timezone: Asia/Tokyo, run: 'true'}
        grid: {every: 1h, run: 'true'}
      """)
    try link(folder, to: "UTC")
    let path = folder.url.appendingPathComponent("localtime").path
    let takt = try TaktProcess(
      ["TZ=:\(path)", TaktProcess.executable.path, "run"], program: "/usr/bin/env", in: folder)
    try takt.line("the start") { $0.message?.hasPrefix("started;") == true }
    try link(folder, to: "Asia/Kolkata")
    let line = try takt.line("the change") { $0.message?.contains("has changed: the time") == true }
    #expect(line.message == "\(path) has changed: the time zone of this machine is Asia/Kolkata")
    let plan = try takt.line("the plan") { $0.event == "plan" && $0.job == "local" }
    #expect(plan.change == "rearmed")
    try takt.line("the others") { $0.event == "plan" && $0.change == "kept" && $0.count == 2 }
    #expect(try takt.stop() == 0)
  }
}
