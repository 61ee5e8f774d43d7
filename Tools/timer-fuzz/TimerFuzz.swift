import Dispatch
import TimerMachine
import TimerMachineTesting

/// Runs random operations by seed on each real factory and exits 0 if every promise held.
///
/// `timer-fuzz [operations] [seed]`; by default 10,000,000 operations on each factory, seed 1.
/// Built with AddressSanitizer, which includes LeakSanitizer on Linux, it also finds memory that is
/// used after its end or never released.
@main
struct TimerFuzz {
  private static let batch = 1_000_000

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
    let operations = Int(arguments.first ?? 10_000_000)
    let seed = arguments.dropFirst().first ?? 1
    try run("dispatch", operations, seed) {
      TimerTestBench(factory: DispatchTimerFactory(), queue: $0)
    }
    try run("coalescing", operations, seed) {
      TimerTestBench(factory: CoalescingTimerFactory(queue: $0), queue: $0)
    }
    try run("coalescing over an alarm", operations, seed) { queue in
      let alarms = AlarmTimerFactory(name: "alarm") { queue.sync(execute: $0) }
      return TimerTestBench(
        factory: CoalescingTimerFactory(queue: queue, over: alarms), queue: queue)
    }
    try run("coalescing, foreign queue", operations, seed) {
      TimerTestBench(
        factory: CoalescingTimerFactory(queue: DispatchQueue(label: "wakes")), queue: $0)
    }
  }

  private static func run(
    _ name: String, _ operations: Int, _ seed: UInt64, makeBench: (DispatchQueue) -> TimerTestBench
  ) throws {
    var done = 0
    var round: UInt64 = 0
    while done < operations {
      // Factories are released with their batches, so that their ends are tested too.
      let count = min(batch, operations - done)
      let bench = makeBench(DispatchQueue(label: "fuzz"))
      try OperationStorm(seed: seed &* 1_000 &+ round, operations: count).run(on: bench)
      done += count
      round += 1
    }
    print("\(name): \(done) operations, seed \(seed): every promise held")
  }
}
