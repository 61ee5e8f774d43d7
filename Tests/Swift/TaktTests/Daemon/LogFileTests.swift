import Foundation
import Glibc
import Testing

/// `takt run --log-file` and logs that a shell redirects.
@Suite(.ownThreads) struct LogFileTests {
  private func move(_ from: String, _ to: String, in folder: TemporaryFolder) {
    rename(
      folder.url.appendingPathComponent(from).path, folder.url.appendingPathComponent(to).path)
  }

  private func waitFor(_ words: String, in name: String, of folder: TemporaryFolder) throws {
    _ = try TaktProcess.wait("\(words) in \(name)") {
      folder.read(name).contains(words) ? true : nil
    }
  }

  @Test func `a log file that logrotate moves is opened again, and nothing is lost`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let takt = try TaktProcess(["run", "--log-file", "takt.log"], in: folder)
    try waitFor("started; jobs: 1", in: "takt.log", of: folder)
    move("takt.log", "takt.log.1", in: folder)
    takt.signal(SIGUSR1)
    try waitFor("entries wait", in: "takt.log", of: folder)
    #expect(try takt.stop() == 0)
    #expect(takt.lines.isEmpty)
    let whole = folder.read("takt.log.1") + folder.read("takt.log")
    try folder.write(whole, to: "whole")
    let verified = try folder.takt("verify", "--log", "whole")
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
  }

  @Test func `a log that a shell redirects is truncated without a hole`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let script = "exec '\(TaktProcess.executable.path)' run > takt.log"
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    try waitFor("started; jobs: 1", in: "takt.log", of: folder)
    truncate(folder.url.appendingPathComponent("takt.log").path, 0)
    takt.signal(SIGUSR1)
    try waitFor("entries wait", in: "takt.log", of: folder)
    #expect(try takt.stop() == 0)
    #expect(folder.read("takt.log").hasPrefix("{"))
  }

  @Test(arguments: ["missing/takt.log", "pipe", "."])
  func `a log file that cannot be opened ends takt at its start`(name: String) throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    mkfifo(folder.url.appendingPathComponent("pipe").path, 0o600)
    let takt = try folder.takt("run", "--log-file", name)
    #expect(takt.status == 73)
    #expect(takt.errors.contains("takt: cannot start: the log file '\(name)': "), "\(takt.errors)")
  }

  @Test(arguments: ["jobs.yaml", "./more.yaml"])
  func `a file that takt reads is not its log`(name: String) throws {
    let folder = try TemporaryFolder("include: more.yaml\n")
    let more = "jobs:\n  a: {every: 1h, run: 'true'}\n"
    try folder.write(more, to: "more.yaml")
    let takt = try folder.takt("run", "--log-file", name)
    #expect(takt.status == 73)
    #expect(takt.errors.contains("takt reads the file '\(name)'"), "\(takt.errors)")
    #expect(folder.read("jobs.yaml") == "include: more.yaml\n" && folder.read("more.yaml") == more)
  }

  @Test(arguments: ["", "-"])
  func `a log file without a name is a wrong usage`(name: String) throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    #expect(try folder.takt("run", "--log-file", name).status == 64)
  }

  @Test func `what a built-in says stands alone as well`() throws {
    let folder = try TemporaryFolder(
      """
      scheduler: {state: none}
      jobs:
        a:
          on: start
          use: log
          with: {message: '{"level":"error","msg":"ü"}', level: error}
          output: {format: raw}
        b: {after: {job: a}, run: touch ended}

      """)
    let takt = try TaktProcess(["run", "--log-file", "takt.log"], in: folder)
    try folder.waitFor("ended")
    #expect(try takt.stop() == 0)
    let log = folder.read("takt.log")
    #expect(log.contains("\n{\"level\":\"error\",\"msg\":\"ü\"}\n"), "\(log)")
    #expect(!log.contains(#""event":"output""#), "\(log)")
  }

  @Test func `lines of a job that prints JSON itself stand alone`() throws {
    let json = #"{"level":"info","msg":"\u001b[1mx"}"#
    let folder = try TemporaryFolder(
      """
      jobs:
        a: {on: start, run: [cat, in], output: {format: raw}}
        b: {after: [{job: a, on: any}], run: touch ended}

      """)
    try folder.write("\(json)\nplain\t\u{1b}[31mred\u{1b}[0m\r\n", to: "in")
    let takt = try TaktProcess(["run", "--log-file", "takt.log"], in: folder)
    try folder.waitFor("ended")
    #expect(try takt.stop() == 0)
    let log = folder.read("takt.log")
    #expect(log.contains("\n\(json)\nplain\t\u{1b}[31mred\u{1b}[0m\r\n"), "\(log)")
    let verified = try folder.takt("verify", "--log", "takt.log")
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
  }
}
