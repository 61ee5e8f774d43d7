import ArgumentParser
import Glibc
import TaktAPI
import TaktCore

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the jobs.",
    discussion: """
      Prints first what is wrong, a line each that ends with the command to type. Then one line for \
      each job, those first that need somebody: its state, its next slot, its last run, how late the \
      last slot started, and how many runs in a row failed. Exits with 69 if takt is not running.

      With --cluster it prints the shared jobs of all machines: the state, the machines of active \
      runs, the next slot, and the last run with its machine. It exits with 69 if a machine does not \
      answer.

      With --group it prints one line for all jobs of a 'for_each': how many are in which state, the \
      earliest next slot, the last run of any, and how many fail.

      For the name of a definition with 'for_each' it prints that line, and the jobs that it makes.

      For one job it prints what the jobs file says, the last run and the next slots. Keys at their \
      defaults are left out; --json has them.
      """)

  /// The words of `--only`.
  static let states = JobView.State.allCases.map(\.rawValue) + ["failing", "stale"]

  @Argument(
    help: "Show everything about one job. (default: all jobs)", completion: JobCompletion.kind)
  var job: String?

  @Option(help: "Show only jobs with this text in the name, or with this tag.")
  var match: String?

  @Option(
    help:
      "Show only jobs in this state: waiting, running, queued, backing_off, suspended, disabled, limit, idle, failing or stale.",
    completion: .list(states)
  )
  var only: String?

  @Flag(help: "Show the jobs of one 'for_each' as one line.")
  var group = false

  @Flag(help: "Show the shared jobs over all machines of the cluster.")
  var cluster = false

  @Flag(name: .shortAndLong, help: "Update every two seconds until Ctrl-C.")
  var watch = false

  @Flag(help: "Print the API's JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  func validate() throws {
    if cluster, job != nil || only != nil {
      throw ValidationError("--cluster cannot be combined with a job or --only.")
    }
    if group, job != nil || cluster || json {
      throw ValidationError("--group cannot be combined with a job, --cluster or --json.")
    }
  }

  func run() throws {
    let connection = try control.connect()
    if watch { try Console.exitWhenReaderIsGone() }
    let screen = Screen(isDrawn: watch)
    if cluster { return try showCluster(connection, on: screen) }
    let isFamily = try job.map { try !connection.members(of: $0).isEmpty } ?? false
    let zone = job == nil || isFamily ? nil : control.zone
    repeat {
      var text: [UInt8] = []
      if let zone, !json {
        let job = try connection.ask(API.JobDetail.self, "GET", target).value
        text = Array(JobLines(job, in: zone).text.printableLines.utf8)
      } else {
        let target = isFamily ? familyTarget : target
        let accept = json ? "application/json" : "text/plain"
        if isFamily, !json {
          let family = try connection.ask("GET", target + "&group=true", accept: accept)
          text = Self.shown(family) + [10]
        }
        let table = try connection.ask("GET", target, accept: accept)
        text += json ? table : problems(connection) + Self.shown(table)
      }
      if screen.isDrawn, !json { text = Screen.fit(text, height: Console.height) }
      Console.write(screen.start)
      if json { Console.printJSON(text) } else { Console.write(text) }
      if watch {
        fflush(nil)
        sleep(2)
      }
    } while watch
  }

  /// The present problems, if all jobs are requested; none from a daemon of an earlier version.
  private func problems(_ connection: ControlArgument.Connection) -> [UInt8] {
    guard job == nil, match == nil, only == nil,
      let found = connection.askQuietly(API.Status.self, "/api/v1/status")?.problems
    else { return [] }
    return ProblemLines(problems: found, zone: control.zone).text(isColoured: Console.isColoured)
  }

  /// A daemon's table, made safe for a terminal.
  private static func shown(_ table: [UInt8]) -> [UInt8] {
    let text = String(decoding: table, as: UTF8.self).printableLines
    return Array((Console.isColoured ? StatusColours.paint(text) : text).utf8)
  }

  private func showCluster(_ connection: ControlArgument.Connection, on screen: Screen) throws {
    while true {
      Console.write(screen.start)
      let asked = try ClusterStatus(match: match, connection).show(json: json)
      guard watch else { return try asked.exitIfIncomplete() }
      for problem in asked.problems { Console.error("takt: \(problem.printable)") }
      sleep(2)
    }
  }

  /// The jobs that the `for_each` of the named definition makes.
  private var familyTarget: String {
    "/api/v1/jobs?limit=100000&width=\(Console.width)&for_each=\((job ?? "").asQueryValue)"
  }

  private var target: String {
    if let job { return "/api/v1/jobs/\(job.asPathPart)" }
    var query = ["limit=100000", "width=\(Console.width)"]
    if let match { query.append("match=\(match.asQueryValue)") }
    if let only { query.append("state=\(only.asQueryValue)") }
    if group { query.append("group=true") }
    return "/api/v1/jobs?" + query.joined(separator: "&")
  }
}

/// A text that is drawn again and again on a terminal.
///
/// It is drawn only over the lines of the screen: nothing has to be restored at the end, whatever
/// the cause, and the scrollback stays.
struct Screen {
  /// True if a text is drawn over the previous one.
  let isDrawn: Bool
  /// Sent before each text: moves the cursor to the top, and clears all below.
  let start: [UInt8]

  /// Moves to the top, and clears all below.
  static let top = Array("\u{1b}[H\u{1b}[J".utf8)

  /// - Parameter isDrawn: true if wanted; it takes effect only on a terminal.
  init(isDrawn: Bool, isTerminal: Bool = isatty(STDOUT_FILENO) == 1, height: Int = Console.height) {
    self.isDrawn = isDrawn && isTerminal
    start = self.isDrawn ? Self.top : []
    // The present screen moves up into the scrollback.
    if self.isDrawn { Console.write([UInt8](repeating: UInt8(ascii: "\n"), count: height)) }
  }

  /// The first lines of the text, as many as fit on the screen; the rest is counted.
  static func fit(_ text: [UInt8], height: Int) -> [UInt8] {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    // The line of the count, and that of the cursor.
    let room = max(2, height - 2)
    guard lines.count > room else { return text }
    let shown = lines.prefix(room).flatMap { $0 + [UInt8(ascii: "\n")] }
    return shown
      + Array("… \(lines.count - room) more lines; --only and --match show fewer jobs\n".utf8)
  }
}
