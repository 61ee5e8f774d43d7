import Foundation
import Glibc
import TestSupport
import Testing
import CDispatch

/// A daemon that starts after a kill -9 ends its own leftover processes, and no stranger's.
@Suite(.ownThreads) struct LeftoverTests {
  private static let ended = "Ended leftover processes of the previous daemon"
  private static let leftAlone = "Left alone, because nothing proves"
  private static let copied = "This state folder was copied or moved"

  /// A daemon with an active run that the ledger knows, and the process of the run.
  private func running(in folder: TemporaryFolder) throws -> (takt: TaktProcess, job: pid_t) {
    try folder.write(
      """
      scheduler: {shutdown_grace: 100ms}
      jobs:
        a: {on: start, run: 'echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.1; done'}
        b: {every: 1h, run: 'true'}
      """)
    let takt = try TaktProcess(["run", "--log-format", "json"], in: folder)
    try takt.line("the run") { $0.job == "a" && $0.to == "running" }
    let job = try TaktProcess.wait("the job says its number") {
      pid_t(folder.read("pid").trimmingCharacters(in: .whitespacesAndNewlines))
    }
    // The ledger has written the run once it is in the answer.
    _ = try TaktProcess.wait("the run is in the ledger") {
      let runs = try TaktProcess(["runs", "a"], in: folder)
      return try runs.text().contains("running") ? true : nil
    }
    return (takt, job)
  }

  /// Starts a daemon with other jobs, and reads up to its start.
  private func next(in folder: TemporaryFolder) throws -> TaktProcess {
    try folder.write("jobs:\n  b: {every: 1h, run: 'true'}\n")
    let takt = try TaktProcess(["run", "--log-format", "json"], in: folder)
    try takt.line("the start") { $0.message == "started; jobs: 1" }
    return takt
  }

  private func messages(_ takt: TaktProcess, _ beginning: String) -> [String] {
    takt.lines.compactMap(\.message).filter { $0.hasPrefix(beginning) }
  }

  private func isAlive(_ pid: pid_t) -> Bool {
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    return stat.split(separator: ")").last?.split(separator: " ").first.map { $0 != "Z" } ?? false
  }

  @Test func `a leftover is ended, a stranger with its whole environment is not`() throws {
    let folder = try TemporaryFolder()
    let (takt, job) = try running(in: folder)
    defer { kill(-job, SIGKILL) }
    let environment = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(job)/environ"))
      .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    // As `at` or a process manager would start it from a job.
    let unrelated = try TaktProcess(
      ["-i"] + environment + ["setsid", "sleep", "1000"], program: "/usr/bin/env", in: folder)
    takt.crash()
    #expect(isAlive(job))
    let second = try next(in: folder)
    #expect(!isAlive(job))
    #expect(isAlive(unrelated.pid))
    #expect(messages(second, Self.ended).count == 1)
    let spared = messages(second, Self.leftAlone)
    #expect(spared.count == 1 && spared.first?.contains("(\(unrelated.pid))") == true, "\(spared)")
    // Never again for that daemon.
    #expect(try second.stop() == 0)
    let third = try next(in: folder)
    #expect(messages(third, Self.ended) + messages(third, Self.leftAlone) == [])
    #expect(isAlive(unrelated.pid))
    #expect(try third.stop() == 0)
  }

  /// A daemon with a service plugin that ignores the end of its input and TERM, and whose process
  /// the ledger knows.
  private func serving(in folder: TemporaryFolder) throws -> (takt: TaktProcess, service: pid_t) {
    try folder.writeDeafService(numberIn: "pid")
    try folder.write("jobs:\n  a: {on: start, use: deaf}\n")
    let takt = try TaktProcess(["run", "--log-format", "json"], in: folder)
    let service = try TaktProcess.wait("the service says its number") {
      pid_t(folder.read("pid").trimmingCharacters(in: .whitespacesAndNewlines))
    }
    let script = """
      import sqlite3, time
      db = sqlite3.connect('file:.takt/ledger.sqlite?mode=ro', uri=True)
      while not db.execute('SELECT count(*) FROM services').fetchone()[0]: time.sleep(0.01)
      """
    try LocalServer.run("python3", ["-c", script], in: folder)
    return (takt, service)
  }

  @Test func `a service plugin that ignores the daemon's end is ended by the next daemon`() throws {
    let folder = try TemporaryFolder()
    let (takt, service) = try serving(in: folder)
    defer { kill(-service, SIGKILL) }
    takt.crash()
    #expect(isAlive(service))
    let second = try next(in: folder)
    #expect(!isAlive(service))
    #expect(messages(second, Self.ended).count == 1)
    #expect(try second.stop() == 0)
    let third = try next(in: folder)
    #expect(messages(third, Self.ended) + messages(third, Self.leftAlone) == [])
    #expect(try third.stop() == 0)
  }

  @Test func `a copied state folder ends no service plugin of the original`() throws {
    let folder = try TemporaryFolder()
    let (takt, service) = try serving(in: folder)
    defer { kill(-service, SIGKILL) }
    let copy = try TemporaryFolder()
    try LocalServer.run("cp", ["-a", folder.url.path + "/.takt", "."], in: copy)
    let second = try next(in: copy)
    #expect(isAlive(service))
    #expect(messages(second, Self.ended) == [])
    #expect(try second.stop() == 0)
    // The daemon that it belongs to ends it.
    #expect(try takt.stop() == 0)
    #expect(!isAlive(service))
  }

  @Test func `a copied state folder ends nothing of the original`() throws {
    let folder = try TemporaryFolder()
    let (takt, job) = try running(in: folder)
    let copy = try TemporaryFolder()
    try LocalServer.run("cp", ["-a", folder.url.path + "/.takt", "."], in: copy)
    let second = try next(in: copy)
    #expect(isAlive(job))
    #expect(messages(second, Self.copied).count == 1)
    #expect(messages(second, Self.ended) == [])
    // The ledger writes a little later than the daemon decides.
    _ = try TaktProcess.wait("the run is interrupted") {
      let runs = try TaktProcess(["runs", "a"], in: copy)
      return try runs.text().contains("interrupted") ? true : nil
    }
    #expect(try second.stop() == 0)
    // From now on the copy is a folder of its own.
    let third = try next(in: copy)
    #expect(messages(third, Self.copied) == [])
    #expect(try third.stop() == 0)
    #expect(isAlive(job))
    #expect(try takt.stop() == 0)
    #expect(!isAlive(job))
  }

  @Test func `while the previous daemon lives nothing of it is ended`() throws {
    let folder = try TemporaryFolder()
    let (takt, job) = try running(in: folder)
    unlink(folder.url.path + "/.takt/lock")
    let second = try next(in: folder)
    #expect(isAlive(job))
    #expect(messages(second, "The previous daemon (pid \(takt.pid)) still runs").count == 1)
    #expect(try second.stop() == 0)
    #expect(isAlive(job))
    #expect(try takt.stop() == 0)
  }

  @Test(arguments: [
    ("pid_space = 'pid:[1]'", "The previous daemon ran in another PID namespace"),
    ("boot = 'another'", nil),
    ("start_ticks = start_ticks + 1, pid = 1", LeftoverTests.ended),
  ])
  func `leftovers are those of this start of the machine and this PID namespace`(
    change: String, message: String?
  ) throws {
    let folder = try TemporaryFolder()
    let (takt, job) = try running(in: folder)
    defer { kill(-job, SIGKILL) }
    takt.crash()
    let script = """
      import sqlite3
      db = sqlite3.connect('.takt/ledger.sqlite')
      db.execute("UPDATE daemons SET \(change)")
      db.commit()
      """
    try LocalServer.run("python3", ["-c", script], in: folder)
    let second = try next(in: folder)
    #expect(isAlive(job) == (message != Self.ended))
    if let message { #expect(messages(second, message).count == 1) }
    #expect(try second.stop() == 0)
  }

  @Test func `a state folder that was moved is still the daemon's own`() throws {
    let folder = try TemporaryFolder()
    let (takt, job) = try running(in: folder)
    defer { kill(-job, SIGKILL) }
    takt.crash()
    let other = try TemporaryFolder()
    try #require(rename(folder.url.path + "/.takt", other.url.path + "/.takt") == 0)
    let second = try next(in: other)
    #expect(!isAlive(job))
    #expect(messages(second, Self.copied) == [])
    #expect(try second.stop() == 0)
  }

  @Test
  func `leftovers that a ledger of the version before names are left alone, and jobs continue`()
    throws
  {
    let folder = try TemporaryFolder()
    let left = try TaktProcess(["1000"], program: "sleep", in: folder)
    let ticks = try #require(
      (try String(contentsOfFile: "/proc/\(left.pid)/stat", encoding: .utf8))
        .split(separator: ")").last?.split(separator: " ").dropFirst(19).first)
    try makeOldLedger(in: folder, pid: left.pid, ticks: String(ticks))
    try folder.write(
      """
      jobs:
        daily: {every: 1s, run: 'true'}
        retried: {every: 1s, run: 'true', retry: {attempts: 2, delay: 1h}}
      """)
    let takt = try TaktProcess(["run", "--log-format", "json"], in: folder)
    try takt.line("the start") { $0.message == "started; jobs: 2" }
    let spared = messages(takt, Self.leftAlone)
    #expect(spared.count == 1 && spared.first?.contains("sleep(\(left.pid))") == true, "\(spared)")
    #expect(isAlive(left.pid))
    // On the grid of the old ledger.
    let anchor = try #require(Int64(folder.read("now"))) - 3000
    for _ in 0..<2 {
      let line = try takt.line("a slot") { $0.job == "daily" && $0.verdict == "ran" }
      #expect((try #require(milliseconds(line.slot)) - anchor) % 1000 == 0)
    }
    #expect(try takt.stop() == 0)
    let runs = try TaktProcess(["runs", "daily", "-n", "1000"], in: folder).text()
    #expect(runs.contains("interrupted"))
    let verify = try folder.takt("verify")
    #expect(verify.status == 0, "\(verify.output)")
  }

  private static var monotonicNanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Made by another program, so that this one keeps no lock on it.
  private func makeOldLedger(in folder: TemporaryFolder, pid: pid_t, ticks: String) throws {
    let source = Repository.url("Tests/Data/ledgers/1-books.sql")
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let space = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/time")
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try folder.write("\(now)", to: "now")
    var text = try String(contentsOf: source, encoding: .utf8)
    for (word, value) in [
      ("BOOT", "\(boot) \(space)"), ("PID", "\(pid)"), ("TICKS", ticks), ("NOW", "\(now)"),
      ("CLOCK", "\(Self.monotonicNanoseconds)"),
    ] {
      text = text.replacingOccurrences(
        of: "\\b\(word)\\b", with: value, options: .regularExpression)
    }
    try folder.write(text, to: "old.sql")
    let script = """
      import os, sqlite3
      os.mkdir('.takt', 0o700)
      os.umask(0o077)
      db = sqlite3.connect('.takt/ledger.sqlite')
      db.execute('PRAGMA journal_mode = WAL')
      db.executescript(open('old.sql').read())
      db.close()
      """
    try LocalServer.run("python3", ["-c", script], in: folder)
  }
}
