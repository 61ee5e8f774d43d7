import ArgumentParser
import Glibc
import TaktCore
import TaktEngine

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the jobs of a file in the foreground.",
    discussion: """
      SIGHUP reloads the file and changes what changed; a file with mistakes changes nothing. \
      SIGTERM or SIGINT stops: no new runs, then scheduler.shutdown_grace for those in progress, \
      then their groups are stopped; a second one does not wait, a third one kills. SIGUSR1 writes \
      the state of all jobs to the log.
      """)

  @OptionGroup var argument: FileArgument

  @Option(help: "text or json. (default: text on a terminal, else json)")
  var logFormat: LogFormat?

  @Option(
    help:
      "The least level that is logged: debug, info, notice, warning or error. (default: info for text, debug for JSON)"
  )
  var logLevel: LogLevel?

  @Flag(help: "Reload when the file, or one that it includes, has changed.")
  var watch = false

  func run() throws {
    // Before anything can start a thread: a signal is neither lost nor deadly from here on.
    Signals.block()
    let source = argument.source
    let (snapshot, files, _) = try source.loadOrExit()
    let format = logFormat ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json)
    do {
      let daemon = try Daemon(
        snapshot: snapshot, source: source, watching: watch ? files : nil,
        log: Daemon.LogOptions(format: format, level: logLevel, isColoured: Console.isColoured))
      daemon.run(consume snapshot)
    } catch let error as SystemError {
      Console.error("takt: cannot start: \(error)")
      throw ExitCode.system
    }
  }
}

extension LogFormat: ExpressibleByArgument {}
extension LogLevel: ExpressibleByArgument {}
