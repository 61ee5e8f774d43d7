import Glibc
import TaktCore

/// The processes that live or are ending. It exists on the reactor's thread alone.
final class ProcessTable {
  private(set) var children: [ProcessID: ChildProcess] = [:]
  /// Those whose own process has not been reaped.
  private(set) var living: [Int32: ChildProcess] = [:]
  /// Commands whose own process has ended and that have left others behind.
  var ending: [ChildProcess] = []
  /// Commands whose own process is not known to have executed its program.
  var starting: [ProcessID: ChildProcess] = [:]
  /// Whether those will be looked at.
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

  /// The command's own process has been reaped.
  func childEnded(_ child: ChildProcess) {
    living[child.group.number] = nil
    starting[child.id] = nil
  }

  /// Nothing is left of the command that anybody waits for.
  func remove(_ child: ChildProcess) {
    children[child.id] = nil
    starting[child.id] = nil
  }

  /// Tells children of takt's that run no command.
  var isHelper: (pid_t) -> Bool = { _ in false }

  func scanForOrphans() { orphans.scan { living[$0] != nil || isHelper($0) } }
}
