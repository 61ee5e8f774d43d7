import ArgumentParser
import TaktCore

struct SuspendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Suspend a job.",
    discussion: """
      Its slots become skipped(suspended), even after a restart, until the time is over or the job \
      is resumed. Active runs continue.
      """)

  @Argument(help: "The job's name.")
  var job: String

  @Option(
    name: .customLong("for"),
    help: "Suspend for this long, from 1ms to 36499d, such as 90m. (default: until 'takt resume')")
  var duration: String?

  @Option(help: "Suspend until this instant, such as 2026-12-24T18:00:00Z.")
  var until: String?

  @Option(help: "The reason, which status and the web page show.")
  var reason: String?

  @Flag(help: "Print the job's new state as JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  private struct RequestBody: Encodable {
    var `for`: String?
    var until: String?
    var reason: String?
  }

  func run() throws {
    let requestBody = RequestBody(for: duration, until: until, reason: reason)
    let (answer, bytes) = try control.connect().ask(
      JobAnswer.self, "POST", "/api/v1/jobs/\(job.asPathPart)/suspend",
      body: Array(requestBody.jsonLine.utf8))
    if json { return Console.print(String(decoding: bytes, as: UTF8.self)) }
    let until = answer.suspension?.until.map { " until \($0)" } ?? ", until 'takt resume'"
    Console.print("\(answer.name) is suspended\(until)")
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume a suspended job.")

  @Argument(help: "The job's name.")
  var job: String

  @Flag(help: "Print the job's new state as JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let (answer, bytes) = try control.connect().ask(
      JobAnswer.self, "POST", "/api/v1/jobs/\(job.asPathPart)/resume", body: [])
    if json { return Console.print(String(decoding: bytes, as: UTF8.self)) }
    Console.print(
      "\(answer.name): \(answer.state)" + (answer.next.map { ", next \($0.due)" } ?? ""))
  }
}

struct CancelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel runs.",
    discussion: """
      An active run is stopped as at a timeout: with the job's kill signal, and with SIGKILL after \
      the grace period. A waiting run does not start. A cancelled run is not retried. Exits with 1 \
      if there is nothing to cancel.
      """)

  @Argument(help: RunOrJob.help)
  var subject: String

  @Flag(help: "Print the runs as JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let connection = try control.connect()
    let place = try connection.run(named: subject).map { "runs/\($0)" }
    let (answer, bytes) = try connection.ask(
      CancelledAnswer.self, "POST",
      "/api/v1/\(place ?? "jobs/\(subject.asPathPart)")/cancel", body: [])
    if json {
      Console.print(String(decoding: bytes, as: UTF8.self))
    } else if answer.runs.isEmpty {
      Console.error("takt: no run of \(subject) is active or waiting")
    } else {
      Console.print("cancelled: \(answer.runs.map { "run \($0)" }.joined(separator: ", "))")
    }
    if answer.runs.isEmpty { throw ExitCode.failure }
  }
}

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Reload the jobs file and print the applied plan.",
    discussion: "Exits with 78 if the file has errors. Then nothing changes.")

  @Flag(help: "Print the plan as JSON.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let (plan, bytes) = try control.connect().ask(
      PlanAnswer.self, "POST", "/api/v1/reload", body: [])
    if json { return Console.print(String(decoding: bytes, as: UTF8.self)) }
    for warning in plan.warnings { Console.error(warning.text) }
    PlanLines.print(plan)
  }
}

struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Print the address of the web page, with its token.",
    discussion: """
      Anyone with this address can do everything that takt can do. The token is behind the '#', \
      which browsers do not send.
      """)

  @OptionGroup var control: ControlArgument

  private struct Answer: Decodable {
    var address: String
  }

  func run() throws {
    let (answer, _) = try control.connect().ask(Answer.self, "GET", "/api/v1/address")
    Console.print(answer.address)
  }
}

/// The members of a job that commands read.
private struct JobAnswer: Decodable {
  struct Suspension: Decodable {
    var until: String?
  }

  struct Slot: Decodable {
    var due: String
  }

  var name: String
  var state: String
  var suspension: Suspension?
  var next: Slot?
}
