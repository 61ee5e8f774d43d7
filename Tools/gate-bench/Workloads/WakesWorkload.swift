import Dispatch
import TimerMachine
import TimerMachineTesting
import TaktTime

/// Wakes of the wake queue for 300 timers with and without leeway, in virtual time.
struct WakesWorkload: Workload {
  static let name = "wakes"
  static let summary = "1,000 wakes of the wake queue with 300 timers"

  private let manual = ManualTimerFactory()
  private let factory: CoalescingTimerFactory
  private let machines: [SafeTimer]
  private var wakesBefore: UInt64 = 0

  init() throws {
    let queue = DispatchQueue(label: "takt.gate")
    let factory = CoalescingTimerFactory(queue: queue, over: manual)
    self.factory = factory
    var random = SeededGenerator(seed: 11)
    machines = try (0..<300).map { number in
      let machine = SafeTimer(name: "gate", factory: factory, queue: queue) { _ in }
      let interval = Duration.milliseconds(Int64.random(in: 500..<20_000, using: &random))
      let start = Duration.milliseconds(Int64.random(in: 0..<10_000, using: &random))
      _ = machine.activate(
        try .every(
          interval, startingAt: MonotonicInstant(nanoseconds: 0) + start,
          leeway: number % 3 == 0 ? .zero : interval / 10))
      return machine
    }
    wake(100)
    wakesBefore = factory.statistics.wakes
  }

  private func wake(_ count: Int) {
    for _ in 0..<count { manual.advanceToNext() }
  }

  mutating func run() throws {
    wake(1000)
  }

  func check() throws {
    try expect("wakes", factory.statistics.wakes - wakesBefore, is: 1000)
    try expect("timers", machines.count, is: factory.statistics.armed)
  }
}
