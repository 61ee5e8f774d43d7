import Glibc
import TaktCore

/// Ends what takts that were killed have left running, so that no two runs of a job meet.
public struct LeftProcesses {
  /// One that was found.
  public struct Found: Hashable, Sendable {
    /// Its number.
    public var pid: Int32
    /// The name of its program.
    public var name: String
    /// Whether it was gone in time.
    public var isGone: Bool
  }

  private let leaders: [ProcessIdentity]
  private let instances: Set<String>

  /// - Parameters:
  ///   - leaders: the processes that former takts have started and not seen end, of this start of
  ///     the machine.
  ///   - instances: the words that marked the processes of those takts.
  public init(leaders: [ProcessIdentity], instances: [String]) {
    self.leaders = leaders
    self.instances = Set(instances)
  }

  /// How long they have to end before they are killed, and how long takt then waits for them.
  private static let grace = Duration.seconds(5)
  private static let lastWait = Duration.seconds(2)

  /// Ends them all, with all of their sessions: TERM, and after a while KILL. Blocks until they are
  /// gone, or will not go.
  public func end() -> [Found] {
    guard !leaders.isEmpty || !instances.isEmpty else { return [] }
    var found = search()
    guard !found.isEmpty else { return [] }
    let clock = ContinuousClock()
    let start = clock.now
    signal(found, SIGTERM)
    var isKilled = false
    while clock.now < start + Self.grace + Self.lastWait {
      usleep(25_000)
      // Those who forked meanwhile are found as well.
      let left = search()
      found.formUnion(left)
      if left.isEmpty { break }
      if !isKilled, clock.now >= start + Self.grace {
        signal(left, SIGKILL)
        isKilled = true
      }
    }
    let left = Set(search().map(\.pid))
    return found.map { Found(pid: $0.pid, name: $0.name, isGone: !left.contains($0.pid)) }
      .sorted { $0.pid < $1.pid }
  }

  private struct Process: Hashable {
    var pid: pid_t
    var name: String
    var startTicks: UInt64
  }

  /// The living who are a recorded process, of the session of one, or bear the mark of one. A number
  /// alone says nothing: it may be anybody's by now.
  private func search() -> Set<Process> {
    let statuses = ProcessFile.numbers(inFolder: "/proc").compactMap(ProcessStatus.read)
      .filter { !$0.isZombie }
    let byPid = Dictionary(statuses.map { ($0.pid, $0) }, uniquingKeysWith: { $1 })
    let spared = Self.ownLine(byPid)
    let sessions = leaders.filter { leader in
      // A session whose leader lives is ours only when the leader is.
      byPid[leader.pid].map { leader.isSame($0) } ?? true
    }
    let since = Dictionary(
      sessions.map { ($0.pid, $0.sinceTicks) }, uniquingKeysWith: { min($0, $1) })
    let ours = statuses.filter { status in
      guard !spared.contains(status.pid) else { return false }
      if let began = since[status.session], status.startTicks >= began {
        // Without its leader the number could be that of a later session: its mark tells.
        return byPid[status.session] != nil
          || AttemptMark.isMarked(status.pid, byOneOf: instances)
      }
      return !instances.isEmpty && AttemptMark.isMarked(status.pid, byOneOf: instances)
    }
    return Set(ours.map { Process(pid: $0.pid, name: $0.name, startTicks: $0.startTicks) })
  }

  /// takt itself and those from whom it descends: a run may have started it.
  private static func ownLine(_ byPid: [pid_t: ProcessStatus]) -> Set<pid_t> {
    var line: Set<pid_t> = []
    var pid = getpid()
    while pid > 0, line.insert(pid).inserted, let status = byPid[pid] { pid = status.parent }
    return line
  }

  private func signal(_ processes: Set<Process>, _ number: Int32) {
    for process in processes {
      // Looked at once more: between the search and here it may have ended.
      guard ProcessStatus.read(process.pid)?.startTicks == process.startTicks else { continue }
      _ = kill(process.pid, number)
      if number != SIGKILL { _ = kill(process.pid, SIGCONT) }
    }
  }
}

extension ProcessIdentity {
  fileprivate func isSame(_ status: ProcessStatus) -> Bool {
    status.pid == pid && (sinceTicks...max(sinceTicks, untilTicks)).contains(status.startTicks)
  }
}
