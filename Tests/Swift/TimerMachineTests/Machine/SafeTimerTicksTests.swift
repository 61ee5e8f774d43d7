import Dispatch
import Testing
import TimerMachine
import TimerMachineTesting

struct SafeTimerTicksTests {
  private let queue = DispatchQueue(label: "ticks")

  private func machine() -> SafeTimer {
    SafeTimer(name: "ticks", factory: CoalescingTimerFactory(queue: queue), queue: queue) { _ in
    }
  }

  @Test func `the ticks of a counted timer end with it`() async throws {
    let machine = machine()
    _ = machine.activate(try .every(.milliseconds(50), times: 4))
    var last: TimerFire?
    for await tick in machine.ticks { last = tick }
    #expect(last?.isLast == true)
    #expect(machine.state == .cancelled)
  }

  @Test func `cancelling the machine ends its ticks`() async throws {
    let machine = machine()
    _ = machine.activate(try .every(.milliseconds(1)))
    var count = 0
    for await _ in machine.ticks {
      count += 1
      if count == 3 { machine.cancel() }
    }
    #expect(count >= 3)
  }

  @Test func `cancelling the task leaves the loop and not the timer`() async throws {
    let machine = machine()
    _ = machine.activate(try .every(.milliseconds(1)))
    let task = Task {
      var count = 0
      for await _ in machine.ticks { count += 1 }
      return count
    }
    for await _ in machine.ticks { break }
    task.cancel()
    _ = await task.value
    #expect(machine.state == .running)
    machine.cancel()
  }

  @Test func `in virtual time no tick is lost, however far time moves at once`() async throws {
    let factory = ManualTimerFactory()
    let machine = SafeTimer(
      name: "ticks", factory: CoalescingTimerFactory(queue: queue, over: factory), queue: queue
    ) { _ in }
    _ = machine.activate(try .every(.seconds(1), times: 1_000))
    let ticks = machine.ticks
    factory.advance(by: .seconds(1_000))
    var sequences: [UInt64] = []
    for await tick in ticks { sequences.append(tick.sequence) }
    #expect(sequences == Array(1...1_000))
  }

  @Test func `a machine that does not run has no ticks`() async {
    for await _ in machine().ticks { Issue.record("a tick of an idle machine") }
  }

  @Test func `releasing the machine ends its ticks`() async throws {
    var machine: SafeTimer? = machine()
    _ = machine?.activate(try .every(.seconds(3_600)))
    let ticks = try #require(machine?.ticks)
    machine = nil
    for await _ in ticks { Issue.record("a tick of a released machine") }
    _ = machine
  }
}
