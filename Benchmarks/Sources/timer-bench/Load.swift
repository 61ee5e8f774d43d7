import BenchFigures
import TaktTime
import TimerMachine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Processor time and context switches of many timers of one second.
struct Load {
  let counts: [Int]
  let seconds: Int

  func run(_ figures: Figures) {
    print("\n## Load: timers of 1 s at random phases, \(seconds) s each\n")
    print("| timers | leeway ms | subject | fires/s | CPU % of a core | switches/s | wakes/s |")
    print("|---|---|---|---|---|---|---|")
    for count in counts {
      // The lightest first: what comes later works in memory that others have left in disorder.
      for leeway in [100, 10, 0] {
        measure(Machines.coalescing, count, leeway: .milliseconds(leeway), figures)
      }
      measure(BareSources(), count, leeway: .zero, figures)
    }
  }

  private func measure(_ made: some Subject, _ count: Int, leeway: Duration, _ figures: Figures) {
    var generator = Random(seed: 11)
    var subject = made
    let time = SystemTimeSource()
    subject.create(count)
    let start = time.monotonic + .seconds(1)
    for index in 0..<count {
      subject.activate(
        index, at: start + .nanoseconds(generator.below(1_000_000_000)), every: .seconds(1),
        leeway: leeway)
    }
    // Past the first second every timer is in its stride.
    usleep(2_500_000)
    let before = (Usage.now, subject.calls.value, subject.wakes, time.monotonic)
    usleep(UInt32(seconds) * 1_000_000)
    let after = (Usage.now, subject.calls.value, subject.wakes, time.monotonic)
    for index in 0..<count { subject.cancel(index) }
    let elapsed = Double((after.3 - before.3).nanosecondsSaturated) / 1e9
    let wakes = before.2.flatMap { first in after.2.map { Double($0 - first) / elapsed } }
    print(
      "| \(count) | \(leeway.nanosecondsSaturated / 1_000_000) | \(subject.name) "
        + "| \(text(Double(after.1 - before.1) / elapsed, 0)) "
        + "| \(text(100 * (after.0.seconds - before.0.seconds) / elapsed, 1)) "
        + "| \(text(Double(after.0.switches - before.0.switches) / elapsed, 0)) "
        + "| \(wakes.map { text($0, 0) } ?? "-") |")
    let milliseconds = leeway.nanosecondsSaturated / 1_000_000
    figures.add(
      Figure(
        "timers of 1 s, leeway \(milliseconds) ms: CPU", "% of a core",
        [100 * (after.0.seconds - before.0.seconds) / elapsed], size: count,
        peer: subject.peerName))
    settle()
  }
}
