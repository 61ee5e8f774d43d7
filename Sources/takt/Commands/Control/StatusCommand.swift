import ArgumentParser
import Glibc
import TaktCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the jobs.",
    discussion: """
      Prints one line for each job: its state, its next slot, its last run, how late the last slot \
      started, and how many runs in a row failed. Exits with 69 if takt is not running.

      With --cluster it prints the shared jobs of all machines: the state, the machines of active \
      runs, the next slot, and the last run with its machine. It exits with 69 if a machine does not \
      answer.
      """)

  @Argument(help: "Show everything about one job. (default: all jobs)")
  var job: String?

  @Option(help: "Show only jobs with this text in the name, or with this tag.")
  var match: String?

  @Option(
    help:
      "Show only jobs in this state: waiting, running, queued, backing_off, suspended, disabled, limit, idle or failing."
  )
  var only: String?

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
  }

  func run() throws {
    let connection = try control.connect()
    if cluster { return try showCluster(connection) }
    repeat {
      let bytes = try connection.ask(
        "GET", target, accept: json ? "application/json" : "text/plain")
      clearScreen()
      Console.write(job == nil || json ? bytes : Array(try JobLines(bytes).text.utf8))
      if json { Console.print("") }
      if watch { sleep(2) }
    } while watch
  }

  private func showCluster(_ connection: ControlArgument.Connection) throws {
    while true {
      clearScreen()
      let asked = try ClusterStatus(match: match, connection).show(json: json)
      guard watch else { return try asked.exitIfIncomplete() }
      for problem in asked.problems { Console.error("takt: \(problem.printable)") }
      sleep(2)
    }
  }

  /// With --watch: from the top of the screen, and what was below is gone.
  private func clearScreen() {
    if watch, isatty(STDOUT_FILENO) == 1 { Console.print("\u{1b}[H\u{1b}[2J\u{1b}[3J") }
  }

  private var target: String {
    if let job { return "/api/v1/jobs/\(job.asPathPart)" }
    var query = ["limit=100000", "width=\(Console.width)"]
    if let match { query.append("match=\(match.asQueryValue)") }
    if let only { query.append("state=\(only.asQueryValue)") }
    return "/api/v1/jobs?" + query.joined(separator: "&")
  }
}

/// One job as lines of text.
private struct JobLines {
  private struct Answer: Decodable {
    struct Slot: Decodable {
      var due: String
      var causes: [String]
    }

    struct Suspension: Decodable {
      var since: String
      var until: String?
      var reason: String
    }

    struct Key: Decodable {
      var key: String
      var text: String
    }

    var name: String
    var state: String
    var timer: String
    var streak: Int
    var ran: Int
    var late_ms: Double?
    var window_ms: Double?
    var last: RunAnswer?
    var active: [RunAnswer]
    var suspension: Suspension?
    var slots: [Slot]
    var keys: [Key]
  }

  let text: String

  init(_ bytes: [UInt8]) throws {
    guard let job = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else {
      Console.error(
        "takt: cannot read the daemon's answer; the daemon may have another version of takt")
      throw ExitCode.unreachable
    }
    var lines = ["\(job.name): \(job.state), timer \(job.timer)"]
    if let suspension = job.suspension {
      lines.append(
        "suspended since \(suspension.since)" + (suspension.until.map { " until \($0)" } ?? "")
          + (suspension.reason.isEmpty ? "" : ": \(suspension.reason.printable)"))
    }
    lines += job.active.map { "run \($0.run): \($0.state)" }
    if let last = job.last {
      lines.append(
        "last run \(last.run): \(last.outcome ?? ""), \((last.reason ?? "").printable)")
    }
    lines.append("slots that ran: \(job.ran), failed runs in a row: \(job.streak)")
    if let late = job.late_ms {
      let window = job.window_ms.flatMap { $0 > 0 ? " of \($0) ms allowed" : nil } ?? ""
      lines.append("last slot started \(late) ms late\(window)")
    }
    lines += job.slots.prefix(3).map { "next: \($0.due) (\($0.causes.joined(separator: ", ")))" }
    let width = job.keys.map(\.key.count).max() ?? 0
    lines += job.keys.map { fact in
      "  \(fact.key)\(String(repeating: " ", count: width - fact.key.count))  \(fact.text.printable)"
    }
    text = lines.joined(separator: "\n") + "\n"
  }
}
