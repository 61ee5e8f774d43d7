import TaktCore

/// Handling of a started process: its output, its end, and its leftover processes.
extension ProcessRunner {
  func watch(_ process: ChildProcess, _ child: Spawn.Child, _ loop: ReactorLoop) {
    let signals = starting.remove(process.id)
    table.add(process)
    if let channel = process.command.channel, let ends = child.channel {
      process.conversation = ChildConversation(
        channel, input: ends.input, control: ends.control, output: process.output, on: loop,
        onKill: { [self, id = process.id] in stop(id, signal: .kill) },
        onLast: { [self, id = process.id, stop = process.command.execution.stop] in
          end(id, as: stop, after: stop.grace)
        })
    }
    for signal in signals { process.send(signal.number) }
    for index in process.outputs.indices { watchOutput(index, of: process, loop) }
    loop.watch(child.pidfd, patience: .long) { [self] loop in childEnded(process, loop) }
    reapUnknown(loop)
  }

  /// Passes on the child's output; if its reader is behind, the child waits.
  private func watchOutput(_ index: Int, of process: ChildProcess, _ loop: ReactorLoop) {
    let output = process.outputs[index]
    let passThrough = process.command.passThrough
    loop.watch(output.descriptor, patience: process.outputPatience) { [self] loop in
      guard let passThrough else { return process.readOutputs(from: index, loop) }
      // If the reader is gone the child must notice, as it would without takt.
      if passThrough.isClosed(output.stream) { return process.closeOutput(index, loop) }
      process.readOutput(index, loop)
      guard process.isOpen(index) else { return }
      let isFull = passThrough.isFull(output.stream) { [self, id = process.id] in
        reactor.perform { [self] loop in
          guard let process = table.children[id], process.isOpen(index) else { return }
          watchOutput(index, of: process, loop)
        }
      }
      if isFull { loop.unwatch(output.descriptor) }
    }
  }

  /// Called when no process is left that the run waits for.
  func finish(_ process: ChildProcess, _ loop: ReactorLoop, isReleased: Bool = false) {
    process.closeOutputs(loop)
    process.output.close()
    table.remove(process)
    // Before its control group can be used for another command.
    guardian?.remove(process.id)
    process.members.close(isReleased: isReleased)
    if delayed.processEnded() { retryDelayed() }
  }

  /// Called when the child itself has ended. Its descendants may live on, and its pipes may be held
  /// open.
  func childEnded(_ process: ChildProcess, _ loop: ReactorLoop) {
    guard let result = process.reap(loop) else { return }
    table.childEnded(process)
    if process.isGivenUp { return counts.removeStuck(process.command.origin) }
    if case .notStarted(let stage, let number) = result {
      return neverStarted(process, stage, number, loop)
    }
    var limitSentence: String?
    if let sentence = process.sentenceOfProcessorLimit(result) {
      OutputLog(of: process.command.output, to: sink, time: time).warn(sentence)
      limitSentence = sentence
    }
    let hasDescendants = findDescendants(of: process)
    let isReleased = hasDescendants && process.releasesLeftovers
    let isAwaited = hasDescendants && !isReleased
    if isAwaited { process.readRest(loop) } else { process.closeOutputs(loop) }
    if let limitSentence { process.output.explain(limitSentence) }
    let adjusted = process.conversation?.end(with: result) ?? result
    var ended = process.output.complete(
      AttemptReport(adjusted, endedUnasked: !process.wasAsked))
    ended.ranOutOfMemory = process.members.ranOutOfMemory
    if isReleased { release(process) }
    guard isAwaited else {
      ended.use = process.popUse()
      finish(process, loop, isReleased: isReleased)
      process.command.observe(.ended(ended))
      return
    }
    _ = process.sendToMissed()
    var left = process.members.living()
    // A process is left, even if the process table has no name for it.
    if left.isEmpty { left = [Descendant(pid: process.group.number, name: "?")] }
    ended.descendants = left
    process.command.observe(.ended(ended))
    awaitEnd(of: process, loop)
  }

  private func release(_ process: ChildProcess) {
    let left = process.members.living()
    counts.addReleased(left.count)
    OutputLog(of: process.command.output, to: sink, time: time).released(left)
  }

  /// True if the ended child has left descendants. Those that end during the search do not count.
  private func findDescendants(of process: ChildProcess) -> Bool {
    for _ in 0..<Self.roundsMax {
      process.reapEnded(table.orphans)
      table.scanForOrphans()
      guard process.hasDescendants else { return false }
      if !process.members.living().isEmpty { return true }
    }
    return true
  }

  private func awaitEnd(of process: ChildProcess, _ loop: ReactorLoop) {
    table.ending.append(process)
    guard table.ending.count == 1 else { return }
    var next = ContinuousClock.now
    loop.poll { [self] in
      let start = ContinuousClock.now
      guard start >= next else { return true }
      searchForSurvivors(loop)
      // However many there are, the reactor has four times as long for other work.
      next = start + start.duration(to: .now) * 5
      return !table.ending.isEmpty
    }
  }

  /// Rounds of searching in one go for processes that keep forking.
  private static let roundsMax = 8

  /// Reaps ended processes, sends the last signal to those that it has not reached, and reports the
  /// commands of which none is left.
  private func searchForSurvivors(_ loop: ReactorLoop) {
    reapOrphans(loop)
    for _ in 0..<Self.roundsMax {
      var newCount = 0
      for process in table.ending {
        process.reapEnded(table.orphans)
        table.scanForOrphans()
        newCount += process.sendToMissed()
      }
      if newCount == 0 { break }
    }
    for process in table.ending where !process.hasDescendants {
      process.closeOutputs(loop)
      let report = GroupReport(use: process.popUse(), output: process.output.keptSinceEnd)
      finish(process, loop)
      process.command.observe(.gone(report))
    }
    table.ending.removeAll { table.children[$0.id] == nil }
  }
}
