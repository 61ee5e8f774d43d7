import Dispatch
import TimerMachine

extension TimerFactoryContract {
  /// Promises about the handler and the observer.
  static let handlerClauses = [
    Clause("every operation can be called from inside the handler") { bench in
      let log = FireLog()
      let holder = MachineHolder()
      let schedule = try TimerSchedule.once(after: .milliseconds(1))
      let machine = SafeTimer(name: "subject", factory: bench.factory, queue: bench.queue) {
        guard let machine = holder.machine, log.count == 0 else { return log.record($0) }
        _ = machine.activate(schedule)
        machine.suspend()
        machine.resume()
        machine.suspendAndWait()
        machine.reschedule(schedule)
        machine.cancelAndWait(keepHandlers: true)
        machine.cancel(keepHandlers: true)
        _ = machine.activate(schedule)
        log.record($0)
      }
      holder.machine = machine
      _ = machine.activate(schedule)
      try bench.wait(for: 2, in: log)
      holder.machine = nil
    },
    Clause("the last handler call of a timer can activate it again") { bench in
      let log = FireLog()
      let holder = MachineHolder()
      let schedule = try TimerSchedule.once(after: .milliseconds(1))
      let machine = SafeTimer(name: "subject", factory: bench.factory, queue: bench.queue) {
        log.record($0)
        if log.count < 5 { _ = holder.machine?.activate(schedule) }
      }
      holder.machine = machine
      _ = machine.activate(schedule)
      try bench.wait(for: 5, in: log)
      holder.machine = nil
      try ContractViolation.unless(
        log.fires.map(\.generation) == [1, 2, 3, 4, 5], "\(log.fires.map(\.generation))")
    },
    Clause("handlers run on their machine's queue") { bench in
      guard bench.isRealTime else { return }
      let key = DispatchSpecificKey<Int>()
      bench.queue.setSpecific(key: key, value: 42)
      let log = FireLog()
      let machine = SafeTimer(name: "subject", factory: bench.factory, queue: bench.queue) {
        if DispatchQueue.getSpecific(key: key) == 42 { log.record($0) }
      }
      _ = machine.activate(try .once(after: .milliseconds(1)))
      try bench.wait(for: 1, in: log)
    },
    Clause("an observer sees every transition in order, and can operate the machine") { bench in
      let log = FireLog()
      let observer = MeddlingObserver()
      let machine = bench.machine(log: log, observer: observer)
      observer.holder.machine = machine
      _ = machine.activate(try .once(after: .seconds(3600)))
      observer.holder.machine = nil
      let seen = observer.log.transitions
      try ContractViolation.unless(
        seen.map(\.event) == [.activate, .suspend, .resume],
        "events \(seen.map(\.event.rawValue))")
      try ContractViolation.unless(seen.map(\.sequence) == [1, 2, 3], "\(seen.map(\.sequence))")
    },
  ]
}
