import TimerMachine
import TaktTime

extension TimerFactoryContract {
  /// Promises of the bare adapter.
  static let adapterClauses = [
    Clause("an adapter hands back the ticket of the last arming only") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { log.record($0) }
      adapter.arm(TimerArming(deadline: bench.now + .milliseconds(1), ticket: 1))
      adapter.arm(TimerArming(deadline: bench.now + .milliseconds(4), ticket: 2))
      adapter.arm(TimerArming(deadline: bench.now + .milliseconds(2), ticket: 3))
      try bench.letPass(.milliseconds(8))
      // A ticket replaced in the moment of its delivery may come late; a machine drops it.
      try ContractViolation.unless(
        log.tickets.last == 3 && log.tickets.count(where: { $0 == 3 }) == 1,
        "tickets \(log.tickets), expected 3 once and last")
      adapter.disarm()
    },
    Clause("an adapter may be disarmed twice, unarmed and after its delivery") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { log.record($0) }
      adapter.disarm()
      adapter.arm(TimerArming(deadline: bench.now + .seconds(3600), ticket: 1))
      adapter.disarm()
      adapter.disarm()
      adapter.arm(TimerArming(deadline: bench.now, ticket: 2))
      try bench.letPass(.milliseconds(1))
      adapter.disarm()
      try ContractViolation.unless(log.tickets == [2], "tickets \(log.tickets), expected [2]")
    },
    Clause("an adapter takes the ends of time") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { log.record($0) }
      adapter.arm(
        TimerArming(deadline: .distantFuture, leeway: TimerSchedule.longest, ticket: 1))
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(log.tickets.isEmpty, "a timer for the end of time fired")
      adapter.arm(TimerArming(deadline: MonotonicInstant(nanoseconds: .min), ticket: 2))
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(log.tickets == [2], "tickets \(log.tickets), expected [2]")
      adapter.disarm()
    },
    Clause("work that is performed runs once") { bench in
      let log = TicketLog()
      let adapter = bench.factory.makeAdapter(queue: bench.queue) { _ in }
      adapter.perform { log.record(1) }
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(log.tickets == [1], "the work ran \(log.tickets.count) times")
    },
  ]

  private final class TicketLog: Sendable {
    private let recorded = Guarded<[UInt64]>([])
    var tickets: [UInt64] { recorded.withLock { $0 } }
    func record(_ ticket: UInt64) { recorded.withLock { $0.append(ticket) } }
  }
}
