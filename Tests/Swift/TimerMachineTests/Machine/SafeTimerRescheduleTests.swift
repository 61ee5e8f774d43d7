import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

struct SafeTimerRescheduleTests {
  private let bench = Bench()

  private func deadlines(until seconds: Int) -> [Int64] {
    bench.manual.advance(to: MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000))
    return bench.log.fires.map { $0.deadline.milliseconds / 1_000 }
  }

  @Test func `a new interval keeps the phase of the grid`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10)))
    bench.manual.advance(by: .seconds(24))
    try machine.reschedule(interval: .seconds(4))
    #expect(deadlines(until: 35) == [10, 20, 26, 30, 34])
  }

  @Test func `a new interval may begin the grid again`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10)))
    bench.manual.advance(by: .seconds(24))
    try machine.reschedule(interval: .seconds(4), phase: .restart)
    #expect(deadlines(until: 35) == [10, 20, 28, 32])
  }

  @Test func `a new leeway leaves the deadlines alone`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10)))
    bench.manual.advance(by: .seconds(24))
    try machine.reschedule(interval: nil, leeway: .seconds(1))
    #expect(deadlines(until: 45) == [10, 20, 30, 40])
  }

  @Test func `a suspended timer takes a new interval and stays suspended`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10)))
    bench.manual.advance(by: .seconds(14))
    machine.suspend()
    try machine.reschedule(interval: .seconds(3))
    #expect(machine.state == .suspended)
    bench.manual.advance(by: .seconds(1))
    machine.resume()
    #expect(deadlines(until: 20) == [10, 16, 19])
  }

  @Test func `the count of fires continues`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10), times: 3))
    bench.manual.advance(by: .seconds(10))
    try machine.reschedule(interval: .seconds(1), phase: .restart)
    #expect(deadlines(until: 60) == [10, 11, 12])
    #expect(machine.state == .cancelled)
  }

  @Test func `a timer that fires once begins to repeat from its deadline`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .once(after: .seconds(10)))
    try machine.reschedule(interval: .seconds(5))
    #expect(deadlines(until: 22) == [10, 15, 20])
  }

  @Test func `a wrong interval changes nothing`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(10)))
    #expect(throws: TimerError.intervalNotPositive(.zero)) {
      try machine.reschedule(interval: .zero)
    }
    #expect(deadlines(until: 20) == [10, 20])
  }
}
