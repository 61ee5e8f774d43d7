import CSystem
import Dispatch
import Glibc
import TaktCore

/// Runs commands: each in a session and process group of its own.
///
/// Children are started one after the other on a queue of their own, at nice 0, and watched on the
/// reactor's thread. Safe from any thread.
public final class ProcessRunner: ActionRunner {
  private let reactor: Reactor
  private let sink: any OutputSink
  private let report: @Sendable (SchedulerEvent) -> Void
  private let spawnQueue = DispatchQueue(label: "takt.spawn", qos: .default)
  /// Touched by work on the reactor's thread alone: every use stands inside `reactor.perform`.
  private nonisolated(unsafe) let table = ProcessTable()

  /// A runner that reports ends to `report`, on the reactor's thread.
  public init(
    reactor: Reactor, sink: any OutputSink, report: @escaping @Sendable (SchedulerEvent) -> Void
  ) {
    self.reactor = reactor
    self.sink = sink
    self.report = report
  }

  /// Starts the attempts' children, one after the other; a failure is reported as an end.
  public func start(_ requests: [AttemptRequest]) {
    reactor.perform { [self] _ in for request in requests { table.starting[request.run] = [] } }
    spawnQueue.async { [self] in for request in requests { spawn(request) } }
  }

  private func spawn(_ request: AttemptRequest) {
    do throws(Spawn.Failure) {
      let child = try Spawn.start(request)
      reactor.perform { [self] loop in watch(child, of: request, on: loop) }
    } catch {
      reactor.perform { [self] loop in
        _ = started(request.run, loop)
        report(
          .attemptEnded(
            request.run, AttemptReport(.notStarted(error.stage, errno: error.number))))
      }
    }
  }

  /// Signals the attempt's group; an attempt that is being started gets the signal when it has.
  public func stop(_ run: RunID, signal: StopSignal) {
    reactor.perform { [self] _ in
      if let child = table.children[run] {
        child.group.send(signal.number)
      } else if table.starting[run] != nil {
        table.starting[run]?.append(signal)
      }
    }
  }

  /// Makes this process the parent of orphans among its descendants, so that none strays.
  public static func adoptOrphans() throws(SystemError) {
    let number = csystem_become_subreaper()
    if number != 0 { throw SystemError("prctl", number: number) }
  }

  /// Reaps orphans that takt has adopted; to be called at each SIGCHLD. Children of its own are
  /// taken by their pidfds.
  public func reapOrphans() {
    reactor.perform { [self] loop in reapOrphans(loop) }
  }

  private func reapOrphans(_ loop: ReactorLoop) {
    table.hasOrphans = false
    while case let pid = csystem_peek_ended(), pid > 0 {
      if let child = table.byPID[pid] {
        childEnded(child, loop)
        if table.byPID[pid] != nil { return }
      } else if table.starting.isEmpty {
        waitpid(pid, nil, WNOHANG)
      } else {
        // It may be a child that is just being started.
        table.hasOrphans = true
        return
      }
    }
  }

  private func started(_ run: RunID, _ loop: ReactorLoop) -> [StopSignal] {
    defer { if table.hasOrphans, table.starting.isEmpty { reapOrphans(loop) } }
    return table.starting.removeValue(forKey: run) ?? []
  }

  private func watch(_ child: Spawn.Child, of request: AttemptRequest, on loop: ReactorLoop) {
    let run = request.run
    let process = ChildProcess(
      run: run, child: child,
      outputs: [
        OutputReader(child.stdout, .stdout, of: request, to: sink),
        OutputReader(child.stderr, .stderr, of: request, to: sink),
      ])
    table.add(process)
    for signal in started(run, loop) { process.group.send(signal.number) }
    for index in process.outputs.indices {
      loop.watch(process.outputs[index].descriptor) { loop in process.readOutput(index, loop) }
    }
    loop.watch(child.pidfd) { [self] loop in childEnded(process, loop) }
  }

  /// The child itself has ended. Its group may live on, and somebody may hold its pipes.
  private func childEnded(_ process: ChildProcess, _ loop: ReactorLoop) {
    guard let result = process.reap(loop) else { return }
    table.byPID[process.group.number] = nil
    guard process.group.exists() else {
      process.close(loop)
      table.children[process.run] = nil
      report(.attemptEnded(process.run, AttemptReport(result)))
      return
    }
    let members = process.group.members()
    report(.attemptEnded(process.run, AttemptReport(result, descendants: members)))
    loop.poll { [self] in
      if process.group.exists() { return true }
      process.close(loop)
      table.children[process.run] = nil
      report(.groupEnded(process.run))
      return false
    }
  }
}

/// The children that live, and those that are being started.
private final class ProcessTable {
  var children: [RunID: ChildProcess] = [:]
  var byPID: [pid_t: ChildProcess] = [:]
  /// Signals that came before the child.
  var starting: [RunID: [StopSignal]] = [:]
  /// Orphans have ended that could not be told from a child that is just being started.
  var hasOrphans = false

  func add(_ child: ChildProcess) {
    children[child.run] = child
    byPID[child.group.number] = child
  }
}

extension StopSignal {
  var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangUp: SIGHUP
    case .quit: SIGQUIT
    case .user1: SIGUSR1
    case .user2: SIGUSR2
    case .kill: SIGKILL
    }
  }
}
