import Foundation
import Glibc
import Testing

/// Commands where the system provides no more: they say why, and end with 69.
@Suite struct CommandLimitsTests {
  /// A folder with a socket on which nobody listens.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("jobs: {a: {every: 1h, run: 'true'}}\n")
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
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    _ = try takt.text()
    #expect(takt.waitForExit() == 69, "\(takt.errors)")
    #expect(takt.errors.contains("raise `ulimit -n`"), "\(takt.errors)")
  }

  @Test func `a daemon that inherits too many descriptors names the limit`() throws {
    let folder = try TemporaryFolder()
    try folder.write("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let script = """
      for i in {3..82}; do eval "exec $i</dev/null"; done
      ulimit -n 96
      exec '\(TaktProcess.executable.path)' run
      """
    let takt = try TaktProcess(["-c", script], program: "/bin/bash", in: folder)
    _ = try takt.text()
    #expect(takt.waitForExit() == 71, "\(takt.errors)")
    let words =
      "ulimit -n is 96, of which 80 were open before it started, but takt needs at least 32"
    #expect(takt.errors.contains(words), "\(takt.errors)")
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

  /// Root is bound by no limit of processes, so another user runs the command.
  @Test(.enabled(if: geteuid() == 0, "another user takes root"))
  func `without a thread a command names the limit`() throws {
    let folder = try folder()
    let rights = "--inh-caps=-all,+dac_override --ambient-caps=-all,+dac_override"
    let script = """
      exec setpriv --reuid=65534 --clear-groups \(rights) \
        bash -c 'ulimit -u 1; exec "$0" status' '\(TaktProcess.executable.path)'
      """
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    _ = try takt.text()
    #expect(takt.waitForExit() == 69, "\(takt.errors)")
    #expect(takt.errors.contains("raise `ulimit -u`"), "\(takt.errors)")
  }

  /// Root is bound by no limit of processes, so another user runs it.
  @Test(
    .enabled(if: geteuid() == 0, "another user takes root"),
    arguments: [
      "{engine: postgres, url: 'host=/no/such'}", "{engine: etcd, endpoints: 'http://127.0.0.1:1'}",
    ])
  func `without threads a machine of a cluster does not start, and does not hang`(cluster: String)
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "scheduler: {state: none, cluster: \(cluster)}\njobs: {a: {every: 1h, run: 'true'}}\n")
    let rights = "--inh-caps=-all,+dac_override --ambient-caps=-all,+dac_override"
    let script = """
      exec setpriv --reuid=65534 --clear-groups \(rights) \
        bash -c 'ulimit -u 2; exec "$0" run' '\(TaktProcess.executable.path)'
      """
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    _ = try takt.text()
    #expect(takt.waitForExit() == 71, "\(takt.errors)")
    #expect(
      takt.errors.contains("takt: cannot start: takt needs 16 threads (ulimit -u)"),
      "\(takt.errors)")
  }
}
