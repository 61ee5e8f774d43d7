import Foundation
import Testing

@testable import takt

/// The default jobs file of a command.
@Suite(.ownThreads) struct JobsFileChoiceTests {
  private static let env = "/usr/bin/env"

  @Test func `a folder without anything of takt's has the daemon of the installed file`() throws {
    let empty = try TemporaryFolder()
    let own = empty.url.appendingPathComponent("jobs.yaml").path
    let installed = "/etc/takt/jobs.yaml"
    func file(whereRuns running: String...) -> String {
      JobsFileChoice.ofDaemon(own: own, installed: installed) { running.contains($0) }
    }
    #expect(file(whereRuns: installed) == installed)
    #expect(file() == own)
    #expect(file(whereRuns: own, installed) == own)
    // A leftover ledger, and a jobs file without a running daemon, belong to the folder.
    try FileManager.default.createDirectory(
      at: empty.url.appendingPathComponent(".takt"), withIntermediateDirectories: false)
    #expect(file(whereRuns: installed) == own)
    let other = try TemporaryFolder("jobs: {}\n")
    let path = other.url.appendingPathComponent("jobs.yaml").path
    #expect(JobsFileChoice.ofDaemon(own: path, installed: installed) { $0 == installed } == path)
  }

  @Test func `one option names the jobs file of every command, and once is enough`() throws {
    let folder = try TemporaryFolder()
    try folder.write("jobs: {a: {cron: '@yearly', run: echo ran}}\n", to: "other.yaml")
    for command in [
      ["check"], ["exec", "a"], ["next"], ["next", "a"], ["explain", "a"],
      ["simulate", "--for", "1h"],
      ["agenda"],
    ] {
      for option in [["-f", "other.yaml"], ["--file", "other.yaml"], ["other.yaml"]] {
        let answer = try folder.takt(command + option)
        #expect(answer.status == 0, "\(command + option): \(answer)")
      }
      let twice = try folder.takt(command + ["other.yaml", "-f", "other.yaml"])
      #expect(twice.status == 64, "\(command): \(twice)")
    }
    #expect(try folder.takt("exec", "a", "-f", "other.yaml").output == "ran\n")
    let crontab = try folder.takt("export", "--to", "crontab", "-f", "other.yaml")
    #expect(crontab.output.contains("echo ran"), "\(crontab)")
    #expect(try folder.takt("init", "-f", "new.yaml").status == 0)
    #expect(folder.read("new.yaml").contains("jobs:"))
  }

  @Test func `TAKT_FILE names the file of all commands, and they say so`() throws {
    let live = try LiveTakt("jobs: {a: {cron: '@yearly', run: 'true'}}\n")
    let file = live.folder.url.appendingPathComponent("jobs.yaml").path
    let elsewhere = try TemporaryFolder()
    func takt(_ arguments: String..., named: String = file) throws -> TaktAnswer {
      try elsewhere.takt(
        ["TAKT_FILE=\(named)", TaktProcess.executable.path] + arguments, program: Self.env)
    }
    for command in [["status"], ["runs"], ["check"], ["next", "-n", "1"]] {
      let answer = try elsewhere.takt(
        ["TAKT_FILE=\(file)", TaktProcess.executable.path] + command, program: Self.env)
      #expect(answer.status == 0, "\(command): \(answer)")
      #expect(answer.errors.contains("takt: using \(file): TAKT_FILE names it\n"), "\(answer)")
    }
    #expect(try takt("status", "-f", file).errors == "")
    #expect(try takt("status", "--state", live.folder.url.path + "/.takt").errors == "")
    for command in ["status", "runs", "check"] {
      let missing = try takt(command, named: "/nowhere/jobs.yaml")
      #expect(missing.status == 78, "\(command): \(missing)")
      #expect(missing.errors.contains("no jobs file /nowhere/jobs.yaml, which TAKT_FILE names"))
    }
    // An empty name counts as none.
    #expect(try takt("check", named: "").errors.contains("there is no jobs.yaml in this folder"))
    #expect(try live.process.stop() == 0)
  }
}
