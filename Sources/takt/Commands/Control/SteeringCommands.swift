import ArgumentParser
import TaktAPI
import TaktCore
import TaktTime

struct SuspendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Suspend jobs.",
    discussion: """
      Their slots become skipped(suspended), even after a restart, until the time is over or the job \
      is resumed. Active runs continue.
      """)

  @OptionGroup var selection: JobSelection

  @Option(
    name: .customLong("for"),
    help: "Suspend for this long, from 1ms to 36499d, such as 90m. (default: until 'takt resume')")
  var duration: String?

  @Option(help: "Suspend until this instant, such as 2026-12-24T18:00, 18:00 or 'tomorrow 06:00'.")
  var until: String?

  @Option(help: "The reason, which status and the web page show.")
  var reason: String?

  @Flag(help: "Print each job's new state as JSON, one per line.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let zone = control.zone
    let until = try until.map {
      try InstantArgument.read($0, of: "--until", in: zone, preferring: .future).rfc3339()
    }
    var order = API.Suspend()
    order.for = duration
    order.until = until
    order.reason = reason
    let connection = try control.connect()
    try selection.each(try selection.names(from: connection, to: "Suspend")) { job in
      let (answer, bytes) = try connection.ask(
        API.Job.self, "POST", "/api/v1/jobs/\(job.asPathPart)/suspend", body: order.json,
        about: job)
      if json { return Console.printJSON(bytes) }
      let until =
        answer.suspension?.until.map { " until \($0.rfc3339(in: zone))" }
        ?? ", until 'takt resume'"
      Console.print("\(answer.name) is suspended\(until)")
    }
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume suspended jobs.",
    discussion: """
      With --tag or --all, only those that are suspended. Exits with 2 if a job is not suspended.
      """)

  @OptionGroup var selection: JobSelection

  @Flag(help: "Print each job's new state as JSON, one per line.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let zone = control.zone
    var connection = try control.connect()
    connection.conflictCode = .unchanged
    let names = try selection.names(from: connection, to: "Resume") {
      $0.isSuspended
    }
    if names.isEmpty {
      Console.error("takt: none of the jobs is suspended")
      throw ExitCode.unchanged
    }
    try selection.each(names) { job in
      let (answer, bytes) = try connection.ask(
        API.Job.self, "POST", "/api/v1/jobs/\(job.asPathPart)/resume", body: [], about: job)
      if json { return Console.printJSON(bytes) }
      Console.print(
        "\(answer.name): \(answer.state)"
          + (answer.next.map { ", next \($0.due.rfc3339(in: zone))" } ?? ""))
    }
  }
}

struct CancelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel runs.",
    discussion: """
      An active run is stopped as at a timeout: with the job's kill signal, and with SIGKILL after \
      the grace period. A waiting run does not start. A cancelled run is not retried. A job of `takt \
      once` that is not due yet is removed. A job is also \
      the number of a run; 'run:7' is always a run. Exits with 1 if there is nothing to cancel.

      With --on it cancels runs on another machine of the cluster. The machines need a common token \
      that may write (scheduler.cluster.api_write_token_file).
      """)

  @OptionGroup var selection: JobSelection

  @Option(
    help:
      "Cancel on this machine of the cluster: its name, or 'member:7' where several have one name.")
  var on: String?

  @Flag(help: "Print the runs as JSON, one object for each job.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    let connection = try control.connect()
    // Jobs that are active elsewhere are not known here.
    let names = try selection.names(from: connection, to: "Cancel the runs of") {
      on != nil || !$0.active.isEmpty
    }
    if names.isEmpty {
      Console.error("takt: no run of these jobs is active or waiting")
      throw ExitCode.unbalanced
    }
    var hasCancelled = false
    try selection.each(names) { hasCancelled = try cancel($0, connection) || hasCancelled }
    if on != nil, !hasCancelled {
      Console.error("takt: no run of these jobs is active or waiting there")
      throw ExitCode.unbalanced
    }
  }

  /// Returns true if there was a run to cancel.
  private func cancel(_ subject: String, _ connection: ControlArgument.Connection) throws -> Bool {
    // A job of a selection is never a run, whatever its name.
    let place =
      selection.jobs.isEmpty ? nil : try connection.run(named: subject).map { "runs/\($0)" }
    let machine = on.map { ControlArgument.Connection.path(of: $0) } ?? "/api/v1"
    let (answer, bytes) = try connection.ask(
      API.Cancelled.self, "POST",
      "\(machine)/\(place ?? "jobs/\(subject.asPathPart)")/cancel", body: [],
      about: place == nil && on == nil ? subject : nil)
    if json {
      Console.printJSON(bytes)
    } else if answer.removed == true {
      Console.print("\(subject): cancelled, it will not run")
    } else if answer.runs.isEmpty, on == nil || !selection.jobs.isEmpty {
      Console.error("takt: no run of '\(subject)' is active or waiting")
    } else if !answer.runs.isEmpty {
      let runs = answer.runs.map { "run \($0)" }.joined(separator: ", ")
      Console.print(selection.isSingle ? "cancelled: \(runs)" : "\(subject): cancelled \(runs)")
    }
    let isDone = answer.removed == true || !answer.runs.isEmpty
    if !isDone, !selection.jobs.isEmpty { throw ExitCode.unbalanced }
    return isDone
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
      API.Plan.self, "POST", "/api/v1/reload", body: [])
    if json { return Console.printJSON(bytes) }
    for warning in plan.warnings { Console.error(warning.text) }
    PlanLines(zone: control.zone).print(plan)
  }
}

struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Print the address of the web page, with its token.",
    discussion: """
      Anyone with this address can do everything that takt can do. The token is behind the '#', \
      which browsers do not send.

      With --calendar it is the address of the calendar, for programs that send no headers. Its token \
      shows the calendar and nothing else. A proxy logs it with the address.
      """)

  @Flag(help: "Print the address of the calendar, with its own token.")
  var calendar = false

  @Flag(help: "Make another token for the calendar; the earlier address no longer works.")
  var replace = false

  @OptionGroup var control: ControlArgument

  func validate() throws {
    if replace, !calendar { throw ValidationError("--replace needs --calendar") }
  }

  func run() throws {
    let connection = try control.connect()
    guard calendar else {
      let (answer, _) = try connection.ask(API.Address.self, "GET", "/api/v1/address")
      return Console.print(answer.address)
    }
    var order = API.CalendarOrder()
    order.replace = replace
    let (answer, _) = try connection.ask(
      API.Address.self, "POST", "/api/v1/calendar/address", body: order.json)
    Console.print(answer.address)
  }
}
