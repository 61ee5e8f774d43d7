import Glibc

/// The processes that live or are ending. Used on the reactor's thread only.
final class ProcessTable {
  private(set) var children: [ProcessID: ChildProcess] = [:]
  /// Children whose own process has not been reaped, by its number.
  private(set) var living: [Int32: ChildProcess] = [:]
  /// Commands whose own process has ended and that have left others behind.
  var ending: [ChildProcess] = []
  /// Commands whose own process is not known to have executed its program.
  var starting: [ProcessID: ChildProcess] = [:]
  /// True once a check of those is scheduled.
  var isStartCheckDue = false
  let orphans = OrphanTable()
  /// Processes have ended that could not be told from a child that is just being started.
  var hasUnknownEnded = false

  func add(_ child: ChildProcess) {
    children[child.id] = child
    living[child.group.number] = child
    if child.isStarting { starting[child.id] = child }
    orphans.forget(child.group.number)
  }

  func childEnded(_ child: ChildProcess) {
    living[child.group.number] = nil
    starting[child.id] = nil
  }

  func remove(_ child: ChildProcess) {
    children[child.id] = nil
    starting[child.id] = nil
  }

  /// Recognizes children of takt that run no command.
  var isHelper: (pid_t) -> Bool = { _ in false }

  func scanForOrphans() { orphans.scan { living[$0] != nil || isHelper($0) } }
}
