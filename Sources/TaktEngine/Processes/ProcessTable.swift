import TaktCore

/// The attempts of commands that are in progress or ending. It exists on the
/// reactor's thread alone.
final class ProcessTable {
  private(set) var children: [RunID: ChildProcess] = [:]
  /// Those whose own process has not been reaped.
  private(set) var living: [Int32: ChildProcess] = [:]
  /// Attempts whose own process has ended and who have left others behind.
  var ending: [ChildProcess] = []
  /// Attempts whose own process is not known to have executed its program.
  var starting: [RunID: ChildProcess] = [:]
  /// Whether those will be looked at.
  var isStartCheckDue = false
  let orphans = OrphanTable()
  /// Processes have ended that could not be told from a child that is just being started.
  var hasUnknownEnded = false

  func add(_ child: ChildProcess) {
    children[child.run] = child
    living[child.group.number] = child
    if child.isStarting { starting[child.run] = child }
    orphans.forget(child.group.number)
  }

  /// The attempt's own process has been reaped.
  func childEnded(_ child: ChildProcess) {
    living[child.group.number] = nil
    forgetStart(of: child)
  }

  /// Nothing is left of the attempt that anybody waits for.
  func remove(_ child: ChildProcess) {
    if children[child.run] === child { children[child.run] = nil }
    forgetStart(of: child)
  }

  private func forgetStart(of child: ChildProcess) {
    if starting[child.run] === child { starting[child.run] = nil }
  }

  /// Takes in the orphans that have come.
  func lookForOrphans() { orphans.look { living[$0] != nil } }
}
