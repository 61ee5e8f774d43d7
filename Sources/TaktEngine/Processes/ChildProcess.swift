import CSystem
import Glibc
import TaktCore

/// A child with its group and its pipes. It exists on the reactor's thread alone.
final class ChildProcess {
  let run: RunID
  let group: ProcessGroup
  private var pidfd: Int32
  private(set) var outputs: [OutputReader]
  private var isOpen: [Bool]

  /// How much is read at a time, so that one talkative child does not keep the others waiting.
  private static let turnBytes = 262_144
  /// A pipe holds less than this: what the child has written before its end is read whole, and a
  /// stranger who holds the pipe cannot keep it open.
  private static let lastBytes = 1_048_576

  init(run: RunID, child: Spawn.Child, outputs: [OutputReader]) {
    self.run = run
    group = ProcessGroup(number: child.pid)
    pidfd = child.pidfd
    self.outputs = outputs
    isOpen = outputs.map { _ in true }
  }

  func readOutput(_ index: Int, _ loop: ReactorLoop) {
    guard isOpen[index], !outputs[index].read(limitBytes: Self.turnBytes) else { return }
    closeOutput(index, loop)
  }

  /// Takes the child's status; nil while it lives, or when it was taken before.
  func reap(_ loop: ReactorLoop) -> AttemptResult? {
    guard pidfd >= 0 else { return nil }
    var exited = Int32(0)
    var status = Int32(0)
    guard csystem_reap(pidfd, 0, &exited, &status) == group.number else { return nil }
    loop.unwatch(pidfd)
    Glibc.close(pidfd)
    pidfd = -1
    return exited == 1 ? .exited(status) : .signalled(status)
  }

  /// Reads what is left in the pipes and closes them.
  func close(_ loop: ReactorLoop) {
    for index in outputs.indices where isOpen[index] {
      _ = outputs[index].read(limitBytes: Self.lastBytes)
      closeOutput(index, loop)
    }
  }

  private func closeOutput(_ index: Int, _ loop: ReactorLoop) {
    outputs[index].flush()
    loop.unwatch(outputs[index].descriptor)
    Glibc.close(outputs[index].descriptor)
    isOpen[index] = false
  }
}
