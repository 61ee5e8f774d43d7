import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

struct SafeTimerWallTests {
  private let bench = Bench()
  private var clock: ManualClock { bench.manual.clock }

  @Test(arguments: [false, true])
  func `a wall timer follows the clock forward`(overWakeQueue: Bool) throws {
    let machine = bench.machine(factory: factory(overWakeQueue))
    _ = machine.activate(try .once(atWall: clock.wall + .seconds(3_600)))
    bench.manual.advance(by: .seconds(10))
    bench.manual.setWall(clock.wall + .seconds(3_590))
    bench.manual.advance(by: .zero)
    #expect(bench.log.count == 1)
    #expect(bench.now == 10_000)
  }

  @Test(arguments: [false, true])
  func `a wall timer follows the clock backward`(overWakeQueue: Bool) throws {
    let machine = bench.machine(factory: factory(overWakeQueue))
    _ = machine.activate(try .once(atWall: clock.wall + .seconds(60)))
    bench.manual.setWall(clock.wall - .seconds(30))
    bench.manual.advance(by: .seconds(60))
    #expect(bench.log.count == 0)
    bench.manual.advance(by: .seconds(30))
    #expect(bench.log.fires.map(\.claimedAt.milliseconds) == [90_000])
  }

  @Test func `a step forward makes one fire for all that it jumped over`() throws {
    let start = clock.wall + .seconds(60)
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(60), startingAtWall: start))
    bench.manual.setWall(clock.wall + .seconds(330))
    bench.manual.advance(by: .seconds(30))
    #expect(bench.log.fires.map(\.periods) == [5, 1])
    #expect(bench.log.fires.map(\.claimedAt.milliseconds) == [0, 30_000])
  }

  @Test func `after a step backward no deadline fires twice`() throws {
    let start = clock.wall + .seconds(60)
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(60), startingAtWall: start))
    bench.manual.advance(by: .seconds(130))
    bench.manual.setWall(clock.wall - .seconds(100))
    bench.manual.advance(by: .seconds(149))
    #expect(bench.log.count == 2)
    bench.manual.advance(by: .seconds(1))
    #expect(bench.log.count == 3)
  }

  @Test func `a timer on the monotonic clock ignores steps`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .every(.seconds(60)))
    bench.manual.setWall(clock.wall + .seconds(86_400))
    bench.manual.advance(by: .seconds(60))
    bench.manual.setWall(clock.wall - .seconds(86_400))
    bench.manual.advance(by: .seconds(60))
    #expect(bench.log.fires.map(\.periods) == [1, 1])
  }

  @Test func `a suspended wall timer finds the new time when it resumes`() throws {
    let machine = bench.machine()
    _ = machine.activate(try .once(atWall: clock.wall + .seconds(60)))
    machine.suspend()
    bench.manual.setWall(clock.wall + .seconds(120))
    bench.manual.advance(by: .seconds(1))
    #expect(bench.log.count == 0)
    machine.resume()
    bench.manual.advance(by: .zero)
    #expect(bench.log.count == 1)
  }

  private func factory(_ overWakeQueue: Bool) -> any TimerFactory {
    overWakeQueue ? CoalescingTimerFactory(queue: bench.queue, over: bench.manual) : bench.manual
  }
}
