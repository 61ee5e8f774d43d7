import Foundation
import Glibc
import Testing

/// Files on a file system that never answers: only what needs them waits.
@Suite(.serialized) struct HungFilesTests {
  private static let scheduler = "scheduler: {shutdown_grace: 1s, max_running: 64}\n"

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition), arguments: [false, true])
  func `jobs start and reload while a watched path does not answer`(isUnresponsive: Bool) throws {
    let mount = try HungMount(isUnresponsive: isUnresponsive)
    let folder = try TemporaryFolder()
    func jobs(_ name: String) -> String {
      Self.scheduler + """
        jobs:
          watching: {watch: {path: '\(mount.path("inbox/new"))'}, run: 'true'}
          beside: {watch: {path: here}, run: 'true'}
          \(name): {every: 100ms, use: log, with: {message: x}}

        """
    }
    try folder.write(jobs("plain"))
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("the watch that is not armed") {
      $0.message?.contains("its file system does not respond, so changes are not seen") == true
    }
    try takt.line("a slot") { $0.job == "plain" && $0.verdict == "ran" }
    try folder.write("x", to: "here")
    try takt.line("the other watch") { $0.job == "beside" && $0.verdict == "ran" }

    try folder.write(jobs("other"))
    takt.signal(SIGHUP)
    try takt.line("a slot of the new job") { $0.job == "other" && $0.verdict == "ran" }

    // Back again, it is armed without a reload.
    mount.comeBack()
    mount.unmount()
    try takt.line("a slot") { $0.job == "other" && $0.verdict == "ran" }
    #expect(try takt.stop() == 0)
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `a ca_file that does not answer ends its own runs at their timeout`() throws {
    let mount = try HungMount()
    let folder = try TemporaryFolder()
    let hung =
      "with: {url: 'https://127.0.0.1:9/', ca_file: '\(mount.path("ca.pem"))', timeout: 300ms}"
    try folder.write(
      Self.scheduler + "jobs:\n"
        + (1...12).map { "  hung-\($0): {on: start, use: http, \(hung)}\n" }.joined()
        + "  plain: {every: 100ms, use: http, with: {url: 'http://127.0.0.1:9/'}}\n")
    let takt = try TaktProcess(["run"], in: folder)
    var left = Set((1...12).map { "hung-\($0)" })
    while !left.isEmpty {
      let end = try takt.line("an end") { $0.to == "ended" && $0.job.map(left.contains) == true }
      #expect(end.reason == "timeout")
      left.remove(end.job ?? "")
    }
    let plain = try takt.line("the other's end") { $0.to == "ended" && $0.job == "plain" }
    #expect(plain.reason == "refused")
    mount.comeBack()
    mount.unmount()
    #expect(try takt.stop() == 0)
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `TERM ends takt while a watched path and secrets do not answer`() throws {
    let mount = try HungMount()
    let folder = try TemporaryFolder()
    try folder.write(
      Self.scheduler + """
        jobs:
          watching: {watch: {path: '\(mount.path("inbox"))'}, run: 'true'}
          reading: {on: start, run: 'true', secrets: {KEY: {file: '\(mount.path("secret"))'}}}

        """)
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("the watch that is not armed") {
      $0.message?.contains("so changes are not seen") == true
    }
    try takt.line("the secret that hangs") {
      $0.message?.contains("in work of 'reading'") == true
    }
    #expect(try takt.stop() == 0)
    // What asked for them may end as well: nothing else does.
    mount.unmount()
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `secrets that do not answer fail their job alone`() throws {
    let mount = try HungMount()
    let folder = try TemporaryFolder()
    try folder.write("value", to: "secret")
    chmod(folder.url.appendingPathComponent("secret").path, 0o600)
    let hung = (0..<8).map { number in
      """
        hung\(number): {on: start, run: 'true', timeout: 2s, kill: {grace: 1s}, \
      secrets: {KEY: {file: '\(mount.path("s\(number)"))'}}}

      """
    }
    try folder.write(
      Self.scheduler + "jobs:\n" + hung.joined()
        + "  healthy: {every: 100ms, run: 'true', secrets: {KEY: {file: secret}}}\n")
    let takt = try TaktProcess(["run"], in: folder)
    try mount.awaitHeldCall()
    for _ in 0..<10 {
      try takt.line("a slot with a secret") { $0.job == "healthy" && $0.outcome == "succeeded" }
    }
    #expect(
      takt.lines.contains { $0.message?.contains("another thread replaces it") == true })
    mount.unmount()
    #expect(try takt.stop() == 0)
  }
}
