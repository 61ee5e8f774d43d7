import CTaktSystem
import Glibc
import TaktCore

/// A child with its group and its pipes. It exists on the reactor's thread alone.
final class ChildProcess {
  let run: RunID
  let group: ProcessGroup
  /// When it was asked for, in the clock ticks of the process table.
  let sinceTicks: UInt64
  /// The signal that the attempt was sent last: whoever turns up later gets it too.
  private(set) var lastSignal: Int32?
  /// Nobody is left in the group, and its number may be anybody's.
  private var isGroupGone = false
  private var pidfd: Int32
  let output: AttemptOutput
  /// What somebody and the child say to each other; nil when nobody talks with it.
  var conversation: ChildConversation?
  let outputs: [OutputReader]
  private var isOpen: [Bool]

  /// How much is read at a time, so that one talkative child does not keep the others waiting.
  private static let turnBytes = 65_536
  /// A pipe holds less than this: what the child has written before its end is read whole, and a
  /// stranger who holds the pipe cannot keep it open.
  private static let lastBytes = 1_048_576

  init(run: RunID, child: Spawn.Child, sinceTicks: UInt64, output: AttemptOutput) {
    self.run = run
    self.sinceTicks = sinceTicks
    group = ProcessGroup(number: child.pid)
    pidfd = child.pidfd
    self.output = output
    outputs = [
      OutputReader(child.stdout, .stdout, to: output),
      OutputReader(child.stderr, .stderr, to: output),
    ]
    isOpen = outputs.map { _ in true }
  }

  /// Signals the group and the orphans of the run.
  func send(_ signal: Int32, _ orphans: OrphanTable) {
    // Who heeds what it is told needs no signal before its last one.
    if pidfd >= 0, conversation?.takesSignal(signal) == false { return output.stopped() }
    lastSignal = signal
    // After its own end only its descendants are told.
    if pidfd >= 0 { output.stopped() }
    if pidfd >= 0 || groupExists() { group.send(signal) }
    orphans.send(signal, to: run, newOnly: false)
  }

  /// Sends orphans that have turned up since the last signal the same one. Returns how many.
  func sendToNew(_ orphans: OrphanTable) -> Int {
    guard let lastSignal else { return 0 }
    return orphans.send(lastSignal, to: run, newOnly: true)
  }

  /// Reaps those of the attempt that have ended.
  ///
  /// Who ends leaves its children to takt in the same moment. So only a look after this, and before
  /// any other reaping, tells whether anybody is left.
  func reapEnded(_ orphans: OrphanTable) {
    orphans.reap(of: run)
    if !isGroupGone { group.reap(orphans.forget) }
  }

  /// Whether anybody is left of the attempt, whose own process has ended.
  func hasDescendants(_ orphans: OrphanTable) -> Bool {
    orphans.hasAny(of: run) || groupExists()
  }

  private func groupExists() -> Bool {
    guard !isGroupGone else { return false }
    isGroupGone = !group.exists
    return !isGroupGone
  }

  func isOpen(_ index: Int) -> Bool { isOpen[index] }

  func readOutput(_ index: Int, _ loop: ReactorLoop) {
    guard isOpen[index], !outputs[index].read(limitBytes: Self.turnBytes) else { return }
    closeOutput(index, loop)
  }

  /// Takes the child's status; nil while it lives, or when it was taken before.
  func reap(_ loop: ReactorLoop) -> AttemptResult? {
    guard pidfd >= 0 else { return nil }
    var exited = Int32(0)
    var status = Int32(0)
    let pid = csystem_reap(pidfd, 0, &exited, &status)
    guard pid != 0 else { return nil }
    loop.unwatch(pidfd)
    Glibc.close(pidfd)
    pidfd = -1
    // Somebody else in this process has taken the status, which nobody is to do.
    guard pid > 0 else { return .failed("status_lost") }
    return exited == 1 ? .exited(status) : .signalled(status)
  }

  /// Reads what the child has left in the pipes.
  func readRest(_ loop: ReactorLoop) {
    for index in outputs.indices
    where isOpen[index] && !outputs[index].read(limitBytes: Self.lastBytes) {
      closeOutput(index, loop)
    }
  }

  /// Reads what is left in the pipes and closes them.
  func close(_ loop: ReactorLoop) {
    readRest(loop)
    for index in outputs.indices where isOpen[index] { closeOutput(index, loop) }
    output.close()
  }

  /// Takes nothing more from a stream.
  func closeOutput(_ index: Int, _ loop: ReactorLoop) {
    guard isOpen[index] else { return }
    outputs[index].flush()
    loop.unwatch(outputs[index].descriptor)
    Glibc.close(outputs[index].descriptor)
    isOpen[index] = false
  }
}
