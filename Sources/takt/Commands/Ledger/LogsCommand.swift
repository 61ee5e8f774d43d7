import ArgumentParser
import Glibc
import TaktCore
import TaktEngine
import TaktStore

struct LogsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Show what is kept of what a run has printed.",
    discussion: """
      Of a job it is the last run that has ended. What the run printed goes to standard output as it \
      was, secrets masked; what is said of the run to standard error. How much is kept says \
      output.keep, and how long scheduler.history.output. Exits 64 when there is no such job or run.
      """)

  @Argument(help: "A job's name or a run's number.")
  var subject: String

  @Flag(help: "Of a job the last run that failed, timed out or was interrupted.")
  var failed = false

  @OptionGroup var state: StateArgument

  func run() throws {
    let (archive, zone) = try state.open()
    let found = try find(in: archive)
    let output = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.output(of: found.run)
    }
    let end = found.outcome.map { "\($0), \((found.reason ?? "").printable)" } ?? "running"
    Console.error(
      "run \(found.run) of \(found.job), slot \(found.slot.rfc3339(in: zone)): \(end)")
    guard let output else {
      Console.error("takt: nothing is kept of what it printed")
      return
    }
    write(output.head)
    if output.droppedBytes > 0 {
      Console.error("… \(output.droppedBytes) bytes are not kept …")
    }
    write(output.tail)
  }

  private func find(in archive: LedgerArchive) throws -> StoredRun {
    if let number = UInt64(subject) {
      let run = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
        try archive.run(RunID(number))
      }
      if let run { return run }
    }
    // A job may be named by digits alone.
    try archive.requireJob(subject)
    var query = RunQuery()
    query.job = subject
    query.failedOnly = failed
    query.limit = 20
    let runs = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.runs(query)
    }
    guard let run = runs.first(where: { $0.outcome != nil && $0.beganAt != nil }) ?? runs.first
    else {
      Console.error("takt: the ledger has no such run of '\(subject)'")
      throw ExitCode.usage
    }
    return run
  }

  /// On a terminal, what could steer it is made visible.
  private func write(_ bytes: [UInt8]) {
    guard isatty(STDOUT_FILENO) == 1 else {
      return Console.write(bytes)
    }
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }
        .joined(separator: "\t")
    }.joined(separator: "\n")
    Console.write(Array(text.utf8))
  }
}
