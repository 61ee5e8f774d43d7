import ArgumentParser
import TaktCore

struct SuspendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Put a job of a takt that runs to rest.",
    discussion: """
      Its slots pass as skipped(suspended), across restarts too, until the time is over or somebody \
      resumes it. Runs in progress go on.
      """)

  @Argument(help: "The job's name.")
  var job: String

  @Option(
    name: .customLong("for"), help: "How long, such as 90m or 2d. (default: until 'takt resume')")
  var duration: String?

  @Option(help: "Until when, such as 2026-12-24T18:00:00Z.")
  var until: String?

  @Option(help: "Why: for whoever looks at it.")
  var reason: String?

  @Flag(help: "JSON: the job as it is then.")
  var json = false

  @OptionGroup var control: ControlArgument

  private struct Order: Encodable {
    var `for`: String?
    var until: String?
    var reason: String?
  }

  func run() throws {
    let order = Order(for: duration, until: until, reason: reason)
    let (answer, bytes) = try control.connect().ask(
      JobAnswer.self, "POST", "/api/v1/jobs/\(job.asPathPart)/suspend",
      body: Array(order.jsonLine.utf8))
    if json { return Console.print(String(decoding: bytes, as: UTF8.self)) }
    let until = answer.suspension?.until.map { " until \($0)" } ?? ", until 'takt resume'"
    Console.print("\(answer.name) rests\(until)")
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "End a job's rest in a takt that runs.")

  @Argument(help: "The job's name.")
  var job: String

  @Flag(help: "JSON: the job as it is then.")
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
    abstract: "Cancel runs of a takt that runs.",
    discussion: """
      A run in progress is stopped as at a timeout: by the job's signal, and after its grace by \
      SIGKILL; one that waits does not start. It is not tried again. Exits 1 when there was nothing \
      to cancel.
      """)

  @Argument(help: RunOrJob.help)
  var subject: String

  @Flag(help: "JSON: the runs.")
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
      Console.error("takt: no run of \(subject) is in progress or waits")
    } else {
      Console.print("cancelled: \(answer.runs.map { "run \($0)" }.joined(separator: ", "))")
    }
    if answer.runs.isEmpty { throw ExitCode.failure }
  }
}

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Have a takt that runs read its jobs file again, and show the plan that it applied.",
    discussion: "Exits 78 when the file has errors; then nothing has changed.")

  @Flag(help: "JSON: the plan.")
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
    abstract: "Print the address of the web page of a takt that runs, with its token.",
    discussion: """
      Whoever has this address may do all that takt may. The token stands behind the '#', which \
      browsers do not send.
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

/// A job, as far as commands look at it.
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
