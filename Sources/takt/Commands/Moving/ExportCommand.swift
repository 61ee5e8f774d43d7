import ArgumentParser
import Glibc
import TaktCore
import TaktEngine
import TaktImport
import TaktSystem

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Turn a jobs file into a crontab or systemd units.",
    discussion: """
      Prints what the other program can do, and reports on standard error what it cannot. A crontab \
      has a user column if a job names a user. Units are printed one after the other, each under its \
      name, or written to a folder with --directory; files that exist are not changed.

      Exits with 0 if everything is there, and 1 if something is not.
      """)

  @OptionGroup var argument: FileArgument

  @Option(help: "What to write.")
  var to: Target

  @Option(help: "Which cron is to read the crontab.")
  var dialect = CronDialect.debian

  @Option(
    help: ArgumentHelp("The folder for the units.", valueName: "folder"), completion: .directory)
  var directory: String?

  enum Target: String, CaseIterable, ExpressibleByArgument {
    case crontab, systemd
  }

  func validate() throws {
    guard directory == nil || to == .systemd else {
      throw ValidationError("--directory is for units; a crontab goes to standard output.")
    }
  }

  func run() throws {
    let (snapshot, _, _) = try argument.source.loadOrExit(isQuiet: true)
    let header =
      "takt \(TaktVersion.current), from \(argument.file.printable)."
    let result: ExportResult
    switch to {
    case .crontab:
      var export = CrontabExport(snapshot, dialect: dialect, accounts: SystemAccounts())
      result = export.result(header: header)
    case .systemd:
      var export = SystemdExport(snapshot)
      result = export.result(header: header)
    }
    var isComplete = result.report.isComplete
    for file in result.files {
      guard let name = file.name else {
        Console.write(Array(file.text.utf8))
        continue
      }
      if let folder = Self.folderOfSystem(with: name) {
        Console.error(
          "takt: \(name) is left out, because it would take the place of the system's own in "
            + "\(folder); rename the job")
        isComplete = false
        continue
      }
      if let directory {
        let path = directory + "/" + name
        guard try NewFile.create(path, file.text) else {
          Console.error("takt: \(path.printable) already exists; it is not changed")
          throw ExitCode.usage
        }
        Console.print(path.printable)
      } else {
        Console.write(Array("# \(name)\n\(file.text)\n".utf8))
      }
    }
    report(result.report)
    if !isComplete { throw ExitCode.failure }
  }

  /// A folder in which the system has a unit of this name. The name of a job may come from a
  /// crontab of any user.
  private static func folderOfSystem(with unit: String) -> String? {
    ["/usr/lib/systemd/system", "/lib/systemd/system"].first {
      (try? FileStatus(at: "\($0)/\(unit)")) != nil
    }
  }

  private func report(_ report: ExportReport) {
    for (title, isKept) in [("kept differently", true), ("not kept", false)] {
      let lines = report.lines.filter { $0.isKept == isKept }
      guard !lines.isEmpty else { continue }
      Console.error("\(title):")
      for line in lines {
        Console.error("  \(line.job): \(line.key): \(line.sentence)".printable)
      }
    }
  }
}
