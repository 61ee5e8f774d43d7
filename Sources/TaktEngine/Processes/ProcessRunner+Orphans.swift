import CTaktSystem
import Glibc
import TaktCore
package import TaktSystem

/// Orphans: descendants of processes that takt has started that have lost their parent.
extension ProcessRunner {
  /// Makes this process the parent of orphans among its descendants, so that none is lost: a
  /// process that leaves the group of its run is found and ended with it, if it can be proved to
  /// belong to the run.
  ///
  /// To be called before the first start.
  package func adoptOrphans() throws(SystemError) {
    let number = csystem_become_subreaper()
    if number != 0 { throw SystemError("prctl", number: number) }
    reactor.perform { [self] _ in
      table.orphans.isAdopting = true
      table.orphans.onUnrelated = { [self] in reportUnrelated($0) }
      if let guardian { table.isHelper = { guardian.pid == $0 } }
    }
  }

  /// Strangers named in the log; later ones are only counted.
  private static let unrelatedNamedMax: UInt64 = 20

  private func reportUnrelated(_ process: ProcessStatus) {
    let count = counts.addUnrelated()
    guard count <= Self.unrelatedNamedMax else { return }
    let name = Descendant(pid: process.pid, name: process.name)
    logMessage(.info, "Left the process \(name) running; nothing proves that a run started it.")
  }

  /// Reaps orphans that takt has adopted; to be called at each SIGCHLD. takt's own children are
  /// taken by their pidfds.
  package func reapOrphans() {
    reactor.perform { [self] loop in reapOrphans(loop) }
  }

  func reapOrphans(_ loop: ReactorLoop) {
    table.hasUnknownEnded = false
    guard table.orphans.isAdopting else { return }
    var adopted: Set<pid_t> = []
    while case let pid = csystem_peek_ended(), pid > 0 {
      if let child = table.living[pid] {
        childEnded(child, loop)
        if table.living[pid] != nil { return }
      } else if starting.isEmpty || adopted.contains(pid) || table.isHelper(pid) {
        table.orphans.reap(pid)
      } else {
        adopted = table.orphans.adoptedSet()
        guard !adopted.contains(pid) else { continue }
        // A child that is just being started, and it hides others from this search.
        table.hasUnknownEnded = true
        for pid in adopted { table.orphans.reap(pid) }
        return
      }
    }
  }

  func reapUnknown(_ loop: ReactorLoop) {
    if table.hasUnknownEnded { reapOrphans(loop) }
  }
}
