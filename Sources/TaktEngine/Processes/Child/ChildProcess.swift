import CTaktSystem
import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// A child with its group and its pipes. Used on the reactor's thread only.
final class ChildProcess {
  let command: Command
  var id: ProcessID { command.id }
  let group: ProcessGroup
  let identity: ProcessIdentity
  /// The time of the request to the system.
  let startedAt: ContinuousClock.Instant
  private(set) var lastSignal: Int32?
  /// True if its first signal was sent before it had ended.
  private(set) var wasAsked = false
  /// The time of a KILL sent before it had executed anything; nil without one.
  private(set) var killedAt: ContinuousClock.Instant?
  /// True once the run has been notified that it never started.
  private(set) var isGivenUp = false
  let members: any ProcessMembers
  private var isGroupGone = false
  private var isReaped = false
  /// The use of the members that takt itself has reaped.
  private var reapedUse = ResourceUse()
  private var launch: Launch?
  /// True if it executed its command without a shell.
  private var isDirect = false
  /// The possible paths of its program, in order.
  private let candidates: [String]
  let output: AttemptOutput
  /// Nil for a child without a channel.
  var conversation: ChildConversation?
  let outputs: [OutputReader]
  private var isOpen: [Bool]
  private var readTurn: UInt64 = 0
  /// The stream of the last bytes, and for how many turns it was the only one.
  private var lastPrinted = (index: 0, turns: 0)
  /// Both streams have printed so fast that their order was not known.
  private var isMixed = false
  private var mixedTurns = 0
  /// It prints enough to fill its pipe, and the output is used without delay.
  private var isFlooding = false
  private var isWidened = false

  /// A start that takes longer hangs.
  private static let hangTime = Duration.seconds(1)
  /// Bytes read in one turn, so that one talkative child does not keep the others waiting.
  private static let turnBytes = 262_144
  /// Bytes read while takt waits for others: the capacity of a pipe that takt has not widened.
  private static let calmBytes = 65_536
  /// Turns with one stream alone after which its order with the other no longer matters.
  private static let turnsOfOneStream = 8
  /// Turns without any wait after both streams had data at once.
  private static let mixedTurnsMax = 4096
  /// More than a pipe holds: all that the child wrote before its end is read, and a stranger who
  /// holds the pipe cannot keep it open.
  private static let lastBytes = 1_048_576

  init(
    of command: Command, child: Spawn.Child, identity: ProcessIdentity,
    members: any ProcessMembers, output: AttemptOutput
  ) {
    self.command = command
    self.identity = identity
    self.members = members
    self.output = output
    startedAt = child.startedAt
    group = ProcessGroup(number: child.pid, pidfd: child.pidfd)
    launch = child.launch
    candidates = child.candidates
    if let stderr = child.stderr {
      outputs = [
        OutputReader(child.stdout, .stdout, to: output), OutputReader(stderr, .stderr, to: output),
      ]
    } else {
      outputs = [OutputReader(child.stdout, .both, to: output)]
    }
    isOpen = outputs.map { _ in true }
  }

  deinit { Glibc.close(group.pidfd) }

  /// True until it is known to have executed its program.
  var isStarting: Bool {
    guard !isReaped, let launch else { return false }
    if launch.isPending { return true }
    // A failure is read when it has ended.
    if launch.failure == nil {
      isDirect = launch.isDirect
      self.launch = nil
    }
    return false
  }

  func send(_ signal: Int32) {
    if !isReaped, !wasAsked { wasAsked = !hasEnded }
    // A child that obeys messages needs no signal before its last one.
    if !isReaped, conversation?.handlesSignal(signal) == false { return output.stopped() }
    lastSignal = signal
    // After its own end only its descendants get the signal.
    if !isReaped { output.stopped() }
    guard !isStarting else { return sendToStarting(signal) }
    members.send(signal, with: !isReaped || groupExists() ? group : nil)
  }

  /// True once it has ended, even if its status has not been taken.
  private var hasEnded: Bool {
    var entry = pollfd(fd: group.pidfd, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  /// Before it has executed anything it is alone, and may have no group of its own yet. Signals
  /// other than KILL wait until it has.
  private func sendToStarting(_ signal: Int32) {
    _ = cprocess_signal(group.pidfd, signal)
    guard signal == SIGKILL, killedAt == nil else { return }
    killedAt = .now
    launch?.abandon()
  }

  /// Continues a child that was stopped before it has executed anything.
  func resumeStart() {
    if ProcessStatus.read(group.number)?.isStopped == true {
      _ = cprocess_signal(group.pidfd, SIGCONT)
    }
  }

  /// Sends the last signal to members of the command that it has not reached. Returns how many.
  func sendToMissed() -> Int {
    guard let lastSignal else { return 0 }
    return members.sendToMissed(lastSignal)
  }

  /// Reaps the members of the command that have ended.
  ///
  /// A process that ends leaves its children to takt at the same instant. So only a check after
  /// this, and before any other reaping, tells whether any member is left.
  func reapEnded(_ orphans: OrphanTable) {
    members.reapEnded()
    guard !isGroupGone else { return }
    group.reap { pid, use in
      reapedUse.add(use)
      orphans.forget(pid)
    }
  }

  /// True if members of the command are left after its own process has ended.
  var hasDescendants: Bool { members.hasAny || groupExists() }

  private func groupExists() -> Bool {
    guard !isGroupGone else { return false }
    isGroupGone = !group.exists
    return !isGroupGone
  }

  func isOpen(_ index: Int) -> Bool { isOpen[index] }

  /// The time for which output waits for more. Two streams are read soon, so that their order is
  /// known.
  var outputPatience: ReactorPatience {
    if isFlooding { return .none }
    guard outputs.count > 1, lastPrinted.turns < Self.turnsOfOneStream else { return .long }
    return isMixed && mixedTurns < Self.mixedTurnsMax ? .none : .short
  }

  /// Reads the present content of the pipes, first of the stream that was ready first. Bytes that
  /// arrive meanwhile wait for the next turn, in which the order of the two is known again.
  func readOutputs(from first: Int, _ loop: ReactorLoop) {
    guard isOpen[first], loop.isHungUp || readTurn != loop.turns else { return }
    readTurn = loop.turns
    let other = 1 - first
    let hasOther = other < outputs.count && isOpen[other]
    let otherBytes = hasOther && !loop.isHungUp ? outputs[other].readyBytes : 0
    if otherBytes > 0 { isMixed = true }
    if isMixed { mixedTurns += 1 }
    readOutput(first, limitBytes: Self.turnBytes, loop)
    if otherBytes > 0 { readOutput(other, limitBytes: min(otherBytes, Self.turnBytes), loop) }
  }

  func readOutput(_ index: Int, _ loop: ReactorLoop) {
    if isOpen[index] { readOutput(index, limitBytes: Self.turnBytes, loop) }
  }

  private func readOutput(_ index: Int, limitBytes: Int, _ loop: ReactorLoop) {
    let reader = outputs[index]
    let limitBytes = isFlooding ? limitBytes : min(limitBytes, Self.calmBytes)
    let (bytes, isStillOpen) = reader.read(
      limitBytes: limitBytes, into: loop.buffer, isToEnd: loop.isHungUp)
    guard isStillOpen else { return closeOutput(index, loop) }
    guard bytes > 0 else { return }
    lastPrinted = (index, lastPrinted.index == index ? lastPrinted.turns + 1 : 0)
    if lastPrinted.turns >= Self.turnsOfOneStream { isMixed = false }
    // A reader that keeps up finds the pipe less full.
    isFlooding = bytes >= (isFlooding ? 4096 : Self.calmBytes) && !output.needsTime
    if isFlooding, !isWidened {
      isWidened = true
      csystem_widen_pipe(reader.descriptor, Int32(Self.turnBytes))
    }
    let patience = outputPatience
    for output in outputs.indices where isOpen[output] {
      loop.setPatience(of: outputs[output].descriptor, to: patience)
    }
  }

  /// Takes the child's status; nil while it lives, or when it was taken before.
  func reap(_ loop: ReactorLoop) -> AttemptResult? {
    guard !isReaped else { return nil }
    guard let child = ReapedChild.ofHandle(group.pidfd) else { return nil }
    loop.unwatch(group.pidfd)
    isReaped = true
    // Another part of this process has taken the status, which is a bug.
    guard let child else { return .failed("status_lost") }
    reapedUse.add(child.use)
    if child.exited, let failure = launch?.failure {
      return .notStarted(failure.stage, errno: failure.number)
    }
    // One that was killed right after its start did not hang.
    if killedAt != nil, launch != nil, startedAt + Self.hangTime <= .now {
      return .notStarted(.stuck, errno: 0)
    }
    if child.exited { return .exited(child.status) }
    return resultOfShell(child, loop) ?? .signalled(child.status)
  }

  /// The status that a shell would have made of the signal that ended its command, with the message
  /// that it would print; nil if the shell would have ended by the signal itself, as it does by the
  /// guard's.
  private func resultOfShell(_ child: ReapedChild, _ loop: ReactorLoop) -> AttemptResult? {
    guard isDirect || launch?.isDirect == true, command.direct?.shell.waits == true,
      lastSignal == nil, !members.ranOutOfMemory,
      command.guarding == nil || child.status != SIGKILL
    else { return nil }
    if child.status != SIGINT, child.status != SIGPIPE, let stream = outputs.last?.stream {
      readRest(loop)
      var text = strsignal(child.status).map { String(cString: $0) } ?? "Signal \(child.status)"
      text += child.hasDumped ? " (core dumped)\n" : "\n"
      text.withUTF8 { output.receive(UnsafeRawBufferPointer($0), from: stream) }
    }
    return .exited(128 + child.status)
  }

  /// For people: the limit of processor time has probably ended it; nil if not.
  ///
  /// The kernel does not tell why it kills: the processor time used does.
  func sentenceOfProcessorLimit(_ result: AttemptResult) -> String? {
    guard let seconds = command.execution.limits.cpuSeconds, lastSignal == nil else { return nil }
    let isKilled =
      switch result {
      case .signalled(let number): number == SIGKILL || number == SIGXCPU
      // As a shell reports the end of its command.
      case .exited(let status): status == 128 + SIGKILL || status == 128 + SIGXCPU
      case .notStarted, .done, .failed: false
      }
    // The kernel compares ticks, which may be well ahead of what it adds up.
    guard isKilled, reapedUse.cpu >= .seconds(seconds) - .milliseconds(300) else { return nil }
    return "Killed after \(DurationText.brief(reapedUse.cpu)) of processor time: `limits.cpu` ends "
      + "a process after \(DurationText.format(.seconds(seconds)))."
  }

  /// The use of all its processes. To be called once, when the run no longer waits for any of them.
  func popUse() -> Shared<ResourceUse> {
    var use = reapedUse
    switch members.popUse() {
    case .others(let others): use.add(others)
    case .all(let all): use.raise(to: all)
    }
    return Shared(use)
  }

  func sentence(of stage: StartStage, _ number: Int32) -> String {
    StartFailure(stage: stage, number: number)
      .named(
        program: command.arguments.first ?? "", at: candidates,
        directory: command.execution.directory
      ).sentence
  }

  /// Stops waiting for a child that hangs and that not even KILL ends.
  func giveUp() { isGivenUp = true }

  /// True if leftover processes of its command may live on, which needs a command that was not
  /// stopped.
  var releasesLeftovers: Bool {
    command.execution.stop.leftovers == .leave && lastSignal == nil
  }

  func readRest(_ loop: ReactorLoop) {
    for index in outputs.indices where isOpen[index] {
      let rest = outputs[index].read(limitBytes: Self.lastBytes, into: loop.buffer, isToEnd: true)
      if !rest.isOpen { closeOutput(index, loop) }
    }
  }

  func closeOutputs(_ loop: ReactorLoop) {
    readRest(loop)
    for index in outputs.indices where isOpen[index] { closeOutput(index, loop) }
  }

  func closeOutput(_ index: Int, _ loop: ReactorLoop) {
    guard isOpen[index] else { return }
    outputs[index].flush()
    loop.unwatch(outputs[index].descriptor)
    Glibc.close(outputs[index].descriptor)
    isOpen[index] = false
  }
}
