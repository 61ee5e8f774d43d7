import Glibc
import TaktCore
import TaktSystem

/// The processes of one command beyond the group of its child: how they are found, signalled, and
/// known to be gone. It exists on the reactor's thread alone.
///
/// Two implementations: `OrphanMembers` everywhere, `ControlGroupMembers` where takt may use control
/// groups.
protocol ProcessMembers: AnyObject {
  /// Sends all of them a signal, those in the group of the command's child among them, and each of them
  /// once: a program may take a second one for a wish to hurry.
  ///
  /// - Parameter group: nil where nobody is left in it.
  func send(_ signal: Int32, with group: ProcessGroup?)
  /// Sends a signal to those whom it has not reached: KILL to all who have turned up since, any other to
  /// those alone who were there when it was sent. Returns how many.
  func sendToMissed(_ signal: Int32) -> Int
  /// Reaps those who have ended and whom takt has adopted.
  func reapEnded()
  /// Keeps what tells them from others from ever meaning processes of another command.
  func reserve()
  /// Whether one is left whom a signal can reach.
  var hasAny: Bool { get }
  /// The living, at most `OrphanTable.namedMax` of them.
  func living() -> [Descendant]
  /// What they have used, as far as it is not part of what the command's child is said to have used,
  /// or all together. To be called once, when none is left or nobody waits for them.
  func popUse() -> MembersUse
  /// Whether the kernel has ended one of them for want of memory.
  var ranOutOfMemory: Bool { get }
  /// The command is over; `isReleased` when those who are left may live on.
  func close(isReleased: Bool)
}

/// Orphans that takt has adopted and that bear the command's mark or are of its session.
final class OrphanMembers: ProcessMembers {
  private let id: ProcessID
  private let mark: String
  private let group: ProcessGroup
  private let orphans: OrphanTable

  init(of id: ProcessID, mark: String, _ group: ProcessGroup, in orphans: OrphanTable) {
    self.id = id
    self.mark = mark
    self.group = group
    self.orphans = orphans
    orphans.add(id, mark: mark, session: group.number)
  }

  func send(_ signal: Int32, with group: ProcessGroup?) {
    orphans.send(signal, to: id, child: self.group.number, with: group)
  }
  func sendToMissed(_ signal: Int32) -> Int {
    orphans.sendToMissed(signal, of: id, child: group.number)
  }
  func reapEnded() { orphans.reap(of: id) }
  /// A mark is never given twice.
  func reserve() {}
  var hasAny: Bool { orphans.hasAny(of: id) }
  func living() -> [Descendant] { orphans.descendants(of: id, orIn: group) }
  var ranOutOfMemory: Bool { false }
  func popUse() -> MembersUse { .others(orphans.popUse(of: id) ?? ResourceUse()) }
  func close(isReleased: Bool) {
    orphans.forget(id, mark: mark, session: group.number, isReleased: isReleased)
  }
}

/// Every process in the command's control group.
final class ControlGroupMembers: ProcessMembers {
  private let group: ControlGroup
  private let groups: ControlGroups
  /// Whether it has a limit of memory of its own.
  private let isLimited: Bool
  /// Nobody lived in the group when that was asked last.
  private var wasEmpty = false

  init(_ group: ControlGroup, of groups: ControlGroups, isLimited: Bool = false) {
    self.isLimited = isLimited
    self.group = group
    self.groups = groups
  }

  func send(_ signal: Int32, with processGroup: ProcessGroup?) {
    if signal == SIGKILL {
      processGroup?.send(signal)
      group.kill()
    } else {
      group.send(
        signal,
        butFor: { pid in processGroup.map { ProcessStatus.read(pid)?.group == $0.number } ?? false
        },
        after: { processGroup?.send(signal) })
    }
  }

  func sendToMissed(_ signal: Int32) -> Int {
    // Any other has reached all.
    if signal == SIGKILL { group.kill() }
    return 0
  }

  /// Who is reaped does not matter: the kernel counts the living.
  func reapEnded() {}

  func reserve() { group.reserve() }

  var hasAny: Bool {
    wasEmpty = !group.isPopulated
    return !wasEmpty
  }

  func living() -> [Descendant] {
    group.pids().prefix(OrphanTable.namedMax).compactMap { ProcessStatus.read($0) }
      .filter { !$0.isZombie }.map { Descendant(pid: $0.pid, name: $0.name) }
  }

  var ranOutOfMemory: Bool { isLimited && group.ranOutOfMemory }

  func popUse() -> MembersUse { group.meter.pop().map(MembersUse.all) ?? .others(ResourceUse()) }

  func close(isReleased: Bool) { groups.push(group, isEmpty: wasEmpty) }
}

/// How takt tells the processes of a command from all others.
package struct ProcessTracking: Sendable, CustomStringConvertible {
  let groups: ControlGroups?
  /// For people, such as `cgroup v2` or `session and mark (…)`.
  package let description: String

  /// By the session of the command's child, and by the mark in its environment.
  package static let sessions = Self(groups: nil, description: "session and mark")

  /// By a control group for each command where takt may make some, else by session and mark. It
  /// moves the process to a group of its own.
  ///
  /// `TAKT_CGROUP=off` in takt's environment does without control groups.
  package static func best() -> Self {
    do throws(ControlGroups.Unavailable) {
      return Self(groups: try ControlGroups(), description: "cgroup v2")
    } catch {
      return Self(groups: nil, description: "session and mark (no cgroup: \(error.reason))")
    }
  }
}
