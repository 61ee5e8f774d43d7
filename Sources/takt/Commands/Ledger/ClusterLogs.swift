import ArgumentParser
import TaktAPI
import TaktCore
import TaktTime

/// The output of a run on any machine of the cluster, as the daemon gets it.
struct ClusterLogs {
  private static let runsMax = 20

  var subject: String
  var failed = false
  var attempt: Int?
  /// Nil for the machine that had the last run.
  var machine: String?

  func show(
    _ connection: ControlArgument.Connection, _ write: @escaping @Sendable ([UInt8]) -> Void
  ) throws {
    let (found, asked) = try find(connection)
    let run = found.run.object
    let end = (run.outcome.map { RunEnd.words($0, run.reason) } ?? run.state).printable
    Console.error(
      "run \(run.run) of \(run.job.printable) on '\(found.machine.printable)', slot "
        + "\(run.slot.rfc3339()): \(end)\(run.given.printable)")
    let path = ControlArgument.Connection.path(of: found.machineWord) + "/runs/\(run.run)/output"
    let output = try connection.ask(
      "GET", path + (attempt.map { "?attempt=\($0)" } ?? ""), accept: "text/plain")
    if output.isEmpty { Console.error("takt: no output of this run was kept") }
    write(output)
    try asked.exitIfIncomplete()
  }

  private func find(
    _ connection: ControlArgument.Connection
  ) throws -> (API.ClusterRun, AskedMachines) {
    if let number = try connection.run(named: subject) {
      guard let machine else {
        Console.error(
          "takt: runs of different machines have the same numbers; name a machine with --on")
        throw ExitCode.usage
      }
      return try find(run: number, on: machine, connection)
    }
    var query = ["limit=\(Self.runsMax)", "job=\(subject.asQueryValue)"]
    if failed { query.append("failed=true") }
    if let machine { query.append("machine=\(machine.asQueryValue)") }
    let answer = try connection.ask(
      API.ClusterRuns.self, "GET", "/api/v1/cluster/runs?" + query.joined(separator: "&")
    ).value
    let asked = AskedMachines(problems: answer.problems)
    if let run = answer.runs.first(where: {
      $0.run.object.outcome != nil && $0.run.object.began != nil
    }) ?? answer.runs.first {
      return (run, asked)
    }
    try asked.exitIfIncomplete()
    Console.error("takt: no machine has such a run of '\(subject.printable)'")
    throw ExitCode.usage
  }

  private func find(
    run number: UInt64, on machine: String, _ connection: ControlArgument.Connection
  ) throws -> (API.ClusterRun, AskedMachines) {
    let path = ControlArgument.Connection.path(of: machine) + "/runs/\(number)"
    var found = API.ClusterRun()
    found.machine = machine
    found.run = Relayed(try connection.ask(API.Run.self, "GET", path).value)
    return (found, AskedMachines())
  }
}
