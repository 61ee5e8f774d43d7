import ArgumentParser
import TaktCore

struct TriggerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Have a takt that runs run a job now.",
    discussion: """
      The run stands beside the job's schedule and follows the job's overlap: while another run of \
      the job has not ended, skip refuses it, with exit 75, queue lets it wait, replace stops the \
      other, and allow runs both. --force runs it beside the other in any case.

      With --wait it exits as the run did: 0 when that succeeded, else with its exit status, 128 \
      plus the signal that ended it, 124 after a timeout, 127 or 126 when it could not be started, \
      and 1 otherwise.
      """)

  @Argument(help: "The job's name.")
  var job: String

  @Option(
    name: .customLong("with"), parsing: .singleValue,
    help:
      "NAME=VALUE: of a built-in or plugin in place of what the job says under 'with', of a command TAKT_PARAM_NAME in its environment."
  )
  var parameters: [String] = []

  @Option(help: "The slot that the run is told, such as 2026-12-24T18:00:00Z. (default: now)")
  var slot: String?

  @Flag(help: "Run it beside other runs of the job, whatever its overlap says.")
  var force = false

  @Flag(name: .shortAndLong, help: "Wait for the end of the run, and show what it prints.")
  var wait = false

  @Flag(help: "JSON: the run as it is then.")
  var json = false

  @OptionGroup var control: ControlArgument

  private struct Order: Encodable {
    var slot: String?
    var parameters: [String: String]?
    var force: Bool?
  }

  func run() throws {
    var values: [String: String] = [:]
    for parameter in parameters {
      guard let sign = parameter.firstIndex(of: "="), sign > parameter.startIndex else {
        throw ValidationError("--with takes NAME=VALUE.")
      }
      values[String(parameter[..<sign])] = String(parameter[parameter.index(after: sign)...])
    }
    // A daemon of an earlier version does not know the key.
    let order = Order(
      slot: slot, parameters: values.isEmpty ? nil : values, force: force ? true : nil)
    let connection = try control.connect()
    var (run, bytes) = try connection.ask(
      RunAnswer.self, "POST", "/api/v1/jobs/\(job.asPathPart)/trigger",
      body: Array(order.jsonLine.utf8))
    if wait {
      if !json { Console.error("run \(run.run) of \(run.job): \(run.state)") }
      (run, bytes) = try RunWait(run.run, connection).end(showingOutput: !json)
    }
    if json {
      Console.print(String(decoding: bytes, as: UTF8.self))
    } else if wait {
      Console.error(
        "run \(run.run) of \(run.job): \(run.outcome ?? run.state), \((run.reason ?? "").printable)"
      )
    } else {
      Console.print("run \(run.run) of \(run.job): \(run.state)")
    }
    if wait, run.exitStatus != 0 { throw ExitCode(run.exitStatus) }
  }
}

/// Waits for the end of a run.
struct RunWait {
  private let target: String
  private let connection: ControlArgument.Connection

  init(_ run: UInt64, _ connection: ControlArgument.Connection) {
    target = "/api/v1/runs/\(run)"
    self.connection = connection
  }

  /// The run as it ended.
  func end(showingOutput: Bool) throws -> (RunAnswer, [UInt8]) {
    var hasShown = !showingOutput
    while true {
      // One that waits for a place prints nothing yet.
      let wait = hasShown ? 30 : 1
      let (run, bytes) = try connection.ask(RunAnswer.self, "GET", "\(target)?wait=\(wait)")
      if !hasShown, run.state != "queued" {
        hasShown = true
        try connection.follow("\(target)/output?follow=true") { Console.write($0) }
      }
      if run.state == "ended" { return (run, bytes) }
    }
  }
}
