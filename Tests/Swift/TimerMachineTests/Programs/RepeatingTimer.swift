import Testing
import TimerMachine
import TimerMachineTesting

/// The class of the article with its three calls. It needs neither a state nor a `deinit`.
private final class RepeatingTimer: Sendable {
  private let timer: SafeTimer

  init(
    timeInterval: Duration, factory: any TimerFactory = CoalescingTimerFactory.shared,
    eventHandler: @escaping @Sendable () -> Void
  ) {
    timer = SafeTimer(
      schedule: .every(clamping: timeInterval), factory: factory, handler: eventHandler)
  }

  func resume() { timer.resume() }
  func suspend() { timer.suspend() }
}

struct RepeatingTimerTests {
  @Test func `it is resumed and suspended in any order, and released suspended`() {
    let time = ManualTimerFactory()
    let notes = Notes()
    var timer: RepeatingTimer? = RepeatingTimer(timeInterval: .seconds(3), factory: time) {
      notes.note("fired")
    }
    timer?.suspend()
    timer?.resume()
    timer?.resume()
    time.advance(by: .seconds(6))
    timer?.suspend()
    timer?.suspend()
    time.advance(by: .seconds(2))
    timer?.resume()
    time.advance(by: .seconds(1))
    #expect(notes.all == ["fired", "fired", "fired"])
    timer?.suspend()
    timer = nil
    time.advance(by: .seconds(60))
    #expect(notes.all.count == 3 && time.armedCount == 0)
  }
}
