import TaktCore
import Testing

@Suite struct TransitionReplayTests {
  private func line(
    _ machine: String, _ sequence: Int64, _ from: String, _ to: String, _ cause: String,
    reason: String? = nil, job: String? = nil
  ) -> TransitionReplay.Line {
    TransitionReplay.Line(
      machine: machine, sequence: sequence, from: from, to: to, cause: cause, reason: reason,
      job: job)
  }

  @Test func `a log in which nothing is missing is sound`() {
    var replay = TransitionReplay()
    replay.addTimerTransition(line("timer:a", 1, "idle", "running", "activate"))
    replay.addTimerTransition(
      line("timer:a", 2, "running", "cancelled", "fire", reason: "exhausted"))
    replay.addTimerTransition(line("timer:a", 3, "cancelled", "running", "activate"))
    replay.addTimerTransition(line("timer:a", 4, "running", "running", "resume", reason: "refused"))
    replay.addRunTransition(line("run:1", 1, "queued", "running", "start"))
    replay.addRunTransition(line("run:1", 2, "running", "backing_off", "action_ended"))
    replay.addRunTransition(line("run:1", 3, "backing_off", "ended", "shutdown"))
    // The next takt has machines of its own.
    replay.processBegan()
    replay.addTimerTransition(line("timer:a", 1, "idle", "running", "activate"))
    replay.addRunTransition(line("run:2", 1, "queued", "backing_off", "resume"))
    #expect(replay.problems.isEmpty, "\(replay.problems)")
    #expect(replay.count == 9)
  }

  @Test func `each kind of damage is found`() {
    let good = [
      line("run:1", 1, "queued", "running", "start"),
      line("run:1", 2, "running", "stopping", "timeout"),
      line("run:1", 3, "stopping", "killing", "grace_over"),
      line("run:1", 4, "killing", "ended", "group_ended"),
    ]
    func problems(_ lines: [TransitionReplay.Line]) -> Int {
      var replay = TransitionReplay()
      replay.processBegan()
      for line in lines { replay.addRunTransition(line) }
      return replay.problemCount
    }
    #expect(problems(good) == 0)
    for index in good.indices.dropLast() {
      var lines = good
      lines.remove(at: index)
      #expect(problems(lines) > 0, "without \(index)")
      lines = good
      lines.insert(good[index], at: index)
      #expect(problems(lines) > 0, "\(index) twice")
      lines = good
      lines.swapAt(index, index + 1)
      #expect(problems(lines) > 0, "\(index) after the next")
      lines = good
      lines[index].to = "queued"
      #expect(problems(lines) > 0, "\(index) to another state")
    }
    var replay = TransitionReplay()
    replay.addTimerTransition(line("timer:a", 1, "idle", "suspended", "suspend"))
    replay.addTimerTransition(line("timer:b", 1, "idle", "running", "levitate"))
    #expect(replay.problemCount == 2)
  }

  @Test func `a timer whose transitions were cut out of the log does not begin again unnoticed`() {
    let first = [
      line("timer:a", 1, "idle", "running", "activate"),
      line("timer:a", 2, "running", "suspended", "suspend"),
    ]
    let again = line("timer:a", 1, "idle", "running", "activate")
    func problems(_ lines: [TransitionReplay.Line], restarts: Bool) -> Int {
      var replay = TransitionReplay()
      replay.processBegan()
      for line in lines { replay.addTimerTransition(line) }
      if restarts { replay.processBegan() }
      replay.addTimerTransition(again)
      return replay.problemCount
    }
    #expect(problems(first, restarts: false) == 1)
    #expect(problems([first[0]], restarts: false) == 1)
    #expect(problems(first, restarts: true) == 0)
    let cancelled = line("timer:a", 3, "suspended", "cancelled", "cancel")
    #expect(problems(first + [cancelled], restarts: false) == 0)
    // In a log that begins in the middle as well.
    var replay = TransitionReplay()
    replay.addTimerTransition(line("timer:a", 7, "running", "suspended", "suspend"))
    replay.addTimerTransition(again)
    #expect(replay.problemCount == 1)
  }

  @Test func `a log that begins in the middle of a life is followed from there`() {
    var replay = TransitionReplay()
    replay.addTimerTransition(line("timer:a", 7, "running", "running", "reschedule"))
    replay.addRunTransition(line("run:9", 2, "running", "ended", "action_ended"))
    #expect(replay.problemCount == 0)
    replay.addTimerTransition(line("timer:a", 9, "running", "running", "reschedule"))
    #expect(replay.problemCount == 1)
  }

  @Test func `where the log has dropped records a gap is no mistake`() {
    var replay = TransitionReplay()
    replay.recordsDropped(3)
    replay.addRunTransition(line("run:1", 2, "running", "ended", "action_ended"))
    #expect(replay.problemCount == 0)
    replay.addRunTransition(line("run:2", 2, "ended", "running", "start"))
    #expect(replay.problemCount == 1)
  }

  @Test func `a cause or a job that does not belong to a transition is found`() {
    func problems(_ change: (inout [TransitionReplay.Line]) -> Void) -> Int {
      var lines = [
        line("timer:a", 1, "idle", "running", "activate", job: "a"),
        line("run:1", 1, "queued", "running", "start", job: "a"),
        line("run:1", 2, "running", "ended", "action_ended", job: "a"),
      ]
      change(&lines)
      var replay = TransitionReplay()
      replay.processBegan()
      replay.addTimerTransition(lines[0])
      for line in lines[1...] { replay.addRunTransition(line) }
      return replay.problemCount
    }
    #expect(problems { _ in } == 0)
    #expect(problems { $0[1].cause = "fire" } == 1)
    #expect(problems { $0[2].cause = "resume" } == 1)
    #expect(problems { $0[0].job = "b" } == 1)
    #expect(problems { $0[2].job = "b" } == 1)
  }

  @Test func `what a log cannot show is said`() {
    var replay = TransitionReplay()
    #expect(replay.notes.isEmpty)
    replay.addRunTransition(line("run:9", 2, "running", "ended", "action_ended"))
    #expect(replay.notes.count == 2, "begins in the middle, has no timers: \(replay.notes)")
    replay.processBegan()
    replay.addTimerTransition(line("timer:a", 1, "idle", "running", "activate"))
    #expect(replay.notes.count == 2, "begins in the middle, has no end: \(replay.notes)")
    replay.addTimerTransition(
      line("timer:a", 2, "running", "cancelled", "cancel", reason: "stopping"))
    replay.processEnded()
    #expect(replay.notes.count == 1 && replay.isSound)
    // The line with which the next daemon began was cut out.
    replay.addTimerTransition(line("timer:a", 1, "idle", "running", "activate"))
    #expect(replay.problemCount == 1)
  }
}
