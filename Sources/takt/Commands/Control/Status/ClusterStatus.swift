import TaktAPI
import TaktCore
import TaktTime

/// The shared jobs of all machines, as the daemon collects them.
struct ClusterStatus {
  private let match: String?
  private let connection: ControlArgument.Connection

  init(match: String?, _ connection: ControlArgument.Connection) {
    self.match = match
    self.connection = connection
  }

  /// Returns the machines that are missing.
  func show(json: Bool) throws -> AskedMachines {
    var rows: [[String]] = []
    var after: String?
    let now = SystemTimeSource().wall
    while true {
      let (page, bytes) = try connection.ask(
        API.ClusterJobs.self, "GET", target(after: after))
      if json { Console.printJSON(bytes) }
      rows += page.jobs.map { columns($0, at: now) }
      after = page.after
      guard after == nil else { continue }
      if !json {
        Console.print(titles: ["JOB", "STATE", "ON", "NEXT", "LAST", "LAST ON"], rows: rows)
        if rows.isEmpty { Console.error("takt: no shared jobs") }
      }
      return AskedMachines(problems: page.problems)
    }
  }

  private func target(after: String?) -> String {
    var query = ["limit=1000"]
    if let after { query.append("after=\(after.asQueryValue)") }
    if let match { query.append("match=\(match.asQueryValue)") }
    return "/api/v1/cluster/jobs?" + query.joined(separator: "&")
  }

  private func columns(_ job: API.ClusterJob, at now: WallInstant) -> [String] {
    let running = Set(job.active.map(\.machine)).sorted()
    let last = job.last.map { last in
      let run = last.run.object
      let reason = run.outcome == "succeeded" ? nil : RunEnd.reason(run.reason, of: run.outcome)
      let ago = distance(run.ended, from: now).map { "\($0) ago" }
      return [run.outcome ?? run.state, reason, ago].compactMap(\.self).joined(separator: " ")
    }
    return [
      job.name, job.state, running.isEmpty ? "-" : running.joined(separator: ", "),
      distance(job.next?.due, from: now).map { "in \($0)" } ?? "-",
      last ?? "-", job.last?.machine ?? "-",
    ].map(\.printable)
  }

  private func distance(_ instant: WallInstant?, from now: WallInstant) -> String? {
    instant.map { DurationText.brief($0 > now ? $0 - now : now - $0) }
  }
}
