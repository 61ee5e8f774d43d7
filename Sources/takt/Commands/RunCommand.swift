import ArgumentParser
import Glibc
import TaktConfig
import TaktCore
import TaktEngine
import TaktSystem

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the jobs in the foreground.",
    discussion: """
      SIGHUP or SIGUSR2 reloads the file; a file with errors changes nothing. SIGTERM or SIGINT \
      stops takt: it starts no new runs, waits scheduler.shutdown_grace for active ones, then stops \
      them. A second signal skips the wait, a third kills the runs. SIGUSR1 logs the state of all \
      jobs.
      """)

  @OptionGroup var argument: FileArgument

  @Option(
    help: ArgumentHelp(
      "Append the log to this file instead of standard output. takt opens the file again when it was "
        + "moved or removed.", valueName: "file"),
    completion: .file())
  var logFile: String?

  @Option(help: "The log's format. (default: text on a terminal, json otherwise)")
  var logFormat: LogFormat?

  @Option(
    help:
      "The lowest level that is logged. (default: info for text, debug for json)"
  )
  var logLevel: LogLevel?

  @Flag(help: "Reload when the file, or one that it includes, changes.")
  var watch = false

  func validate() throws {
    switch logFile {
    case "": throw ValidationError("--log-file needs a path")
    case "-":
      throw ValidationError(
        "--log-file takes a path; the log goes to standard output without it, and to a file of this "
          + "name with --log-file ./-")
    case _: break
    }
  }

  func run() throws {
    // Before anything can start a thread: a signal is neither lost nor deadly from here on.
    Signals.block()
    StandardDescriptors.discardClosedOutput()
    Heap.configure()
    var source = argument.source
    source.limits = .daemon
    source.memory = LoadMemory()
    let (snapshot, files, _) = try source.loadOrExit()
    let destination = try logDestination(apartFrom: files)
    let toTerminal = logFile == nil && isatty(STDOUT_FILENO) == 1
    do {
      let daemon = try Daemon(
        snapshot: snapshot, source: source, files: files, isWatching: watch,
        log: Daemon.LogOptions(
          destination: destination, format: logFormat ?? (toTerminal ? .text : .json),
          level: logLevel,
          isColoured: toTerminal && Console.isColoured))
      daemon.run(consume snapshot)
    } catch let error as SystemError {
      Console.error("takt: cannot start: \(error)")
      throw ExitCode.system
    }
  }

  /// - Parameter files: files that takt reads; a log would make them unreadable.
  private func logDestination(apartFrom files: FilesRead) throws -> LogDestination {
    guard let logFile else { return .appending(STDOUT_FILENO) }
    let path =
      logFile.hasPrefix("/") ? logFile : "\(SmallFile.realPath(".") ?? "")/\(logFile)"
    if let status = try? FileStatus(at: path),
      files.identities.values.contains(
        FileIdentity(device: status.identity.device, inode: status.identity.inode))
    {
      Console.error(
        "takt: cannot start: takt reads the file '\(logFile)', and would not after lines of the log; "
          + "write another name for the log")
      throw ExitCode.stateInUse
    }
    do throws(OutputFileError) {
      return try .file(AppendedPath(path))
    } catch {
      Console.error("takt: cannot start: the log file '\(logFile)': \(error.sentence)")
      throw ExitCode.stateInUse
    }
  }
}

extension LogFormat: ExpressibleByArgument {}
extension LogLevel: ExpressibleByArgument {}
