import Testing
import TimerMachine
import TimerMachineTesting

struct CountdownTests {
  private let bench = Bench()
  private let notes = Notes()

  private func countdown(_ duration: Duration = .seconds(5)) throws -> Countdown {
    try Countdown(
      duration, tick: .seconds(1), factory: bench.manual, queue: bench.queue,
      onTick: { [notes] in notes.note("\($0.components.seconds)") },
      onEnd: { [notes] in notes.note("end") })
  }

  @Test func `it ticks down and ends`() throws {
    let countdown = try countdown()
    countdown.start()
    bench.manual.advance(by: .milliseconds(2_500))
    #expect(countdown.remaining == .milliseconds(2_500))
    bench.manual.advance(by: .seconds(10))
    #expect(notes.all == ["4", "3", "2", "1", "end"])
    #expect(countdown.phase == .idle)
  }

  @Test func `a pause moves the ticks and the end`() throws {
    let countdown = try countdown()
    countdown.start()
    bench.manual.advance(by: .milliseconds(1_500))
    #expect(countdown.pause())
    bench.manual.advance(by: .seconds(60))
    #expect(countdown.remaining == .milliseconds(3_500))
    #expect(countdown.resume())
    bench.manual.advance(by: .milliseconds(500))
    #expect(notes.all == ["4", "3"])
    bench.manual.advance(by: .seconds(3))
    #expect(notes.all == ["4", "3", "2", "1", "end"])
    #expect(!countdown.resume())
    #expect(!countdown.pause())
  }

  @Test func `a duration that is no whole number of ticks has a short first one`() throws {
    let countdown = try countdown(.milliseconds(2_300))
    countdown.start()
    bench.manual.advance(by: .milliseconds(300))
    #expect(notes.all == ["2"])
    bench.manual.advance(by: .seconds(2))
    #expect(notes.all == ["2", "1", "end"])
  }

  @Test func `starting again starts from the whole`() throws {
    let countdown = try countdown()
    countdown.start()
    bench.manual.advance(by: .seconds(3))
    countdown.start()
    #expect(countdown.remaining == .seconds(5))
    countdown.cancel()
    #expect(countdown.remaining == .zero)
    bench.manual.advance(by: .seconds(60))
    #expect(notes.all == ["4", "3", "2"])
  }

  @Test func `a tick that comes late tells the whole number that it was due with`() throws {
    let countdown = try countdown()
    countdown.start()
    bench.manual.stall(by: .milliseconds(1_300))
    #expect(notes.all == ["4"])
    bench.manual.advance(by: .seconds(2))
    #expect(notes.all == ["4", "3", "2"])
  }

  @Test func `a stall over the end ends it once`() throws {
    let countdown = try countdown()
    countdown.start()
    bench.manual.stall(by: .seconds(60))
    #expect(notes.all == ["end"])
  }
}
