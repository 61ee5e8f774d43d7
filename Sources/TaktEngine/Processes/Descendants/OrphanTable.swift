import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

/// The orphans that takt has adopted and not yet reaped, and the command to which each belongs. It
/// exists on the reactor's thread alone.
///
/// An orphan is a command's if it is of the session of the command's child, or bears its mark. Who
/// has neither is left alone: it may be what an earlier daemon in takt's process has
/// left, or what somebody has started in takt's container.
///
/// A pid in this table names no stranger. The kernel gives the number away only when the process has
/// been reaped; its parent alone can reap it, which is takt; takt reaps on this thread alone, and
/// whoever reaps calls `forget`.
final class OrphanTable {
  private struct Orphan {
    /// Nil while nothing says that it is a command's.
    var owner: ProcessID?
    let isGroupLeader: Bool
    var isKilled = false
    /// It has been found whether the last signal to its command is to reach it, and it has then.
    var isSettled = false
    /// The system does not let takt send it a signal: it has become another user's.
    var isOutOfReach = false
    /// How often it has been looked at without a result. A process that is just executing another
    /// program shows no mark for a moment.
    var scans = 0
  }

  private let adopted = AdoptedProcesses()
  private var orphans: [pid_t: Orphan] = [:]
  private var pidsByOwner: [ProcessID: Set<pid_t>] = [:]
  /// Who has had the last signal to each command, unless that was KILL.
  private var rounds: [ProcessID: StopRound] = [:]
  /// The session and the mark of each command, until nothing is left of it.
  private var ownerBySession: [pid_t: ProcessID] = [:]
  private var ownerByMark: [String: ProcessID] = [:]
  /// Marks of commands that are over and of which nothing was to be left, the newest last.
  private var endedMarks: [String] = []
  /// What the reaped orphans of each command have used.
  private var used: [ProcessID: ResourceUse] = [:]
  private var isEnded: Set<String> = []

  /// So many strangers are looked at in one go; the rest in the next one.
  private static let scanMax = 1000
  /// So often an orphan is looked at before it is left alone for good.
  private static let scansMax = 8
  /// So many descendants are named; more are ended as well.
  static let namedMax = 1000
  /// So many processes outside of the group of their command's child get a signal; KILL reaches the rest.
  private static let signalledMax = 4096
  private static let endedMarksMax = 1024

  /// Whether takt adopts orphans, so that there are any to look for.
  var isAdopting = false
  /// Told of each orphan that no command can be proved to own, once.
  var onUnrelated: (ProcessStatus) -> Void = { _ in }

  /// Whether the kernel lists the orphans, and children that takt has started are no part of them.
  var isExact: Bool { isAdopting && adopted.isExact }

  /// Those whom the kernel is known to have given to takt, ended ones too.
  func adoptedSet() -> Set<pid_t> { isExact ? Set(adopted.pids()) : Set(orphans.keys) }

  /// From now on orphans of this session, or with this mark, are the command's.
  func add(_ owner: ProcessID, mark: String, session: pid_t) {
    ownerBySession[session] = owner
    ownerByMark[mark] = owner
  }

  /// Takes in the orphans that have come since the last look.
  ///
  /// - Parameter isOwn: whether takt has started this process.
  func scan(isOwn: (pid_t) -> Bool) {
    // Where each command has a control group there is nothing to look for.
    guard isAdopting, !ownerBySession.isEmpty else { return }
    var looked = 0
    for pid in adopted.pids() where !isOwn(pid) {
      let known = orphans[pid]
      if let known, known.owner != nil || known.scans >= Self.scansMax { continue }
      guard looked < Self.scanMax else { return }
      looked += 1
      // Without a status, for want of descriptors, it waits for the next look.
      guard let status = ProcessStatus.read(pid) else { continue }
      var orphan = known ?? Orphan(isGroupLeader: status.group == pid)
      orphan.scans += 1
      // Whoever descended from the command when that was told to stop is of it, whatever it shows.
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
      // Its command is over, and it showed no mark when that was looked into.
      _ = ProcessHandle.send(SIGKILL, to: status.pid, isGroupLeader: orphan.isGroupLeader)
    case .unmarked: orphan.scans = Self.scansMax
    case .nothing: break
    }
    if orphan.scans == Self.scansMax { onUnrelated(status) }
  }

  /// Sends all of the command a signal, each of them once.
  ///
  /// - Parameters:
  ///   - child: the command's own process, also when it has ended.
  ///   - group: its group; nil where nobody is left in it.
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
    // Those in the group last: they get it in one go, and may start others at once.
    send(signal, to: all.filter { $0.group != child }, of: &round)
    group?.send(signal)
    for status in all where status.group == child { round.add(status) }
    rounds[owner] = round
  }

  private func send(_ signal: Int32, to all: [ProcessStatus], of round: inout StopRound) {
    var groups: Set<pid_t> = []
    let isLeader = { (status: ProcessStatus) in status.group == status.pid }
    // Leaders first: their groups have it with them.
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

  /// Sends a signal to those of the command whom it has not reached: KILL to all who have come since,
  /// another one to those who were there when it was sent. Returns how many.
  func sendToMissed(_ signal: Int32, of owner: ProcessID, child: pid_t) -> Int {
    guard signal != SIGKILL else { return kill(owner, newOnly: true) }
    guard var round = rounds[owner] else { return 0 }
    var count = 0
    for pid in pidsByOwner[owner] ?? [] where orphans[pid]?.isSettled == false {
      orphans[pid]?.isSettled = true
      // Who is in the child's group has had it with that.
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

  /// Kills the orphans of the command, or those who have not been killed yet. Returns how many.
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

  /// Whether one of the command is left whom a signal can reach.
  func hasAny(of owner: ProcessID) -> Bool {
    (pidsByOwner[owner] ?? []).contains { orphans[$0]?.isOutOfReach == false }
  }

  /// The living ones of the command, with all who descend from them.
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

  /// Reaps those of the command who have ended.
  func reap(of owner: ProcessID) {
    for pid in pidsByOwner[owner] ?? [] { reap(pid) }
  }

  /// Reaps an orphan if it has ended.
  func reap(_ pid: pid_t) {
    let owner = orphans[pid]?.owner ?? ownerBySession(of: pid)
    guard let child = ReapedChild(CSYSTEM_PROCESS, pid) else { return }
    if let owner { used[owner, default: ResourceUse()].add(child.use) }
    forget(pid)
  }

  /// The command in whose session an orphan is that nobody has looked at.
  private func ownerBySession(of pid: pid_t) -> ProcessID? {
    guard !ownerBySession.isEmpty else { return nil }
    return ProcessStatus.read(pid).flatMap { ownerBySession[$0.session] }
  }

  /// What the orphans of the command that have been reaped have used; nil where there were none.
  func popUse(of owner: ProcessID) -> ResourceUse? { used.removeValue(forKey: owner) }

  /// The process has been reaped: the number may be given to anybody.
  func forget(_ pid: pid_t) {
    guard let orphan = orphans.removeValue(forKey: pid), let owner = orphan.owner else { return }
    pidsByOwner[owner]?.remove(pid)
    if pidsByOwner[owner]?.isEmpty == true { pidsByOwner[owner] = nil }
  }

  /// The command is over. Those of it whom no signal can reach are left to their user.
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
