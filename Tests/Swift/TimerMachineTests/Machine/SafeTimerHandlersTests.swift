import Dispatch
import Testing
import TimerMachine
import TimerMachineTesting

struct SafeTimerHandlersTests {
  private let bench = Bench()
  private let notes = Notes()

  private func machine() throws -> SafeTimer {
    let machine = SafeTimer(name: "subject", factory: bench.manual, queue: bench.queue) {
      [notes] _ in notes.note("main")
    }
    _ = machine.activate(try .every(.seconds(1)))
    return machine
  }

  @Test func `handlers are added, replaced, retrieved and removed while the timer runs`() throws {
    let machine = try machine()
    machine.setHandler("metrics") { [notes] _ in notes.note("metrics") }
    machine.setHandler("audit") { [notes] _ in notes.note("audit") }
    bench.manual.advance(by: .seconds(1))
    #expect(notes.all == ["main", "metrics", "audit"])

    let previous = machine.setHandler("metrics") { [notes] _ in notes.note("better metrics") }
    #expect(previous?.name == "metrics")
    machine.removeHandler(TimerHandler.main)
    bench.manual.advance(by: .seconds(1))
    #expect(notes.all.suffix(2) == ["better metrics", "audit"])

    #expect(machine.handlers.map(\.name) == ["metrics", "audit"])
    #expect(machine.handler(named: "audit")?.name == "audit")
    #expect(machine.handler(named: TimerHandler.main) == nil)
    #expect(machine.removeHandler("nobody") == nil)
  }

  @Test func `a handler may remove itself`() throws {
    let machine = try machine()
    machine.setHandler("once") { [notes, weak machine] _ in
      notes.note("once")
      machine?.removeHandler("once")
    }
    bench.manual.advance(by: .seconds(3))
    #expect(notes.all == ["main", "once", "main", "main"])
  }

  @Test func `a timer without handlers fires to nobody`() throws {
    let machine = try machine()
    machine.removeHandler(TimerHandler.main)
    bench.manual.advance(by: .seconds(3))
    #expect(machine.claims == 3)
    #expect(notes.all.isEmpty)
  }

  @Test func `a registration handler that is dropped may operate the machine as it goes`() throws {
    let queue = DispatchQueue(label: "registrations")
    let machine = SafeTimer(name: "subject", factory: DispatchTimerFactory(), queue: queue) {
      _ in
    }
    let gone = DispatchSemaphore(value: 0)
    queue.suspend()
    try activateWithParting(machine, gone)
    machine.suspend()
    machine.cancel(keepHandlers: true)
    try activateWithParting(machine, gone)
    machine.cancel()
    queue.resume()
    for _ in 1...2 { #expect(gone.wait(timeout: .now() + 10) == .success) }
  }

  private func activateWithParting(_ machine: SafeTimer, _ gone: DispatchSemaphore) throws {
    let parting = Parting { [weak machine] in
      _ = machine?.state
      gone.signal()
    }
    _ = machine.activate(
      try .every(.seconds(60)),
      onArmed: {
        parting.keep()
        Issue.record("called")
      })
  }
}
