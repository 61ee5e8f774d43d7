import Foundation
import Glibc
import Testing

/// Files on a file system that never answers: only jobs that need them wait.
@Suite(.enabled(if: HungMount.isAvailable, HungMount.condition), .ownThreads)
struct HungFilesTests {
  private static let scheduler = "scheduler: {shutdown_grace: 1s, max_running: 64}\n"

  @Test(arguments: [false, true])
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

    // When it answers again, the job is armed without a reload.
    mount.comeBack()
    mount.unmount()
    try takt.line("a slot") { $0.job == "other" && $0.verdict == "ran" }
    #expect(try takt.stop() == 0)
  }

  @Test(
    arguments: [
      ("calendars: {h: {file: 'PATH'}}", "late: {every: 1h, except: h, run: 'true'}"),
      ("", "late: {every: 1h, for_each: {t: {file: 'PATH'}}, run: 'echo {{each.t}}'}"),
    ])
  func `a reload whose calendar or list does not answer is refused, and the jobs continue`(
    calendars: String, job: String
  ) throws {
    let mount = try HungMount()
    let folder = try TemporaryFolder()
    // A busy machine may be late; a reload that waits is later.
    let plain = "  plain: {every: 100ms, missed: {within: 2s}, run: 'true'}\n"
    try folder.write(Self.scheduler + "jobs:\n" + plain)
    let takt = try TaktProcess(["run"], in: folder)
    // takt ends when no thread of it waits for the mount any more, also after a failure.
    defer { mount.unmount() }
    try takt.line("a slot") { $0.job == "plain" && $0.verdict == "ran" }
    let file = "\(Self.scheduler)\(calendars)\njobs:\n\(plain)  \(job)\n"
    try folder.write(file.replacing("PATH", with: mount.path("file")))
    takt.signal(SIGHUP)
    try takt.line("why it is refused") {
      $0.message?.contains("': its file system does not respond") == true
    }
    for _ in 0..<5 {
      try takt.line("a slot") { $0.job == "plain" && $0.verdict == "ran" }
    }
    #expect(!takt.lines.contains { $0.job == "plain" && $0.verdict == "missed" })
    mount.comeBack()
    mount.unmount()
    #expect(try takt.stop() == 0)
  }

  @Test func `a ca_file that does not answer ends its own runs at their timeout`() throws {
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

  @Test func `alarms whose ca_file does not answer fail, say so, and keep nobody waiting`() throws {
    let mount = try HungMount()
    let folder = try TemporaryFolder()
    let hung = "ca_file: '\(mount.path("ca.pem"))', timeout: 300ms, retries: 0"
    let url = "url: 'https://127.0.0.1:9/x'"
    try folder.write(
      Self.scheduler + """
        jobs:
          pings: {on: start, use: ping, with: {\(url), \(hung)}}
          posts: {on: start, use: notify, with: {to: slack, \(url), \(hung)}}
          pinged: {every: 200ms, run: 'true', ping: {\(url), \(hung)}}
          alarmed:
            every: 200ms
            run: 'false'
            on_failure: {use: notify, with: {to: slack, \(url), \(hung)}}
          plain: {every: 100ms, missed: {within: 2s}, run: 'true'}

        """)
    let takt = try TaktProcess(["run"], in: folder)
    var left: Set = ["pings", "posts", "on_start pinged", "on_failure alarmed"]
    while !left.isEmpty {
      let end = try takt.line("an end") {
        guard $0.to == "ended", let job = $0.job else { return false }
        return left.contains([$0.hook, job].compactMap(\.self).joined(separator: " "))
      }
      #expect(end.outcome == "failed" && end.reason == "timeout")
      left.remove([end.hook, end.job].compactMap(\.self).joined(separator: " "))
    }
    #expect(
      takt.lines.contains {
        $0.line?.contains("ca.pem does not respond; check for a hung mount") == true
      })
    for job in ["plain", "pinged", "alarmed"] {
      for _ in 0..<5 {
        try takt.line("a slot") { $0.job == job && $0.verdict == "ran" }
      }
    }
    #expect(!takt.lines.contains { $0.job == "plain" && $0.verdict == "missed" })
    mount.comeBack()
    mount.unmount()
    #expect(try takt.stop() == 0)
  }

  @Test func `the alarm of a job whose secrets do not answer fails, and keeps nobody waiting`()
    throws
  {
    let mount = try HungMount()
    let takt = try TaktProcess.running(
      Self.scheduler + """
        jobs:
          hung:
            on: start
            run: 'true'
            timeout: 1s
            kill: {grace: 1s}
            secrets: {KEY: {file: '\(mount.path("key"))'}}
            ping: {url: 'http://127.0.0.1:9/{{secret.KEY}}', retries: 0}
            on_failure: {use: notify, with: {to: slack, url: 'http://127.0.0.1:9/{{secret.KEY}}', retries: 0}}
          plain: {every: 100ms, missed: {within: 2s}, run: 'true'}

        """
    ).process
    try takt.line("the end of the run") { $0.job == "hung" && $0.to == "ended" && $0.hook == nil }
    try takt.line("the end of its alarm") { $0.to == "ended" && $0.hook == "on_failure" }
    for _ in 0..<10 {
      try takt.line("a slot") { $0.job == "plain" && $0.verdict == "ran" }
    }
    #expect(!takt.lines.contains { $0.job == "plain" && $0.verdict == "missed" })
    mount.unmount()
    #expect(try takt.stop() == 0)
  }

  @Test(arguments: ["token_file", "read_token_file"])
  func `jobs start, and takt stops, while the file of a token does not answer`(key: String) throws {
    let mount = try HungMount()
    let folder = try TemporaryFolder()
    let path = mount.path("token")
    try folder.write(
      """
      scheduler: {shutdown_grace: 1s, http: {listen: 0, \(key): '\(path)'}}
      jobs:
        plain: {every: 100ms, missed: {within: 2s}, run: 'true'}

      """)
    let takt = try TaktProcess(["run"], in: folder)
    let line = try takt.line("why there is no page") {
      $0.message?.hasPrefix("not listening at ") == true
    }
    #expect(line.message?.contains(path) == true)
    #expect(line.message?.hasSuffix("does not respond; the jobs continue") == true)
    try takt.line("a slot") { $0.job == "plain" && $0.verdict == "ran" }
    let status = try TaktProcess(["status"], in: folder)
    #expect(try status.text().contains("plain"))
    // When it answers again, the file does not exist: takt makes one, which this file system
    // refuses.
    mount.comeBack()
    try takt.line("what became of it") {
      $0.message?.hasPrefix("not listening at ") == true && $0.message != line.message
    }
    #expect(try takt.stop() == 0)
    mount.unmount()
  }

  @Test func `TERM ends takt while a watched path and secrets do not answer`() throws {
    let mount = try HungMount()
    let takt = try TaktProcess.running(
      Self.scheduler + """
        jobs:
          watching: {watch: {path: '\(mount.path("inbox"))'}, run: 'true'}
          reading: {on: start, run: 'true', secrets: {KEY: {file: '\(mount.path("secret"))'}}}

        """
    ).process
    try takt.line("the watch that is not armed") {
      $0.message?.contains("so changes are not seen") == true
    }
    try takt.line("the secret that hangs") {
      $0.message?.contains("in work of 'reading'") == true
    }
    #expect(try takt.stop() == 0)
    // Lets callers that still wait end: nothing else does.
    mount.unmount()
  }

  @Test func `secrets that do not answer fail their job alone`() throws {
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
    #expect(takt.lines.contains { $0.message?.contains("another thread replaces it") == true })
    mount.unmount()
    #expect(try takt.stop() == 0)
  }
}
