import CTaktSystem
import Dispatch
import Glibc
package import TaktCore
package import TaktTime

/// Runs commands: each in a session and process group of its own, and nothing of it outlives its
/// run.
///
/// Children are started one after the other on a thread of their own, at nice 0, and watched on the
/// reactor's thread. Safe from any thread.
package final class ProcessRunner: ActionRunner {
  let reactor: Reactor
  let sink: any OutputSink
  let time: any TimeSource
  private let files: OutputFiles
  private let passThrough: PassThrough?
  private let accounts: any AccountSource
  private let plugins: PluginCommands?
  private let report: @Sendable (SchedulerEvent) -> Void
  private let ledger: (any Ledger)?
  private let observer: (any Observer)?
  private let groups: ControlGroups?
  let counts = StartCounts()
  private let spawnThread: SpawnThread
  private let starting = StartingAttempts()
  /// Where users, secrets and programs are looked up, for plugins' services as well.
  let preparing = WorkPool(
    name: "takt-prepare", nice: 0, width: 8,
    bounds: WorkPool.Bounds(patience: .milliseconds(200), limit: .seconds(30), share: 2))
  let bounds = DispatchQueue(label: "takt.bounds")
  /// Touched by work on the reactor's thread alone: every use stands inside `reactor.perform`.
  nonisolated(unsafe) let table = ProcessTable()

  /// A runner that reports ends to `report`, on the reactor's thread. Throws when the system does
  /// not give it a thread.
  ///
  /// - Parameters:
  ///   - time: By what clock the rate of lines is measured. Default the machine's own.
  ///   - files: Where output files are written. Default: files that nobody waits for at the end.
  ///   - accounts: Where users and groups are looked up. Default the machine's own.
  ///   - plugins: Makes commands of runs of plugins. Default nil: there are none.
  ///   - passThrough: What gets the output of children in place of the sink. Default nil.
  ///   - ledger: What is told of the process of each attempt, so that the next daemon can find it.
  ///     Default nil.
  ///   - observer: Gets records that concern no single run. Default nil.
  ///   - tracking: How processes of a run are told from others. Default by session and mark.
  package init(
    reactor: Reactor, sink: any OutputSink, time: any TimeSource = SystemTimeSource(),
    files: OutputFiles? = nil, accounts: any AccountSource = SystemAccounts(),
    plugins: PluginCommands? = nil, passThrough: PassThrough? = nil, ledger: (any Ledger)? = nil,
    observer: (any Observer)? = nil, tracking: ProcessTracking = .sessions,
    report: @escaping @Sendable (SchedulerEvent) -> Void
  ) throws(SystemError) {
    self.reactor = reactor
    self.sink = sink
    self.time = time
    self.files = files ?? OutputFiles(sink: sink, time: time)
    self.accounts = accounts
    self.plugins = plugins
    self.passThrough = passThrough
    self.report = report
    self.ledger = ledger
    self.observer = observer
    groups = tracking.groups
    spawnThread = try SpawnThread()
  }

  /// Starts the attempts' children, one after the other; a failure is reported as an end.
  package func start(_ requests: [AttemptRequest]) {
    starting.add(requests.map(\.run))
    var ready: [AttemptRequest] = []
    for request in requests {
      if SpawnPreparation.isNeeded(for: request) { prepare(request) } else { ready.append(request) }
    }
    guard !ready.isEmpty else { return }
    spawnThread.perform { [self, ready] in
      for request in ready {
        spawn(request, nil) { () throws(Spawn.Failure) in
          try SpawnPreparation.findings(for: request, accounts: accounts)
        }
      }
    }
  }

  /// Starts a child that somebody talks with.
  func start(_ request: AttemptRequest, _ channel: any ChildChannel) {
    starting.add([request.run])
    prepare(request, channel)
  }

  /// Looks up what may take its time, where it keeps no other start waiting.
  private func prepare(_ request: AttemptRequest, _ channel: (any ChildChannel)? = nil) {
    let preparation = starting.prepare(request.run)
    let onGivenUp: @Sendable () -> Void = { [self] in
      guard preparation.finish() else { return }
      refuse(request, channel, Spawn.Failure(stage: .process, number: ETIMEDOUT))
    }
    let item = preparing.submit(for: request.spec.name.text, onGivenUp: onGivenUp) { [self] in
      let findings: Result<SpawnPreparation.Findings, Spawn.Failure>
      do throws(Spawn.Failure) {
        findings = .success(
          try SpawnPreparation.findings(
            for: request, channel: channel, accounts: accounts, plugins: plugins))
      } catch {
        findings = .failure(error)
      }
      guard preparation.finish() else { return }
      spawnThread.perform { [self] in
        spawn(request, channel) { () throws(Spawn.Failure) in try findings.get() }
      }
    }
    if item == nil, preparation.finish() {
      refuse(request, channel, Spawn.Failure(stage: .process, number: EAGAIN))
    }
  }

  private func spawn(
    _ request: AttemptRequest, _ channel: (any ChildChannel)?,
    _ findings: () throws(Spawn.Failure) -> SpawnPreparation.Findings
  ) {
    do throws(Spawn.Failure) {
      let findings = try findings()
      guard counts.allows(StartCounts.Origin(request)) else {
        throw Spawn.Failure(stage: .stuck, number: 0, subject: "an earlier process")
      }
      let mark = AttemptMark.make()
      let since = ProcessStatus.ticksNow()
      let (child, group) = try startChild(findings, mark)
      if request.service == nil {
        ledger?.record(
          .process(
            request.run,
            ProcessIdentity(
              pid: child.pid, sinceTicks: since, untilTicks: ProcessStatus.ticksNow(), mark: mark,
              controlGroup: group?.path)))
      }
      let output = AttemptOutput(
        of: request, secrets: child.secrets + findings.request.hidden, to: sink, files: files,
        passThrough: request.service == nil ? passThrough : nil, time: time)
      reactor.perform { [self] loop in
        let members: any AttemptMembers =
          if let group, let groups {
            ControlGroupMembers(group, of: groups, processGroup: child.pid)
          } else {
            OrphanMembers(
              of: request.run, mark: mark,
              ProcessGroup(number: child.pid, pidfd: child.pidfd), in: table.orphans)
          }
        watch(
          ChildProcess(of: findings.request, child: child, members: members, output: output),
          child, findings.channel, on: loop)
      }
      if let bound = request.bound {
        end(output, of: request, after: bound) { output.ranOut() }
      }
    } catch {
      refuse(request, channel, error)
    }
  }

  /// In a control group of its own, where there are any.
  private func startChild(
    _ findings: SpawnPreparation.Findings, _ mark: String
  ) throws(Spawn.Failure) -> (Spawn.Child, ControlGroup?) {
    guard let groups else { return (try Spawn.start(findings, mark: mark), nil) }
    while let group = groups.take() {
      do throws(Spawn.Failure) {
        return (try Spawn.start(findings, mark: mark, controlGroup: group), group)
      } catch {
        // Somebody has removed the group: the next one may still be there.
        if group.isGone { continue }
        groups.give(group)
        let numbers = [EACCES, EBUSY, EINVAL, EOPNOTSUPP, EPERM]
        guard error.stage == .process, numbers.contains(error.number) else { throw error }
        break
      }
    }
    if counts.isFirstWithoutGroup() {
      observer?.observe(
        LogRecord(
          at: time.wall, .warning, .scheduler,
          [
            LogField(
              .message,
              .text(
                "No control group for a process: it is tracked by session and mark instead. "
                  + "Somebody else changes takt's control groups."))
          ]))
    }
    return (try Spawn.start(findings, mark: mark), nil)
  }

  private func refuse(
    _ request: AttemptRequest, _ channel: (any ChildChannel)?, _ failure: Spawn.Failure
  ) {
    let run = request.run
    OutputLog(of: request, to: sink, time: time).warn(failure.sentence)
    reactor.perform { [self] loop in
      _ = starting.remove(run)
      reapUnknown(loop)
      tell(channel, .attemptEnded(run, AttemptReport(failure.result)))
    }
  }

  /// Reports an end to whom it concerns: the scheduler, or the service that the child was.
  func tell(_ channel: (any ChildChannel)?, _ event: SchedulerEvent) {
    guard let channel, !channel.isOfRun else { return report(event) }
    switch event {
    case .attemptEnded(let run, let end):
      // Nobody else stops what a service leaves behind.
      if end.descendants.isEmpty { channel.ended(end) } else { stop(run, signal: .kill) }
    case .groupEnded: channel.ended(AttemptReport(.signalled(SIGKILL)))
    default: break
    }
  }

  /// Ends what takes longer than it may, by the job's signal and after its grace by KILL.
  private func end(
    _ output: AttemptOutput, of request: AttemptRequest, after bound: Duration,
    _ mark: @escaping @Sendable () -> Void = {}
  ) {
    let stop = request.spec.execution.stop
    for (delay, signal) in [(bound, stop.signal), (bound + stop.grace, .kill)] {
      let nanoseconds = Int(min(delay.nanosecondsSaturated, Int64.max / 4))
      bounds.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self, weak output] in
        guard let output else { return }
        reactor.perform { [self] _ in
          // Another step of the run may have another child by now.
          guard let child = table.children[request.run], child.output === output else { return }
          mark()
          send(signal, to: child)
        }
      }
    }
  }

  private func send(_ signal: StopSignal, to child: ChildProcess) {
    table.lookForOrphans()
    child.send(signal.number)
  }

  /// Signals all that belongs to the attempt; one that is being started gets the signal when it has.
  package func stop(_ run: RunID, signal: StopSignal) {
    reactor.perform { [self] _ in
      if let child = table.children[run] {
        send(signal, to: child)
      } else if starting.keep(signal, for: run) {
        let result = AttemptResult.notStarted(.process, errno: ECANCELED)
        report(.attemptEnded(run, AttemptReport(result)))
      }
    }
  }

  /// Makes this process the parent of orphans among its descendants, so that none strays: who leaves
  /// the group of its run is found and ended with it, if it can be proved to be of the run.
  ///
  /// To be called before the first start.
  package func adoptOrphans() throws(SystemError) {
    let number = csystem_become_subreaper()
    if number != 0 { throw SystemError("prctl", number: number) }
    reactor.perform { [self] _ in
      table.orphans.isAdopting = true
      table.orphans.onStranger = { [self] in leaveAlone($0) }
    }
  }

  /// So many strangers are named in the log; others are only counted.
  private static let strangersNamedMax: UInt64 = 20

  private func leaveAlone(_ stranger: ProcessStatus) {
    let count = counts.addStranger()
    guard let observer, count <= Self.strangersNamedMax else { return }
    let name = Descendant(pid: stranger.pid, name: stranger.name)
    observer.observe(
      LogRecord(
        at: time.wall, .info, .scheduler,
        [
          LogField(
            .message,
            .text("Left the process \(name) alone: nothing proves that a run started it."))
        ]))
  }

  /// What is counted of processes.
  package var figures: ProcessFigures { counts.figures }

  /// Whether children can be started: nothing keeps their thread. False is an error of takt's.
  package var isResponsive: Bool { spawnThread.busyTime < .seconds(5) }

  /// Gives back what the system keeps for takt; to be called at the end.
  package func close() { groups?.close() }

  /// From now on no child inherits the variables that hold secrets of these jobs.
  package func keepSecrets(of specs: some Sequence<JobSpec>) {
    InheritedEnvironment.hideSecrets(of: specs)
  }

  /// Reaps orphans that takt has adopted; to be called at each SIGCHLD. Children of its own are
  /// taken by their pidfds.
  package func reapOrphans() {
    reactor.perform { [self] loop in reapOrphans(loop) }
  }

  private func reapOrphans(_ loop: ReactorLoop) {
    table.hasUnknownEnded = false
    guard table.orphans.isAdopting else { return }
    var adopted: Set<pid_t> = []
    while case let pid = csystem_peek_ended(), pid > 0 {
      if let child = table.living[pid] {
        childEnded(child, loop)
        if table.living[pid] != nil { return }
      } else if starting.isEmpty || adopted.contains(pid) {
        waitpid(pid, nil, WNOHANG | __WALL)
        table.orphans.forget(pid)
      } else {
        adopted = table.orphans.adoptedSet()
        guard !adopted.contains(pid) else { continue }
        // A child that is just being started, and it hides others from this look.
        table.hasUnknownEnded = true
        for pid in adopted { table.orphans.reap(pid) }
        return
      }
    }
  }

  private func reapUnknown(_ loop: ReactorLoop) {
    if table.hasUnknownEnded { reapOrphans(loop) }
  }

  private func watch(
    _ process: ChildProcess, _ child: Spawn.Child, _ channel: (any ChildChannel)?,
    on loop: ReactorLoop
  ) {
    let start = starting.remove(process.run)
    table.add(process)
    if let channel, let ends = child.channel {
      open(channel, ends, of: process, process.request, loop)
    }
    for signal in start?.signals ?? [] { process.send(signal.number) }
    for index in process.outputs.indices { watchOutput(index, of: process, loop) }
    loop.watch(child.pidfd) { [self] loop in childEnded(process, loop) }
    reapUnknown(loop)
    watchStarts()
  }

  /// Nothing is left of the attempt that anybody waits for.
  func finish(_ process: ChildProcess, _ loop: ReactorLoop, isReleased: Bool = false) {
    process.close(loop)
    table.remove(process)
    process.members.close(isReleased: isReleased)
  }

  private func open(
    _ channel: any ChildChannel, _ ends: (input: Int32, control: Int32),
    of process: ChildProcess, _ request: AttemptRequest, _ loop: ReactorLoop
  ) {
    let run = process.run
    let output = process.output
    process.conversation = ChildConversation(
      channel, input: ends.input, control: ends.control, output: output, on: loop,
      onKill: { [self] in stop(run, signal: .kill) },
      onLast: { [self] in end(output, of: request, after: request.spec.execution.stop.grace) })
  }

  /// Hands on what the child prints; where its reader is behind, the child waits.
  private func watchOutput(_ index: Int, of process: ChildProcess, _ loop: ReactorLoop) {
    let output = process.outputs[index]
    let run = process.run
    let identifier = ObjectIdentifier(process)
    loop.watch(output.descriptor) { [self] loop in
      // Where nobody reads any more the child is to notice, as it would without takt.
      if passThrough?.isClosed(output.stream) == true { return process.closeOutput(index, loop) }
      process.readOutput(index, loop)
      guard let passThrough, process.isOpen(index) else { return }
      let isFull = passThrough.isFull(output.stream) { [self] in
        reactor.perform { [self] loop in
          // Another step of the run may have another child by now.
          guard let process = table.children[run], ObjectIdentifier(process) == identifier,
            process.isOpen(index)
          else { return }
          watchOutput(index, of: process, loop)
        }
      }
      if isFull { loop.unwatch(output.descriptor) }
    }
  }

  /// The child itself has ended. Others of its run may live on, and somebody may hold its pipes.
  private func childEnded(_ process: ChildProcess, _ loop: ReactorLoop) {
    guard let result = process.reap(loop) else { return }
    table.childEnded(process)
    if process.isGivenUp { return counts.removeStuck(StartCounts.Origin(process.request)) }
    if case .notStarted(let stage, let number) = result {
      return neverStarted(process, stage, number, loop)
    }
    let hasDescendants = lookForDescendants(of: process)
    process.readRest(loop)
    let judged = process.conversation?.end(with: result) ?? result
    var ended = process.output.judge(AttemptReport(judged))
    let isReleased = hasDescendants && process.releasesLeftovers
    if isReleased { release(process) }
    guard hasDescendants, !isReleased else {
      finish(process, loop, isReleased: isReleased)
      tell(process.conversation?.channel, .attemptEnded(process.run, ended))
      return
    }
    _ = process.sendToNew()
    var left = livingDescendants(of: process)
    // Something is left, even when the process table has no name for it.
    if left.isEmpty { left = [Descendant(pid: process.group.number, name: "?")] }
    ended.descendants = left
    tell(process.conversation?.channel, .attemptEnded(process.run, ended))
    awaitEnd(of: process, loop)
  }

  private func release(_ process: ChildProcess) {
    let left = livingDescendants(of: process)
    counts.addReleased(left.count)
    OutputLog(of: process.request, to: sink, time: time).released(left)
  }

  /// Whether the ended child has left anybody. Those who end while they are looked for do not count.
  private func lookForDescendants(of process: ChildProcess) -> Bool {
    for _ in 0..<Self.roundsMax {
      process.reapEnded(table.orphans)
      table.lookForOrphans()
      guard process.hasDescendants else { return false }
      if !livingDescendants(of: process).isEmpty { return true }
    }
    return true
  }

  private func livingDescendants(of process: ChildProcess) -> [Descendant] {
    process.members.living()
  }

  private func awaitEnd(of process: ChildProcess, _ loop: ReactorLoop) {
    table.ending.append(process)
    guard table.ending.count == 1 else { return }
    var next = ContinuousClock.now
    loop.poll { [self] in
      let start = ContinuousClock.now
      guard start >= next else { return true }
      searchForSurvivors(loop)
      // However many there are, the reactor has four times as long for everything else.
      next = start + start.duration(to: .now) * 5
      return !table.ending.isEmpty
    }
  }

  /// So often in one go those who keep forking are looked for anew.
  private static let roundsMax = 8

  /// Reaps who has ended, signals who has turned up, and reports the runs of which nothing is left.
  private func searchForSurvivors(_ loop: ReactorLoop) {
    reapOrphans(loop)
    for _ in 0..<Self.roundsMax {
      var newCount = 0
      for process in table.ending {
        process.reapEnded(table.orphans)
        table.lookForOrphans()
        newCount += process.sendToNew()
      }
      if newCount == 0 { break }
    }
    for process in table.ending where !process.hasDescendants {
      finish(process, loop)
      tell(process.conversation?.channel, .groupEnded(process.run))
    }
    table.ending.removeAll { table.children[$0.run] !== $0 }
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
