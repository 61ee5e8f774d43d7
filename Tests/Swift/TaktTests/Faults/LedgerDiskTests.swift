import Foundation
import Glibc
import TestSupport
import Testing

/// A disk that fails under the ledger of the daemon: jobs continue, one line reports it, and
/// entries that were held are written later.
@Suite(.ownThreads) struct LedgerDiskTests {
  /// Makes the library that makes system calls fail.
  private static func makeLibrary(in folder: TemporaryFolder) throws -> String {
    let source = Repository.path("Tests/faults/faults.c")
    let words = ["-shared", "-fPIC", "-O2", "-o", "faults.so", source, "-ldl"]
    let compiler = try TaktProcess(words, program: "cc", in: folder)
    try #require(compiler.waitForExit() == 0, "cc is needed: \(compiler.errors)")
    return folder.url.appendingPathComponent("faults.so").path
  }

  @Test(arguments: ["erofs", "eio", "enospc"])
  func
    `jobs continue while the ledger cannot be written, and every slot is accounted for afterwards`(
      fault: String
    ) throws
  {
    let (folder, takt) = try started()
    try folder.write(fault, to: "fault")
    try takt.line("the remark") {
      $0.event == "ledger" && $0.message?.hasPrefix("the ledger cannot be written") == true
    }
    try takt.line("a slot that nobody can claim") { $0.job == "careful" && $0.reason == "ledger" }
    for _ in 0..<10 { try takt.line("slots") { $0.job == "plain" && $0.verdict == "ran" } }
    try folder.write("", to: "fault")
    try takt.line("the recovery") {
      $0.event == "ledger" && $0.message?.hasPrefix("the ledger can be written again") == true
    }
    try takt.line("a slot that is claimed") { $0.job == "careful" && $0.verdict == "ran" }
    #expect(try takt.stop() == 0)
    // Once for each change of the problem.
    let remarks = takt.lines.filter { $0.message?.hasPrefix("the ledger cannot") == true }
    #expect(Set(remarks.map(\.message)).count == remarks.count)
    try expectBalance(in: folder)
  }

  @Test func `a command that changes something warns that a crash would undo it`() throws {
    let (folder, takt) = try started()
    func errors(_ words: String...) throws -> String {
      let command = try folder.takt(words)
      #expect(command.status == 0)
      return command.errors
    }
    #expect(try errors("suspend", "again") == "")
    try folder.write("enospc", to: "fault")
    try takt.line("the remark") { $0.message?.hasPrefix("the ledger cannot be written") == true }
    let warning = "done, but the ledger cannot be written, so a crash of takt would undo it"
    #expect(try errors("resume", "again").contains(warning))
    #expect(try errors("once", "--at", "2199-01-01T00:00Z", "--", "true").contains(warning))
    try folder.write("", to: "fault")
    try takt.line("the recovery") {
      $0.message?.hasPrefix("the ledger can be written again") == true
    }
    #expect(try errors("suspend", "again") == "")
    #expect(try takt.stop() == 0)
  }

  @Test func `a disk that takes half a second to synchronise keeps no slot waiting`() throws {
    let (folder, takt) = try started()
    try folder.write("slow 500", to: "fault")
    try takt.line("a slot that is claimed slowly") {
      $0.job == "careful" && $0.verdict == "ran" && ($0.late_ms ?? 0) > 400
    }
    for _ in 0..<30 { try takt.line("slots") { $0.job == "plain" && $0.verdict == "ran" } }
    try folder.write("", to: "fault")
    #expect(try takt.stop() == 0)
    // If they waited for the disk, it would be every other one.
    #expect(takt.lines.count { $0.job == "plain" && $0.verdict == "coalesced" } <= 3)
    try expectBalance(in: folder)
  }

  @Test func `what has started while the disk was full is ended after a kill`() throws {
    let (folder, takt) = try started()
    try folder.write("enospc", to: "fault")
    try takt.line("the remark") { $0.message?.hasPrefix("the ledger cannot be written") == true }
    var left: [pid_t] = []
    defer { for pid in left { kill(-pid, SIGKILL) } }
    for job in ["long", "served"] {
      let trigger = try folder.takt(["trigger", job])
      #expect(trigger.status == 0, "\(trigger.errors)")
      left.append(
        try TaktProcess.wait("\(job) runs") {
          pid_t(folder.read("\(job).pid").trimmingCharacters(in: .whitespacesAndNewlines))
        })
    }
    _ = try TaktProcess.wait("both are named") {
      let text = folder.read(".takt/processes")
      return left.allSatisfy { text.contains("\t\($0)\t") } ? true : nil
    }
    // Readers of the ledger must not believe that nothing happened meanwhile.
    let runs = try folder.takt("runs")
    #expect(runs.status == 0)
    #expect(runs.errors.contains("ledger.sqlite could not be written lately"), "\(runs.errors)")
    takt.crash()
    try folder.write("jobs:\n  b: {every: 1h, run: 'true'}\n")
    let next = try TaktProcess(["run", "--log-format", "json"], in: folder)
    try next.line("the start") { $0.message == "started; jobs: 1" }
    let ended = next.lines.compactMap(\.message).filter { $0.hasPrefix("Ended leftover processes") }
    for pid in left { #expect(ended.first?.contains("(\(pid))") == true, "\(ended)") }
    #expect(try next.stop() == 0)
    // Entries that were lost on the full disk are reported.
    let verify = try folder.takt("verify")
    #expect(verify.status == 1, "\(verify.output) \(verify.errors)")
    #expect(verify.output.contains(": 0 findings, "), "\(verify.output)")
    #expect(
      verify.output.contains("entries (takt ended while the ledger could not be written)"),
      "\(verify.output)")
  }

  private func started() throws -> (TemporaryFolder, TaktProcess) {
    let folder = try TemporaryFolder()
    try folder.writeDeafService(numberIn: "served.pid")
    let library = try Self.makeLibrary(in: folder)
    try folder.write(
      """
      jobs:
        plain: {every: 400ms, use: log, with: {message: x}}
        careful: {every: 200ms, use: log, with: {message: x}, delivery: at_most_once}
        again: {every: 150ms, run: 'true', delivery: at_least_once}
        long: {every: 1h, run: 'echo $$ > long.new; mv long.new long.pid; while :; do sleep 0.1; done'}
        served: {every: 1h, use: deaf}
      """)
    let fault = folder.url.appendingPathComponent("fault").path
    let takt = try TaktProcess(
      ["LD_PRELOAD=\(library)", "TAKT_FAULT_FILE=\(fault)", TaktProcess.executable.path, "run"],
      program: "/usr/bin/env", in: folder)
    try takt.line("a claimed slot") { $0.job == "careful" && $0.verdict == "ran" }
    return (folder, takt)
  }

  private func expectBalance(in folder: TemporaryFolder) throws {
    let verify = try folder.takt("verify")
    #expect(verify.status == 0, "\(verify.output) \(verify.errors)")
  }
}
