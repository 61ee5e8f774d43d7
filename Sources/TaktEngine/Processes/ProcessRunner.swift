import CTaktSystem
import Dispatch
import Glibc
package import TaktCore
package import TaktSystem
package import TaktTime

/// Starts processes and reports their ends: each in a session and process group of its own, and
/// none of its descendants outlives it.
///
/// They are started one after another on a thread of their own, at nice 0, and watched on the
/// reactor's thread. Safe from any thread.
package final class ProcessRunner: Sendable {
  let reactor: Reactor
  let sink: any OutputSink
  let time: any TimeSource
  private let files: OutputFiles
  private let accounts: any AccountSource
  let observer: (any Observer)?
  private let groups: ControlGroups?
  let guardian: Guard?
  let counts = StartCounts()
  private let spawnThread: SpawnThread
  let starting = PendingStarts<ProcessID>()
  let delayed = DelayedStarts()
  /// Looks up users, secrets and programs, for runs of plugins' services as well.
  let preparing = WorkPool(
    name: "takt-prepare", nice: 0, width: 8,
    bounds: WorkPool.Bounds(patience: .milliseconds(200), limit: .seconds(30), share: 2))
  let bounds = DispatchQueue(label: "takt.bounds")
  /// Touched by work on the reactor's thread only: every use is inside `reactor.perform`.
  nonisolated(unsafe) let table = ProcessTable()

  /// A runner without processes yet. Throws if the system does not give it a thread.
  ///
  /// - Parameters:
  ///   - time: The clock for the rate of lines. Default the machine's own.
  ///   - files: Writes output files. Default: without waiting for them at the end.
  ///   - accounts: Looks up users and groups. Default the machine's own.
  ///   - observer: Gets records that concern no single run. Default nil.
  ///   - tracking: Tells processes of commands from others. Default by session and mark.
  ///   - guardian: Ends processes of claimed runs if takt cannot. Default nil: they continue then.
  package init(
    reactor: Reactor, sink: any OutputSink, time: any TimeSource = SystemTimeSource(),
    files: OutputFiles? = nil, accounts: any AccountSource = SystemAccounts(),
    observer: (any Observer)? = nil, tracking: ProcessTracking = .sessions,
    guardian: Guard? = nil
  ) throws(SystemError) {
    self.reactor = reactor
    self.sink = sink
    self.time = time
    self.files = files ?? OutputFiles(sink: sink, time: time)
    self.accounts = accounts
    self.observer = observer
    groups = tracking.groups
    self.guardian = guardian
    spawnThread = try SpawnThread()
  }

  /// Starts processes, one after another; a failure is reported as an end.
  func start(_ commands: [Command]) {
    starting.add(commands.map(\.id))
    var ready: [Command] = []
    for command in commands {
      if command.needsPreparation { prepare(command) } else { ready.append(command) }
    }
    guard !ready.isEmpty else { return }
    spawnThread.perform { [self, ready] in
      var first = 0
      while first < ready.count {
        let next = min(first + Self.togetherMax, ready.count)
        spawn(ready[first..<next])
        first = next
      }
    }
  }

  /// Starts handed to the reactor together, so that it is not woken for each.
  private static let togetherMax = 32

  private func spawn(_ commands: ArraySlice<Command>) {
    watch(
      commands.compactMap { command in
        spawn(command) { () throws(StartFailure) in try PreparedCommand(command, accounts) }
      })
  }

  /// Looks up what may block, on a thread where it delays no other start.
  private func prepare(_ command: Command) {
    starting.prepare(
      command.id, for: command.origin.owner, on: preparing,
      { [accounts] () throws(StartFailure) in try PreparedCommand(command, accounts) },
      onCancelled: {
        command.observe(.ended(AttemptReport(.notStarted(.process, errno: ECANCELED))))
      },
      then: { [self] prepared in
        spawnThread.perform { [self] in
          let started = spawn(command) { () throws(StartFailure) in try prepared.get() }
          watch(started.map { [$0] } ?? [])
        }
      })
  }

  private struct Started: Sendable {
    let command: Command
    let child: Spawn.Child
    let group: ControlGroup?
    let identity: ProcessIdentity
    let output: AttemptOutput
  }

  /// Nil if nothing was started: that is reported as an end, unless it is tried again later.
  private func spawn(
    _ command: Command, _ prepare: () throws(StartFailure) -> PreparedCommand
  ) -> Started? {
    var prepared: PreparedCommand?
    do throws(StartFailure) {
      let found = try prepare()
      prepared = found
      return try start(found)
    } catch {
      if !delay(DelayedStarts.Start(command: command, prepared: prepared, failure: error)) {
        refuse(command, error)
      }
      return nil
    }
  }

  private func start(_ prepared: PreparedCommand) throws(StartFailure) -> Started {
    let command = prepared.command
    guard counts.allows(command.origin) else {
      throw StartFailure(stage: .stuck, number: 0, subject: "an earlier process")
    }
    let mark = AttemptMark.make()
    let since = ProcessStatus.ticksNow()
    let (child, group) = try startChild(prepared, mark, since)
    let output = AttemptOutput(
      of: command.output, secrets: child.secrets + command.hidden, to: sink, files: files,
      passThrough: command.passThrough, time: time)
    let identity = ProcessIdentity(
      pid: child.pid, sinceTicks: since, untilTicks: ProcessStatus.ticksNow(), mark: mark,
      controlGroup: group?.path)
    if let guarding = command.guarding { guardian?.add(command.id, identity, guarding) }
    // At once: the next daemon finds only processes that are in the ledger.
    command.observe(.started(identity))
    return Started(
      command: command, child: child, group: group, identity: identity, output: output)
  }

  /// Keeps a failed start for another try; false if there will be none.
  private func delay(_ start: DelayedStarts.Start) -> Bool {
    let id = start.command.id
    guard delayed.add(start) else { return false }
    if delayed.isReportDue() {
      logMessage(
        .warning,
        "Starts wait until other processes end (\(ErrorName.of(start.failure.number))). Raise "
          + "`ulimit -n` or `ulimit -u`, or lower max_running.")
    }
    // One that was stopped meanwhile does not wait.
    if starting.hasSignals(id) { giveUpDelayed(id) }
    reactor.perform { [self] loop in retryLater(loop) }
    return true
  }

  /// Gives up a waiting start that is being stopped.
  func giveUpDelayed(_ id: ProcessID) {
    if let start = delayed.remove(id) { refuse(start.command, start.failure) }
  }

  /// Needed because not only processes of runs give back descriptors.
  private static let retryTime = Duration.milliseconds(250)

  private func retryLater(_ loop: ReactorLoop) {
    guard delayed.beginRetryWait() else { return }
    loop.after(Self.retryTime) { [self] loop in
      delayed.endRetryWait()
      retryDelayed()
      retryLater(loop)
    }
  }

  func retryDelayed() {
    spawnThread.perform { [self] in
      for next in delayed.popAll() {
        if let prepared = next.prepared {
          if let started = spawn(next.command, { prepared }) { watch([started]) }
        } else {
          prepare(next.command)
        }
      }
    }
  }

  private func watch(_ all: [Started]) {
    guard !all.isEmpty else { return }
    reactor.perform { [self] loop in
      for started in all {
        let members = members(
          of: started.command.id, started.child, started.identity.mark, started.group,
          isLimited: started.command.execution.limits.group.memoryMaxBytes != nil)
        let process = ChildProcess(
          of: started.command, child: started.child, identity: started.identity, members: members,
          output: started.output)
        watch(process, started.child, loop)
      }
      watchStarts(loop)
    }
    for started in all {
      guard let bound = started.command.bound else { continue }
      end(started.command.id, as: started.command.execution.stop, after: bound, isOverdue: true)
    }
  }

  /// In a control group of its own, if there are any.
  private func startChild(
    _ prepared: PreparedCommand, _ mark: String, _ sinceTicks: UInt64
  ) throws(StartFailure) -> (Spawn.Child, ControlGroup?) {
    let start = { [guardian] (group: ControlGroup?) throws(StartFailure) in
      let command = prepared.command
      var announcement: Guard.Announcement?
      if let guarding = command.guarding, let guardian {
        group?.reserve()
        announcement = guardian.announcement(
          of: command.id, guarding, mark: mark, sinceTicks: sinceTicks, in: group)
      }
      return try Spawn.start(
        prepared, mark: mark, controlGroup: group, announcement: announcement)
    }
    let limits = prepared.command.execution.limits.group
    if !limits.isEmpty, let group = try limitedGroup(limits, of: prepared.command) {
      do throws(StartFailure) {
        return (try start(group), group)
      } catch {
        groups?.push(group)
        throw error
      }
    }
    guard let groups else { return (try start(nil), nil) }
    while let group = try groups.pop() {
      do throws(StartFailure) {
        return (try start(group), group)
      } catch {
        // The group was removed: the next one may still exist.
        if group.isGone { continue }
        groups.push(group)
        let numbers = [EACCES, EBUSY, EINVAL, EOPNOTSUPP, EPERM]
        guard error.stage == .process, numbers.contains(error.number) else { throw error }
        break
      }
    }
    if counts.isFirstWithoutGroup() {
      logMessage(
        .warning,
        "A process has no control group; takt tracks it by session and mark instead. "
          + "Another program changes takt's control groups.")
    }
    return (try start(nil), nil)
  }

  /// A group with the limits of a job; nil if the job does without limits that are not available.
  private func limitedGroup(
    _ limits: GroupLimits, of command: Command
  ) throws(StartFailure) -> ControlGroup? {
    var number = EOPNOTSUPP
    if let groups {
      switch groups.pop(limits) {
      case .success(let group): return group
      case .failure(let failure): number = failure.number
      }
    }
    let problem = ControlGroupControllers.problem(with: limits.controllers, in: .daemon)
    guard limits.isOptional, !SystemError("", number: number).isWantOfDescriptors else {
      // A group without the controller has no file for the limit.
      throw StartFailure(
        stage: .limits, number: number == ENOENT ? EOPNOTSUPP : number,
        subject: "of the whole run", cause: problem)
    }
    if counts.isFirstWithoutLimits() {
      OutputLog(of: command.output, to: sink, time: time).warn(
        "Runs without the limits of the whole run: \(problem ?? SystemError.text(number)).")
    }
    return nil
  }

  private func members(
    of id: ProcessID, _ child: Spawn.Child, _ mark: String, _ group: ControlGroup?,
    isLimited: Bool
  ) -> any ProcessMembers {
    if let group, let groups {
      return ControlGroupMembers(group, of: groups, isLimited: isLimited)
    }
    return OrphanMembers(
      of: id, mark: mark, ProcessGroup(number: child.pid, pidfd: child.pidfd), in: table.orphans)
  }

  private func refuse(_ command: Command, _ failure: StartFailure) {
    OutputLog(of: command.output, to: sink, time: time).warn(failure.sentence)
    let output = AttemptOutput(
      of: command.output, secrets: command.hidden, to: sink, files: files, time: time)
    let facts = output.neverStarted(failure.sentence)
    output.close()
    reactor.perform { [self] loop in
      _ = starting.remove(command.id)
      reapUnknown(loop)
      command.observe(.ended(AttemptReport(failure.result, output: facts)))
    }
  }

  /// Ends a process that exceeds its time, by its signal and after its grace by KILL.
  ///
  /// - Parameter isOverdue: true if it has failed then, however it ends.
  func end(_ id: ProcessID, as stop: StopPolicy, after bound: Duration, isOverdue: Bool = false) {
    for (delay, signal) in [(bound, stop.signal), (bound + stop.grace, .kill)] {
      let nanoseconds = Int(min(delay.nanosecondsSaturated, Int64.max / 4))
      bounds.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
        reactor.perform { [self] _ in
          guard let child = table.children[id] else { return }
          if isOverdue { child.output.ranOut() }
          send(signal, to: child)
        }
      }
    }
  }

  private func send(_ signal: StopSignal, to child: ChildProcess) {
    table.scanForOrphans()
    child.send(signal.number)
    // Finds processes that have lost their parent meanwhile.
    table.scanForOrphans()
    _ = child.sendToMissed()
  }

  /// Signals a process and all its descendants; one that is being started gets the signal
  /// afterwards.
  func stop(_ id: ProcessID, signal: StopSignal) {
    reactor.perform { [self] _ in
      if let child = table.children[id] {
        send(signal, to: child)
      } else {
        starting.keep(signal, for: id)
        giveUpDelayed(id)
      }
    }
  }

  /// Starts or stops guarding a process that lives on, depending on whether it works for claimed
  /// runs. On the reactor's thread.
  func setGuarded(_ id: ProcessID, _ isGuarded: Bool) {
    guard let guardian, let child = table.children[id] else { return }
    if isGuarded {
      child.members.reserve()
      guardian.add(id, child.identity)
    } else {
      guardian.remove(id)
    }
  }

  func logMessage(_ level: LogLevel, _ message: String) {
    observer?.observe(
      LogRecord(at: time.wall, level, .scheduler, [LogField(.message, .text(message))]))
  }

  package var figures: ProcessFigures { counts.figures }

  /// True unless the thread that starts children is blocked. False is an error of takt's.
  package var isResponsive: Bool { spawnThread.busyTime < .seconds(5) }

  /// Gives back takt's control groups; to be called at the end.
  package func close() { groups?.close() }
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
