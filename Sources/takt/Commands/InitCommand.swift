import ArgumentParser
import Glibc
import TaktConfig
import TaktCore
import TaktEngine
import TaktImport
import TaktSystem

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a jobs file to start from.",
    discussion: """
      The file has one job and, as comments, what most jobs need. Its first line names the JSON \
      Schema, with which editors complete and check keys: the installed one, or jobs.schema.json, \
      which is then written beside the file. A file that exists is not changed.

      With --from crontab, the file has the jobs of your own crontab; `takt import` reads other \
      sources. The crontab stays as it is and still runs.
      """)

  @OptionGroup var argument: FileArgument

  @Option(help: "Start from the jobs of your own crontab instead of an example.")
  var from: Source?

  enum Source: String, CaseIterable, ExpressibleByArgument {
    case crontab
  }

  func run() throws {
    let file = argument.file
    let schema = Installation.schema ?? Self.schemaName
    let imported = from == nil ? nil : try Self.crontab()
    let check = imported.map { ImportCheck(of: $0, isForeign: false) }
    let text =
      imported.map { "# yaml-language-server: $schema=\(schema)\n" + $0.text }
      ?? Self.text(schema: schema)
    guard try NewFile.create(file, text) else {
      Console.error("takt: \(file.printable) already exists; it is not changed")
      throw ExitCode.usage
    }
    if Installation.schema == nil {
      do {
        try createSchema(beside: file)
      } catch {
        // The next try must find the folder as this one did.
        unlink(file)
        throw error
      }
    }
    if let imported, let check {
      ImportReportText(imported.report, imported.jobs, check, nil).print()
      guard check.bugs.isEmpty else { throw ExitCode.defect }
    }
    let named = file == JobsFileChoice.standard ? "" : " " + Self.quoted(file)
    Console.print(
      """
      Wrote \(file.printable). Next:
        takt check\(named)    # check it
        takt next\(named)     # see when its jobs will run
        takt run\(named)      # run them; Ctrl-C stops
      """)
  }

  /// The jobs of the crontab of the user that takt runs as.
  private static func crontab() throws -> Importer.Result {
    guard let text = TimeOracle.output(of: ["crontab", "-l"]) else {
      Console.error("takt: you have no crontab, or `crontab -l` does not work here")
      throw ExitCode.configuration
    }
    var options = ImportOptions.standard(header: "The jobs that takt runs, from your crontab.")
    options.kind = .crontab
    return Importer(options, tree: ImportTree(root: nil), machine: SystemAccounts())
      .run([], standardInput: Array(text.utf8))
  }

  private static let schemaName = "jobs.schema.json"

  private func createSchema(beside file: String) throws {
    let path = (file.lastIndex(of: "/").map { String(file[...$0]) } ?? "") + Self.schemaName
    let text = KeyTable.schema(catalogue: BuiltinRegistry.standard, version: TaktVersion.current)
    if try NewFile.create(path, text) { return }
    // An existing one may belong to another version of takt, and to another file: it is kept.
    guard (try? FileStatus(at: path))?.type == .file else {
      Console.error(
        "takt: warning: \(path.printable) already exists and is not a file, so editors find no schema"
      )
      return
    }
  }

  /// A path quoted for a shell and for takt.
  private static func quoted(_ path: String) -> String {
    if path.hasPrefix("-") { return quoted("./" + path) }
    let isPlain = path.utf8.allSatisfy {
      (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
        || "/._-".utf8.contains($0)
    }
    return isPlain ? path : path.singleQuoted
  }

  private static func text(schema: String) -> String {
    """
    # yaml-language-server: $schema=\(schema)
    # The jobs that takt runs. After an edit: `takt check`, then `takt reload`.
    # docs/jobs-file.md of takt explains every key.

    # scheduler:
    #   timezone: Europe/Berlin      # of all jobs; the machine's by default
    #   max_running: 8               # other runs wait
    #   http: {listen: 8080}         # the web page; `takt open` prints its address

    # defaults:                      # for every job in this file
    #   timeout: 10m
    #   on_failure: {run: 'logger -t takt "$TAKT_JOB failed: $TAKT_REASON"'}

    jobs:
      hello:
        description: Prints a line each minute. Replace it by a job of your own.
        every: 1m
        first: now                   # without this line, a minute after the start
        timeout: 10s                 # then the run is stopped, with all its processes
        run: echo "hello from slot $TAKT_SLOT"

      # backup:
      #   cron: "30 3 * * *"         # or calendar: "Mon..Fri 03:30"
      #   retry: {attempts: 3, delay: 1m}
      #   missed: {policy: last, within: 12h}   # if takt was down: run late, but not too late
      #   run: pg_dump app | gzip > app.sql.gz

      # sync:
      #   every: 5m
      #   from: end                  # five minutes after the previous run ended
      #   run: [rsync, -a, inbox/, archive/]    # a list runs without a shell

    """
  }
}
