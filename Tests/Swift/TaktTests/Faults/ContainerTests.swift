import Foundation
import Glibc
import TestSupport
import Testing

/// takt as the first process of a container, here of a PID namespace of its own.
@Suite(.ownThreads) struct ContainerTests {
  /// A script that is started in the container from outside, as by `docker exec`: it leaves a
  /// process behind and writes its number in the test's own namespace.
  private static let orphan = """
    setsid bash -c 'read -r pid rest < /proc/self/stat
      echo $pid > told && mv told orphan
      until [ -e go ]; do sleep 0.02; done' &
    """

  @Test(.enabled(if: geteuid() == 0, "a PID namespace takes root"))
  func `the first process reaps what it adopts, reloads and stops`() throws {
    let folder = try TemporaryFolder("jobs: {a: {every: 1h, run: 'true'}}\n")
    let container = try TaktProcess(
      [
        "--pid", "--fork", "--kill-child", "--mount-proc", TaktProcess.executable.path, "run",
      ], program: "/usr/bin/unshare", in: folder)
    try container.line("the start") { $0.event == "timer" && $0.job == "a" }
    let takt = try #require(container.children().keys.first)

    let entered = try TaktProcess(
      ["--target", "\(takt)", "--pid", "bash", "-c", Self.orphan],
      program: "/usr/bin/nsenter", in: folder)
    #expect(entered.waitForExit() == 0)
    try wait("the orphan says its number") { !folder.read("orphan").isEmpty }
    let orphan = try #require(pid_t(folder.read("orphan").trimmingCharacters(in: .newlines)))
    #expect(container.children(of: takt).keys.contains(orphan))
    try folder.write("", to: "go")
    // A process that has ended and is not reaped still has its number.
    try wait("the orphan is reaped") { kill(orphan, 0) != 0 }

    try folder.write("jobs: {b: {on: start, run: 'exit 3'}}\n")
    kill(takt, SIGHUP)
    try container.line("the reload") { $0.change == "added" && $0.job == "b" }
    kill(takt, SIGTERM)
    try container.line("the stop") { $0.message == "stopped" }
    try container.readToEnd()
    #expect(container.waitForExit() == 0)
  }

  @Test(arguments: Tracking.available)
  func `jobs run where a filter of system calls hides clone3`(tracking: Tracking) throws {
    let folder = try TemporaryFolder()
    let source = Repository.path("Tests/faults/noclone3.c")
    let compiler = try TaktProcess(["-O2", "-o", "noclone3", source], program: "cc", in: folder)
    try #require(compiler.waitForExit() == 0, "cc is needed: \(compiler.errors)")
    try folder.write("jobs: {a: {on: start, run: 'cat /proc/self/cgroup'}}\n")
    let takt = try TaktProcess(
      [
        tracking.variable, folder.url.appendingPathComponent("noclone3").path,
        TaktProcess.executable.path, "run",
      ], program: "/usr/bin/env", in: folder)
    let end = try takt.line("the end") { $0.job == "a" && $0.to == "ended" }
    #expect(end.outcome == "succeeded" && end.reason == "exit(0)")
    #expect(try takt.stop() == 0)
    let isInGroup = takt.lines.contains { $0.line?.contains("/takt-") == true }
    #expect(isInGroup == (tracking == .groups))
  }

  private func wait(_ what: String, until isSo: () -> Bool) throws {
    let deadline = Date() + TaktProcess.patience
    while !isSo() {
      guard Date() < deadline else { throw TaktProcess.Silence(description: "never: \(what)") }
      usleep(5000)
    }
  }
}
