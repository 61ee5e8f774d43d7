import Testing
import TimerMachine
import TimerMachineTesting

/// A timer that is made faster while it runs, and a search that waits until the typing stops.
private final class Search: Sendable {
  private let poll: SafeTimer
  private let rates: TimerRegistry
  private let log: Notes

  init(log: Notes, factory: any TimerFactory = CoalescingTimerFactory.shared) {
    self.log = log
    poll = SafeTimer.every(.seconds(5), factory: factory) { log.note("poll") }
    rates = TimerRegistry(factory: factory)
  }

  func speedUp() throws { try poll.reschedule(interval: .seconds(1), phase: .restart) }

  func typed(_ text: String) throws {
    try rates.debounce("search", for: .milliseconds(500)) { [log] in log.note("search \(text)") }
  }
}

struct SpeedUpTests {
  @Test func `the timer is made faster, and a burst of typing searches once`() throws {
    let time = ManualTimerFactory()
    let log = Notes()
    let search = Search(log: log, factory: time)
    time.advance(by: .seconds(7))
    try search.speedUp()
    time.advance(by: .seconds(2))
    #expect(log.all == ["poll", "poll", "poll"])
    for text in ["s", "sw", "swi"] {
      try search.typed(text)
      time.advance(by: .milliseconds(100))
    }
    time.advance(by: .milliseconds(500))
    #expect(log.all.filter { $0 != "poll" } == ["search swi"])
  }
}
