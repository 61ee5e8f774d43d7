import TimerMachine
import TaktTime

extension TimerFactoryContract {
  /// Promises about when a machine fires.
  static let scheduleClauses = [
    Clause("a timer fires once, not before its deadline") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let deadline = bench.now + .milliseconds(3)
      _ = machine.activate(try .once(at: deadline))
      try bench.wait(for: 1, in: log)
      try bench.letPass(.milliseconds(5))
      let fires = log.fires
      try ContractViolation.unless(fires.count == 1, "\(fires.count) fires")
      try ContractViolation.unless(
        fires[0].deadline == deadline && fires[0].claimedAt >= deadline,
        "deadline \(fires[0].deadline), claimed at \(fires[0].claimedAt), wanted \(deadline)")
      try ContractViolation.unless(fires[0].isLast, "the only fire was not marked as the last")
      try ContractViolation.unless(machine.state == .cancelled, "the timer is \(machine.state)")
    },
    Clause("a deadline in the past is due at once") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      _ = machine.activate(try .once(at: bench.now - .seconds(5)))
      try bench.wait(for: 1, in: log)
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(log.count == 1, "\(log.count) fires")
    },
    Clause("a repeating timer keeps to its grid") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let start = bench.now + .milliseconds(2)
      _ = machine.activate(try .every(.milliseconds(3), startingAt: start))
      try bench.wait(for: 6, in: log)
      machine.cancel()
      var next = start
      for fire in log.fires {
        try ContractViolation.unless(
          fire.deadline == next, "deadline \(fire.deadline), the grid has \(next)")
        next = next + .milliseconds(3 * fire.periods)
      }
    },
    Clause("a counted timer fires that many times and ends") { bench in
      let log = FireLog()
      let transitions = TransitionLog()
      let machine = bench.machine(log: log, observer: transitions)
      _ = machine.activate(try .every(.milliseconds(1), times: 3))
      try bench.wait(for: 3, in: log)
      try bench.letPass(.milliseconds(4))
      try ContractViolation.unless(log.count == 3, "\(log.count) fires")
      try ContractViolation.unless(
        transitions.transitions.last?.cause == .exhausted && machine.state == .cancelled,
        "the timer ended as \(machine.state)")
    },
    Clause("leeway does not move the grid and no fire is early") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let start = bench.now + .milliseconds(1)
      _ = machine.activate(
        try .every(.milliseconds(4), startingAt: start, leeway: .milliseconds(2)))
      try bench.wait(for: 4, in: log)
      machine.cancel()
      for fire in log.fires {
        let distance = (fire.deadline - start).nanosecondsSaturated
        try ContractViolation.unless(
          distance % 4_000_000 == 0 && fire.lateness >= .zero,
          "deadline \(distance) ns after the start, late by \(fire.lateness)")
      }
    },
    Clause("periods that passed before the activation are counted in one fire") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      _ = machine.activate(
        try .every(.seconds(10), startingAt: bench.now - .seconds(95), leeway: .zero))
      try bench.wait(for: 1, in: log)
      machine.cancel()
      try ContractViolation.unless(
        log.fires.map(\.periods) == [10], "periods \(log.fires.map(\.periods)), expected [10]")
    },
  ]
}
