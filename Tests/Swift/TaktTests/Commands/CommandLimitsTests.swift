import Foundation
import Glibc
import Testing

/// Commands without enough of the system's resources: they say why, and end with 69.
@Suite(.ownThreads) struct CommandLimitsTests {
  /// A folder with a socket without a listener.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder("jobs: {a: {every: 1h, run: 'true'}}\n")
    let script = """
      import os, socket
      os.mkdir(".takt")
      socket.socket(socket.AF_UNIX).bind(".takt/control.sock")
      """
    try LocalServer.run("python3", ["-c", script], in: folder)
    return folder
  }

  @Test func `without file descriptors a command names the limit`() throws {
    let folder = try folder()
    let script = "ulimit -n 9; exec '\(TaktProcess.executable.path)' status"
    let takt = try folder.takt(["-c", script], program: "/bin/sh")
    #expect(takt.status == 69, "\(takt.errors)")
    #expect(takt.errors.contains("raise `ulimit -n`"), "\(takt.errors)")
  }

  @Test func `a daemon that inherits too many descriptors names the limit`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let script = """
      for i in {3..82}; do eval "exec $i</dev/null"; done
      ulimit -n 96
      exec '\(TaktProcess.executable.path)' run
      """
    let takt = try folder.takt(["-c", script], program: "/bin/bash")
    #expect(takt.status == 71, "\(takt.errors)")
    let words =
      "ulimit -n is 96, of which 80 were open before it started, but takt needs at least 32"
    #expect(takt.errors.contains(words), "\(takt.errors)")
  }

  @Test func `where descriptors are few, runs wait for each other instead of failing`() throws {
    let folder = try TemporaryFolder()
    let jobs = (1...40).map { "  job-\($0): {on: start, run: 'sleep 0.05; echo ran'}\n" }
    try folder.write("scheduler: {max_running: 40}\njobs:\n" + jobs.joined())
    let script = "ulimit -n 64; exec '\(TaktProcess.executable.path)' run"
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    for _ in jobs {
      let end = try takt.line("an end") {
        $0.machine?.hasPrefix("run:") == true && $0.to == "ended"
      }
      #expect(end.outcome == "succeeded", "\(end)")
    }
    #expect(
      takt.lines.contains { $0.message?.contains("max_running is 40: further runs wait") == true })
    #expect(try takt.stop() == 0)
  }

  @Test func `a start without a descriptor waits for one, within the timeout of its job`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        patient: {every: 100ms, run: 'true'}
        hurried: {every: 100ms, timeout: 300ms, run: 'true'}

      """)
    func limit(_ descriptors: Int) throws {
      let tool = try folder.takt(
        ["--pid", "\(takt.pid)", "--nofile=\(descriptors):"], program: "/usr/bin/prlimit")
      #expect(tool.status == 0, "\(tool.errors)")
    }
    try takt.line("a run") { $0.job == "patient" && $0.to == "ended" }
    // It keeps its descriptors, and gets no more.
    try limit(4)
    try takt.line("the wait") { $0.message?.hasPrefix("Starts wait until other") == true }
    try takt.line("a timeout") { $0.job == "hurried" && $0.outcome == "timed_out" }
    try limit(512)
    for _ in 1...3 { try takt.line("a run") { $0.job == "patient" && $0.to == "ended" } }
    let ends = takt.lines.filter { $0.to == "ended" && $0.job == "patient" }
    #expect(ends.allSatisfy { $0.outcome == "succeeded" }, "\(ends)")
    #expect(try takt.stop() == 0)
  }

  @Test(arguments: Array(stride(from: 175_000, through: 375_000, by: 25_000)))
  func `without room in memory a daemon names the limit, and neither crashes nor hangs`(
    kibibytes: Int
  ) throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 50ms, run: 'true'}\n")
    let script = "ulimit -v \(kibibytes); exec '\(TaktProcess.executable.path)' run"
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    do {
      try takt.line("a run") { $0.job == "a" && $0.outcome == "succeeded" }
      #expect(try takt.stop() == 0)
    } catch {
      // A daemon that has ended is not affected.
      takt.signal(SIGKILL)
      #expect(takt.waitForExit() == 71, "\(takt.errors)")
      #expect(takt.errors.contains("ulimit -v, which is \(kibibytes)"), "\(takt.errors)")
    }
  }

  @Test func `conditions that hang leave each run its descriptors`() throws {
    let folder = try TemporaryFolder()
    let hung = (1...60).map {
      "  hung-\($0): {every: 200ms, only_if: {run: [sleep, '600'], timeout: 5m}, run: 'true'}\n"
    }
    try folder.write(
      "scheduler: {max_running: 4, shutdown_grace: 1s}\njobs:\n"
        + "  beat: {every: 200ms, run: 'true'}\n" + hung.joined())
    let script = "ulimit -n 160; exec '\(TaktProcess.executable.path)' run"
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    for _ in 0..<20 {
      let end = try takt.line("an end") { $0.job == "beat" && $0.to == "ended" }
      #expect(end.outcome == "succeeded", "\(end)")
    }
    let status = try TaktProcess(["status", "hung-1"], in: folder)
    #expect(try status.text().contains("waits for its condition (only_if)"))
    #expect(try takt.stop() == 0)
  }

  /// Root has no limit of processes, so another user runs the command.
  @Test(.enabled(if: geteuid() == 0, "another user takes root"))
  func `without a thread a command names the limit`() throws {
    let folder = try folder()
    let rights = "--inh-caps=-all,+dac_override --ambient-caps=-all,+dac_override"
    let script = """
      exec setpriv --reuid=65534 --clear-groups \(rights) \
        bash -c 'ulimit -u 1; exec "$0" status' '\(TaktProcess.executable.path)'
      """
    let takt = try folder.takt(["-c", script], program: "/bin/sh")
    #expect(takt.status == 69, "\(takt.errors)")
    #expect(takt.errors.contains("raise `ulimit -u`"), "\(takt.errors)")
  }

  /// Root has no limit of processes, so another user runs it.
  @Test(
    .enabled(if: geteuid() == 0, "another user takes root"),
    arguments: [
      "{engine: postgres, url: 'host=/no/such'}", "{engine: etcd, endpoints: 'http://127.0.0.1:1'}",
    ])
  func `without threads a machine of a cluster does not start, and does not hang`(cluster: String)
    throws
  {
    let folder = try TemporaryFolder(
      "scheduler: {state: none, cluster: \(cluster)}\njobs: {a: {every: 1h, run: 'true'}}\n")
    let rights = "--inh-caps=-all,+dac_override --ambient-caps=-all,+dac_override"
    let script = """
      exec setpriv --reuid=65534 --clear-groups \(rights) \
        bash -c 'ulimit -u 2; exec "$0" run' '\(TaktProcess.executable.path)'
      """
    let takt = try folder.takt(["-c", script], program: "/bin/sh")
    #expect(takt.status == 71, "\(takt.errors)")
    #expect(
      takt.errors.contains("takt: cannot start: takt needs 16 threads (ulimit -u)"),
      "\(takt.errors)")
  }
}
