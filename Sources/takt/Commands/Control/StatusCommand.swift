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
    abstract: "Show how the jobs of a takt that runs stand.",
    discussion: """
      Of each job its state, when its next slot is due, how its last run ended, how late its last \
      slot started, and how many runs in a row have failed. Exits 69 when no takt runs.
      """)

  @Argument(help: "One job, with all that is known of it. (default: all jobs)")
  var job: String?

  @Option(help: "Only jobs with this text in their names, or with this tag.")
  var match: String?

  @Option(
    help:
      "Only jobs in this state: waiting, running, queued, backing_off, suspended, disabled, limit, idle or failing."
  )
  var only: String?

  @Flag(name: .shortAndLong, help: "Show it anew every two seconds, until Ctrl-C.")
  var watch = false

  @Flag(help: "JSON, as the API gives it.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let connection = try control.connect()
    repeat {
      let bytes = try connection.ask(
        "GET", target, accept: json ? "application/json" : "text/plain")
      // From the top of the screen, and what was below is gone.
      if watch, isatty(STDOUT_FILENO) == 1 { Console.print("\u{1b}[H\u{1b}[2J\u{1b}[3J") }
      Console.write(job == nil || json ? bytes : Array(try JobLines(bytes).text.utf8))
      if json { Console.print("") }
      if watch { sleep(2) }
    } while watch
  }

  private var target: String {
    if let job { return "/api/v1/jobs/\(job.asPathPart)" }
    var query = ["limit=100000", "width=\(Console.width)"]
    if let match { query.append("match=\(match.asQueryValue)") }
    if let only { query.append("state=\(only.asQueryValue)") }
    return "/api/v1/jobs?" + query.joined(separator: "&")
  }
}

/// One job for people.
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
      Console.error("takt: the takt that runs answers in a way that this one does not know")
      throw ExitCode.unreachable
    }
    var lines = ["\(job.name): \(job.state), timer \(job.timer)"]
    if let rest = job.suspension {
      lines.append(
        "suspended since \(rest.since)" + (rest.until.map { " until \($0)" } ?? "")
          + (rest.reason.isEmpty ? "" : ": \(rest.reason.printable)"))
    }
    lines += job.active.map { "run \($0.run): \($0.state)" }
    if let last = job.last {
      lines.append(
        "last run \(last.run): \(last.outcome ?? ""), \((last.reason ?? "").printable)")
    }
    lines.append("slots that ran: \(job.ran), runs in a row that failed: \(job.streak)")
    if let late = job.late_ms {
      let window = job.window_ms.flatMap { $0 > 0 ? " of \($0) ms that it may" : nil } ?? ""
      lines.append("its last slot started \(late) ms late\(window)")
    }
    lines += job.slots.prefix(3).map { "next: \($0.due) (\($0.causes.joined(separator: ", ")))" }
    let width = job.keys.map(\.key.count).max() ?? 0
    lines += job.keys.map { fact in
      "  \(fact.key)\(String(repeating: " ", count: width - fact.key.count))  \(fact.text.printable)"
    }
    text = lines.joined(separator: "\n") + "\n"
  }
}
