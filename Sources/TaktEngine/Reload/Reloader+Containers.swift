import Dispatch
import Synchronization
package import TaktCore
import TaktTime

/// Jobs of containers' labels: they come and go as by a reload, without reading the jobs file.
extension Reloader {
  /// Replaces the running containers. The jobs in their labels are in effect when `reply` is
  /// called.
  package func update(
    containers running: [LabelledContainer], reply: @escaping @Sendable () -> Void = {}
  ) {
    queue.async { [self] in
      update(running)
      reply()
    }
  }

  private func update(_ running: [LabelledContainer]) {
    let old = current.withLock { $0 }
    var labelled = containers.withLock { $0 }
    let base = labelled.removed(from: old)
    labelled.containers = running
    labelled.make(for: base, from: source)
    keep(labelled)
    let plan = ReloadPlan(from: old, to: labelled.added(to: base))
    guard !plan.steps.isEmpty else { return }
    beginReload(cause: "containers")
    current.withLock { $0 = plan.snapshot }
    apply(plan)
    finish(
      ReloadReport(
        at: time.wall, plan: plan, settings: [], diagnostics: labelled.problems))
  }

  /// Stores the jobs of labels, and logs problems of new ones.
  func keep(_ labelled: ContainerJobs) {
    let known = containers.withLock { containers in
      defer { containers = labelled }
      return Set(containers.problems)
    }
    for problem in labelled.problems where !known.contains(problem) {
      log(.warning, problem.sentence)
    }
  }

  package var labelProblems: [Diagnostic] { containers.withLock(\.problems) }
}
