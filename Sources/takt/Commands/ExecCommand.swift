import ArgumentParser
import Glibc
import TaktCore
import TaktEngine
import TaktSystem

struct ExecCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run one job now in the foreground, without a daemon.",
    discussion: """
      The job runs as in the daemon: with its retries, timeout, limits, steps and hooks. Its output \
      goes to standard output, its log to standard error.

      Exits with the result of the run: 0 on success, the command's own exit status, 128 + N after \
      signal N, 124 after a timeout, 127 if the program is missing, 126 if it cannot be started, \
      and 1 otherwise.
      """)

  @Argument(help: "The job's name.", completion: JobCompletion.kind)
  var job: String

  @OptionGroup var argument: FileArgument

  @Option(
    help:
      "The slot passed to the run, such as 2026-12-24T18:00 or 'yesterday 06:00'. (default: now)")
  var slot: String?

  @Flag(help: "Print only failures on standard error.")
  var quiet = false

  func run() throws {
    Signals.block()
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: quiet)
    let spec = try argument.job(named: job, in: snapshot)
    let instant = try slot.map {
      try InstantArgument.read($0, of: "--slot", in: snapshot.settings.zone)
    }
    let end: RunEnd?
    var failure: String?
    do throws(SystemError) {
      let run = try SingleRun(
        of: spec, in: snapshot, level: quiet ? .error : .info)
      end = run.end(for: instant)
      failure = run.outputFailure
    } catch {
      Console.error("takt: cannot start: \(error)")
      throw ExitCode.system
    }
    // Without an end it was stopped before its start.
    guard let end else { throw ExitCode.failure }
    if let code = end.exitStatus { throw ExitCode(code) }
    if let failure {
      Console.error("takt: the run's output cannot be written: \(failure)")
      throw ExitCode.failure
    }
  }
}

extension RunEnd {
  /// The status that a shell would report; nil for success.
  var exitStatus: Int32? {
    if outcome == .succeeded { return nil }
    return switch reason {
    case .exit(let status) where status != 0: status
    case .signal(let number): 128 + number
    case .timeout: 124
    case .notStarted(.exec, errno: ENOENT): 127
    case .notStarted: 126
    default: 1
    }
  }
}
