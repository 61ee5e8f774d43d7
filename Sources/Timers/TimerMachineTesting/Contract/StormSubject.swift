import TaktTime
import TimerMachine

/// One machine in an operation storm, with its ledger.
struct StormSubject: Sendable {
  let machine: SafeTimer
  let ledger: StormLedger

  init(name: String, bench: TimerTestBench) {
    let ledger = StormLedger()
    self.ledger = ledger
    machine = SafeTimer(
      name: name, factory: bench.factory, queue: bench.queue, observer: ledger
    ) { ledger.fired($0) }
  }

  /// Does one random operation.
  func operate(now: MonotonicInstant, using generator: inout SeededGenerator) throws {
    let choice = Int.random(in: 0..<100, using: &generator)
    switch choice {
    case 0..<30: _ = machine.activate(try Self.schedule(now: now, using: &generator))
    case 30..<45: note(machine.suspend())
    case 45..<60: machine.resume(missed: choice.isMultiple(of: 2) ? .coalesce : .skip)
    case 60..<80: note(machine.reschedule(try Self.schedule(now: now, using: &generator)))
    case 80..<85: machine.fireNow()
    case 85..<97: note(machine.cancel(keepHandlers: true))
    case 97: note(machine.suspendAndWait())
    default: note(machine.cancelAndWait(keepHandlers: true))
    }
  }

  /// Lets the machine fire once more, and throws the violation, if any.
  func conclude(on bench: TimerTestBench) throws {
    machine.cancelAndWait(keepHandlers: true)
    ledger.beginConclusion()
    _ = machine.activate(try .once(after: .zero))
    try bench.wait(for: 1, in: ledger.conclusion)
    try ContractViolation.unless(machine.state == .cancelled, "\(machine.name) is stuck")
    if let violation = ledger.violation {
      throw ContractViolation("\(machine.name): \(violation)")
    }
  }

  /// An accepted operation that ends a generation sets the floor.
  private func note(_ reply: TimerReply) {
    guard case .accepted(let generation) = reply else { return }
    ledger.ended(before: generation, claims: machine.claims)
  }

  private static func schedule(
    now: MonotonicInstant, using generator: inout SeededGenerator
  ) throws -> TimerSchedule {
    let start = now + .microseconds(Int.random(in: -500..<2_000, using: &generator))
    let leeway = Duration.microseconds(Int.random(in: 0..<500, using: &generator))
    if Bool.random(using: &generator) {
      let once = try TimerSchedule.once(at: start, leeway: leeway)
      return Bool.random(using: &generator) ? once : once.stayingOpen()
    }
    let interval = Duration.microseconds(Int.random(in: 50..<2_000, using: &generator))
    let times = Bool.random(using: &generator) ? Int.random(in: 1..<5, using: &generator) : nil
    return try .every(interval, startingAt: start, leeway: leeway, times: times)
  }
}

/// Lets a handler find the machine that it belongs to.
final class MachineHolder: Sendable {
  private let held = Guarded<SafeTimer?>(nil)

  var machine: SafeTimer? {
    get { held.withLock { $0 } }
    set {
      // The previous machine goes outside the lock.
      let previous = held.withLock { held in
        let previous = held
        held = newValue
        return previous
      }
      _ = previous
    }
  }
}

/// Suspends its machine when it sees the activation and resumes it when it sees the suspension.
final class MeddlingObserver: TimerObserver {
  let log = TransitionLog()
  let holder = MachineHolder()

  func observe(_ transition: TimerTransition) {
    log.observe(transition)
    switch transition.event {
    case .activate: holder.machine?.suspend()
    case .suspend: holder.machine?.resume()
    case .resume, .reschedule, .fire, .fireNow, .cancel, .release: break
    }
  }
}
