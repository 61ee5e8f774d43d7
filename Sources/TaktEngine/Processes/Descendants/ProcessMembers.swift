import Glibc
import TaktCore
import TaktSystem

/// The processes of one command beyond the group of its child: the means to find and signal them,
/// and to know that they are gone. Used on the reactor's thread only.
///
/// Two implementations: `OrphanMembers` everywhere, `ControlGroupMembers` where takt may use
/// control groups.
protocol ProcessMembers: AnyObject {
  /// Sends all of them a signal, including the group of the command's child, and each of them once:
  /// a program may take a second one as a request to hurry.
  ///
  /// - Parameter group: nil if it is empty.
  func send(_ signal: Int32, with group: ProcessGroup?)
  /// Sends a signal to the members that it has not reached: KILL to all that have appeared since,
  /// any other only to those that existed when it was sent. Returns how many.
  func sendToMissed(_ signal: Int32) -> Int
  /// Reaps the ended members that takt has adopted.
  func reapEnded()
  /// Keeps their identification from being reused for another command.
  func reserve()
  /// True if one is left that a signal can reach.
  var hasAny: Bool { get }
  /// The living members, at most `OrphanTable.namedMax` of them.
  func living() -> [Descendant]
  /// Their resource use, either without the part already counted for the command's child, or of all
  /// together. To be called once, when none is left or none is waited for.
  func popUse() -> MembersUse
  /// True if the kernel has killed one of them because memory ran out.
  var ranOutOfMemory: Bool { get }
  /// Called when the command is over; `isReleased` if the remaining processes may live on.
  func close(isReleased: Bool)
}

/// Orphans that takt has adopted and that have the command's mark or are in its session.
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
  /// Not needed: a mark is never used twice.
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
  private let isLimited: Bool
  /// The group was empty at the last check.
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
    // Any other signal has reached all.
    if signal == SIGKILL { group.kill() }
    return 0
  }

  /// Not needed: the kernel counts the living, reaped or not.
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

/// The means by which takt tells the processes of a command from all others.
package struct ProcessTracking: Sendable, CustomStringConvertible {
  let groups: ControlGroups?
  /// For people, such as `cgroup v2` or `session and mark (…)`.
  package let description: String

  package static let sessions = Self(groups: nil, description: "session and mark")

  /// By a control group for each command if takt may make some, otherwise by session and mark.
  /// Moves the process to a group of its own.
  ///
  /// `TAKT_CGROUP=off` in takt's environment disables control groups.
  package static func best() -> Self {
    do throws(ControlGroups.Unavailable) {
      return Self(groups: try ControlGroups(), description: "cgroup v2")
    } catch {
      return Self(groups: nil, description: "session and mark (no cgroup: \(error.reason))")
    }
  }
}
