import TaktAPI
import TaktCore

/// The present state of a job in the cluster, from the daemon: the ledger of one machine does not
/// explain slots that this machine leaves to others.
struct JobStanding {
  /// The reasons why this machine leaves the job's slots to others, or claims none.
  private(set) var words: [String] = []
  private(set) var isProblem = false
  /// The reason why the engine does not answer; nil if it does.
  private(set) var engineFailure: String?

  /// Nil if no daemon reports it.
  init?(of job: String, _ connection: ControlArgument.Connection?) {
    guard let connection,
      let view = connection.askQuietly(API.Job.self, "/api/v1/jobs/\(job.asPathPart)"),
      let cluster = connection.askQuietly(API.Cluster.self, "/api/v1/cluster"),
      let members = cluster.members
    else { return nil }
    engineFailure = cluster.failure?.message
    if view.drifted == true {
      isProblem = true
      words = Self.driftWords(of: job, connection)
    } else if let labels = view.machines, labels != JobMachines.each.words {
      let alive = members.filter(\.alive)
      let isUnplaced =
        cluster.engineAnswers == true
        && (cluster.unplaced ?? []).contains { $0.jobs.contains(job) }
      isProblem = isUnplaced
      words = Self.labelWords(labels, cluster.labels ?? [:], alive, isUnplaced: isUnplaced)
    }
  }

  private static func labelWords(
    _ wanted: String, _ own: [String: String], _ alive: [API.ClusterMember], isUnplaced: Bool
  ) -> [String] {
    func labels(_ labels: [String: String]) -> String {
      let words = JobMachines.labelled(labels).words
      return words.isEmpty ? "no labels" : words
    }
    let shown = alive.sorted { ($0.machine, $0.member) < ($1.machine, $1.member) }.prefix(20)
    if isUnplaced {
      return [
        "The job needs a machine with the labels \(wanted), and no machine of the cluster has them: "
          + "its slots run nowhere. Set them under scheduler.cluster.labels and restart takt there, or "
          + "correct 'machines'."
      ] + shown.map { "Machine '\($0.machine)' (member \($0.member)) has \(labels($0.labels))." }
    }
    let required = labelSet(wanted)
    guard !required.isSubset(of: labelSet(labels(own))) else { return [] }
    let suitable = shown.filter { required.isSubset(of: labelSet(labels($0.labels))) }
    let names = suitable.map { "'\($0.machine)'" }.joined(separator: ", ")
    return [
      "The job needs a machine with the labels \(wanted). This machine has \(labels(own)), so it "
        + "leaves the slots to "
        + (names.isEmpty ? "machines that have them." : "\(names); this is no problem.")
    ]
  }

  /// Splits `site=east, disk=fast`.
  private static func labelSet(_ words: String) -> Set<String> {
    Set(words.split(separator: ",").map { String($0.drop { $0 == " " }) })
  }

  private static func driftWords(
    of job: String, _ connection: ControlArgument.Connection
  ) -> [String] {
    var words = [
      "Another machine has loaded a newer schedule of the job, so this machine claims none of its "
        + "slots. The files differ, or the time zones do: make them equal and run 'takt reload'."
    ]
    let query = "/api/v1/cluster/jobs?limit=1000&match=\(job.asQueryValue)"
    guard let answer = connection.askQuietly(API.ClusterJobs.self, query) else { return words }
    for place in answer.jobs.first(where: { $0.name == job })?.on ?? [] {
      let schedule = place.schedule.map { ": \($0)" } ?? ""
      let name = "Machine '\(place.machine)'" + (place.member.map { " (member \($0))" } ?? "")
      words.append(
        place.drifted == true
          ? "\(name) has an older schedule and claims nothing\(schedule)."
          : "\(name) has the schedule in force\(schedule).")
    }
    return words + answer.problems.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
  }
}
