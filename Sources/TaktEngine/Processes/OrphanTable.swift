import CTaktSystem
import Glibc
import TaktCore

/// The orphans that takt has adopted and not yet reaped, and the run to which each belongs. It
/// exists on the reactor's thread alone.
///
/// A pid in this table names no stranger. The kernel gives the number away only when the process has
/// been reaped; its parent alone can reap it, which is takt; takt reaps on this thread alone, and
/// whoever reaps calls `forget`. The same holds for a process group of that number: while the number
/// is taken only those of the leader's session can be in it, who descend from the same run.
final class OrphanTable {
  private struct Orphan {
    /// Nil while it could belong to a run that is in progress.
    var owner: RunID?
    let startTicks: UInt64
    /// It bears the mark of a run that is over.
    let isStray: Bool
    let isGroupLeader: Bool
    var isSignalled = false
    /// The system does not let takt send it a signal: it has become another user's.
    var isOutOfReach = false
  }

  private let adopted = AdoptedProcesses()
  private var orphans: [pid_t: Orphan] = [:]
  private var pidsByRun: [RunID: Set<pid_t>] = [:]

  /// So many strangers are looked at in one go; the rest in the next one.
  private static let lookMax = 1000
  /// So many descendants are named; more are ended as well.
  static let namedMax = 1000

  /// Whether takt adopts orphans, so that there are any to look for.
  var isAdopting = false

  /// Whether the kernel lists the orphans, and children that takt has started are no part of them.
  var isExact: Bool { isAdopting && adopted.isExact }

  /// Those whom the kernel is known to have given to takt, ended ones too.
  func adoptedSet() -> Set<pid_t> { isExact ? Set(adopted.pids()) : Set(orphans.keys) }

  /// Takes in the orphans that have come since the last look.
  ///
  /// - Parameters:
  ///   - isOwn: whether takt has started this process.
  ///   - runBySession: the run of each session that an attempt in progress began with.
  ///   - isActive: whether an attempt of the run is in progress or being started.
  func look(
    isOwn: (pid_t) -> Bool, runBySession: [pid_t: RunID], isActive: (RunID) -> Bool
  ) {
    var looked = 0
    for pid in adopted.pids() where orphans[pid] == nil && !isOwn(pid) {
      guard looked < Self.lookMax else { return }
      looked += 1
      // Without a status, for want of descriptors, it waits for the next look.
      guard let status = ProcessStatus.read(pid) else { continue }
      var owner = runBySession[status.session]
      var isStray = false
      if owner == nil, !status.isZombie, let marked = AttemptMark.run(of: pid) {
        isStray = !isActive(marked)
        if !isStray { owner = marked }
      }
      orphans[pid] = Orphan(
        owner: owner, startTicks: status.startTicks, isStray: isStray,
        isGroupLeader: status.group == pid)
      if let owner { pidsByRun[owner, default: []].insert(pid) }
    }
  }

  /// Gives the run, whose attempt has ended, those without a mark who can belong to no attempt that
  /// is still in progress. What is older than the attempt was never takt's: who executed takt may
  /// have left it.
  ///
  /// - Parameters:
  ///   - since: since when the attempt is.
  ///   - others: since when the oldest of those in progress is; nil when there is none.
  func claim(for run: RunID, since: UInt64, others: () -> UInt64?) {
    guard orphans.count > pidsByRun.values.reduce(0, { $0 + $1.count }) else { return }
    let oldest = others() ?? .max
    for (pid, orphan) in orphans
    where orphan.owner == nil
      && (orphan.isStray || (since..<max(since, oldest)).contains(orphan.startTicks))
    {
      orphans[pid]?.owner = run
      pidsByRun[run, default: []].insert(pid)
    }
  }

  /// Sends all of the run, or those who have never been sent one, a signal. Returns how many.
  @discardableResult
  func send(_ signal: Int32, to run: RunID, newOnly: Bool) -> Int {
    var count = 0
    for pid in pidsByRun[run] ?? [] {
      guard var orphan = orphans[pid], !orphan.isOutOfReach, !newOnly || !orphan.isSignalled else {
        continue
      }
      count += 1
      orphan.isSignalled = true
      orphan.isOutOfReach = kill(pid, signal) != 0 && errno == EPERM
      if orphan.isGroupLeader { _ = kill(-pid, signal) }
      // A stopped process takes no other signal before it goes on.
      if signal != SIGKILL {
        _ = kill(pid, SIGCONT)
        if orphan.isGroupLeader { _ = kill(-pid, SIGCONT) }
      }
      orphans[pid] = orphan
    }
    return count
  }

  /// Whether one of the run is left whom a signal can reach.
  func hasAny(of run: RunID) -> Bool {
    (pidsByRun[run] ?? []).contains { orphans[$0]?.isOutOfReach == false }
  }

  /// The living ones of the run, with all who descend from them.
  func descendants(of run: RunID, orIn group: ProcessGroup) -> [Descendant] {
    let roots = (pidsByRun[run] ?? []).sorted()
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

  /// Reaps those of the run who have ended.
  func reap(of run: RunID) {
    for pid in pidsByRun[run] ?? [] { reap(pid) }
  }

  /// Reaps an orphan if it has ended.
  func reap(_ pid: pid_t) {
    if waitpid(pid, nil, WNOHANG | __WALL) == pid { forget(pid) }
  }

  /// The process has been reaped: the number may be given to anybody.
  func forget(_ pid: pid_t) {
    guard let orphan = orphans.removeValue(forKey: pid), let owner = orphan.owner else { return }
    pidsByRun[owner]?.remove(pid)
    if pidsByRun[owner]?.isEmpty == true { pidsByRun[owner] = nil }
  }

  /// The run is over. Those of it whom no signal can reach are left to their user.
  func forget(_ run: RunID) {
    pidsByRun[run] = nil
  }
}
