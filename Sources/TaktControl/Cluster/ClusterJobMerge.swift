import TaktCore
import TaktTime

/// The shared jobs of all machines, put together by their names.
struct ClusterJobMerge {
  private struct Job {
    var machines: String?
    var next: (slot: WallInstant, due: WallInstant)?
    var last: ClusterRun?
    var active: [ClusterRun] = []
    var places: [Place] = []
  }

  /// The job on one machine.
  private struct Place {
    var machine: ClusterMachine
    var state: String
    var schedule: String?
    /// Another machine has a newer schedule.
    var isDrifted: Bool
  }

  /// The state of the job in the whole cluster is the first of these that it has on some machine.
  private static let order: [JobView.State] = [
    .running, .backingOff, .queued, .suspended, .waiting, .limit, .idle, .disabled,
  ]
  private static let each = JobMachines.each.words

  private var jobs: [String: Job] = [:]
  /// Beyond this name some machine has more jobs than it has shown; nil where none has.
  private var end: String?

  /// - Parameter after: the name to go on from; nil at the end.
  mutating func add(_ jobs: [JobEntry], after: String?, of machine: ClusterMachine) {
    limit(to: after)
    for entry in jobs {
      let (view, spec) = (entry.view, entry.view.spec)
      guard spec.machines != .each else { continue }
      add(
        spec.name.text,
        Place(
          machine: machine, state: view.state.rawValue, schedule: spec.timing.schedule.summary,
          isDrifted: view.isDrifted),
        machines: spec.machines == .one ? nil : spec.machines.words,
        next: view.next.map { ($0.nominal, $0.due) },
        last: entry.history.last.map { .own(RunEntry($0, state: .ended)) },
        active: entry.active.map { .own($0) })
    }
  }

  mutating func add(_ page: MachineJobPage, of machine: ClusterMachine) {
    limit(to: page.after)
    for job in page.jobs where job.machines != Self.each {
      add(
        job.name,
        Place(
          machine: machine, state: job.state, schedule: job.schedule,
          isDrifted: job.drifted ?? false), machines: job.machines,
        next: job.next.map { ($0.slot.wall, $0.due.wall) }, last: job.last.map { .other($0) },
        active: job.active.map { .other($0) })
    }
  }

  private mutating func limit(to after: String?) {
    if let after { end = min(after, end ?? after) }
  }

  private mutating func add(
    _ name: String, _ place: Place, machines: String?,
    next: (slot: WallInstant, due: WallInstant)?, last: ClusterRun.Run?, active: [ClusterRun.Run]
  ) {
    var job = jobs[name] ?? Job()
    job.machines = job.machines ?? machines
    job.places.append(place)
    if let next, job.next.map({ next.due < $0.due }) ?? true { job.next = next }
    if let last = last.map({ ClusterRun(machine: place.machine, run: $0) }),
      job.last.map({ ClusterRun.isBefore(last, $0) }) ?? true
    {
      job.last = last
    }
    job.active += active.map { ClusterRun(machine: place.machine, run: $0) }
    jobs[name] = job
  }

  /// The jobs by their names, and where to go on.
  func write(to json: inout JSONWriter) {
    let names = jobs.keys.filter { name in end.map { name <= $0 } ?? true }.sorted()
    json.key("jobs")
    json.array(names) { json, name in
      if let job = jobs[name] { json.object { Self.write(name, job, to: &$0) } }
    }
    json.member("after", end)
  }

  private static func write(_ name: String, _ job: Job, to json: inout JSONWriter) {
    json.member("name", name)
    let states = Set(job.places.map(\.state))
    json.member(
      "state", order.first { states.contains($0.rawValue) }?.rawValue ?? job.places.first?.state)
    json.member("machines", job.machines)
    if let next = job.next {
      json.key("next")
      json.object { json in
        json.member("slot", next.slot)
        json.member("due", next.due)
      }
    }
    if let last = job.last {
      json.key("last")
      json.value(last)
    }
    json.key("active")
    json.array(job.active) { $0.value($1) }
    json.key("on")
    json.array(job.places) { json, place in
      json.object { json in
        json.members(of: place.machine)
        json.member("state", place.state)
        json.member("schedule", place.schedule)
        guard place.isDrifted else { return }
        json.key("drifted")
        json.value(true)
      }
    }
  }
}
