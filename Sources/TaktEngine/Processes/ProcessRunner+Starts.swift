import Glibc
import TaktCore

/// Starts that hang: children that have not executed their programs.
extension ProcessRunner {
  /// The time for a child to execute its program, and the time for it to end after that.
  private static let startTime = Duration.seconds(10)
  private static let startKillTime = Duration.seconds(1)

  /// Checks children that have not executed anything, a little later, as long as there are any.
  func watchStarts(_ loop: ReactorLoop, after delay: Duration = .seconds(1)) {
    guard !table.starting.isEmpty, !table.isStartCheckDue else { return }
    table.isStartCheckDue = true
    loop.after(delay) { [self] loop in
      table.isStartCheckDue = false
      checkStarts(loop)
      watchStarts(loop, after: .milliseconds(100))
    }
  }

  private func checkStarts(_ loop: ReactorLoop) {
    let now = ContinuousClock.now
    for (id, process) in table.starting {
      guard process.isStarting else {
        table.starting[id] = nil
        continue
      }
      process.resumeStart()
      if let killedAt = process.killedAt {
        if killedAt + Self.startKillTime <= now { giveUp(process, loop) }
      } else if process.startedAt + Self.startTime <= now {
        process.send(SIGKILL)
      }
    }
  }

  /// Gives up a start whose child hangs and that not even KILL ends. The child is reaped when it
  /// goes.
  private func giveUp(_ process: ChildProcess, _ loop: ReactorLoop) {
    counts.addStuck(process.command.origin)
    process.giveUp()
    neverStarted(process, .stuck, 0, loop)
  }

  func neverStarted(
    _ process: ChildProcess, _ stage: StartStage, _ number: Int32, _ loop: ReactorLoop
  ) {
    let sentence = process.sentence(of: stage, number)
    OutputLog(of: process.command.output, to: sink, time: time).warn(sentence)
    let output = process.output.neverStarted(sentence)
    let result = AttemptResult.notStarted(stage, errno: number)
    let adjusted = process.conversation?.end(with: result) ?? result
    // The use of no program: it must not count for the group's next command.
    _ = process.popUse()
    finish(process, loop)
    process.command.observe(.ended(AttemptReport(adjusted, output: output)))
  }
}
