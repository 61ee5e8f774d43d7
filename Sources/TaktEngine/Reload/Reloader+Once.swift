import Dispatch
import Synchronization
package import TaktCore
import TaktTime

/// Jobs that run once: they come and go as by a reload, without a look at the jobs file.
extension Reloader: OnceControl {
  package func add(
    _ job: OnceJob, isNamed: Bool, reply: @escaping @Sendable (OnceReply) -> Void
  ) {
    queue.async { [self] in reply(add(job, isNamed: isNamed)) }
  }

  private func add(_ job: OnceJob, isNamed: Bool) -> OnceReply {
    forgetOld()
    let count = once.withLock(\.entries.count)
    guard count < OnceJobs.countMax else { return .tooMany(count) }
    let snapshot = current.withLock { $0 }
    let taken = Set(snapshot.jobs.map(\.name))
    var job = job
    if isNamed {
      if taken.contains(job.name) { return .nameTaken }
    } else {
      let free = (1...taken.count + 1).lazy.compactMap { number in
        number == 1 ? job.name : JobName("\(job.name.text)-\(number)")
      }.first { !taken.contains($0) }
      guard let free else { return .nameTaken }
      job.name = free
    }
    let loaded = source.load(once: job)
    guard let spec = loaded.snapshot?.jobs.first else { return .refused(loaded.diagnostics) }
    // It is in the ledger before its slot can come.
    ledger.record(.once(job))
    once.withLock { $0.add(job, spec) }
    replace(snapshot.jobs + [spec])
    log(.notice, "\(job.name) runs once, at \(job.at.rfc3339(in: snapshot.settings.zone))")
    return .added(job.name)
  }

  package func remove(_ name: JobName, reply: @escaping @Sendable (Bool) -> Void) {
    queue.async { [self] in
      let isGone = once.withLock { $0.remove(name, dueAfter: time.wall) }
      if isGone {
        ledger.record(.onceRemoved(name))
        replace(current.withLock(\.jobs).filter { $0.name != name })
        log(.notice, "\(name) does not run: it was cancelled")
      }
      reply(isGone)
    }
  }

  /// Removes those whose runs the ledger keeps no longer.
  func forgetOld() {
    let settings = current.withLock(\.settings)
    let old = once.withLock { $0.removeAll(dueBefore: time.wall - settings.history.keep) }
    guard !old.isEmpty else { return }
    for name in old { ledger.record(.onceRemoved(name)) }
    replace(current.withLock(\.jobs).filter { !old.contains($0.name) })
  }

  private func replace(_ jobs: [JobSpec]) {
    let plan = current.withLock { current in
      let next = Snapshot(settings: current.settings, jobs: jobs)
      defer { current = next }
      return ReloadPlan(from: current, to: next)
    }
    apply(plan)
  }
}
