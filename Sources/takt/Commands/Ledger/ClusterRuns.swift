import ArgumentParser
import TaktCore
import TaktEngine
import TaktTime

/// The runs of all machines, or of one of them, as the daemon gathers them.
struct ClusterRuns {
  /// More than this the API does not give at a time.
  private static let runsMax = 1000

  var job: String?
  var failed = false
  var hooks = false
  var since: WallInstant?
  var number: Int
  var machine: String?
  /// With what the runs have used.
  var long = false

  /// Prints them; ends the program with 69 if a machine has not answered.
  func show(json: Bool, _ connection: ControlArgument.Connection) throws {
    guard number <= Self.runsMax else {
      throw ValidationError("With --cluster or --on, -n takes a number from 1 to \(Self.runsMax).")
    }
    let (answer, _, asked) = try connection.askCluster(ClusterRunsAnswer.self, target)
    if let job, answer.runs.isEmpty, asked.problems.isEmpty { try require(job, connection) }
    if json {
      for run in answer.runs { Console.print(run.jsonLine) }
    } else {
      let zone = try zone(connection)
      Table(
        titles: ["MACHINE"] + RunLine.titles(long: long),
        rows: answer.runs.map { $0.columns(in: zone, long: long) }
      ).print()
      if answer.runs.isEmpty, asked.problems.isEmpty { Console.error("takt: no runs") }
    }
    try asked.exitIfIncomplete()
  }

  /// Ends the program if no machine has such a job.
  private func require(_ job: String, _ connection: ControlArgument.Connection) throws {
    struct Page: Decodable {
      struct Job: Decodable {
        var name: String
      }
      var jobs: [Job]
    }
    guard let lack = try connection.lack(of: job) else { return }
    // Another machine may have it all the same.
    let (page, _, asked) = try connection.askCluster(
      Page.self, "/api/v1/cluster/jobs?limit=1000&match=\(job.asQueryValue)")
    if page.jobs.contains(where: { $0.name == job }) { return }
    try asked.exitIfIncomplete()
    Console.error(
      "takt: no machine of the cluster has a job '\(job.printable)'"
        + (lack.detail.map { ". \($0.printable)" } ?? ""))
    throw ExitCode.usage
  }

  /// The daemon's own zone: times are shown as `takt runs` shows those of its ledger.
  private func zone(_ connection: ControlArgument.Connection) throws -> Zone {
    struct Status: Decodable {
      var timezone: String
    }
    let status = try connection.ask(Status.self, "GET", "/api/v1/status").value
    return ZoneFiles().zone(named: status.timezone) ?? .utc
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

extension ClusterRunAnswer {
  fileprivate func columns(in zone: Zone, long: Bool) -> [String] {
    func local(_ text: String?) -> String {
      guard let text else { return "-" }
      return (try? InstantText(text))?.instant?.rfc3339(in: zone) ?? text
    }
    let took = duration_ms.map { DurationText.format(Duration(answered: $0.rounded())) }
    let used = [
      cpu_ms.map { DurationText.brief(Duration(answered: $0.rounded())) } ?? "-",
      memory_peak.map(SizeText.brief) ?? "-",
    ]
    let columns = [
      machine, "\(run)", job + (hook.map { " (\($0))" } ?? ""), local(slot), local(began),
      outcome == nil ? "-" : took ?? "-",
    ]
    let rest = [
      "\(attempts)", outcome ?? (began == nil ? "waiting" : "running"),
      RunEnd.reason(reason, of: outcome) ?? "",
    ]
    return (columns + (long ? used : []) + rest).map(\.printable)
  }
}
