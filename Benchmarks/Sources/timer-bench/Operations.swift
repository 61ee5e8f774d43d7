import BenchFigures
import CBareTimer
import TaktTime
import TimerMachine

/// Nanoseconds, heap moves and bytes of each operation.
struct Operations {
  let counts: [Int]

  func run(_ figures: Figures) {
    print("\n## Operations: ns each; heap moves each; bytes held after\n")
    print(
      "| timers | subject | create | activate | reschedule | suspend+resume | cancel "
        + "| moves/reschedule | 2·log2 n | bytes created | bytes armed |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for count in counts {
      measure(Machines.coalescing, count, figures)
      measure(Machines.dispatch, count, figures)
      measure(BareSources(), count, figures)
    }
  }

  private func measure(_ made: some Subject, _ count: Int, _ figures: Figures) {
    var generator = Random(seed: 7)
    var subject = made
    let time = SystemTimeSource()
    // Far enough that nothing fires while operations are measured.
    let start = time.monotonic + .seconds(3_600)
    let deadlines = (0..<count).map { _ in start + .nanoseconds(generator.below(1_000_000_000)) }
    let order = (0..<count).map { _ in generator.below(count) }
    let interval = Duration.seconds(60)

    let empty = cbaretimer_allocated()
    let create = nanoseconds(per: count) { subject.create(count) }
    let created = cbaretimer_allocated()
    let activate = nanoseconds(per: count) {
      for index in 0..<count {
        subject.activate(index, at: deadlines[index], every: interval, leeway: .zero)
      }
    }
    settle()
    let armed = cbaretimer_allocated()
    let moves = subject.heapMoves
    // The median of five rounds: the first one also pays for cold memory.
    let rounds = (1...5).map { round in
      nanoseconds(per: count) {
        for (place, index) in order.enumerated() {
          subject.reschedule(index, at: deadlines[(place + round) % count], every: interval)
        }
      }
    }
    let reschedule = rounds.sorted()[2]
    let moved = moves.flatMap { before in
      subject.heapMoves.map { Double($0 - before) / Double(rounds.count * count) }
    }
    settle()
    let suspend = nanoseconds(per: count) {
      for index in 0..<count { subject.suspendAndResume(index) }
    }
    settle()
    let cancel = nanoseconds(per: count) {
      for index in 0..<count { subject.cancel(index) }
    }
    settle()
    let bytes = { (now: Int) in text(Double(now - Int(empty)) / Double(count), 0) }
    print(
      "| \(count) | \(subject.name) | \(text(create, 0)) | \(text(activate, 0)) | \(text(reschedule, 0)) "
        + "| \(text(suspend, 0)) | \(text(cancel, 0)) | \(moved.map { text($0, 2) } ?? "-") "
        + "| \(text(2 * log2(of: count), 1)) | \(bytes(Int(created))) | \(bytes(Int(armed))) |")
    let held = Double(Int(armed) - Int(empty)) / Double(count)
    for (operation, values, unit) in [
      ("create", [create], "ns"), ("activate", [activate], "ns"), ("reschedule", rounds, "ns"),
      ("suspend and resume", [suspend], "ns"), ("cancel", [cancel], "ns"),
      ("memory per armed timer", [held], "bytes"),
    ] {
      figures.add(
        Figure("timer, \(operation)", unit, values, size: count, peer: subject.peerName))
    }
  }
}
