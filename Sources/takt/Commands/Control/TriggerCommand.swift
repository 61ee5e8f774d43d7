import ArgumentParser
import TaktAPI
import TaktCore
import TaktTime

struct TriggerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Run jobs now.",
    discussion: """
      The run is in addition to the job's schedule and follows its overlap. If another run of the \
      job is active: \(overlaps). --force always runs both.

      With --wait it exits with the result of the run: 0 on success, the command's own exit status, \
      128 + N after signal N, 124 after a timeout, 127 if the program is missing, 126 if it cannot \
      be started, and 1 otherwise. Of several jobs it is the first that did not succeed.

      With --on the runs are on another machine of the cluster. The machines need a common token that \
      may write (scheduler.cluster.api_write_token_file). A built-in or a plugin then takes only the \
      parameters that its job opens with 'params'.
      """)

  private static var overlaps: String {
    Overlap.list(", and ") { "\($0) \($0.meeting.ofRun)" }
  }

  @OptionGroup var selection: JobSelection

  @Option(
    name: .customLong("with"), parsing: .singleValue,
    help:
      "Set a parameter: NAME=VALUE. Replaces the one under 'with'; a command gets it as TAKT_PARAM_NAME. Repeatable."
  )
  var parameters: [String] = []

  @Option(
    help:
      "The slot passed to the run, such as 2026-12-24T18:00 or 'yesterday 06:00'. (default: now)")
  var slot: String?

  @Flag(help: "Run it in parallel with other runs of the job, whatever its overlap.")
  var force = false

  @Flag(name: .shortAndLong, help: "Wait for the run to end, and show its output.")
  var wait = false

  @Option(
    help:
      "Run it on this machine of the cluster: its name, or 'member:7' where several have one name.")
  var on: String?

  @Flag(help: "Print each run as JSON, one per line.")
  var json = false

  @OptionGroup var control: ControlArgument

  func run() throws {
    var values: [String: String] = [:]
    for parameter in parameters {
      guard let sign = parameter.firstIndex(of: "="), sign > parameter.startIndex else {
        throw ValidationError("--with takes NAME=VALUE.")
      }
      values[String(parameter[..<sign])] = String(parameter[parameter.index(after: sign)...])
    }
    let slot = try slot.map {
      try InstantArgument.read($0, of: "--slot", in: control.zone).rfc3339()
    }
    var order = API.Trigger()
    order.slot = slot
    order.parameters = values.isEmpty ? nil : values
    // A daemon of an earlier version does not know the key.
    order.force = force ? true : nil
    let connection = try control.connect()
    let place = on.map { ControlArgument.Connection.path(of: $0) } ?? "/api/v1"
    let names = try selection.names(from: connection, to: "Trigger")
    var started: [(value: API.Run, bytes: [UInt8])] = []
    var failure: (any Error)?
    do {
      try selection.each(names) { job in
        started.append(
          try connection.ask(
            API.Run.self, "POST", "\(place)/jobs/\(job.asPathPart)/trigger", body: order.json,
            about: on == nil ? job : nil))
        if !wait { show(started[started.count - 1]) }
      }
    } catch {
      failure = error
    }
    for start in started where wait {
      do { try end(start, at: place, connection) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private func show(_ start: (value: API.Run, bytes: [UInt8])) {
    if json { return Console.printJSON(start.bytes) }
    Console.print("run \(start.value.run) of \(start.value.job): \(start.value.state)".printable)
  }

  /// Waits for the end of a run and prints it; throws the result of one that did not succeed.
  private func end(
    _ start: (value: API.Run, bytes: [UInt8]), at place: String,
    _ connection: ControlArgument.Connection
  ) throws {
    if !json {
      Console.error("run \(start.value.run) of \(start.value.job): \(start.value.state)".printable)
    }
    let wait = RunWait(start.value.run, at: place, isElsewhere: on != nil, connection)
    let (run, bytes) = try wait.end(showingOutput: !json)
    if json {
      Console.printJSON(bytes)
    } else {
      Console.error("run \(run.run) of \(run.job): \(run.endWords)".printable)
    }
    if run.exitStatus != 0 { throw ExitCode(run.exitStatus) }
  }
}

struct RunWait {
  private let target: String
  /// The output of a run on another machine is shown when it is over.
  private let isElsewhere: Bool
  private let connection: ControlArgument.Connection

  /// - Parameter place: the part of the API that has the run.
  init(
    _ run: UInt64, at place: String = "/api/v1", isElsewhere: Bool = false,
    _ connection: ControlArgument.Connection
  ) {
    target = "\(place)/runs/\(run)"
    self.isElsewhere = isElsewhere
    self.connection = connection
  }

  func end(showingOutput: Bool) throws -> (API.Run, [UInt8]) {
    var hasShown = !showingOutput
    while true {
      // A run in the queue prints nothing yet.
      let wait = hasShown && !isElsewhere ? 30 : 1
      let (run, bytes) = try connection.ask(
        API.Run.self, "GET", "\(target)?wait=\(wait)", waitSeconds: Int64(wait + 5))
      if !hasShown, isElsewhere ? run.state == "ended" : run.state != "queued" {
        hasShown = true
        if isElsewhere {
          Console.showOutput(try connection.ask("GET", "\(target)/output", accept: "text/plain"))
        } else {
          try connection.follow("\(target)/output?follow=true") { Console.showOutput($0) }
        }
      }
      if run.state == "ended" { return (run, bytes) }
    }
  }
}
