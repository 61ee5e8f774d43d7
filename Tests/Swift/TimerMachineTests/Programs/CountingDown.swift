import Testing
import TimerMachine
import TimerMachineTesting

/// The button that sends a code again, and counts down until it may.
private final class SendAgain: Sendable {
  private let countdown: Countdown
  private let screen: Notes

  init(screen: Notes, factory: any TimerFactory = CoalescingTimerFactory.shared) {
    self.screen = screen
    countdown = Countdown(clamping: .seconds(60), tick: .seconds(1), factory: factory)
  }

  func codeSent() {
    countdown.start(
      onTick: { [weak self] in self?.screen.note("\($0.components.seconds)") },
      onEnd: { [weak self] in self?.screen.note("send again") })
  }

  func enterBackground() { countdown.pause() }
  func enterForeground() { countdown.resume() }
}

struct CountingDownTests {
  @Test func `it counts down to its end, and a pause does not count`() {
    let time = ManualTimerFactory()
    let screen = Notes()
    let button = SendAgain(screen: screen, factory: time)
    button.codeSent()
    time.advance(by: .seconds(57))
    button.enterBackground()
    time.advance(by: .seconds(3_600))
    #expect(screen.all.suffix(2) == ["4", "3"])
    button.enterForeground()
    time.advance(by: .seconds(3))
    #expect(screen.all.suffix(3) == ["2", "1", "send again"] && screen.all.count == 60)
  }
}
