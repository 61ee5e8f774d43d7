import TaktAPI
import TaktTime

/// The answer of another machine. Only the fields for sorting are read from its objects; they are
/// passed on unchanged, with all fields of later versions of takt.
struct MachineAnswer {
  let machine: ClusterMachine
  private let text: [UInt8]
  private let whole: JSONPiece

  /// Nil for invalid JSON: one machine's mistake must not spoil the answer about all.
  init?(_ text: [UInt8], of machine: ClusterMachine) {
    guard let whole = JSONPiece(checking: text) else { return nil }
    (self.text, self.machine, self.whole) = (text, machine, whole)
  }

  private static let runKeys: Set<String> = [
    "run", "job", "slot", "kind", "state", "began", "ended",
  ]

  /// A page of runs; nil for anything else.
  var runs: [API.ClusterRun]? {
    let read = try? APIReader.read(
      API.RunPage.self, from: text, only: Self.runKeys.union(["runs"]))
    guard let read, let pieces = whole["runs"]?.elements,
      pieces.count == read.runs.count
    else { return nil }
    return zip(read.runs, pieces).map { API.ClusterRun($0, as: $1, on: machine) }
  }

  /// A page of jobs, each with its runs unchanged; nil for anything else.
  var jobs: (jobs: [MachineJob], after: String?)? {
    let read = try? APIReader.read(
      API.JobPage.self, from: text,
      only: Self.runKeys.union([
        "jobs", "name", "machines", "schedule", "drifted", "next", "due", "last", "active", "after",
      ]))
    guard let read, let pieces = whole["jobs"]?.elements,
      pieces.count == read.jobs.elements.count
    else { return nil }
    var jobs: [MachineJob] = []
    for (job, piece) in zip(read.jobs.elements, pieces) {
      let active = piece["active"]?.elements ?? []
      let last = piece["last"].flatMap { last in
        job.last.map { API.ClusterRun($0, as: last, on: machine) }
      }
      guard active.count == job.active.count, (last == nil) == (job.last == nil) else { return nil }
      jobs.append(
        MachineJob(
          job: job, last: last,
          active: zip(job.active, active).map { API.ClusterRun($0, as: $1, on: machine) }))
    }
    return (jobs, read.after)
  }
}

/// A job of some machine, as far as it matters for the cluster.
struct MachineJob {
  var job: API.Job
  var last: API.ClusterRun?
  var active: [API.ClusterRun]
}

extension MachineJob {
  init(_ entry: JobEntry, on machine: ClusterMachine) {
    job = API.Job(entry, withDurations: false)
    last = job.last.map { API.ClusterRun($0, on: machine) }
    active = job.active.map { API.ClusterRun($0, on: machine) }
  }
}

extension API.ClusterRun {
  init(_ run: API.Run, on machine: ClusterMachine) {
    self.init()
    self.machine = machine.name
    member = machine.member
    self.run = Relayed(run)
  }

  /// A run as its machine has written it. This machine adds the other's name.
  fileprivate init(_ run: API.Run, as piece: JSONPiece, on machine: ClusterMachine) {
    self.init(run, on: machine)
    self.run = Relayed(run, as: piece.text, without: ["machine", "member"])
  }

  /// The start; before that, the due time.
  private var at: WallInstant { run.object.began ?? run.object.slot }

  /// Newest first. Numbers of different machines are unrelated.
  static func isBefore(_ left: Self, _ right: Self) -> Bool {
    (right.at, left.machine, left.member ?? 0, right.run.object.run)
      < (left.at, right.machine, right.member ?? 0, left.run.object.run)
  }
}

/// A machine that was asked, and the reason why its part is missing; nil if it is not.
struct AskedMachine: Sendable {
  var machine: ClusterMachine
  var problem: String?
}

extension API.AskedMachine {
  init(_ asked: AskedMachine) {
    self.init()
    machine = asked.machine.name
    member = asked.machine.member
    answered = asked.problem == nil
    problem = asked.problem
  }
}
