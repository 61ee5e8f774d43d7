import CTaktSystem
import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// A child with its group and its pipes. It exists on the reactor's thread alone.
final class ChildProcess {
  let command: Command
  var id: ProcessID { command.id }
  let group: ProcessGroup
  let identity: ProcessIdentity
  /// When the system was asked for it.
  let startedAt: ContinuousClock.Instant
  /// The signal that the command was sent last.
  private(set) var lastSignal: Int32?
  /// It had not ended when it was sent its first signal.
  private(set) var wasAsked = false
  /// When it was sent KILL before it had executed anything; nil when it was not.
  private(set) var killedAt: ContinuousClock.Instant?
  /// The run has been told that it never started.
  private(set) var isGivenUp = false
  let members: any ProcessMembers
  /// Nobody is left in the group.
  private var isGroupGone = false
  private var isReaped = false
  /// What those have used whom takt itself has reaped.
  private var reapedUse = ResourceUse()
  private var launch: Launch?
  /// It has executed its command in place of a shell.
  private var isDirect = false
  /// Where its program may be, in order.
  private let candidates: [String]
  let output: AttemptOutput
  /// What somebody and the child say to each other; nil when nobody talks with it.
  var conversation: ChildConversation?
  let outputs: [OutputReader]
  private var isOpen: [Bool]
  private var readTurn: UInt64 = 0
  /// Of which stream the last bytes were, and for how many turns.
  private var lastPrinted = (index: 0, turns: 0)
  /// Both have printed so fast that their order was not known.
  private var isMixed = false
  private var mixedTurns = 0
  /// It prints so much that it fills its pipe, and nobody needs time to use it.
  private var isFlooding = false
  private var isWidened = false

  /// No start takes so long that does not hang.
  private static let hangTime = Duration.seconds(1)
  /// How much is read at a time, so that one talkative child does not keep the others waiting.
  private static let turnBytes = 262_144
  /// What is read while takt waits for others: what a pipe holds unless takt has widened it.
  private static let calmBytes = 65_536
  /// After so many turns with one stream alone, its order with the other is no longer of interest.
  private static let turnsOfOneStream = 8
  /// So many turns come without any wait, since both streams had something at once.
  private static let mixedTurnsMax = 4096
  /// A pipe holds less than this: what the child has written before its end is read whole, and a
  /// stranger who holds the pipe cannot keep it open.
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

  /// Whether it is not known to have executed its program.
  var isStarting: Bool {
    guard !isReaped, let launch else { return false }
    if launch.isPending { return true }
    // What it could not do is read when it has ended.
    if launch.failure == nil {
      isDirect = launch.isDirect
      self.launch = nil
    }
    return false
  }

  /// Signals all of the command.
  func send(_ signal: Int32) {
    if !isReaped, !wasAsked { wasAsked = !hasEnded }
    // Who heeds what it is told needs no signal before its last one.
    if !isReaped, conversation?.handlesSignal(signal) == false { return output.stopped() }
    lastSignal = signal
    // After its own end only its descendants are told.
    if !isReaped { output.stopped() }
    guard !isStarting else { return sendToStarting(signal) }
    members.send(signal, with: !isReaped || groupExists() ? group : nil)
  }

  /// Whether it has ended, though nobody has taken its status yet.
  private var hasEnded: Bool {
    var entry = pollfd(fd: group.pidfd, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  /// Before it has executed anything it is alone, and may have no group of its own yet. All signals
  /// but KILL wait until it has.
  private func sendToStarting(_ signal: Int32) {
    _ = cprocess_signal(group.pidfd, signal)
    guard signal == SIGKILL, killedAt == nil else { return }
    killedAt = .now
    launch?.abandon()
  }

  /// Lets a child go on that somebody has stopped before it has executed anything.
  func resumeStart() {
    if ProcessStatus.read(group.number)?.isStopped == true {
      _ = cprocess_signal(group.pidfd, SIGCONT)
    }
  }

  /// Sends the last signal to members of the command whom it has not reached. Returns how many.
  func sendToMissed() -> Int {
    guard let lastSignal else { return 0 }
    return members.sendToMissed(lastSignal)
  }

  /// Reaps those of the command that have ended.
  ///
  /// Who ends leaves its children to takt in the same moment. So only a look after this, and before
  /// any other reaping, tells whether anybody is left.
  func reapEnded(_ orphans: OrphanTable) {
    members.reapEnded()
    guard !isGroupGone else { return }
    group.reap { pid, use in
      reapedUse.add(use)
      orphans.forget(pid)
    }
  }

  /// Whether anybody is left of the command, whose own process has ended.
  var hasDescendants: Bool { members.hasAny || groupExists() }

  private func groupExists() -> Bool {
    guard !isGroupGone else { return false }
    isGroupGone = !group.exists
    return !isGroupGone
  }

  func isOpen(_ index: Int) -> Bool { isOpen[index] }

  /// How long output waits for more. Two streams are read soon, so that their order is known.
  var outputPatience: ReactorPatience {
    if isFlooding { return .none }
    guard outputs.count > 1, lastPrinted.turns < Self.turnsOfOneStream else { return .long }
    return isMixed && mixedTurns < Self.mixedTurnsMax ? .none : .short
  }

  /// Reads what the pipes hold now, first of the stream that was ready first. What comes meanwhile
  /// waits for the next turn, in which the order of the two is known again.
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

  /// Reads what one pipe holds now.
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
    // Somebody else in this process has taken the status, which nobody is to do.
    guard let child else { return .failed("status_lost") }
    reapedUse.add(child.use)
    if child.exited, let failure = launch?.failure {
      return .notStarted(failure.stage, errno: failure.number)
    }
    // One that was killed as soon as it was there did not hang.
    if killedAt != nil, launch != nil, startedAt + Self.hangTime <= .now {
      return .notStarted(.stuck, errno: 0)
    }
    if child.exited { return .exited(child.status) }
    return resultOfShell(child, loop) ?? .signalled(child.status)
  }

  /// What a shell would have made of a signal that has ended its command, which it prints as well; nil
  /// where it would have ended by the signal itself, as it does by the guard's.
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

  /// For people: that the limit of processor time has probably ended it; nil where it has not.
  ///
  /// The kernel tells nobody why it kills: the time that was used does.
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

  /// What all its processes have used. To be called once, when nobody waits for any more of them.
  func popUse() -> Shared<ResourceUse> {
    var use = reapedUse
    switch members.popUse() {
    case .others(let others): use.add(others)
    case .all(let all): use.raise(to: all)
    }
    return Shared(use)
  }

  /// For people: why it was not started.
  func sentence(of stage: StartStage, _ number: Int32) -> String {
    StartFailure(stage: stage, number: number)
      .named(
        program: command.arguments.first ?? "", at: candidates,
        directory: command.execution.directory
      ).sentence
  }

  /// Nobody waits for it any more: it hangs, and not even KILL ends it.
  func giveUp() { isGivenUp = true }

  /// Whether what its command has left running lives on: only where nothing has stopped it.
  var releasesLeftovers: Bool {
    command.execution.stop.leftovers == .leave && lastSignal == nil
  }

  /// Reads what the child has left in the pipes.
  func readRest(_ loop: ReactorLoop) {
    for index in outputs.indices where isOpen[index] {
      let rest = outputs[index].read(limitBytes: Self.lastBytes, into: loop.buffer, isToEnd: true)
      if !rest.isOpen { closeOutput(index, loop) }
    }
  }

  /// Reads what is left in the pipes and closes them.
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
