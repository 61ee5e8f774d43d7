import Synchronization
import Testing
import TimerMachine
import TimerMachineTesting

/// Sends the tracked events every half a minute, and drops the old ones. Each way is a strategy.
private final class Tracking: Sendable {
  private let timer: SafeTimer
  let events = Mutex<[String]>([])

  init(to server: Notes, factory: any TimerFactory = CoalescingTimerFactory.shared) {
    timer = SafeTimer(
      name: "tracking", schedule: .every(clamping: .seconds(30)), factory: factory)
    timer.register(SendEvents(tracking: self, server: server))
  }

  func track(_ event: String) { events.withLock { $0.append(event) } }
  func begin() { timer.start() }
  func enterBackground() { timer.suspend() }
  func enterForeground() { timer.resume() }
  func keepOnly(last count: Int) { timer.register(DropOld(tracking: self, count: count)) }
  func stopSending() { timer.remove(SendEvents.self) }
}

private struct SendEvents: TimerStrategy {
  weak let tracking: Tracking?
  let server: Notes

  func timerFired(_ timer: SafeTimer, _ fire: TimerFire) {
    let batch = tracking?.events.withLock { events in
      defer { events = [] }
      return events
    }
    server.note(batch?.joined(separator: " ") ?? "")
  }
}

private struct DropOld: TimerStrategy {
  weak let tracking: Tracking?
  let count: Int

  func timerFired(_ timer: SafeTimer, _ fire: TimerFire) {
    tracking?.events.withLock { $0 = $0.suffix(count) }
  }
}

struct TrackingSenderTests {
  @Test func `tracked events are sent, kept in the background, and dropped on request`() {
    let time = ManualTimerFactory()
    let server = Notes()
    let tracking = Tracking(to: server, factory: time)
    tracking.begin()
    tracking.track("open")
    time.advance(by: .seconds(30))
    tracking.enterBackground()
    tracking.track("leave")
    time.advance(by: .seconds(600))
    #expect(server.all == ["open"])
    tracking.enterForeground()
    tracking.enterForeground()
    time.advance(by: .zero)
    #expect(server.all == ["open", "leave"])
    tracking.stopSending()
    tracking.keepOnly(last: 2)
    for event in ["a", "b", "c"] { tracking.track(event) }
    time.advance(by: .seconds(30))
    #expect(tracking.events.withLock { $0 } == ["b", "c"])
    #expect(server.all == ["open", "leave"])
  }
}
