import Dispatch
import TimerMachine

extension TimerFactoryContract {
  /// Promises about what a machine keeps after its last fire, and what it releases.
  static let lifeClauses = [
    Clause("a schedule that stays open leaves the machine running and unarmed") { bench in
      let log = FireLog()
      let transitions = TransitionLog()
      let machine = bench.machine(log: log, observer: transitions)
      _ = machine.activate(try .once(after: .milliseconds(1)).stayingOpen())
      try bench.wait(for: 1, in: log)
      try ContractViolation.unless(
        machine.state == .running && machine.deadline == nil && log.fires[0].isLast,
        "\(machine.state), armed for \(String(describing: machine.deadline))")
      machine.suspend()
      machine.resume()
      try bench.letPass(.milliseconds(2))
      try ContractViolation.unless(log.count == 1, "an unexpected fire")
      machine.reschedule(try .once(after: .milliseconds(1)).stayingOpen())
      try bench.wait(for: 2, in: log)
      machine.cancel()
      let seen = transitions.transitions
      try ContractViolation.unless(
        seen.map(\.event) == [
          .activate, .fire, .suspend, .resume, .reschedule, .fire, .cancel,
        ] && !seen.contains { $0.cause == .exhausted }, "events \(seen.map(\.event.rawValue))")
    },
    Clause("a fire of an open schedule that was skipped leaves the machine running") { bench in
      let log = FireLog()
      let machine = try bench.suspendedMachine(log: log)
      machine.reschedule(try .once(after: .milliseconds(1)).stayingOpen())
      try bench.letPass(.milliseconds(3))
      machine.resume(missed: .skip)
      try bench.letPass(.milliseconds(1))
      try ContractViolation.unless(
        log.count == 0 && machine.state == .running && machine.deadline == nil,
        "\(log.count) fires, \(machine.state)")
    },
    Clause("an accepted fireNow is delivered, whatever schedules follow") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let far = try TimerSchedule.once(after: .seconds(3600))
      _ = machine.activate(far)
      var accepted = 0
      for _ in 0..<100 {
        if machine.fireNow().isAccepted { accepted += 1 }
        machine.reschedule(far)
      }
      try bench.wait(for: accepted, in: log)
      try ContractViolation.unless(accepted == 100, "\(accepted) of 100 were accepted")
    },
    Clause("an accepted fireNow that a suspension or a cancellation overtakes is reported") {
      bench in
      // Its turn cannot come before it is overtaken.
      let (log, transitions) = (FireLog(), TransitionLog())
      let holder = MachineHolder()
      let far = try TimerSchedule.once(after: .seconds(3600))
      let machine = SafeTimer(
        name: "subject", factory: bench.factory, queue: bench.queue, observer: transitions
      ) { fire in
        if let machine = holder.machine {
          holder.machine = nil
          _ = machine.setSchedule(far)
          machine.fireNow()
          machine.suspend()
          machine.fireNow()
          machine.fireNow()
          machine.cancel()
        }
        log.record(fire)
      }
      holder.machine = machine
      _ = machine.activate(try .once(after: .milliseconds(1)))
      try bench.wait(for: 1, in: log)
      try bench.letPass(.milliseconds(1))
      let seen = transitions.transitions
      let overtaken = seen.filter { $0.cause == .overtaken }
      try ContractViolation.unless(
        overtaken.count == 3 && overtaken.allSatisfy { $0.event == .fireNow } && log.count == 1
          && machine.refusals == 3, "\(overtaken.count) of 3 reported, \(log.count) fires")
      try ContractViolation.unless(
        seen.map(\.sequence) == Array(1...UInt64(seen.count)), "\(seen.map(\.sequence))")
    },
    Clause("cancel releases the handlers, unless they are kept") { bench in
      let schedule = try TimerSchedule.once(after: .seconds(3600))
      for keeps in [false, true] {
        let probe = Probe()
        let machine = SafeTimer(name: "subject", factory: bench.factory, queue: bench.queue) {
          [held = probe.held] _ in _ = held
        }
        machine.setHandler("second") { [held = probe.held] _ in _ = held }
        probe.held = nil
        _ = machine.activate(schedule)
        machine.cancel(keepHandlers: keeps)
        try ContractViolation.unless(
          probe.isAlive == keeps && machine.handlers.count == (keeps ? 2 : 0),
          "kept: \(keeps), alive: \(probe.isAlive), handlers: \(machine.handlers.count)")
        let reply = machine.activate(schedule)
        try ContractViolation.unless(
          keeps ? reply.isAccepted : reply == .noHandler && machine.refusals == 1,
          "activate: \(reply)")
        machine.setHandler(TimerHandler.main) { _ in }
        try ContractViolation.unless(
          machine.setSchedule(schedule).isAccepted, "no start with a handler")
      }
    },
    Clause("start sets a schedule in every state") { bench in
      let log = FireLog()
      let machine = bench.machine(log: log)
      let soon = try TimerSchedule.once(after: .milliseconds(1))
      let far = try TimerSchedule.once(after: .seconds(3600))
      _ = machine.setSchedule(far)
      _ = machine.setSchedule(soon)
      try bench.wait(for: 1, in: log)
      _ = machine.setSchedule(soon)
      try bench.wait(for: 2, in: log)
      _ = machine.setSchedule(far)
      machine.suspend()
      _ = machine.setSchedule(soon)
      try bench.letPass(.milliseconds(2))
      try ContractViolation.unless(
        log.count == 2 && machine.state == .suspended, "\(log.count) fires, \(machine.state)")
      machine.resume()
      try bench.wait(for: 3, in: log)
    },
    Clause("a handler can receive its machine") { bench in
      let log = FireLog()
      let machine = SafeTimer(name: "subject", factory: bench.factory, queue: bench.queue) {
        machine, fire in
        if fire.sequence < 3 { _ = machine.setSchedule(.once(afterClamping: .milliseconds(1))) }
        log.record(fire)
      }
      _ = machine.setSchedule(.once(afterClamping: .milliseconds(1)))
      try bench.wait(for: 3, in: log)
    },
  ]
}

/// Tells whether something that it has handed out still lives.
private final class Probe {
  final class Held: Sendable {}

  var held: Held?
  private weak var trace: Held?

  init() {
    let held = Held()
    self.held = held
    trace = held
  }

  var isAlive: Bool { trace != nil }
}
