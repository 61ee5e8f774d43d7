import Testing
import TimerMachine
import TimerMachineTesting
import TaktTime

struct ThrottleTests {
  private let bench = Bench()
  private let notes = Notes()

  private func run(_ keeping: Throttle.Keeping, at moments: [Int]) throws {
    let throttle = try Throttle(
      interval: .milliseconds(100), keeping: keeping, factory: bench.manual, queue: bench.queue)
    let clock = bench.manual.clock
    for moment in moments {
      bench.manual.advance(to: MonotonicInstant(nanoseconds: Int64(moment) * 1_000_000))
      throttle.call { [notes] in notes.note("\(moment)@\(clock.monotonic.milliseconds)") }
    }
    bench.manual.advance(by: .seconds(10))
    #expect(!throttle.isActive)
  }

  @Test func `latest acts at once and then with the latest call of each interval`() throws {
    try run(.latest, at: [0, 20, 90, 150, 160, 500])
    #expect(notes.all == ["0@0", "90@100", "160@200", "500@500"])
  }

  @Test func `first drops every call until the interval is over`() throws {
    try run(.first, at: [0, 20, 90, 150, 160, 500])
    #expect(notes.all == ["0@0", "150@150", "500@500"])
  }

  @Test func `a cancelled throttle drops what waits and starts again`() throws {
    let throttle = try Throttle(
      interval: .milliseconds(100), factory: bench.manual, queue: bench.queue)
    throttle.call { [notes] in notes.note("first") }
    throttle.call { [notes] in notes.note("dropped") }
    throttle.cancel()
    throttle.call { [notes] in notes.note("anew") }
    bench.manual.advance(by: .seconds(10))
    #expect(notes.all == ["first", "anew"])
  }
}
