import Foundation
import Glibc
import Testing

/// What a daemon does while nothing is due.
@Suite(.ownThreads) struct IdleTests {
  @Test("with nothing due, a daemon does not wake, also after a run and a question about it")
  func sleeps() throws {
    let live = try LiveTakt("jobs:\n  later: {every: 1h, run: \"true\"}\n")
    #expect(try live.takt("trigger", "later", "--wait").status == 0)
    #expect(try live.ask("GET", "/api/v1/runs").status == 200)
    #expect(try live.ask("GET", "/api/v1/runs/1").status == 200)
    // Threads that are no longer needed end within seconds; a wake each second would never end.
    let isQuiet = (1...15).contains { _ in
      let before = wakes(of: live.process.pid)
      usleep(3_000_000)
      return wakes(of: live.process.pid) == before
    }
    #expect(isQuiet)
  }

  /// How often each thread has gone to sleep.
  private func wakes(of process: Int32) -> [String: String] {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Dictionary(
      uniqueKeysWithValues: threads.map { thread in
        let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        return (thread, line.map { String($0) } ?? "")
      })
  }
}
