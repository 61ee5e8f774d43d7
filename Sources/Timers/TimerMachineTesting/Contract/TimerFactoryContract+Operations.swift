import TimerMachine
import TaktTime

extension TimerFactoryContract {
  /// Promises about the operations of a machine.
  static let operationClauses = [
    Clause("a cancelled timer claims no more fires and can be activated again") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      _ = machine.activate(try .every(.milliseconds(1)))
      machine.cancel(keepHandlers: true)
      let claims = machine.claims
      try bench.letPass(.milliseconds(4))
      try ContractViolation.unless(machine.claims == claims, "a cancelled timer fired")
      let reply = machine.activate(try .once(after: .milliseconds(1)))
      try bench.wait(for: Int(claims) + 1, in: log)
      try ContractViolation.unless(
        reply == .accepted(generation: log.fires[Int(claims)].generation),
        "the fire is of another generation")
    },
    Clause(
      "a suspended timer does not fire; after a resume, it fires once for all missed deadlines"
    ) { bench in
      let log = FireLog()
      let machine = try bench.suspendedMachine(log: log)
      let start = bench.now + .milliseconds(2)
      machine.reschedule(try .every(.milliseconds(2), startingAt: start))
      try bench.letPass(.milliseconds(9))
      try ContractViolation.unless(log.count == 0, "a suspended timer fired")
      machine.resume()
      try bench.wait(for: 1, in: log)
      machine.cancel()
      try ContractViolation.unless(
        log.fires[0].deadline == start && log.fires[0].periods >= 4,
        "periods \(log.fires[0].periods) since \(log.fires[0].deadline)")
    },
    Clause("resume can skip missed deadlines and keeps the phase") { bench in
      let log = FireLog()
      let machine = try bench.suspendedMachine(log: log)
      let start = bench.now + .milliseconds(2)
      machine.reschedule(try .every(.milliseconds(2), startingAt: start))
      try bench.letPass(.milliseconds(9))
      let resumed = bench.now
      machine.resume(missed: .skip)
      try bench.wait(for: 1, in: log)
      machine.cancel()
      let deadline = log.fires[0].deadline
      try ContractViolation.unless(
        deadline > resumed && (deadline - start).nanosecondsSaturated % 2_000_000 == 0,
        "the first fire after the resumption is for \(deadline)")
    },
    Clause("a timer that fires once and was skipped is over") { bench in
      let log = FireLog()
      let machine = try bench.suspendedMachine(log: log)
      machine.reschedule(try .once(after: .milliseconds(1)))
      try bench.letPass(.milliseconds(3))
      machine.resume(missed: .skip)
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(
        log.count == 0 && machine.state == .cancelled, "\(log.count) fires, \(machine.state)")
    },
    Clause("a rescheduled timer follows the new schedule only") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      _ = machine.activate(try .every(.milliseconds(1)))
      machine.reschedule(try .once(after: .seconds(3600)))
      let claims = machine.claims
      try bench.letPass(.milliseconds(4))
      try ContractViolation.unless(machine.claims == claims, "the previous schedule fired")
      let reply = machine.reschedule(try .once(after: .milliseconds(1)))
      try bench.wait(for: Int(claims) + 1, in: log)
      try bench.letPass(.milliseconds(2))
      try ContractViolation.unless(
        log.count == Int(claims) + 1
          && reply == .accepted(generation: log.fires[Int(claims)].generation),
        "\(log.count) fires, \(claims) of them before")
    },
    Clause("a suspended timer is rescheduled without starting") { bench in
      let log = FireLog()
      let machine = try bench.suspendedMachine(log: log)
      machine.reschedule(try .once(after: .milliseconds(1)))
      try bench.letPass(.milliseconds(3))
      try ContractViolation.unless(
        log.count == 0 && machine.state == .suspended, "\(log.count) fires, \(machine.state)")
      machine.resume()
      try bench.wait(for: 1, in: log)
    },
    Clause("refused operations change nothing and are counted") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let schedule = try TimerSchedule.once(after: .seconds(3600))
      let replies = [
        machine.suspend(), machine.resume(), machine.reschedule(schedule), machine.fireNow(),
        machine.cancel(), machine.cancelAndWait(), machine.suspendAndWait(),
      ]
      try ContractViolation.unless(
        replies.allSatisfy { $0 == .refused(state: .idle) } && machine.refusals == 7
          && machine.state == .idle, "replies \(replies)")
    },
    Clause("fireNow fires from running and suspended, and does not change the schedule") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let deadline = bench.now + .seconds(3600)
      _ = machine.activate(try .once(at: deadline))
      machine.fireNow()
      try bench.wait(for: 1, in: log)
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(
        log.count == 1 && machine.deadline == deadline, "\(log.count) fires")
      machine.suspend()
      machine.fireNow()
      try bench.wait(for: 2, in: log)
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(
        log.count == 2 && machine.state == .suspended, "\(log.count) fires")
    },
    Clause("a timer can be released in every state, and does not fire afterwards") { bench in
      let log = FireLog()
      let schedule = try TimerSchedule.once(after: .milliseconds(1))
      let lives: [(SafeTimer) -> Void] = [
        { _ in },
        { _ = $0.activate(schedule) },
        {
          _ = $0.activate(schedule); $0.suspend()
        },
        {
          _ = $0.activate(schedule); $0.cancel()
        },
        {
          _ = $0.activate(schedule); $0.suspend(); $0.cancel()
        },
        {
          _ = $0.activate(schedule); $0.suspend(); $0.resume(); $0.suspend()
        },
      ]
      // The schedule is too short to promise that none fires before it is released.
      for live in lives { live(bench.machine(log: log)) }
      try bench.letPass(.milliseconds(1))
      let count = log.count
      try bench.letPass(.milliseconds(3))
      try ContractViolation.unless(log.count == count, "a released timer fired")
    },
  ]
}
