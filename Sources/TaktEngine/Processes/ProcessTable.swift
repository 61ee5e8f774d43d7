import TaktCore

/// The attempts of commands that are in progress or ending. It exists on the
/// reactor's thread alone.
final class ProcessTable {
  private(set) var children: [RunID: ChildProcess] = [:]
  /// Those whose own process has not been reaped.
  private(set) var living: [Int32: ChildProcess] = [:]
  /// The session of each attempt, until nothing is left of it.
  private(set) var runBySession: [Int32: RunID] = [:]
  /// Attempts whose own process has ended and who have left others behind.
  var ending: [ChildProcess] = []
  let orphans = OrphanTable()
  /// Processes have ended that could not be told from a child that is just being started.
  var hasUnknownEnded = false

  func add(_ child: ChildProcess) {
    children[child.run] = child
    living[child.group.number] = child
    runBySession[child.group.number] = child.run
    orphans.forget(child.group.number)
  }

  /// The attempt's own process has been reaped.
  func childEnded(_ child: ChildProcess) { living[child.group.number] = nil }

  /// Nothing is left of the attempt.
  func remove(_ child: ChildProcess) {
    children[child.run] = nil
    runBySession[child.group.number] = nil
    orphans.forget(child.run)
  }

  /// Takes in the orphans that have come, and gives `child`'s run, whose process has ended, those
  /// that can be nobody else's.
  func lookForOrphans(_ starting: StartingAttempts, endingOf child: ChildProcess? = nil) {
    guard orphans.isAdopting else { return }
    orphans.look(
      isOwn: { living[$0] != nil }, runBySession: runBySession,
      isActive: { children[$0] != nil || starting.contains($0) })
    guard let child else { return }
    orphans.claim(for: child.run, since: child.sinceTicks) {
      let living = living.values.lazy.filter { $0 !== child }.map(\.sinceTicks).min()
      return [living, starting.sinceTicks].compactMap(\.self).min()
    }
  }
}
