import CTaktSystem
import Glibc
package import TaktCore
import TaktSystem

/// Ends the leftover processes of daemons that were killed, so that no two runs of a job overlap.
///
/// A process is ended only if it is proven to belong to a recorded attempt without a recorded end:
/// it is in the attempt's control group; or it has the attempt's mark, has started within the
/// attempt, and is the attempt's first process or in that one's session.
package struct LeftoverProcesses {
  package struct Found: Hashable, Sendable {
    package var pid: Int32
    package var name: String
  }

  /// Each list has the oldest processes first: the commands themselves, before their descendants.
  package struct Outcome: Hashable, Sendable {
    package var ended: [Found] = []
    /// Processes that do not end.
    package var lasting: [Found] = []
    /// Processes that could be leftovers, but are not proven to be: nothing was done to them.
    package var unproven: [Found] = []
  }

  private let byMark: [String: ProcessIdentity]
  private let groups: [String]
  private let unmarked: [ProcessIdentity]
  /// Sessions of attempts in which there was a proven process at the first search. Later members
  /// were forked meanwhile.
  private var sessions: Set<pid_t> = []
  /// A process that starts after the first search is not of a previous daemon, except in
  /// `sessions`.
  private var until = UInt64.max

  /// - Parameter attempts: the processes of attempts without a recorded end, of dead daemons, since
  ///   this boot of the machine.
  package init(attempts: [ProcessIdentity]) {
    byMark = Dictionary(
      attempts.filter { !$0.mark.isEmpty }.map { ($0.mark, $0) }, uniquingKeysWith: { $1 })
    groups = Set(attempts.compactMap(\.controlGroup)).filter(ControlGroupOfOthers.isRight).sorted()
    unmarked = attempts.filter { $0.mark.isEmpty && $0.controlGroup == nil }
  }

  /// The time for them to end before they are killed, and the time that takt then waits for them.
  private static let grace = Duration.seconds(5)
  private static let lastWait = Duration.seconds(2)

  /// Sends them all TERM, and KILL after the grace, in which they may start processes that clean
  /// up. Blocks until they are gone, or do not end.
  package func end() -> Outcome {
    guard !byMark.isEmpty || !groups.isEmpty || !unmarked.isEmpty else { return Outcome() }
    var search = self
    return search.endAll()
  }

  private mutating func endAll() -> Outcome {
    until = ProcessStatus.ticksNow()
    let first = search()
    sessions = Set(first.proven.map(\.session))
    var left = first.proven
    var outcome = Outcome(unproven: Self.oldestFirst(first.unproven))
    let clock = ContinuousClock()
    let start = clock.now
    var found: Set<Process> = []
    var round = StopRound()
    while !left.isEmpty {
      let isOver = clock.now >= start + Self.grace
      if isOver {
        _ = signal(left, SIGKILL)
        groups.forEach(ControlGroupOfOthers.kill)
      } else {
        let missed = left.filter {
          round.isEmpty || round.misses($0.pid, parent: $0.parent, startTicks: $0.startTicks)
        }
        for told in signal(missed, SIGTERM) { round.add(told.pid, startTicks: told.startTicks) }
        if !missed.isEmpty { groups.forEach(ControlGroupOfOthers.thaw) }
      }
      found.formUnion(left)
      guard clock.now < start + Self.grace + Self.lastWait else { break }
      usleep(25_000)
      // A process that is not found again is gone only if that can be seen: one that is just ending
      // shows no mark, and without descriptors no process can be read.
      left = search().proven.union(left.filter(\.mayLive))
    }
    outcome.ended = Self.oldestFirst(found.subtracting(left))
    outcome.lasting = Self.oldestFirst(left)
    return outcome
  }

  private static func oldestFirst(_ processes: Set<Process>) -> [Found] {
    processes.sorted { ($0.startTicks, $0.pid) < ($1.startTicks, $1.pid) }.map(\.found)
  }

  private struct Process: Hashable {
    var pid: pid_t
    var parent: pid_t
    var name: String
    var session: pid_t
    var startTicks: UInt64

    init(_ status: ProcessStatus) {
      pid = status.pid
      parent = status.parent
      name = status.name
      session = status.session
      startTicks = status.startTicks
    }

    var found: Found { Found(pid: pid, name: name) }

    /// True unless it is known to have ended.
    var mayLive: Bool {
      guard let status = ProcessStatus.read(pid) else { return kill(pid, 0) == 0 || errno == EPERM }
      return Process(status) == self && !status.isZombie
    }

    static func == (left: Process, right: Process) -> Bool {
      left.pid == right.pid && left.startTicks == right.startTicks
    }

    func hash(into hasher: inout Hasher) { hasher.combine(pid) }
  }

  private enum Proof {
    case none, possible, proven
  }

  private func search() -> (proven: Set<Process>, unproven: Set<Process>) {
    let statuses = ProcessFile.numbers(inFolder: "/proc").compactMap(ProcessStatus.read)
      .filter { !$0.isZombie }
    let spared = Self.ownLine(
      Dictionary(statuses.map { ($0.pid, $0) }, uniquingKeysWith: { $1 }))
    var result: (proven: Set<Process>, unproven: Set<Process>) = ([], [])
    for status in statuses where !spared.contains(status.pid) {
      switch proof(of: status) {
      case .none: break
      case .possible: result.unproven.insert(Process(status))
      case .proven: result.proven.insert(Process(status))
      }
    }
    return result
  }

  private func proof(of status: ProcessStatus) -> Proof {
    if !groups.isEmpty, let group = ControlGroup.group(of: status.pid),
      groups.contains(where: { ControlGroup.isWithin(group, $0) })
    {
      return .proven
    }
    let marks = byMark.isEmpty ? [] : AttemptMark.all(of: status.pid)
    if let attempt = marks.lazy.compactMap({ byMark[$0] }).first {
      return isProven(status, of: attempt) ? .proven : .possible
    }
    return unmarked.contains { $0.isSame(status) } ? .possible : .none
  }

  /// True if a process with the mark of an attempt belongs to it by time and session as well.
  private func isProven(_ status: ProcessStatus, of attempt: ProcessIdentity) -> Bool {
    if attempt.isSame(status) { return true }
    guard status.session == attempt.pid, status.pid != attempt.pid,
      status.startTicks >= attempt.sinceTicks
    else { return false }
    // A session whose leader lives is the attempt's only if the leader is.
    if let leader = ProcessStatus.read(attempt.pid), !attempt.isSame(leader) { return false }
    return status.startTicks <= until || sessions.contains(status.session)
  }

  /// takt itself and its ancestors: a run may have started it.
  private static func ownLine(_ byPid: [pid_t: ProcessStatus]) -> Set<pid_t> {
    var line: Set<pid_t> = []
    var pid = getpid()
    while pid > 0, line.insert(pid).inserted, let status = byPid[pid] { pid = status.parent }
    return line
  }

  /// Returns those that have been sent the signal.
  private func signal(_ processes: Set<Process>, _ number: Int32) -> Set<Process> {
    processes.filter { process in
      let handle = cprocess_open(process.pid)
      guard handle >= 0 else { return false }
      defer { close(handle) }
      // The handle was opened first: if the process ends now and another one gets its number, that
      // one may be read, but it is never signalled.
      guard let status = ProcessStatus.read(process.pid), Process(status) == process,
        proof(of: status) == .proven
      else { return false }
      let isSent = cprocess_signal(handle, number) == 0
      // A stopped process handles no other signal before it continues.
      if number != SIGKILL { _ = cprocess_signal(handle, SIGCONT) }
      return isSent
    }
  }
}

extension ProcessIdentity {
  /// True if the status is that of this very process.
  fileprivate func isSame(_ status: ProcessStatus) -> Bool {
    status.pid == pid && (sinceTicks...max(sinceTicks, untilTicks)).contains(status.startTicks)
  }
}

enum ControlGroupOfOthers {
  /// True if a recorded path can be the group of an attempt: not the root, nor a group that holds
  /// this daemon.
  static func isRight(_ group: String) -> Bool {
    let parts = group.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].isEmpty,
      !parts.dropFirst().contains(where: { $0.isEmpty || $0 == "." || $0 == ".." })
    else { return false }
    return ControlGroup.group(of: getpid()).map { !ControlGroup.isWithin($0, group) } ?? false
  }

  /// Kills all in a group at once, if the kernel can.
  static func kill(_ group: String) { write("1", to: "cgroup.kill", of: group) }

  /// Thaws a group: frozen processes handle no signal.
  static func thaw(_ group: String) { write("0", to: "cgroup.freeze", of: group) }

  private static func write(_ text: String, to file: String, of group: String) {
    guard let path = ControlGroupMount.folder(of: group) else { return }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    _ = ControlGroupFolder.write(text, to: file, in: folder)
  }
}
