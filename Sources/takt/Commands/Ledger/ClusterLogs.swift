import ArgumentParser
import TaktCore

/// The output of a run on some machine of the cluster, as the daemon gets it.
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
    let (run, asked) = try find(connection)
    let end = (run.outcome.map { RunEnd.words($0, run.reason) } ?? run.state).printable
    Console.error(
      "run \(run.run) of \(run.job.printable) on '\(run.machine.printable)', slot "
        + "\(run.slot.printable): \(end)")
    let path = ControlArgument.Connection.path(of: run.machineWord) + "/runs/\(run.run)/output"
    let output = try connection.ask(
      "GET", path + (attempt.map { "?attempt=\($0)" } ?? ""), accept: "text/plain")
    if output.isEmpty { Console.error("takt: no output of this run was kept") }
    write(output)
    try asked.exitIfIncomplete()
  }

  private func find(
    _ connection: ControlArgument.Connection
  ) throws -> (ClusterRunAnswer, AskedMachines) {
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
    let (answer, _, asked) = try connection.askCluster(
      ClusterRunsAnswer.self, "/api/v1/cluster/runs?" + query.joined(separator: "&"))
    if let run = answer.runs.first(where: { $0.outcome != nil && $0.began != nil })
      ?? answer.runs.first
    {
      return (run, asked)
    }
    try asked.exitIfIncomplete()
    Console.error("takt: no machine has such a run of '\(subject.printable)'")
    throw ExitCode.usage
  }

  private func find(
    run number: UInt64, on machine: String, _ connection: ControlArgument.Connection
  ) throws -> (ClusterRunAnswer, AskedMachines) {
    /// The run as its own machine shows it.
    struct Answer: Decodable {
      var job: String
      var slot: String
      var kind: String
      var state: String
      var began: String?
      var attempts: Int
      var outcome: String?
      var reason: String?
    }
    let path = ControlArgument.Connection.path(of: machine) + "/runs/\(number)"
    let (run, _) = try connection.ask(Answer.self, "GET", path)
    return (
      ClusterRunAnswer(
        machine: machine, run: number, job: run.job, slot: run.slot, kind: run.kind,
        state: run.state, began: run.began, attempts: run.attempts, outcome: run.outcome,
        reason: run.reason), AskedMachines(problems: [])
    )
  }
}
