import Dispatch
import Synchronization
package import TaktCore
import TaktTime

/// Jobs that run once: they come and go as by a reload, without reading the jobs file.
extension Reloader: OnceControl {
  package func add(_ job: OnceJob, isNamed: Bool, reply: @escaping @Sendable (OnceReply) -> Void) {
    queue.async { [self] in reply(add(job, isNamed: isNamed)) }
  }

  private func add(_ job: OnceJob, isNamed: Bool) -> OnceReply {
    forgetOld()
    let count = once.withLock(\.entries.count)
    guard count < OnceJobs.countMax else { return .tooMany(count) }
    let snapshot = current.withLock { $0 }
    let taken = Set(snapshot.jobs.map(\.name))
    var job = job
    // The name of a job that has run is free again.
    let isAgain = isNamed && once.withLock { $0.has(job.name, dueBefore: time.wall) }
    if isNamed {
      if taken.contains(job.name), !isAgain { return .nameTaken }
    } else {
      guard let free = job.name.free(among: taken) else { return .nameTaken }
      job.name = free
    }
    let loaded = source.load(once: job)
    guard let spec = loaded.snapshot?.jobs.first else { return .refused(loaded.diagnostics) }
    // It is in the ledger before its slot can come.
    ledger.record(.once(job))
    once.withLock { once in
      if isAgain { once.remove(job.name) }
      once.add(job, spec)
    }
    replace(snapshot.jobs.filter { $0.name != job.name } + [spec])
    forgetLater()
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

  /// Removes those whose runs the ledger no longer keeps.
  func forgetOld() {
    let settings = current.withLock(\.settings)
    let old = once.withLock { $0.removeAll(dueBefore: time.wall - settings.history.keep) }
    guard !old.isEmpty else { return }
    for name in old { ledger.record(.onceRemoved(name)) }
    replace(current.withLock(\.jobs).filter { !old.contains($0.name) })
  }

  /// Removes those whose time is over and whose names a set of jobs has.
  func forgetOnce(takenBy snapshot: Snapshot) {
    for name in once.withLock({ $0.removeAll(takenBy: snapshot) }) {
      ledger.record(.onceRemoved(name))
    }
  }

  /// Searches for such jobs now and then, as long as there is any job that runs once.
  func forgetLater() {
    guard once.withLock({ $0.beginWaiting() }) else { return }
    queue.asyncAfter(deadline: .now() + .seconds(600)) { [weak self] in
      guard let self else { return }
      once.withLock { $0.isWaiting = false }
      forgetOld()
      forgetLater()
    }
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
