import BenchFigures
import CBareTimer
@preconcurrency import Dispatch
import Synchronization
import TaktTime
import TimerMachine

/// How late a single timer is, against a bare loop over a timerfd in C.
struct Latency {
  let samples: Int

  func run(_ figures: Figures) {
    print("\n## Latency of one timer, leeway 0: µs late, \(samples) fires each\n")
    print("| interval ms | subject | p50 | p99 | max |")
    print("|---|---|---|---|---|")
    for interval in [Duration.milliseconds(5), .milliseconds(20)] {
      report(interval, "C timerfd", bare(interval), figures, peer: "timerfd in C")
      report(
        interval, "coalescing",
        machine(interval, queueFactory: { CoalescingTimerFactory(queue: $0) }), figures,
        peer: nil)
      report(
        interval, "dispatch", machine(interval, queueFactory: { _ in DispatchTimerFactory() }),
        figures, peer: "SafeTimer, a source each")
      report(
        interval, "bare source", source(interval), figures, peer: BareSources().peerName)
    }
  }

  private func report(
    _ interval: Duration, _ name: String, _ lateness: [Int64], _ figures: Figures,
    peer: String?
  ) {
    let sorted = lateness.sorted()
    guard let last = sorted.last else { return }
    let at = { (share: Double) in
      text(Double(sorted[Int(share * Double(sorted.count - 1))]) / 1e3, 0)
    }
    print(
      "| \(interval.nanosecondsSaturated / 1_000_000) | \(name) | \(at(0.5)) | \(at(0.99)) "
        + "| \(text(Double(last) / 1e3, 0)) |")
    for (word, share) in [("p50", 0.5), ("p99", 0.99)] {
      figures.add(
        Figure(
          "one timer of \(interval.nanosecondsSaturated / 1_000_000) ms: lateness \(word)", "µs",
          [Double(sorted[Int(share * Double(sorted.count - 1))]) / 1e3], peer: peer))
    }
  }

  private func bare(_ interval: Duration) -> [Int64] {
    var lateness = [Int64](repeating: 0, count: samples)
    let result = cbaretimer_lateness(interval.nanosecondsSaturated, &lateness, samples)
    return result == 0 ? lateness : []
  }

  private func machine(
    _ interval: Duration, queueFactory: (DispatchQueue) -> any TimerFactory
  ) -> [Int64] {
    let queue = DispatchQueue(label: "latency")
    let collected = Collected(samples)
    let factory = queueFactory(queue)
    let machine = SafeTimer(name: "latency", factory: factory, queue: queue) {
      collected.add($0.lateness.nanosecondsSaturated)
    }
    _ = machine.activate(.grid(interval, factory.time.monotonic + interval, .zero))
    collected.done.wait()
    machine.cancelAndWait()
    return collected.all
  }

  private func source(_ interval: Duration) -> [Int64] {
    let queue = DispatchQueue(label: "latency")
    let collected = Collected(samples)
    let time = SystemTimeSource()
    let start = time.monotonic + interval
    let length = interval.nanosecondsSaturated
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(start.nanoseconds)),
      repeating: .nanoseconds(Int(length)), leeway: .nanoseconds(0))
    source.setEventHandler { @Sendable in
      collected.add((time.monotonic - start).nanosecondsSaturated % length)
    }
    source.activate()
    collected.done.wait()
    source.cancel()
    return collected.all
  }
}
