import ArgumentParser
import Glibc
import TaktEngine
import TaktImport
import TaktSystem

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Turn crontabs and systemd timers into a jobs file.",
    discussion: """
      Prints a jobs file that does the same, and reports on standard error every word of the source \
      that the file does not have: what is not kept, by how much that matters, and what it does in \
      another way. The source stays as it is and still runs; the report ends with the commands that \
      stop it.

      Without --from, the place of a file decides what it is: /etc/crontab and the files in \
      /etc/cron.d have a column for the user, other crontabs have none. `crontab -l | takt import -` \
      reads your own crontab. Files of Kubernetes, yacron, Ofelia, Dkron, launchd and GitHub Actions \
      are recognised by what is in them.

      Exits with 0 if the jobs run as before, 1 if something that is not kept changes what runs, 70 \
      if takt refuses the jobs file, which is a bug of import, and 78 if a source cannot be read.
      """)

  @Argument(
    help: ArgumentHelp(
      "Files and folders: crontabs, anacrontabs, .timer files, /etc/cron.d, /etc/cron.daily. '-' is standard input.",
      valueName: "path"),
    completion: .file())
  var paths: [String] = []

  @Option(help: "What the paths are, instead of what their places say.")
  var from: SourceKind?

  @Option(help: "Which cron reads the crontabs. (default: that of the machine)")
  var dialect: CronDialect?

  @Option(
    help: ArgumentHelp("The folder with the files of another machine.", valueName: "folder"),
    completion: .directory)
  var root: String?

  @Option(
    help: ArgumentHelp(
      "The user whose timers they are, instead of what their places say.", valueName: "name"))
  var user: String?

  @Flag(
    help:
      "Import all that the machine has: crontabs of the system and of users, anacron, enabled timers."
  )
  var system = false

  @Flag(help: "With --system, import timers that are not enabled, too.")
  var all = false

  @Flag(help: "Turn a random sleep before a command into 'jitter'.")
  var jitter = false

  @Flag(
    help:
      "Turn flock, timeout, nice, ionice, cd and pings in commands into keys, where these do the same."
  )
  var idiomatic = false

  @Flag(
    help:
      "Compare the next 1,000 times of each job with systemd-analyze, or with croniter for Python.")
  var verify = false

  @Option(help: "The form of the report.")
  var report = ReportForm.text

  enum ReportForm: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  func validate() throws {
    guard system || !paths.isEmpty else {
      throw ValidationError("Name files or folders, '-' for standard input, or use --system.")
    }
    guard user == nil || !system else {
      throw ValidationError("--user is for timers that are named, and --system for the machine's.")
    }
    if from == .kubernetes || from == .yacron, paths.contains("-") {
      throw ValidationError("A file of this kind needs its name.")
    }
  }

  func run() throws {
    var options = ImportOptions.standard(
      header: "Written by takt import, takt \(TaktVersion.current).")
    options.kind = from
    options.dialect = dialect
    options.isSystem = system
    options.includesDisabled = all
    options.user = user
    options.turnsSleepsIntoJitter = jitter
    options.isIdiomatic = idiomatic
    let mark = ReadingMark()
    // A program that reads the report as JSON must get nothing else.
    if report == .text { WaitNotice.watch(mark) }
    let importer = Importer(
      options, tree: ImportTree(root: root, mark: mark), machine: SystemAccounts())
    let input = paths.contains("-") ? Self.standardInput(of: importer) : nil
    let result = importer.run(paths.filter { $0 != "-" }, standardInput: input)
    mark.finish()
    let check = ImportCheck(of: result, isForeign: root != nil)
    Console.write(Array(result.text.utf8))
    let verification = verify ? ImportVerification(of: result, check.snapshot) : nil
    switch report {
    case .text: ImportReportText(result.report, result.jobs, check, verification).print()
    case .json:
      Console.error(ImportReportAnswer(result.report, result.jobs, check, verification).jsonLine)
    }
    guard check.bugs.isEmpty else { throw ExitCode.defect }
    if !result.report.unreadable.isEmpty { throw ExitCode.configuration }
    guard result.report.isComplete, check.isRight, verification?.isComplete != false else {
      throw ExitCode.failure
    }
  }

  /// All of standard input, within the limit for sources; nil if it cannot be read, which the
  /// report then shows.
  private static func standardInput(of importer: Importer) -> [UInt8]? {
    do throws(SystemError) {
      return try SmallFile.readToEnd(STDIN_FILENO, bytesMax: 1 << 20)
    } catch {
      importer.cannotReadStandardInput(error)
      return nil
    }
  }
}

extension SourceKind: ExpressibleByArgument {}
extension CronDialect: ExpressibleByArgument {}
