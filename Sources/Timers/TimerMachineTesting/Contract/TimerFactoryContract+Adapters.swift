import Dispatch
import TimerMachine
import TaktTime

extension TimerFactoryContract {
  /// Promises of the bare adapter.
  static let adapterClauses = [
    Clause("an adapter delivers only the ticket of the last arming") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { log.record($0) }
      adapter.arm(TimerArming(deadline: bench.now + .milliseconds(1), ticket: 1))
      adapter.arm(TimerArming(deadline: bench.now + .milliseconds(4), ticket: 2))
      adapter.arm(TimerArming(deadline: bench.now + .milliseconds(2), ticket: 3))
      try log.wait(for: 3, after: .milliseconds(8), on: bench)
      // A ticket replaced in the moment of its delivery may come late; a machine drops it.
      try ContractViolation.unless(
        log.tickets.last == 3 && log.tickets.count(where: { $0 == 3 }) == 1,
        "tickets \(log.tickets), expected 3 once and last")
      adapter.disarm()
    },
    Clause("an adapter can be disarmed twice, while unarmed, and after its delivery") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { log.record($0) }
      adapter.disarm()
      adapter.arm(TimerArming(deadline: bench.now + .seconds(3600), ticket: 1))
      adapter.disarm()
      adapter.disarm()
      adapter.arm(TimerArming(deadline: bench.now, ticket: 2))
      try log.wait(for: 2, after: .milliseconds(1), on: bench)
      adapter.disarm()
      try ContractViolation.unless(log.tickets == [2], "tickets \(log.tickets), expected [2]")
    },
    Clause("an adapter accepts the earliest and latest instants") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { log.record($0) }
      adapter.arm(
        TimerArming(deadline: .distantFuture, leeway: TimerSchedule.longest, ticket: 1))
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(log.tickets.isEmpty, "a timer for the latest instant fired")
      adapter.arm(TimerArming(deadline: MonotonicInstant(nanoseconds: .min), ticket: 2))
      try log.wait(for: 2, after: .milliseconds(1), on: bench)
      try ContractViolation.unless(log.tickets == [2], "tickets \(log.tickets), expected [2]")
      adapter.disarm()
    },
    Clause("work that is performed runs once") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { _ in }
      adapter.perform { log.record(1) }
      try log.wait(for: 1, after: .milliseconds(1), on: bench)
      try ContractViolation.unless(log.tickets == [1], "the work ran \(log.tickets.count) times")
    },
  ]

  private final class TicketLog: Sendable {
    private let recorded = Guarded<[UInt64]>([])
    var tickets: [UInt64] { recorded.withLock { $0 } }
    private let arrival = DispatchSemaphore(value: 0)

    func record(_ ticket: UInt64) {
      recorded.withLock { $0.append(ticket) }
      arrival.signal()
    }

    /// Lets time pass, and then waits for a ticket: in real time, it may come from another thread than
    /// the timer that measures the time.
    func wait(for ticket: UInt64, after delay: Duration, on bench: TimerTestBench) throws {
      try bench.letPass(delay)
      while bench.isRealTime, !tickets.contains(ticket) {
        guard arrival.wait(timeout: .now() + .seconds(60)) == .success else {
          throw ContractViolation("ticket \(ticket) was not delivered")
        }
      }
    }
  }
}
