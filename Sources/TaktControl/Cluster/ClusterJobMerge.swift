import TaktAPI
import TaktCore

/// The shared jobs of all machines, merged by name.
struct ClusterJobMerge {
  /// The job's state in the whole cluster is the first of these that it has on some machine.
  private static let order: [JobView.State] = [
    .running, .backingOff, .queued, .suspended, .waiting, .limit, .idle, .disabled,
  ]
  private static let each = JobMachines.each.words

  private var jobs: [String: API.ClusterJob] = [:]
  /// Some machine has more jobs than it has returned beyond this name; nil if none has.
  private var end: String?

  /// - Parameter after: the name to continue from; nil at the end.
  mutating func add(_ jobs: [MachineJob], after: String?, of machine: ClusterMachine) {
    if let after { end = min(after, end ?? after) }
    for job in jobs where job.job.machines != Self.each { add(job, of: machine) }
  }

  private mutating func add(_ found: MachineJob, of machine: ClusterMachine) {
    let one = found.job
    var job = jobs[one.name] ?? API.ClusterJob()
    job.name = one.name
    job.machines = job.machines ?? one.machines
    var place = API.ClusterJob.Place()
    place.machine = machine.name
    place.member = machine.member
    place.state = one.state
    place.schedule = one.schedule.isEmpty ? nil : one.schedule
    place.drifted = one.drifted == true ? true : nil
    job.on.append(place)
    if let next = one.next, job.next.map({ next.due < $0.due }) ?? true {
      var shown = API.ClusterJob.Next()
      shown.slot = next.slot
      shown.due = next.due
      job.next = shown
    }
    if let last = found.last, job.last.map({ API.ClusterRun.isBefore(last, $0) }) ?? true {
      job.last = last
    }
    job.active += found.active
    jobs[one.name] = job
  }

  /// The jobs by name, and the name to continue from.
  var page: API.ClusterJobs {
    var page = API.ClusterJobs()
    page.jobs = jobs.values.filter { job in end.map { job.name <= $0 } ?? true }
      .sorted { $0.name < $1.name }
      .map { job in
        var job = job
        let states = Set(job.on.map(\.state))
        job.state =
          Self.order.first { states.contains($0.rawValue) }?.rawValue ?? job.on.first?.state ?? ""
        return job
      }
    page.after = end
    return page
  }
}
