import Foundation
import Glibc
import Testing

/// The wake-ups and the memory of a daemon while nothing is due.
@Suite(.ownThreads) struct IdleTests {
  @Test("with nothing due, a daemon does not wake, also after a run and a question about it")
  func sleeps() throws {
    let live = try LiveTakt("jobs:\n  later: {every: 1h, run: \"true\"}\n")
    #expect(try live.takt("trigger", "later", "--wait").status == 0)
    #expect(try live.ask("GET", "/api/v1/runs").status == 200)
    #expect(try live.ask("GET", "/api/v1/runs/1").status == 200)
    // Threads that are no longer needed end within seconds; a wake each second would go on.
    let isQuiet = (1...15).contains { _ in
      let before = wakes(of: live.process.pid)
      usleep(3_000_000)
      return wakes(of: live.process.pid) == before
    }
    #expect(isQuiet)
  }

  @Test("what only a start reads of the program is given back")
  func givesBackPages() throws {
    let live = try LiveTakt("jobs:\n  later: {every: 1h, run: \"true\"}\n")
    let isSmall = (1...15).contains { _ in
      usleep(1_000_000)
      return kilobytes("VmRSS", of: live.process.pid) < kilobytes("VmHWM", of: live.process.pid) / 2
    }
    #expect(isSmall)
  }

  /// The kernel's figures of a process's memory: `VmHWM` is the peak.
  private func kilobytes(_ name: String, of process: Int32) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  /// The number of times that each thread has gone to sleep.
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
