import ArgumentParser
import TaktAPI
import TaktCore
import TaktEngine
import TaktTime

/// The runs of all machines, or of one of them, as the daemon collects them.
struct ClusterRuns {
  /// The API's limit.
  private static let runsMax = 1000

  var job: String?
  var failed = false
  var hooks = false
  var since: WallInstant?
  var number: Int
  var machine: String?
  /// True to show the runs' resource use.
  var long = false

  /// Prints them; ends the program with 69 if a machine has not answered.
  func show(json: Bool, _ connection: ControlArgument.Connection) throws {
    guard number <= Self.runsMax else {
      throw ValidationError("With --cluster or --on, -n takes a number from 1 to \(Self.runsMax).")
    }
    let answer = try connection.ask(API.ClusterRuns.self, "GET", target).value
    let asked = AskedMachines(problems: answer.problems)
    if let job, answer.runs.isEmpty, asked.problems.isEmpty { try require(job, connection) }
    if json {
      for run in answer.runs { Console.printJSON(run.json) }
    } else {
      let zone = try zone(connection)
      Console.print(
        titles: ["MACHINE"] + RunLine.titles(long: long, isNarrow: false),
        rows: answer.runs.map { $0.columns(in: zone, long: long) }
      )
      if answer.runs.isEmpty, asked.problems.isEmpty { Console.error("takt: no runs") }
    }
    try asked.exitIfIncomplete()
  }

  /// Ends the program if no machine has such a job.
  private func require(_ job: String, _ connection: ControlArgument.Connection) throws {
    guard let lack = try connection.lack(of: job) else { return }
    // Another machine may have it.
    let page = try connection.ask(
      API.ClusterJobs.self, "GET", "/api/v1/cluster/jobs?limit=1000&match=\(job.asQueryValue)"
    ).value
    if page.jobs.contains(where: { $0.name == job }) { return }
    try AskedMachines(problems: page.problems).exitIfIncomplete()
    Console.error(
      "takt: no machine of the cluster has a job '\(job.printable)'"
        + (lack.detail.map { ". \($0.printable)" } ?? ""))
    throw ExitCode.usage
  }

  /// The daemon's own zone, as `takt runs` uses for its ledger.
  private func zone(_ connection: ControlArgument.Connection) throws -> Zone {
    let status = try connection.ask(API.Status.self, "GET", "/api/v1/status").value
    return status.timezone.flatMap { ZoneFiles().zone(named: $0) } ?? .utc
  }

  private var target: String {
    var query = ["limit=\(number)"]
    if let job { query.append("job=\(job.asQueryValue)") }
    if failed { query.append("failed=true") }
    if hooks { query.append("hooks=true") }
    if let since { query.append("since=\(since.rfc3339().asQueryValue)") }
    if let machine { query.append("machine=\(machine.asQueryValue)") }
    return "/api/v1/cluster/runs?" + query.joined(separator: "&")
  }
}

extension API.ClusterRun {
  fileprivate func columns(in zone: Zone, long: Bool) -> [String] {
    let run = run.object
    let used = [
      run.cpu.map(DurationText.brief) ?? "-",
      run.memoryPeak.map(SizeText.brief) ?? "-",
    ]
    let columns = [
      machine, "\(run.run)", run.job + (run.hook.map { " (\($0))" } ?? ""),
      run.slot.rfc3339(in: zone), run.began?.rfc3339(in: zone) ?? "-",
      run.outcome == nil
        ? "-" : run.duration.map(DurationText.brief) ?? "-",
    ]
    let rest = [
      "\(run.attempts)", run.outcome ?? (run.began == nil ? "waiting" : "running"),
      RunEnd.reason(run.reason, of: run.outcome) ?? "",
    ]
    return (columns + (long ? used : []) + rest).map(\.printable)
  }
}
