import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

/// The orphans that takt has adopted and not yet reaped, each with its command. Used on the
/// reactor's thread only.
///
/// An orphan belongs to a command if it is in the session of the command's child, or has its mark.
/// One that has neither is left alone: an earlier daemon in takt's process may have left it, or it
/// may have been started in takt's container.
///
/// A pid in this table never means a stranger. The kernel reuses the number only after the process
/// has been reaped; only its parent can reap it, which is takt; takt reaps on this thread only, and
/// calls `forget` each time.
final class OrphanTable {
  private struct Orphan {
    /// Nil until it is known to belong to a command.
    var owner: ProcessID?
    let isGroupLeader: Bool
    var isKilled = false
    /// It is settled whether the last signal to its command has to reach it, and if so it has.
    var isSettled = false
    /// The system does not let takt signal it: it has become another user's.
    var isOutOfReach = false
    /// Scans without a result. A process that is just executing another program shows no mark for
    /// an instant.
    var scans = 0
  }

  private let adopted = AdoptedProcesses()
  private var orphans: [pid_t: Orphan] = [:]
  private var pidsByOwner: [ProcessID: Set<pid_t>] = [:]
  /// The processes that have had the last signal to each command, unless that was KILL.
  private var rounds: [ProcessID: StopRound] = [:]
  /// The session and the mark of each command, until none of its processes is left.
  private var ownerBySession: [pid_t: ProcessID] = [:]
  private var ownerByMark: [String: ProcessID] = [:]
  /// Marks of ended commands whose processes must not live on, the newest last.
  private var endedMarks: [String] = []
  /// The resource use of the reaped orphans of each command.
  private var used: [ProcessID: ResourceUse] = [:]
  private var isEnded: Set<String> = []

  /// Strangers checked in one scan; the rest are checked in the next one.
  private static let scanMax = 1000
  /// Scans of an orphan before it is left alone for good.
  private static let scansMax = 8
  /// Descendants that are named; more are ended as well.
  static let namedMax = 1000
  /// Processes outside the group of their command's child that get a signal; KILL reaches the rest.
  private static let signalledMax = 4096
  private static let endedMarksMax = 1024

  /// True once takt adopts orphans.
  var isAdopting = false
  /// Called once for each orphan that cannot be proved to belong to a command.
  var onUnrelated: (ProcessStatus) -> Void = { _ in }

  /// True if the kernel lists the orphans without the children that takt has started.
  var isExact: Bool { isAdopting && adopted.isExact }

  /// The orphans known to have been given to takt, including zombies.
  func adoptedSet() -> Set<pid_t> { isExact ? Set(adopted.pids()) : Set(orphans.keys) }

  /// Assigns later orphans of this session, or with this mark, to the command.
  func add(_ owner: ProcessID, mark: String, session: pid_t) {
    ownerBySession[session] = owner
    ownerByMark[mark] = owner
  }

  /// Adds the orphans that are new since the last scan.
  ///
  /// - Parameter isOwn: true for a process that takt has started.
  func scan(isOwn: (pid_t) -> Bool) {
    // If each command has a control group there is nothing to look for.
    guard isAdopting, !ownerBySession.isEmpty else { return }
    var looked = 0
    for pid in adopted.pids() where !isOwn(pid) {
      let known = orphans[pid]
      if let known, known.owner != nil || known.scans >= Self.scansMax { continue }
      guard looked < Self.scanMax else { return }
      looked += 1
      // Without a status, because descriptors are short, it waits for the next scan.
      guard let status = ProcessStatus.read(pid) else { continue }
      var orphan = known ?? Orphan(isGroupLeader: status.group == pid)
      orphan.scans += 1
      // A descendant of the command at the time of its stop signal belongs to it, whatever its
      // mark.
      orphan.owner =
        ownerBySession[status.session] ?? rounds.first { $0.value.contains(status) }?.key
      if orphan.owner == nil, !status.isZombie { identify(&orphan, status) }
      orphans[pid] = orphan
      if let owner = orphan.owner { pidsByOwner[owner, default: []].insert(pid) }
    }
  }

  private func identify(_ orphan: inout Orphan, _ status: ProcessStatus) {
    switch AttemptMark.of(status.pid) {
    case .mark(let mark):
      orphan.owner = ownerByMark[mark]
      guard orphan.owner == nil, isEnded.contains(mark) else { break }
      // Its command is over, and it showed no mark at the search then.
      _ = ProcessHandle.send(SIGKILL, to: status.pid, isGroupLeader: orphan.isGroupLeader)
    case .unmarked: orphan.scans = Self.scansMax
    case .nothing: break
    }
    if orphan.scans == Self.scansMax { onUnrelated(status) }
  }

  /// Sends all of the command a signal, each of them once.
  ///
  /// - Parameters:
  ///   - child: the command's own process, also after its end.
  ///   - group: its group; nil if it is empty.
  func send(_ signal: Int32, to owner: ProcessID, child: pid_t, with group: ProcessGroup?) {
    guard signal != SIGKILL else {
      group?.send(signal)
      _ = kill(owner, newOnly: false)
      return
    }
    let roots = (pidsByOwner[owner] ?? []).sorted()
    for pid in roots { orphans[pid]?.isSettled = false }
    let all = adopted.living(from: [child] + roots, limit: Self.signalledMax)
    var round = StopRound()
    // Those in the group last: they get it all at once, and may start others right away.
    send(signal, to: all.filter { $0.group != child }, of: &round)
    group?.send(signal)
    for status in all where status.group == child { round.add(status) }
    rounds[owner] = round
  }

  private func send(_ signal: Int32, to all: [ProcessStatus], of round: inout StopRound) {
    var groups: Set<pid_t> = []
    let isLeader = { (status: ProcessStatus) in status.group == status.pid }
    // Leaders first: the signal to their groups reaches the members.
    for status in all.filter(isLeader) + all.filter({ !isLeader($0) }) {
      if !groups.contains(status.group) {
        if isLeader(status) { groups.insert(status.pid) }
        let result = ProcessHandle.send(
          signal, to: status.pid, isGroupLeader: isLeader(status),
          if: { ProcessStatus.read(status.pid)?.startTicks == status.startTicks })
        if result == EPERM { orphans[status.pid]?.isOutOfReach = true }
      }
      round.add(status)
    }
  }

  /// Sends a signal to the processes of the command that it has not reached: KILL to all that are
  /// new since, another one to those that existed when it was sent. Returns how many.
  func sendToMissed(_ signal: Int32, of owner: ProcessID, child: pid_t) -> Int {
    guard signal != SIGKILL else { return kill(owner, newOnly: true) }
    guard var round = rounds[owner] else { return 0 }
    var count = 0
    for pid in pidsByOwner[owner] ?? [] where orphans[pid]?.isSettled == false {
      orphans[pid]?.isSettled = true
      // Members of the child's group got it with the group.
      let missed = adopted.living(from: [pid], limit: Self.signalledMax)
        .filter { $0.group != child && round.misses($0) }
      send(signal, to: missed, of: &round)
      count += missed.count
      // It may have become another user's since it had the signal.
      if ProcessHandle.send(0, to: pid) == EPERM { orphans[pid]?.isOutOfReach = true }
    }
    rounds[owner] = round
    return count
  }

  /// Kills the orphans of the command, or those not killed yet. Returns how many.
  private func kill(_ owner: ProcessID, newOnly: Bool) -> Int {
    var count = 0
    for pid in pidsByOwner[owner] ?? [] {
      guard var orphan = orphans[pid], !orphan.isOutOfReach, !newOnly || !orphan.isKilled else {
        continue
      }
      count += 1
      orphan.isKilled = true
      orphan.isOutOfReach =
        ProcessHandle.send(SIGKILL, to: pid, isGroupLeader: orphan.isGroupLeader) == EPERM
      orphans[pid] = orphan
    }
    return count
  }

  func hasAny(of owner: ProcessID) -> Bool {
    (pidsByOwner[owner] ?? []).contains { orphans[$0]?.isOutOfReach == false }
  }

  /// The living orphans of the command, with all their descendants.
  func descendants(of owner: ProcessID, orIn group: ProcessGroup) -> [Descendant] {
    let roots = (pidsByOwner[owner] ?? []).sorted()
    var found =
      isExact
      ? adopted.living(from: roots, limit: Self.namedMax)
      : roots.compactMap { ProcessStatus.read($0) }.filter { !$0.isZombie }
    if !isExact {
      let known = Set(roots)
      found += group.members().filter { !known.contains($0.pid) }
    }
    return found.map { Descendant(pid: $0.pid, name: $0.name) }
  }

  func reap(of owner: ProcessID) {
    for pid in pidsByOwner[owner] ?? [] { reap(pid) }
  }

  func reap(_ pid: pid_t) {
    let owner = orphans[pid]?.owner ?? ownerBySession(of: pid)
    guard let child = ReapedChild(CSYSTEM_PROCESS, pid) else { return }
    if let owner { used[owner, default: ResourceUse()].add(child.use) }
    forget(pid)
  }

  /// The command in whose session an orphan is that has not been scanned.
  private func ownerBySession(of pid: pid_t) -> ProcessID? {
    guard !ownerBySession.isEmpty else { return nil }
    return ProcessStatus.read(pid).flatMap { ownerBySession[$0.session] }
  }

  /// The use of the command's reaped orphans; nil if there were none.
  func popUse(of owner: ProcessID) -> ResourceUse? { used.removeValue(forKey: owner) }

  /// Called when the process has been reaped: its number may be reused.
  func forget(_ pid: pid_t) {
    guard let orphan = orphans.removeValue(forKey: pid), let owner = orphan.owner else { return }
    pidsByOwner[owner]?.remove(pid)
    if pidsByOwner[owner]?.isEmpty == true { pidsByOwner[owner] = nil }
  }

  /// Called when the command is over. Its processes that no signal can reach are left to their
  /// user.
  func forget(_ owner: ProcessID, mark: String, session: pid_t, isReleased: Bool) {
    pidsByOwner[owner] = nil
    rounds[owner] = nil
    used[owner] = nil
    ownerBySession[session] = nil
    ownerByMark[mark] = nil
    guard !isReleased else { return }
    endedMarks.append(mark)
    isEnded.insert(mark)
    if endedMarks.count > 2 * Self.endedMarksMax {
      for old in endedMarks.prefix(Self.endedMarksMax) { isEnded.remove(old) }
      endedMarks.removeFirst(Self.endedMarksMax)
    }
  }
}
